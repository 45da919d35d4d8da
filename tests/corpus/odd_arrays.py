"""Odd programs around arrays: views of views, swaps, masks, indices that repeat, real and imaginary parts, scalars beside arrays."""
from __future__ import annotations

import math

import numpy as np

from .registry import case

X = np.array([0.6, 1.3, 0.8, 1.7])
TABLE = np.array([0.2, -0.4, 1.1, 0.9])


GAIN = 1.7


TABLE = np.array([0.2, -0.4, 1.1, 0.9])


@case(args=(X,))
def carried_array_early_exit(x):
    u = x.copy()
    for k in range(6):
        u = u * 0.9 + np.roll(u, 1) * 0.2
        if u[0] > 1.2:
            u[1] = u[0] ** 2
            break
        if u[2] < 0.1:
            return np.sum(u) * 2
        u[k % 4] *= 1.1
    return np.sum(u ** 2)


@case(args=(X,))
def views_of_views_written(x):
    m = x.reshape(2, 2).copy()
    r = m[0]
    s = r[::-1]
    s[0] *= 3.0
    t = m.T[1]
    t += x[0]
    m[1, :] -= s
    return np.sum(m * m * TABLE.reshape(2, 2))


@case(args=(X,))
def alias_through_list(x):
    a = x * 1.0
    box = [a, x]
    box[0][1] = x[0] * 2
    return np.sum(a ** 2) + box[0][1]


@case(args=(X,))
def alias_through_dict(x):
    a = x * 2.0
    d = {"a": a}
    d["a"][2] += x[3] ** 2
    a[0] = 1.0
    return np.sum(d["a"] * a)


@case(args=(X,))
def swap_arrays(x):
    a, b = x.copy(), np.cos(x)
    for _ in range(3):
        a, b = b, a
        a[0] += b[1]
    return np.sum(a * b * TABLE)


@case(args=(X,))
def swap_elements(x):
    v = x.copy()
    v[0], v[3] = v[3], v[0]
    v[1], v[2] = v[2] * v[0], v[1]
    return v @ TABLE + v[0] ** 2


@case(args=(X,))
def inplace_through_view(x):
    a = np.zeros((3, 4))
    a[0] = x
    row = a[1]
    row[:] = x ** 2
    col = a[:, 2]
    col *= 2.0
    np.add(row, a[0], out=a[2])
    return np.sum(a ** 2)


@case(args=(X,))
def negative_steps(x):
    v = x[::-1].copy()
    v[3:0:-1] += x[:3] ** 2
    v[::-2] *= 2.0
    w = v[-1:-4:-1]
    w[0] = x[0] * x[1]
    return np.sum(v * TABLE) + w[2]


@case(args=(X,))
def masks_in_place(x):
    v = x * 1.0
    v[v > 1.0] = 0.5
    m = (v < 0.7) & (v > 0.1)
    v[m] *= x[m] + 2
    v[~m] -= 1.0
    return np.sum(v ** 2)


@case(args=(X,))
def fancy_aug(x):
    v = np.zeros(3)
    idx = np.array([0, 2, 2, 1])
    v[idx] += x
    v[[0, 1]] *= x[:2]
    w = x[idx] * x
    w[[1, 1]] = x[2:]
    return np.sum(v * v) + np.sum(w)


@case(args=(X,))
def zero_d(x):
    a = np.array(x[0])
    b = np.asarray(2.0) * a
    c = a[()] + float(b) * a.item()
    s = np.float64(x[1])
    z = np.zeros(())
    z += c * s
    z[...] = z * z
    return z + np.sum(x) ** 1


@case(args=(X,))
def int_float_mix(x):
    n = 3
    a = x // 1 + x % 1 + n / 2 * x
    b = (x * n) ** 2 // 1e9 + x ** n + n ** x + x ** -1
    return np.sum(a) + b[0] * (7 // 2) + int(x[3]) * x[0] + round(x[1]) * x[2]


@case(args=(X,))
def complex_parts(x):
    z = x[:2] + 1j * x[2:]
    w = np.exp(z) * np.conj(z)
    return np.sum(w.real ** 2 + np.abs(w) + w.imag * np.angle(z)) + (z[0] * z[1]).imag + abs(complex(x[0], x[1])) ** 3


@case(args=(X,))
def broadcasting(x):
    c = x[:, None]
    m = c * x - x[None, :3].T[:1] + c ** 2
    m += x
    m[:, :2] *= c[:, :1]
    return np.sum(m) + np.sum((c + np.ones((1, 3))) @ x[:3])


@case(args=(X,))
def math_np_mix(x):
    return math.sin(np.sum(x)) * np.exp(math.sqrt(x[0])) + math.hypot(x[0], x[1]) + math.atan2(x[2], x[3]) + math.dist([x[0], x[1]], [1.0, 2.0]) + math.pow(x[0], x[1])


@case(args=(X,))
def float32_stays(x):
    y = x.astype(np.float32).astype(np.float64) * 0 + x
    return np.sum(y * np.float32(2.0)) * x[0]


@case(args=(X,))
def pingpong(x):
    old, new = x.copy(), np.empty(4)
    for _ in range(3):
        new[1:-1] = 0.5 * (old[2:] + old[:-2])
        new[0] = old[0]
        new[-1] = old[-1] * 2
        old, new = new, old
    return np.sum(old ** 2)


@case(args=(X,))
def cumulative(x):
    return np.sum(np.cumsum(x) * np.cumprod(x)) + np.sum(np.diff(x, n=2) ** 2) + np.trapezoid(x, dx=0.1) + np.sum(np.gradient(x) ** 2)


@case(args=(X,))
def where_nested(x):
    return np.sum(np.where(x > 1, np.sqrt(np.abs(x - 1)), np.where(x > 0.7, x ** 2, -x)))


@case(args=(X,))
def tensor_ops(x):
    m = np.outer(x, x) + np.eye(4) * 3
    return np.linalg.det(m) + np.trace(np.linalg.inv(m)) + np.einsum("i,ij,j->", x, m, x) + np.sum(np.tensordot(m, m, axes=([0], [1]))) + np.kron(x, x)[3]


@case(args=(X,))
def item_index(x):
    m = x.reshape(2, 2)
    return x.item(1) * m.item(0, 1) + m.item((1, 1)) + float(x[0:1].item())


@case(args=(X,))
def complex_set(x):
    z = np.zeros(4, dtype=complex)
    z.real = x
    z.imag = x * x[::-1]
    z *= 1j
    return np.sum(np.abs(z) ** 2 * x) + np.sum(z.imag ** 3)


@case(args=(X,))
def fill_diag(x):
    m = np.outer(x, x)
    np.fill_diagonal(m, x[1] * 2)
    np.fill_diagonal(m[:3, :3], x[:3])
    return np.sum(m ** 2)


@case(args=(X,))
def sort_array(x):
    m = np.outer(x, x[::-1])
    m.sort(axis=0)
    v = x * 1.0
    v.sort()
    return np.sum(m * x) + v[0] * v[3] ** 2


@case(args=(X,))
def flat_write(x):
    m = np.outer(x, x)
    m.flat[3] = x[0] * 3
    m.flat[::5] = 1.0
    return np.sum(m ** 2)


@case(args=(X,))
def round_trip(x):
    m = x.reshape(2, 2)
    m = np.ascontiguousarray(m)
    return m[0] @ m[1]


@case(args=(X,))
def frexp(x):
    a, b = np.modf(x)
    c, d = np.divmod(x, 0.45)
    return np.sum(a) + np.sum(d * x)


@case(args=(X,))
def np_where_one(x):
    i = np.where(x > 0.7)[0]
    j = np.nonzero(x > 1)
    return np.sum(x[i] ** 2) + np.sum(x[j]) + x[np.argmax(x)] + np.count_nonzero(x > 1) * x[0]


def smoothed(v):
    out = np.zeros_like(v)
    out[0] = v[0]
    for i in range(1, len(v)):
        out[i] = 0.6 * out[i - 1] + 0.4 * v[i]
    return out


@case(args=(X,))
def largest_and_smoothed(x):
    a = np.cumsum(np.cos(x)) / 5.0
    w = smoothed(a)
    return np.sin(np.max(a)) + np.sum(w * np.cos(w))

"""Assignment: every kind of target, and every augmented form of each."""
from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from .registry import case

A = np.array([0.5, -1.2, 2.0, 0.3])
M = np.array([[0.4, 1.1, -0.6, 0.9], [1.5, -0.2, 0.7, -1.3], [0.1, 0.8, -0.5, 0.6]])


@case(args=(1.3, 0.4), wrt=(0, 1))
def reassigned_names(x, y):
    t = x * y
    x = np.sin(t) + x
    t = x * t
    y = t - y * y
    return t * y


@case(args=((0.7, (1.1, -0.4)), 2.0), wrt=(0, 1))
def nested_tuple_target(state, dt):
    pos, (vel, acc) = state
    pos, (vel, acc) = pos + dt * vel, (vel + dt * acc, -np.sin(pos))
    return pos * vel + acc ** 2


@case(args=([0.3, 1.2, -0.8, 0.5],))
def starred_target(coeffs):
    first, *middle, last = coeffs
    total = first * last
    for c in middle:
        total += c * c * first
    return total


@case(args=(0.8, 1.7), wrt=(0, 1))
def swap_and_chain(a, b):
    a, b = b, a
    c = d = a * b
    d = d + a
    p, q = r = (c * d, d - c)
    return p * q + r[0] * b


@case(args=(1.4,))
def annotated(x: float) -> float:
    scale: float = 2.5
    y: float = scale * x
    later: int
    z: "float" = y ** 2
    later = 3
    return z * y * later


@case(args=(A, 0.7), wrt=(0, 1))
def walrus(x, c):
    if (n := len(x)) > 2 and (s := np.sum(x * x)) > 0.5:
        return s * c / n
    return c * (m := x[0]) + m


@case(args=(A, M))
def element_write(x, m):
    out = np.zeros(4)
    out[0] = x[1] * x[2]
    out[3] = np.exp(x[0])
    out[-2] = x[3] ** 2
    out[1] = out[0] * out[3]
    return np.sum(out * m[0]) + out[1] * out[2]


@case(args=(A,))
def element_augmented(x):
    out = np.ones(3)
    out[0] += x[0]
    out[1] -= x[1] * out[0]
    out[2] *= x[2]
    out[0] /= 1.0 + x[3] ** 2
    out[1] **= 2
    return out[0] * out[1] + out[2] * out[1]


@case(args=(M, 0.4), wrt=(0, 1))
def strided_slice_write(m, c):
    u = np.array(m)
    u[1:, ::2] = c * u[:-1, 1::2]
    u[0] = u[1] * u[2]
    u[:, -1] = u[:, 0] ** 2
    return np.sum(u * np.arange(12.0).reshape(3, 4))


@case(args=(M, A), wrt=(0, 1))
def slice_augmented(m, w):
    u = m.copy()
    u[1:3, :2] += w[:2]
    u[::2] *= w
    u[:, 1:-1] -= 0.5 * u[:, 2:]
    u[0, ::-1] += u[1]
    u[..., 0] /= 3.0
    return np.sum(np.tanh(u))


@case(args=(A, 0.25), wrt=(0, 1))
def mask_write(x, low):
    y = x.copy()
    y[y < 0] = low
    mask = y > 0.4
    y[mask] = y[mask] ** 2 + low
    y[~mask] *= 3.0
    return np.sum(y * np.array([1.0, 2.0, 3.0, 4.0]))


@case(args=(A, M), wrt=(0, 1))
def fancy_write(x, m):
    idx = np.array([2, 0])
    y = np.zeros(4)
    y[idx] = x[idx] * x[[1, 3]]
    y[[1, 3]] = m[1, idx]
    rows, cols = np.array([0, 2, 1]), np.array([3, 1, 0])
    z = m.copy()
    z[rows, cols] *= x[:3]
    return np.sum(y ** 2) + np.sum(np.sin(z))


@case(args=(A,))
def fancy_repeated_read(x):
    idx = [0, 0, 2, 1, 2, 2]
    y = x[idx]
    y[0] = 5.0 * y[1]
    return np.sum(y * np.arange(1.0, 7.0) * x[3])


@case(args=(0.6, 1.5), wrt=(0, 1))
def attribute_write(x, v):
    s = SimpleNamespace(pos=x, vel=v)
    s.acc = -s.pos
    for _ in range(3):
        s.vel += 0.1 * s.acc
        s.pos += 0.1 * s.vel
        s.acc = -np.sin(s.pos)
    s.vel *= 2.0
    return s.pos ** 2 + s.vel ** 2 + s.acc


@case(args=(A, 1.1), wrt=(0, 1))
def augmented_names(x, s):
    total = 0
    total += s
    total -= x[0]
    total *= x[1] + 3.0
    total /= x[2]
    total **= 2
    v = x + 0.0
    v += s
    v *= x
    v -= total
    return np.sum(v * v)


@case(args=(M, A), wrt=(0, 1))
def augmented_matmul(m, v):
    r = np.eye(3)
    r @= np.outer(m[:, 0], m[:, 1]) + np.eye(3)
    return np.sum((r @ m) @ v)


@case(args=(A, 2.0), wrt=(0, 1))
def written_then_read_in_one_statement(u, c):
    u = u.copy()
    u[1:-1] += c * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    u[0], u[-1] = u[-1], u[0]
    u[1], c = c * u[2], u[1]
    return np.sum(u ** 2) * c


@case(args=({"k": 1.3, "x": A},))
def item_of_dict_entry(p):
    state = {"x": p["x"].copy(), "t": 0.0}
    state["x"][1] = p["k"] * state["x"][0]
    state["x"][2:] *= p["k"]
    state["t"] += np.sum(state["x"])
    return state["t"] ** 2


@case(args=(A, 0.3), wrt=(0, 1))
def assigned_in_tuple_of_places(x, h):
    y = np.empty(3)
    y[0], y[1], (y[2], rest) = x[0] * h, x[1] + h, (x[2] ** 2, x[3])
    (y[0:2], last) = (y[1:3] * rest, h)
    return np.sum(y) * last

"""Odd programs around calls, generators, recursion and the ways out of loops."""
from __future__ import annotations

import functools
import math

import numpy as np

from .registry import case

X = np.array([0.6, 1.3, 0.8, 1.7])


@case(args=(X,))
def nested_loop_return(x):
    s = 0.0
    for i in range(4):
        for j in range(4):
            s += x[i] * x[j]
            if s > 6.0:
                return s * x[i] - j
    return s


@case(args=(X,))
def loop_break_flag_array(x):
    a = np.zeros(4)
    done = False
    i = 0
    while not done:
        a[i] = x[i] ** 2 + (a[i - 1] if i else 0.0)
        done = a[i] > 2.0 or i == 3
        i += 1
    return np.sum(a) * i


@case(args=(X,))
def continue_in_for(x):
    s = np.zeros(2)
    for k, t in enumerate(x):
        if t < 0.7:
            continue
        s[k % 2] += t * s[(k + 1) % 2] + t
    return s[0] * s[1]


@case(args=(X,))
def augmented_all(x):
    a = x.copy()
    a += x; a -= 2; a *= x; a /= 3 + x; a **= 2; a **= x
    b = a[0]
    b += 1; b -= x[1]; b *= x[2]; b /= x[3]; b **= 2
    a[1] **= 3; a[2] /= x[0]; a[1:3] **= 2
    return np.sum(a) * b


@case(args=(X,), step=1e-5)
def floordiv_mod_inplace(x):
    a = x * 5.1
    a %= 2.0
    b = x * 3
    b //= 1.1
    a[0] %= 0.35
    return np.sum(a * x) + np.sum(b * x)


@case(args=(X,))
def matmul_inplace(x):
    m = x.reshape(2, 2).copy()
    m @= m.T
    v = x[:2].copy()
    return np.sum(m @ v) + m[0, 1]


@case(args=(X,))
def where_write(x):
    a = x.copy()
    np.add(a, 1.0, out=a, where=a > 1)
    np.sin(a, out=a)
    np.multiply(a, x, out=a[:])
    return np.sum(a ** 2)


@case(args=(X,))
def clip_out(x):
    a = x.copy()
    np.clip(a, 0.7, 1.5, out=a)
    a.clip(0.75, None, out=a)
    return np.sum(a ** 2 * x)


@case(args=(X,))
def masked_2d(x):
    m = np.outer(x, x)
    mask = m > 1.0
    m[mask] = np.sqrt(m[mask])
    m[~mask & (m > 0.5)] *= 2
    m[mask.any(axis=1)] += x
    m[:, x > 1] -= x[:, None]
    return np.sum(m ** 2)


@case(args=(X,))
def ix_grid(x):
    m = np.outer(x, x)
    m[np.ix_([0, 2], [1, 3])] += x[:2, None]
    return np.sum(m[np.ix_([0, 1], [1, 2])] ** 2) + np.sum(m)


@case(args=(X,))
def newaxis_ellipsis(x):
    m = np.outer(x, x)[None, ...]
    m[..., 0] *= 2
    m[0, ..., 1:] -= x[0]
    return np.sum(m[..., ::-1] * x) + m[0][1][2]


@case(args=(X,))
def reversed_write(x):
    a = x.copy()
    for k in reversed(range(3)):
        a[k] += a[k + 1] * x[k]
    for k in range(3, -1, -2):
        a[k] *= a[k - 1]
    return np.sum(a)


@case(args=(X,))
def thomas(x):
    n = 4
    c, d = np.zeros(n), np.zeros(n)
    b = 4.0 + x
    c[0] = x[0] / b[0]
    d[0] = x[1] / b[0]
    for i in range(1, n):
        m = b[i] - x[i] * c[i - 1]
        c[i] = x[i] / m
        d[i] = (1.0 - x[i] * d[i - 1]) / m
    u = np.empty(n)
    u[-1] = d[-1]
    for i in range(n - 2, -1, -1):
        u[i] = d[i] - c[i] * u[i + 1]
    return np.sum(u ** 2)


@case(args=(X,))
def vararg_unpack(x):
    def f(*a, k=1, **kw):
        return sum(a) * k + sum(kw.values())
    t = (x[0], x[1])
    return f(*t, x[2], k=2, z=x[3]) + f(*[x[0]] * 2) + f(**{"q": x[1]})


@case(args=(X,))
def wraps_decorator(x):
    def twice(f):
        @functools.wraps(f)
        def g(*a): return 2 * f(*a)
        return g
    @twice
    def h(a, b): return a * b
    return h(x[0], x[1]) + h(*x[2:4])


@case(args=(X,))
def generator_pipeline(x):
    sq = (t * t for t in x)
    pos = (t for t in sq if t > 0.5)
    return sum(a * (k + 1) for k, a in enumerate(pos)) + math.prod(t for t in x)


@case(args=(X,))
def yield_from_gen(x):
    def inner(v):
        for t in v: yield t * 2
    def outer(v):
        yield from inner(v)
        yield v[0]
    return sum(t ** 2 for t in outer(x))


@case(args=(X,))
def bool_arith(x):
    return (x[0] > 0.5) * x[1] + (x[2] > 5) * x[3] + np.sum((x > 1) * x) + np.sum(x[x > 1]) + (not x[0]) * x[1]


@case(args=(X,))
def int_arrays(x):
    idx = np.argsort(x)
    rank = np.empty_like(idx)
    rank[idx] = np.arange(4)
    n = np.bincount(rank, weights=None, minlength=4)
    return np.sum(x * rank) + np.sum(x[idx] * n)


@case(args=(X,))
def searchsorted_interp(x):
    grid = np.array([0.0, 1.0, 2.0])
    k = np.searchsorted(grid, x) - 1
    w = (x - grid[k]) / (grid[k + 1] - grid[k])
    vals = np.array([x[0], x[1] ** 2, x[2]])
    return np.sum((1 - w) * vals[k] + w * vals[k + 1]) + np.interp(0.5, grid, vals) + np.interp(x[0], grid, np.array([1.0, 3, 2]))


@case(args=(X,))
def polynomial(x):
    return np.polyval(x, 0.7) + np.polyval([1.0, 2.0, 3.0], x[0]) + functools.reduce(lambda a, c: a * 1.3 + c, x) + np.convolve(x, x[:2]).sum()


@case(args=(X,))
def meshgrid_use(x):
    a, b = np.meshgrid(x, x[:3])
    c, d = np.mgrid[0:3, 0:4]
    return np.sum(a * b) + np.sum(a * c * d)


@case(args=(X,))
def roll_pad_tile(x):
    return np.sum(np.roll(x, 1) * x) + np.sum(np.pad(x, (1, 2), mode="edge") ** 2) + np.sum(np.tile(x, (2, 2))[1, 3:] ** 2) + np.sum(np.repeat(x, [1, 2, 0, 1]) ** 2) + np.sum(np.flip(x)[:2] * x[:2])


@case(args=(X,))
def empty_cases(x):
    e = x[:0]
    s = np.sum(e ** 2) + sum([]) + np.prod(e)
    for t in e:
        s += t
    out = []
    for t in x[4:]:
        out.append(t)
    return s + len(out) + x[0]


@case(args=(X,))
def while_true_break(x):
    a, b, k = x[0], x[1], 0
    while True:
        a, b = (a + b) / 2, math.sqrt(a * b)
        k += 1
        if abs(a - b) < 1e-12 or k > 20:
            break
    return a * x[2]


@case(args=(X,))
def bisect(x):
    lo, hi = 0.0, 3.0
    f = lambda t: t ** 3 - x[0] * t - x[1]
    for _ in range(5):
        mid = 0.5 * (lo + hi)
        if f(lo) * f(mid) <= 0:
            hi = mid
        else:
            lo = mid
    t = 0.5 * (lo + hi)
    for _ in range(6):
        t = t - f(t) / (3 * t ** 2 - x[0])
    return t


@case(args=(X,))
def assert_raise_path(x):
    def check(v):
        if v < 0:
            raise ValueError("neg")
        return math.sqrt(v)
    try:
        a = check(x[0] - 2)
    except ValueError as e:
        a = x[0] * len(str(e))
    try:
        b = check(x[1])
    finally:
        c = 1.0
    return a * b * c


@case(args=(X,))
def try_in_loop(x):
    s = 0.0
    table = {0: 2.0, 2: 3.0}
    for k in range(4):
        try:
            w = table[k]
            s += w * x[k] ** 2
        except KeyError:
            s += x[k]
            continue
        else:
            s *= 1.1
        s += 0.1
    return s


@case(args=(X,))
def put1(x):
    m = np.outer(x, x)
    np.put(m, [1, 4], x[:2])
    return np.sum(m ** 2)


@case(args=(X,))
def place1(x):
    m = np.outer(x, x)
    np.place(m, m > 1.5, [x[0], x[1]])
    return np.sum(m ** 2)


@case(args=(X,))
def putmask1(x):
    m = np.outer(x, x)
    np.putmask(m, m < 0.5, x[2])
    return np.sum(m ** 2)


@case(args=(X,))
def while_nonlocal(x):
    t = -1.2
    n = 0
    def g(v):
        nonlocal t
        t = np.tanh(t + v)
        return t
    while n < 3 and g(x[n]) < 0.7:
        n += 1
    return np.sin(t) * n


@case(args=(X,))
def while_nonlocal2(x):
    t = -1.2
    n = 0
    def g(v):
        nonlocal t
        t = np.tanh(t + v)
        return t
    while n < 3 and (x[0] if x[1] > 0 else x[2]) < g(x[n]) + 1.5:
        n += 1
    return np.sin(t) * (n + 1)


@case(args=(X,))
def and_nonlocal(x):
    t = x[0]
    def g(v):
        nonlocal t
        t = t * v
        return t
    if x[1] > 5 and g(x[1]) > 0:
        return t
    if x[1] > 1 and g(x[2]) > 0 or g(x[3]) > 5:
        t = t + 1
    y = g(x[1]) if x[0] > 0 else 0.0
    return t * y + sum(g(v) for v in x)


def _settled(x):
    v = x.copy()
    k = 0
    while True:
        k += 1
        v -= 0.5 * (v - x * x)
        if k > 3:
            return v
        if k > 30:
            raise ValueError("it does not settle")


@case(args=(X,))
def buffer_returned_from_an_endless_loop(x):
    return np.sum(_settled(x) ** 2)


@case(args=(X,))
def joined_to_a_tuple(x):
    angle = np.linalg.norm(x)
    a = np.hstack((x / angle, (angle,)))
    return np.sum(a * np.arange(5.0)) + np.sum(a * a)

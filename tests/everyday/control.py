"""Control flow and references: early exits, rows under names of their own, closures, defaults, sets, buffers."""
from __future__ import annotations

import collections
import itertools
import math

import numpy as np

from .registry import program

rng = np.random.default_rng(2)


@program(rng.normal(size=4))
def nested_funcs_state(x):
    history = []
    def record(v):
        history.append(v)
        return v
    s = 0.0
    for v in x:
        s = record(s + v * v)
    return history[-1] * history[0] + sum(history[1:-1])


@program(rng.normal(size=(3, 3)))
def matrix_iter(a):
    t = 0.0
    for row in a:
        for k, v in enumerate(row):
            t += v ** (k + 1)
    for i, j in np.ndindex(a.shape):
        t += a[i, j] * (i - j)
    for i, j in itertools.product(range(3), repeat=2):
        if i < j: t -= a[i][j] * a[j][i]
    return t


@program(rng.uniform(.5, 1, 5))
def two_pointers(x):
    lo, hi = 0, len(x) - 1
    t = 0.0
    while lo < hi:
        t += x[lo] * x[hi]
        if x[lo] < x[hi]: lo += 1
        else: hi -= 1
    return t


@program(rng.normal(size=4), 0.5)
def with_none(x, scale, bias=None):
    if bias is None:
        bias = np.zeros_like(x)
    if scale is not None:
        x = x * scale
    return np.sum((x + bias) ** 2)


@program(rng.normal(size=3))
def chained_assign(x):
    a = b = x * 2
    a += 1
    c, *rest = b
    d = [c, *rest][::-1]
    (e, f), g = (d[0], d[1]), d[2]
    return e * f + g * a[0]


@program(rng.normal(size=3))
def aug_alias(x):
    y = x.copy(); z = y
    z *= 2
    w = y[:2]
    w += x[1:]
    y = y + 1
    return np.sum(z * y) + w.sum()


@program(rng.normal(size=(2, 3)))
def row_views(a):
    b = np.array(a)
    r0, r1 = b
    r0 += r1
    r1 *= r0
    b[:, 0] = b[:, 1] * b[:, 2]
    return np.sum(b ** 2)


@program(rng.normal(size=3))
def try_finally(x):
    t = 0.0
    for k in range(4):
        try:
            t += x[k] ** 2
        except IndexError:
            t *= 2
            break
        finally:
            t += 0.1 * x[0]
    return t


@program(rng.normal(size=3))
def raise_custom(x):
    class Stop(Exception): pass
    t = 1.0
    try:
        for v in x:
            t *= v
            if abs(t) < 0.05: raise Stop
    except Stop:
        t = t * 10
    return t


@program(2.13, 3.31)
def gcd_like(a, b):
    n = 0
    while b > 0.3 and n < 6:
        a, b = b, math.fmod(a, b)
        n += 1
    return a * n + b


@program(rng.normal(size=4))
def generator_send(x):
    def avg():
        total, n = 0.0, 0
        while True:
            v = yield total / max(n, 1)
            total += v; n += 1
    g = avg(); next(g)
    out = 0.0
    for v in x:
        out += g.send(v) * v
    return out


@program(rng.normal(size=4))
def memo_dict(x):
    cache = {}
    def f(i, j):
        if (i, j) not in cache:
            cache[i, j] = x[i] if j == 0 else f(max(i - 1, 0), j - 1) * 0.5 + x[j] * f(i, j - 1)
        return cache[i, j]
    return f(3, 3)


@program(rng.normal(size=(4, 3)))
def group_by(a):
    keys = [0, 1, 0, 1]
    groups = collections.defaultdict(list)
    for k, row in zip(keys, a):
        groups[k].append(row)
    means = {k: np.mean(v, axis=0) for k, v in groups.items()}
    return sum(np.sum((a[i] - means[k]) ** 2) for i, k in enumerate(keys))


@program(rng.normal(size=5))
def slices_var(x):
    t = 0.0
    for n in range(1, 5):
        t += x[:n].mean() * x[n:].sum() + x[-n:][0] + x[n - 1::-1][0] * 0.1
    return t


@program(rng.normal(size=3), rng.normal(size=3))
def broadcasting(x, y):
    d = x[:, None] - y[None, :]
    k = np.exp(-d ** 2)
    k /= k.sum(axis=1, keepdims=True)
    k[np.eye(3, dtype=bool)] = 0
    return np.einsum("ij,i,j", k, x, y) + np.trace(k @ d) + (k @ y)[1]


@program(rng.uniform(.1, 1, 3))
def int_conv(x):
    n = int(10 * x[0]) + 2
    t = 0.0
    for i in range(n):
        t += x[i % 3] / (i + 1)
    return t + float(n) * x[1] + x[2] // 0.05 * x[1]


@program(rng.normal(size=3))
def lambda_default(x):
    fs = [lambda t, k=k: t * k + x[k] for k in range(3)]
    return sum(f(x[i]) ** 2 for i, f in enumerate(fs)) + (lambda *a, **k: sum(a) * k["m"])(*x, m=x[0])


@program(rng.normal(size=6))
def reshape_views(x):
    a = x.copy()
    m = a.reshape(2, 3)
    m[0] = m[1] * m[0]
    v = a.ravel()
    v[::2] += 1
    n = m.T
    n[0, 1] = 5 * x[0]
    return np.sum(a * np.arange(6)) + np.sum(n ** 2)


@program(rng.normal(size=3))
def global_const(x):
    return np.sum(x * TABLE) + sum(CONF["w"][i] * x[i] for i in range(3)) * CONF["scale"]


TABLE = np.array([1., 2., 3.]); CONF = {"w": [0.1, 0.2, 0.3], "scale": 2.0}


@program(rng.normal(size=3))
def multiple_returns(x):
    def f(a):
        if a > 0.5: return a, a ** 2
        if a > 0: return a * 2, 1.0
        return -a, a ** 3
    t = 0.0
    for v in x:
        p_, q = f(v)
        t += p_ * q
    return t


@program(rng.normal(size=(3, 3)))
def numpy_outs(a):
    out = np.empty_like(a)
    np.multiply(a, 2, out=out)
    np.add(out, a.T, out=out)
    s = np.empty(3)
    np.sum(out ** 2, axis=0, out=s)
    np.maximum(s, 1.0, out=s)
    np.copyto(out[0], s)
    return out.sum() * s[0]


@program(rng.normal(size=3))
def str_building(x):
    names = []
    t = 0
    for i, v in enumerate(x):
        names.append(f"p{i}")
        t = t + v * len("".join(names))
    return t


@program(rng.normal(size=3))
def sets_and_membership(x):
    seen = set(); t = 0.0
    for i in [0, 1, 0, 2, 1]:
        if i in seen:
            t -= x[i] ** 2
            continue
        seen.add(i)
        t += x[i] * len(seen)
    return t


@program(rng.normal(size=3))
def while_else(x):
    i = 0; t = x[0]
    while i < 3:
        t = t * 1.1 + x[i]
        i += 1
        if t > 100: break
    else:
        t = t * x[1]
    return t


@program(rng.normal(size=3))
def walrus_loop(x):
    it = iter(x); t = 0.0
    while (v := next(it, None)) is not None:
        t += v * (w := v + 1) + w
    return t


@program(rng.normal(size=(2, 2, 2)))
def vectors_of_matrices(a):
    d = np.linalg.det(a); inv = np.linalg.inv(a + 3 * np.eye(2))
    s = np.linalg.solve(a + 3 * np.eye(2), np.ones((2, 2, 1)))
    return d.sum() + np.trace(inv, axis1=1, axis2=2).prod() + s.sum() + (a @ a).max()

"""Programs as people write them every day: powers of matrices, windows, einsums, indices, softmax written out."""
from __future__ import annotations

import collections

import numpy as np

from .registry import case

X = np.array([0.31, 0.5, 0.2])


@case(args=(X,))
def power_iter(x):
    A = np.array([[3 + x[0], x[1]], [x[1], 1 + x[2]]])
    v = np.ones(2)
    for _ in range(30):
        v = A @ v
        v = v / np.linalg.norm(v)
    return v @ A @ v


@case(args=(X,))
def deque_window(x):
    w = collections.deque(maxlen=2)
    t = 0.0
    for v in list(x) + [1.0]:
        w.append(v)
        t += sum(w) / len(w) * v
    return t


@case(args=(X,))
def queue_bfs(x):
    todo = [(0, 1.0)]
    total = 0.0
    while todo:
        d, w = todo.pop()
        total += w * x[d]
        if d < 2:
            todo.append((d + 1, w * x[0]))
            todo.append((d + 1, w * 0.5))
    return total


@case(args=(X,))
def ternaries(x):
    f = (lambda t: t ** 2) if x[0] > 0 else (lambda t: -t)
    y = f(x[1]) if 0 < x[0] <= 1 < 2 else 0.0
    return y + (z := x[2] * 2) * z


@case(args=(X,))
def in_place_fn(x):
    def normalize(a):
        a -= a.mean()
        a /= a.std() + 1e-3
        return a
    b = x.copy()
    c = normalize(b)
    c[0] += 1
    return np.sum(b * x)


@case(args=(X,))
def einsums(x):
    a = np.einsum("i,j->ij", x, x)
    return np.einsum("ij,jk,ki->", a, a + np.eye(3), a) + np.tensordot(a, a, 2)


@case(args=(X,))
def ix(x):
    a = np.arange(16.0).reshape(4, 4)
    a[np.ix_([0, 2], [1, 3])] *= x[0]
    a[[1, 1, 2], [0, 0, 0]] = x
    np.add.at(a, ([0, 0, 1], [1, 1, 2]), x)
    return np.sum(a[1:, ::2] * a[:-1, 1::2])


@case(args=(X,))
def log_sum_exp(x):
    m = x.max()
    return m + np.log(np.sum(np.exp(x - m)))


@case(args=(X,))
def strided(x):
    pad = np.pad(x, 1, mode="edge")
    return sum((pad[i:i + 3] @ np.array([0.25, 0.5, 0.25])) ** 2 for i in range(3))


@case(args=(X,))
def while_queue(x):
    vals = list(x)
    while len(vals) > 1:
        vals = [a * b + 0.1 for a, b in zip(vals[::2], vals[1::2])] + ([vals[-1]] if len(vals) % 2 else [])
    return vals[0]


@case(args=(X,))
def early_return(x):
    for v in x:
        if v > 0.45:
            return v ** 3
        if v < 0:
            return -v
    return x.sum()


@case(args=(X,))
def string_format_key(x):
    params = {f"w{i}": v for i, v in enumerate(x)}
    return sum(params[f"w{i}"] ** (i + 1) for i in range(3)) + sum(params.values())


@case(args=(X,))
def array_of_arrays(x):
    rows = [x * k for k in range(1, 4)]
    m = np.stack(rows) + np.vstack([x] * 3)
    h = np.hstack([m, m.T])
    a, b = np.split(h, 2, axis=1)
    return np.sum(np.linalg.inv(a + 9 * np.eye(3)) * b)


@case(args=(X,))
def nan_handling(x):
    y = np.where(np.arange(3) > 0, np.log(x * x + 0.1), np.nan)
    return np.nansum(y) + np.nanmax(y) * np.nanmean(y)


@case(args=(X,))
def matrix_powers(x):
    M = np.array([[x[0], 1], [x[1], x[2]]])
    return np.trace(np.linalg.matrix_power(M, 3)) + (M @ M.T @ M)[0, 1] + M[:, 0].dot(M[1])


@case(args=(X,))
def histogramish(x):
    edges = np.linspace(0, 1, 4)
    idx = np.digitize(x, edges)
    out = np.zeros(5)
    for i, v in zip(idx, x):
        out[i] += v ** 2
    return out @ np.arange(5)

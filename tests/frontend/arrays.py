"""Functions in NumPy's manner, and arguments for them."""
import operator

import numpy as np
from numpy import sin, where

X = np.array([0.5, -1.25, 2.0, 0.75])
M = np.outer(X, X) + np.eye(4)


def out_argument(x):
    y = np.empty_like(x)
    np.multiply(x, 2.0, out=y)
    np.add(y, x, y)
    z = np.sin(y, out=np.zeros(4))
    return y * z


def where_argument(x):
    y = np.zeros_like(x)
    np.sqrt(x, out=y, where=x > 0)
    z = np.divide(1.0, x, out=np.ones_like(x), where=np.abs(x) > 0.6)
    return np.sum(y) + z[0]


def reductions(x):
    return np.add.reduce(x) * np.multiply.reduce(x) + np.maximum.reduce(x) + np.add.accumulate(x)[2] + np.add.outer(x, x).sum() + np.sum(x, out=None)


def sum_out(m):
    y = np.zeros(4)
    np.sum(m, axis=0, out=y)
    np.dot(m, y, out=y.copy())
    return y


def add_at(x, idx):
    y = np.zeros(3)
    np.add.at(y, idx, x)
    return y


def methods(x, m):
    y = x.reshape(2, 2).T.copy()
    y.fill(x[0])
    z = x.astype(np.float64).clip(-1, 1).dot(m).cumsum().mean()
    w = np.asarray(x, dtype=float)
    return y.sum() + z + w.max() + m.T[0].std() + x.size * x.ndim + float(x[1]) + x[2].item() + len(x.tolist())


def shapes(m):
    n, k = m.shape
    if m.ndim == 2 and m.shape[0] > 1:
        m = m.reshape(m.shape[:-1] + (1, k))
    z = np.zeros((n, k)) + np.ones(m.shape[0])
    return m[:, 0] * z * n


def views(x):
    b = x[1:]
    c = b[::-1]
    d = np.ravel(x)
    c[0] = 5.0
    d += 1
    return b.sum() * x[0]


def inplace(x, m):
    y = x.copy()
    y *= 2
    y[0] += 1
    y[1:3] -= x[:2]
    y[y > 1] = 0.5
    y[[0, 2]] *= 3
    y[::2] **= 2
    m = m.copy()
    m[0, :] = y
    m[:, 1] += y
    m[np.arange(4), [0, 1, 2, 3]] = 1.0
    m[1, 2] /= 4
    m[..., None][0] = 7
    return m @ y


def indexing(m, i, mask):
    return m[i] + m[i, i] + m[i, ...][None].sum() + m[:, [0, 1]].sum(axis=1) + m[mask].sum() + m[i:i + 2, ::2].sum() + m[-1][-1]


def dtypes(x):
    y = x.astype(np.float32)
    if y.dtype == np.float32 and np.issubdtype(x.dtype, np.floating):
        return y.sum()
    return x.sum()


def imported_names(x):
    return where(x > 0, sin(x), 0.0)


def zero_dimensional(x):
    y = np.array(x)
    z = np.zeros(())
    z[...] = y * 2
    return float(y) + z + y.ndim


def loops_over_arrays(m):
    out = []
    for i, row in enumerate(m):
        for j in range(len(row)):
            out.append(row[j] * (i + j))
    for idx in np.ndindex(m.shape):
        out.append(m[idx])
    for (i, j), v in np.ndenumerate(m):
        out[0] += v * i * j
    return np.array(out)


def constructors(x, n):
    a = np.zeros(n)
    b = np.full((n, 2), x)
    c = np.linspace(0.0, x, n)
    d = np.arange(n) * x
    e = np.eye(n)
    return a + b[:, 0] + c + d + e[0]


def concatenations(x, y):
    z = np.concatenate([x, y])
    w = np.stack([x, x * 2])
    v = np.array([x[0], 1.0, y[0]])
    return z.sum() + w[0] @ v[[0, 1, 2, 0]] + np.hstack((x, y))[1] + np.array([[x[0], 0.0], [1.0, y[1]]]).sum()


def nested_function_of_arrays(f, x):
    return f(x) * 2


def calls_nested(x):
    return nested_function_of_arrays(np.linalg.norm, x) + nested_function_of_arrays(np.sum, x)


def copyto(x):
    y = np.zeros(4)
    np.copyto(y, x)
    np.copyto(y, 0.5, where=y > 1)
    return y


def sort_in_place(x):
    y = x * 1.0
    y.sort()
    return y[::-1] * np.sort(x)


def vectorized(x):
    f = np.vectorize(lambda v, w: v * w if v > 0 else -w)
    return f(x, x + 1)


def random_numbers(x):
    rng = np.random.default_rng(0)
    noise = rng.normal(size=x.shape)
    np.random.seed(0)
    return x * noise + rng.uniform() + np.random.rand(4)


def divmod_and_round(x, n):
    a, b = divmod(n, 3)
    q, r = divmod(x, 2)
    return a * x + b + q + r + round(x) + x // 1 + x % 0.7


def complex_numbers(z):
    return (z * z.conjugate()).real + abs(z) + z.imag


def inplace_operator_functions(x):
    y = x.copy()
    y = operator.iadd(y, x)
    operator.setitem(y, 0, 3.0)
    return y


CASES = [
    (out_argument, (X,)), (where_argument, (np.abs(X),)), (where_argument, (X,)), (reductions, (X,)), (sum_out, (M,)),
    (add_at, (X, np.array([0, 1, 1, 2]))), (methods, (X, M)), (shapes, (M,)), (views, (X,)), (inplace, (X, M)),
    (indexing, (M, 1, M > 0.5)), (dtypes, (X,)), (imported_names, (X,)), (zero_dimensional, (1.5,)), (loops_over_arrays, (M[:2],)),
    (constructors, (1.5, 4)), (concatenations, (X, X + 1)), (calls_nested, (X,)), (copyto, (X,)), (sort_in_place, (X,)), (vectorized, (X,)),
    (random_numbers, (X,)), (divmod_and_round, (7.3, 8)), (complex_numbers, (1.5 + 2j,)), (inplace_operator_functions, (X,)),
    (loops_over_arrays, (np.zeros((0, 3)),)), (views, (np.arange(6.0),)), (out_argument, (M[:, 1],)),
]

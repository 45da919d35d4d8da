"""Where tools for automatic differentiation go wrong on arrays: aliasing, in-place work, unsafe branches, kinks."""
from __future__ import annotations

import numpy as np

from .registry import case

X = np.array([0.6, -0.8, 1.7, 2.2, 0.3])
M = np.array([[0.4, 1.1, -0.6], [1.5, -0.2, 0.7]])


@case(args=(X, 2.0), wrt=(0, 1))
def view_written_through(x, c):
    a = x.copy()
    b = a[1:]
    b[0] = c * a[0]
    b += a[:-1].copy()
    return np.sum(a ** 2)


@case(args=(X,))
def alias_then_augmented(x):
    a = x * 2.0
    b = a
    b += 1.0
    a *= b
    return np.sum(a * b)


@case(args=(X, X[::-1].copy()), wrt=(0, 1))
def same_cotangent_on_both_sides(a, b):
    s = a + b
    t = s + a
    t[0] += b[1]
    return np.sum(s * t) + np.sum(t ** 2)


@case(args=(X, 0.2), wrt=(0, 1))
def stencil_reads_before_it_writes(u0, c):
    u = u0.copy()
    for _ in range(4):
        u[1:-1] += c * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(u ** 2)


@case(args=(X,))
def accumulator_overwritten_in_loop(x):
    acc = np.zeros(5)
    for i in range(4):
        acc = acc * x + x[i]
        tmp = acc
        acc = np.sin(tmp) * tmp
    return np.sum(acc * tmp)


@case(args=(np.array([0.0, 0.25, 1.0]),), order=1, grad=np.array([0.0, 1.0, 0.5]))
def where_with_unsafe_branch(x):
    with np.errstate(all="ignore"):
        return np.sum(np.where(x > 0, np.sqrt(np.where(x > 0, x, 1.0)), 0.0))


@case(args=(np.array([0.0, 0.25, 1.0]),), order=1, grad=np.array([0.0, 1.0, 0.5]))
def where_whose_untaken_branch_has_infinite_slope(x):
    with np.errstate(all="ignore"):
        return np.sum(np.where(x > 0, np.sqrt(x), 0.0))


@case(args=(np.zeros(3),), order=1, grad=np.zeros(3))
def norm_at_zero(x):
    return np.linalg.norm(x) + 1.0


@case(args=(np.array([2.0, 0.0, 3.0]),))
def product_with_a_zero(x):
    return np.prod(x) + np.sum(np.cumprod(x))


@case(args=(X,))
def sorted_in_place(x):
    y = x * x
    y.sort()
    return np.sum(y * np.arange(5.0))


@case(args=(M,))
def sum_with_out(m):
    totals = np.empty(3)
    np.sum(m * m, axis=0, out=totals)
    return np.sum(totals * np.array([1.0, 2.0, 3.0]))


@case(args=(M,))
def argument_written_in_place(m):
    m[0] *= 2.0
    m[1, 1] = m[0, 0] * m[0, 2]
    m -= m.mean()
    return np.sum(m ** 3)


@case(args=(X,))
def overlapping_slices(x):
    a = x.copy()
    a[1:] = a[:-1] * 2.0
    a[:-1] += a[1:]
    return np.sum(a * np.arange(5.0))


@case(args=(M,))
def views_of_views(m):
    a = m.copy()
    t = a.T
    row = t[1]
    row[...] = 3.0 * row
    flat = a.reshape(-1)
    flat[4:] = a[0, 1:] * flat[0]
    d = np.diagonal(a)
    return np.sum(a ** 2) + np.sum(d)


@case(args=(X, 3), name="view_or_copy_copy")
@case(args=(X, 0), name="view_or_copy_view")
def view_or_copy(x, lag):
    y = x * 1.0
    tail = y[lag:] if lag == 0 else y[lag:].copy()
    tail *= 2.0
    return np.sum(y ** 2) + np.sum(tail)


@case(args=(M,))
def rows_swapped_in_place(m):
    a = m.copy()
    a[[0, 1]] = a[[1, 0]]
    a[0], a[1] = a[1] * 2.0, a[0].copy()
    return np.sum(a * np.arange(6.0).reshape(2, 3))


@case(args=(X,))
def written_in_one_branch_only(x):
    y = x.copy()
    z = y
    if x[0] > 0:
        y = x * 2.0
        y[1] = x[0]
    z[2] = 5.0 * x[3]
    return np.sum(y * z)


@case(args=(X, 4), name="ping_pong_4")
def ping_pong(u, n):
    a, b = u.copy(), np.zeros_like(u)
    for _ in range(n):
        b[1:-1] = 0.5 * (a[:-2] + a[2:])
        b[0], b[-1] = a[0], a[-1] * a[0]
        a, b = b, a
    return np.sum(a ** 2) + np.sum(b)


@case(args=(np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 2.0]]), np.array([1.0, 2.0, -1.0])), wrt=(0, 1))
def gaussian_elimination(a, b):
    a, b = a.copy(), b.copy()
    n = len(b)
    for k in range(n - 1):
        for i in range(k + 1, n):
            f = a[i, k] / a[k, k]
            a[i, k:] -= f * a[k, k:]
            b[i] -= f * b[k]
    x = np.zeros(n)
    for i in range(n - 1, -1, -1):
        x[i] = (b[i] - a[i, i + 1:] @ x[i + 1:]) / a[i, i]
    return np.sum(x ** 2)


@case(args=(X,))
def integer_work_beside(x):
    counts = np.zeros(3, dtype=int)
    total = 0.0
    for v in x:
        k = min(int(abs(v)), 2)
        counts[k] += 1
        total += v ** 2 * counts[k]
    return total / counts.sum()


@case(args=(np.array([1.0, 2.0, 2.0]),), order=1, grad=np.array([0.0, 0.5, 0.5]))
def maximum_at_a_tie(x):
    return np.max(x) * 1.0


@case(args=(X, 0.7), wrt=(0, 1))
def constant_array_filled(x, c):
    a = np.full(5, c)
    a[2] = 4.0
    a[a > 3.0] = x[0]
    b = np.ones((2, 5)) * a
    b[0, :] = x
    b.fill(c) if x[0] < 0 else None
    np.fill_diagonal(b, x[3])
    return np.sum(a * b)

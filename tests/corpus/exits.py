"""Exits: several returns, returns inside loops, with and try; raise and assert on the way."""
from __future__ import annotations

import contextlib
import math

import numpy as np

from .registry import case

X = np.array([0.9, 0.4, -0.7, 1.6])


@case(args=(0.8, 2.0), wrt=(0, 1), name="early_return_positive")
@case(args=(-0.8, 2.0), wrt=(0, 1), name="early_return_negative")
def early_return(x, k):
    if x < 0:
        return -k * x
    y = x ** k
    if y > 10.0:
        return y
    return y * np.log(k)


@case(args=(X, 1.0), wrt=(0, 1), name="return_inside_loop_first")
@case(args=(X, 5.0), wrt=(0, 1), name="return_inside_loop_never")
def return_inside_loop(x, limit):
    total = 0.0
    for v in x:
        total += v * v
        if total > limit:
            return total * limit
    return total - limit * x[0]


@case(args=(np.array([[0.2, 0.5], [0.9, -0.4], [0.3, 1.0]]), 0.8), wrt=(0, 1))
def return_inside_nested_loops(m, c):
    best = c
    for i in range(m.shape[0]):
        for j in range(m.shape[1]):
            if m[i, j] < 0:
                return best * m[i, j] ** 2 + i
            best = best * m[i, j] + c
    return best


@case(args=(0.7, 1e-10))
def return_inside_while(x, tol):
    for _ in range(100):
        new = math.cos(x)
        if abs(new - x) < tol:
            return new * x
        x = 0.5 * (x + new)
    raise RuntimeError("no convergence")


@case(args=(X, 0.5), wrt=(0, 1))
def validated(x, lam):
    x = np.asarray(x, dtype=float)
    if x.ndim != 1:
        raise ValueError(f"x must be one-dimensional, got {x.ndim}")
    if not lam > 0:
        raise ValueError("lam must be positive")
    assert len(x) > 1, "need two points"
    assert np.all(np.isfinite(x))
    return np.sum(x ** 2) * lam


@case(args=(4.2,))
def returns_in_with(x):
    with np.errstate(invalid="ignore"):
        if x > 3.0:
            return np.sqrt(x) * x
        y = x * 2.0
    return y


@case(args=(X,))
def return_in_loop_in_with(x):
    with contextlib.nullcontext(2.0) as scale:
        for v in x:
            if v < 0:
                return scale * v ** 2
            scale = scale * v
    return scale


@case(args=(0.3,), name="returns_in_try_body")
@case(args=(-0.3,), name="returns_in_try_handler")
def returns_in_try(x):
    try:
        return math.log(x) * x
    except ValueError:
        return x ** 2
    finally:
        pass


@case(args=(X,))
def tuple_returned_by_helper(x):
    def moments(v):
        m = v.mean()
        if len(v) < 2:
            return m, 0.0
        return m, ((v - m) ** 2).sum() / (len(v) - 1)
    mean, var = moments(x)
    single, zero = moments(x[:1])
    return mean * var + single ** 2 + zero


@case(args=(1.3,))
def return_none_means_default(x):
    def lookup(v):
        if v > 5.0:
            return v * v
        return None
    y = lookup(x)
    if y is None:
        y = x ** 3
    return y


@case(args=(X, 2), name="guard_clauses_two")
@case(args=(X, 1), name="guard_clauses_one")
def guard_clauses(x, order):
    if order == 0:
        return float(len(x)) * x[0]
    if order == 1:
        return np.sum(np.abs(x))
    if order == np.inf:
        return np.max(np.abs(x))
    return np.sum(np.abs(x) ** order) ** (1.0 / order)


@case(args=(0.1, 0.9), wrt=(0, 1))
def bisection(lo, hi):
    def f(t):
        return t ** 3 + t - 0.7
    flo = f(lo)
    for _ in range(4):      # more, and the steps of the oracle would change the branches
        mid = 0.5 * (lo + hi)
        fm = f(mid)
        if fm == 0.0:
            return mid
        if (fm < 0) == (flo < 0):
            lo, flo = mid, fm
        else:
            hi = mid
    return 0.5 * (lo + hi) * flo


@case(args=(0.6, 5), name="exit_by_flag_5")
def exit_by_flag(x, n):
    done = False
    k = 0
    while not done:
        x = x * 1.3
        k += 1
        done = x > 1.5 or k >= n
    return x * k


@case(args=(2.0, 1.2, 0.9), wrt=(0, 1, 2))
def quadratic_roots(a, b, c):
    disc = b * b - 4.0 * a * c
    if disc < 0:
        re, im = -b / (2 * a), math.sqrt(-disc) / (2 * a)
        return re ** 2 + im
    if disc == 0:
        return -b / (2 * a)
    root = math.sqrt(disc)
    return (-b + root) / (2 * a) - (-b - root) / (2 * a)


@case(args=(X,))
def return_of_a_branch_in_a_loop_after_break(x):
    out = 0.0
    for i in range(4):
        if x[i] < 0:
            break
        out += x[i]
        if out > 100.0:
            return x[0]
    else:
        return out
    if i == 2:
        return out * x[i]
    return -out


@case(args=(1.7,))
def recursion_exits(x):
    def shrink(v, depth):
        if v < 0.5:
            return v
        if depth > 10:
            raise RecursionError(depth)
        return shrink(v * 0.6, depth + 1) * v
    return shrink(x, 0)


@case(args=(X, 0.2), wrt=(0, 1))
def continue_and_return(x, w):
    acc = w
    for k, v in enumerate(x):
        if k == 0:
            continue
        if v < 0:
            acc -= v * w
            continue
        if v > 1.0:
            return acc * v
        acc *= v + 1.0
    return acc


@case(args=(0.25,))
def unreachable_after_return(x):
    if x > 0:
        return x ** 2
    else:
        return -x
    return x * 100.0

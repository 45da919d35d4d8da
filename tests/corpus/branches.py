"""Branches: if/elif/else, conditional expressions, boolean operators, chained comparisons, is, in, match."""
from __future__ import annotations

import numpy as np

from .registry import case

X = np.array([0.6, -0.8, 1.7, -2.2, 0.1])


@case(args=(2.3, 1.0), wrt=(0, 1), name="huber_outside")
@case(args=(0.4, 1.0), wrt=(0, 1), name="huber_inside")
def huber(r, delta):
    a = abs(r)
    if a <= delta:
        return 0.5 * r * r
    return delta * (a - 0.5 * delta)


@case(args=(3.7,), name="progressive_tax_high")
@case(args=(0.3,), name="progressive_tax_low")
def progressive_tax(income):
    if income < 1.0:
        tax = 0.1 * income
    elif income < 2.5:
        tax = 0.1 + 0.2 * (income - 1.0) ** 2
    else:
        tax = 0.55 + 0.45 * (income - 2.5) * income
    return tax


@case(args=(X,))
def leaky_relu_loop(x):
    total = 0.0
    for v in x:
        total += v ** 2 if v > 0 else 0.1 * v ** 3
    return total


@case(args=(0.7, 1.9), wrt=(0, 1))
def value_of_and_or(a, b):
    c = (a > 1.0 and a) or b
    d = a and b * 2.0
    e = 0.0 or a * b
    return c * d + e if not a < 0 else c


@case(args=(1.2, 0.5, 2.0), wrt=(0, 1, 2))
def chained_comparison(x, lo, hi):
    if lo < x <= hi:
        return (x - lo) / (hi - lo)
    elif x > hi > lo:
        return hi * x
    return lo * x


@case(args=(X, None), name="optional_weights_none")
@case(args=(X, np.array([1.0, 2.0, 0.5, 0.3, 1.1])), wrt=(0, 1), name="optional_weights_given")
def weighted_mean_square(x, w=None):
    if w is None:
        w = np.ones_like(x)
    if w is not None and len(w) != len(x):
        raise ValueError("lengths differ")
    return np.sum(w * x * x) / np.sum(w)


@case(args=(X, "relu"), name="activation_relu")
@case(args=(X, "softplus"), name="activation_softplus")
def activation(x, kind="tanh"):
    if kind in ("relu", "rectifier"):
        y = np.maximum(x, 0.0)
    elif kind == "softplus":
        y = np.log1p(np.exp(x))
    elif kind not in ("tanh",):
        raise ValueError(f"unknown activation {kind!r}")
    else:
        y = np.tanh(x)
    return np.sum(y ** 2)


@case(args=(1.4, "quad"))
def match_literal(x, rule):
    match rule:
        case "lin" | "linear":
            y = x
        case "quad":
            y = x * x
        case _:
            y = 0.0
    return y * 3.0 + x


@case(args=((0.7, -1.1, 0.2),), name="match_three")
@case(args=((0.7, -1.1),), name="match_two")
def match_sequence(point):
    match point:
        case (x, y):
            return x * y
        case (x, y, z) if z > 1.0:
            return x + y + z
        case (x, *rest):
            return x * sum(r * r for r in rest)


@case(args=({"kind": "spring", "k": 2.0, "x": 0.3},))
def match_mapping(element):
    match element:
        case {"kind": "spring", "k": k, "x": x}:
            return 0.5 * k * x ** 2
        case {"kind": "damper", "c": c}:
            return c
    return 0.0


@case(args=(0.3,))
def branch_changes_which_variables_exist(x):
    if x < 1.0:
        slope = x * 2.0
        offset = np.cos(x)
    else:
        slope = 1.0
    y = slope * x
    if x < 1.0:
        y += offset
    return y


@case(args=(X, 0.5), wrt=(0, 1))
def nested_branches_in_loop(x, k):
    level = 0.0
    for v in x:
        if v > 0:
            if v > 1.0:
                level += k * v
            else:
                level = level * v + k
        elif v < -2.0:
            level -= k ** 2
    return level ** 2


@case(args=(X,))
def condition_on_reduction(x):
    n = np.linalg.norm(x)
    if n > 1.0:
        x = x / n
    if np.any(x < 0) and not np.all(x < 0):
        x = np.where(x < 0, -x ** 2, x)
    return np.sum(np.sin(x) * np.arange(5))


@case(args=(np.array([0.2, 0.9, 0.4]), 1.5), wrt=(0, 1), name="isinstance_array")
@case(args=(0.8, 1.5), wrt=(0, 1), name="isinstance_float")
def type_guards(x, p):
    if isinstance(x, (list, tuple)):
        x = np.array(x)
    if isinstance(x, (int, float)):
        return x ** p
    if hasattr(x, "sum") and x.ndim == 1:
        return (x ** p).sum()
    return getattr(x, "real", 0.0)


@case(args=(1.1, -0.7), wrt=(0, 1))
def min_max_ternary(a, b):
    big = a if a > b else b
    small = min(a, b)
    return big * np.exp(small) + max(a * b, -3.0, b)


@case(args=(-0.6,))
def truth_of_number(x):
    sign = -1.0 if x < 0 else 1.0
    n = int(x > 0) + 2
    if not n:
        return 0.0
    return sign * abs(x) ** n + bool(x) * x


@case(args=(X, 0), name="switch_on_integer_zero")
@case(args=(X, 2), name="switch_on_integer_two")
def switch_on_integer(x, order):
    if order == 0:
        return np.sum(x ** 2)
    if order == 1:
        return np.sum(np.diff(x) ** 2)
    return np.sum(np.diff(x, n=order) ** 2)


@case(args=(0.45, 0.1), wrt=(0, 1))
def membership_of_computed(x, y):
    allowed = {0, 2, 4}
    k = int(10 * x) % 5
    if k in allowed:
        return x * y + k * x
    if k not in (1, 3):
        return y
    return x - y ** 2

"""Loops: for over everything, while, else, break, continue, nested, with bounds that depend on data."""
from __future__ import annotations

import itertools

import numpy as np

from .registry import case

X = np.array([0.5, -0.3, 1.2, 0.9, -1.4])
M = np.array([[0.4, 1.1, -0.6], [1.5, -0.2, 0.7]])


@case(args=(0.3, 12), name="logistic_map_12")
def logistic_map(x, n):
    r = 2.9
    for _ in range(n):
        x = r * x * (1.0 - x)
    return x


@case(args=(X, 0.6), wrt=(0, 1))
def exponential_smoothing(y, alpha):
    level = y[0]
    sse = 0.0
    for t in range(1, len(y)):
        err = y[t] - level
        sse += err ** 2
        level = level + alpha * err
    return sse


@case(args=(np.array([2.0, -1.0, 0.5, 3.0]), 0.7), wrt=(0, 1))
def horner(coeffs, x):
    result = 0.0
    for c in reversed(coeffs):
        result = result * x + c
    return result


@case(args=(X,))
def enumerate_weights(x):
    total = 0.0
    for k, v in enumerate(x, start=1):
        total += v ** k / k
    return total


@case(args=(X, np.array([1.0, 0.2, 0.4, 0.8, 0.1])), wrt=(0, 1))
def zip_three(x, y):
    s = 0.0
    for i, (a, b) in enumerate(zip(x, y)):
        s += a * b * (i + 1)
    for a, b, c in zip(x[1:], y, [2.0, 3.0]):
        s *= 1.0 + 0.1 * a * b * c
    return s


@case(args=(7.3, 1e-12))
def newton_sqrt(a, tol):
    x = a
    while abs(x * x - a) > tol:
        x = 0.5 * (x + a / x)
    return x


@case(args=(0.8, 0.3), wrt=(0, 1))
def kepler(mean_anomaly, ecc):
    e = mean_anomaly
    for _ in range(50):
        step = (e - ecc * np.sin(e) - mean_anomaly) / (1.0 - ecc * np.cos(e))
        e -= step
        if abs(step) < 1e-14:
            break
    return np.cos(e) - ecc


@case(args=(0.2,))
def while_counter_else(x):
    n = 0
    while n < 5:
        x = x + 0.1 * np.cos(x)
        n += 1
    else:
        x *= 2.0
    return x ** 2


@case(args=(X, 10.0), name="for_else_not_found")
@case(args=(X, 1.0), name="for_else_found")
def first_above(x, threshold):
    for v in x:
        if v > threshold:
            found = v * v
            break
    else:
        found = 3.0 * x[0]
    return found + x[1]


@case(args=(X,))
def skip_negative(x):
    total = 1.0
    for v in x:
        if v < 0:
            continue
        total *= np.exp(v)
    return total


@case(args=(M, np.array([[0.3, 0.5], [-0.1, 0.2], [0.7, 1.0]])), wrt=(0, 1))
def matmul_by_hand(a, b):
    n, m, p = a.shape[0], a.shape[1], b.shape[1]
    c = np.zeros((n, p))
    for i in range(n):
        for j in range(p):
            for k in range(m):
                c[i, j] += a[i, k] * b[k, j]
    return np.sum(c ** 2)


@case(args=(M,))
def break_out_of_inner(m):
    total = 0.0
    for row in m:
        for v in row:
            if v < -0.5:
                break
            total += v * v
        else:
            total *= 2.0
            continue
        total += row[0]
    return total


@case(args=(0.1, 3.0), wrt=(0, 1))
def collatz_like(x, target):
    steps = 0
    while True:
        x = x * 1.7 + 0.05
        steps += 1
        if x > target or steps > 40:
            break
        if steps % 2:
            continue
        x -= 0.1 * x ** 2
    return x * steps


@case(args=({"a": 0.3, "b": -1.0, "c": 2.0},))
def over_dict(p):
    s = 0.0
    for name, value in p.items():
        s += value ** 2 if name != "b" else value
    for value in p.values():
        s *= 1.0 + 0.1 * value
    for key in p:
        s += p[key]
    return s


@case(args=(X,))
def over_generator(x):
    def pairs(v):
        for k in range(len(v) - 1):
            yield v[k], v[k + 1]
    total = 0.0
    for a, b in pairs(x):
        total += (b - a) ** 2 * a
    return total


@case(args=([0.2, 0.4, 0.8], (1.0, 2.0)), wrt=(0, 1))
def over_list_and_tuple(values, scales):
    s = 0.0
    for v in values:
        for c in scales:
            s += np.sin(c * v)
    for v in values[::-1]:
        s = s * v + 1.0
    return s


@case(args=(X,))
def range_backwards_with_step(x):
    acc = np.zeros(5)
    for i in range(len(x) - 1, 0, -2):
        acc[i - 1] = x[i] * x[i - 1]
    for i in reversed(range(4)):
        acc[i] += 0.5 * acc[i + 1]
    return np.sum(acc ** 2)


@case(args=(X, 1.1), wrt=(0, 1))
def data_dependent_bounds(x, budget):
    i = 0
    used = 0.0
    while i < len(x) and used + x[i] ** 2 < budget:
        used += x[i] ** 2
        i += 1
    n = int(np.sum(x > 0))
    tail = 0.0
    for j in range(n):
        tail += x[j] * budget
    return used + tail


@case(args=(X,))
def product_of_indices(x):
    s = 0.0
    for i, j in itertools.product(range(2), range(3)):
        s += x[i] * x[j] ** 2
    for i, j in itertools.combinations(range(4), 2):
        s -= x[i] * x[j]
    return s


@case(args=(1.8, 1e-10))
def series_until_small(x, eps):
    term, total, n = 1.0, 1.0, 0
    while abs(term) > eps:
        n += 1
        term *= -x * x / ((2 * n - 1) * (2 * n))
        total += term
    return total


@case(args=(X,))
def value_used_after_loop(x):
    last = 0.0
    for i in range(len(x)):
        last = x[i] * x[i - 1]
        k = i
    return last * x[k - 1] + k


@case(args=(X, 0), name="loop_that_never_runs")
def loop_of_length(x, n):
    s = x[0]
    for i in range(n):
        s = s * x[i]
    return s ** 2


@case(args=(2.0, 3.0), wrt=(0, 1))
def agm(a, b):
    while True:
        a, b = (a + b) / 2, np.sqrt(a * b)
        if abs(a - b) < 1e-13:
            return a

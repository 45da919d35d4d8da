"""Programs that use more of Python than Numba takes."""
import math

import numpy as np

from .registry import program

X = np.array([0.3, -1.2, 0.7, 2.1])
WEIGHTS = [0.5, 0.25, 0.125]
TABLE = {"scale": 2.0, "shift": 0.5}
LIMITS = (-1.0, 1.0)
ROWS = [[1.0, 2.0], [3.0, 4.0]]


@program(0.7)
def factorials(x):
    total = 0.0
    for k in range(6):
        total += x ** k / math.factorial(k)
    return total


@program(0.7, 17)
def integer_root(x, n):
    return x ** math.isqrt(n)


@program(2.0)
def return_from_an_endless_loop(a):
    x = a
    while True:
        new = 0.5 * (x + a / x)
        if abs(new - x) < 1e-10:
            return new
        x = new


def power(x, n):
    if n == 0:
        return 1.0
    return x * power(x, n - 1)


@program(1.3, 5)
def recursion(x, n):
    return power(x, n)


@program(X)
def module_list(x):
    total = 0.0
    for k, w in enumerate(WEIGHTS):
        total += w * x[k] ** 2
    return total


@program(X)
def module_dict(x):
    return np.sum(TABLE["scale"] * x + TABLE["shift"]) ** 2


@program(X)
def module_tuple(x):
    lo, hi = LIMITS
    return np.sum(np.minimum(np.maximum(x, lo), hi) ** 2)


@program(X[:2])
def module_nested_list(x):
    total = 0.0
    for row in ROWS:
        for j, c in enumerate(row):
            total += c * x[j]
    return total ** 2


@program(X, "square")
def a_string_as_a_flag(x, kind):
    if kind == "square":
        return np.sum(x ** 2)
    return np.sum(np.abs(x))


@program(X)
def nested_helpers(x):
    def shifted(y, by=0.5):
        return y + by

    def energy(y):
        return np.sum(shifted(y) ** 2)
    return energy(x) + energy(2.0 * x)


class Spring:
    def __init__(self, stiffness, rest):
        self.stiffness = stiffness
        self.rest = rest

    def energy(self, x):
        return 0.5 * self.stiffness * (x - self.rest) ** 2


@program(1.7)
def a_class(x):
    return Spring(3.0, 1.0).energy(x) + Spring(x, 0.5).energy(2.0)


@program(X, scale=3.0)
def keyword_arguments(x, *, scale=1.0, shift=0.2):
    return np.sum((scale * x + shift) ** 2)


@program(0.4, 1.5)
def defaults(x, y, z=2.0):
    return x * y ** z


@program(0.4, 1.5, 2.5)
def star_arguments(x, *rest):
    total = x
    for r in rest:
        total *= r * x
    return total


@program(X, None)
def optional_argument(x, weights=None):
    if weights is None:
        weights = np.ones(len(x))
    return np.sum(weights * x * x)


@program(X)
def comprehension(x):
    return sum([v * v for v in x if v > 0.0])


@program(X, X[::-1].copy())
def zipped(x, y):
    total = 0.0
    for a, b in zip(x, y):
        total += a * b ** 2
    return total


@program(X)
def reversed_loop(x):
    value = 0.0
    for c in reversed(x):
        value = value * 0.5 + c
    return value ** 2


@program(X)
def a_list_that_grows(x):
    states = [x[0]]
    for k in range(1, len(x)):
        states.append(states[-1] * 0.5 + x[k] ** 2)
    return states[-1] * states[1]


@program(X)
def a_list_of_arrays(x):
    rows = []
    for k in range(3):
        rows.append(x * (k + 1.0))
    return np.sum(np.stack(rows) ** 2)


@program({"w": X, "b": 0.5}, X[::-1].copy())
def parameters_in_a_dict(params, x):
    return (params["w"] @ x + params["b"]) ** 2


@program(X)
def several_results(x):
    def moments(y):
        mean = np.mean(y)
        return mean, np.mean((y - mean) ** 2)
    mean, variance = moments(x)
    return mean / np.sqrt(variance)


@program(X)
def early_return_in_a_loop(x):
    total = 0.0
    for v in x:
        if v > 2.0:
            return total * v
        total += v * v
    return total


@program(X)
def an_assertion(x):
    assert len(x) == 4, "four numbers"
    if x.ndim != 1:
        raise ValueError("one dimension")
    return np.linalg.norm(x)


@program(X)
def a_format_string(x):
    name = f"norm {len(x)}"
    return np.sqrt(np.sum(x ** 2)) * len(name)

"""Lists, dicts and tuples that begin with integers (``s = [0] * n``) and are given floats; integers beside what is differentiated."""
from collections import defaultdict

import numpy as np
import pytest

import transgrad as tg

pytestmark = pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")

X = np.array([0.3, 1.2, 0.7])


def running_sum(x):
    s = [0] * 4
    for i, v in enumerate(x):
        s[i + 1] = s[i] + v * v
    return s[3] * s[1]


def pairs(x):
    table = [(0, 0)]
    for i in range(1, len(x)):
        table.append((table[i - 1][0] + x[i] * x[i - 1], i))
    return table[-1][0]


def pairs_in_a_dict(x):
    table = {0: (0, 0)}
    for i in range(1, len(x)):
        table[i] = (table[i - 1][0] + x[i] * x[i - 1], i)
    return table[len(x) - 1][0]


def warping(x):
    cost = defaultdict(lambda: (float("inf"),))
    cost[0, 0] = (0, 0, 0)
    for i in range(1, 4):
        for j in range(1, 3):
            d = abs(x[i - 1] - 0.4 * j)
            cost[i, j] = min((cost[i - 1, j][0] + d, i - 1, j), (cost[i, j - 1][0] + d, i, j - 1), (cost[i - 1, j - 1][0] + d, i - 1, j - 1),
                             key=lambda a: a[0])
    return cost[3, 2][0]


def matrix(x):
    m = [[0] * 3 for _ in range(3)]
    for i in range(3):
        for j in range(3):
            m[i][j] = x[i] * j
    return m[2][1] + m[1][2]


def nested(x):
    d = {"a": {"n": 0, "m": [0, 0]}}
    d["a"]["n"] += x[0] * x[1]
    d["a"]["m"][1] += x[2] ** 3
    return d["a"]["n"] + d["a"]["m"][1]


PROGRAMS = [running_sum, pairs, pairs_in_a_dict, warping, matrix, nested]


@pytest.mark.parametrize("f", PROGRAMS)
def test_derivatives(f):
    h = 1e-6 * np.eye(3)
    want = np.array([(f(X + e) - f(X - e)) / 2e-6 for e in h])
    for derivative in (tg.grad(f), tg.jacfwd(f), tg.jacrev(f)):
        np.testing.assert_allclose(derivative(X), want, rtol=1e-7, atol=1e-9)
    value, tangent = tg.jvp(f, (X,), (np.array([1.0, -2.0, 0.5]),))
    assert value == pytest.approx(f(X)) and tangent == pytest.approx(want @ [1.0, -2.0, 0.5])


@pytest.mark.parametrize("transform", [tg.jacfwd, tg.jacrev])
def test_a_jacobian_of_what_returns_integers_too(transform):
    def powers(x):
        return x * x, 3, [0, x]

    with pytest.raises(tg.UnsupportedSyntax, match=r"(?s)type int.*Hint: .*has_aux"):
        transform(powers, fallback="error")(2.0)
    square, three, (zero, x) = transform(powers)(2.0)
    assert (square, three, zero, x) == (4.0, 0.0, 0.0, 1.0)

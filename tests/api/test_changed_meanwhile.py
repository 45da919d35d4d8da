"""A pullback is that of the arguments as they were: whoever calls it may have written to them, and to the results, since."""
import copy

import numpy as np
import pytest

import transgrad as tg

RNG = np.random.default_rng(0)


def overwrite(tree):
    """Writes to every array."""
    if isinstance(tree, dict):
        tree = tree.values()
    if isinstance(tree, np.ndarray):
        tree[...] = 77.0
    else:
        for item in tree:
            overwrite(item)


def leaves(tree):
    tree = list(tree.values()) if isinstance(tree, dict) else tree
    return [leaf for item in tree for leaf in leaves(item)] if isinstance(tree, (list, tuple)) else [tree]


def items(ws):
    s = 0.0
    for w in ws:
        s = s + np.sum(w * w * w)
    return s


def rows(x):
    s = 0.0
    for r in x:
        s = s + np.sum(r * r * r)
    return s


def in_a_dict(p):
    return np.sum(np.tanh(p["w"] @ p["w"]))


def in_a_tuple(t):
    a, b = t
    return np.sum(a * b * b)


def in_lists(q):
    return np.sum(q[0][1] * q[1][0] ** 2)


def carried(x):
    h = x
    for _ in range(3):
        h = np.tanh(h * x)
    return np.sum(h)


def transposed(m):
    """A view that no part of the shadow is, beside the array itself; nothing is written to before the function has ended."""
    flat = m.T.reshape(-1)
    return np.sum(np.linalg.solve(m.T @ m + np.eye(len(m)), m[0])) + flat @ flat + np.sum(m[:, None] * m[None].T)


def a(*shape):
    return RNG.normal(size=shape)


@pytest.mark.parametrize(("f", "x"), [
    (items, [a(3), a(3)]), (rows, a(3, 2)), (in_a_dict, {"w": a(3, 3)}), (in_a_tuple, (a(3), a(3))), (in_lists, [[a(2), a(2)], [a(2)]]),
    (carried, a(4)), (transposed, a(3, 3)),
])
def test_arguments(f, x):
    want = tg.grad(f)(copy.deepcopy(x))
    pullback = tg.vjp(f, x, fallback="error")[1]
    overwrite(x)
    for got, expected in zip(leaves(pullback(1.0)[0]), leaves(want), strict=True):
        np.testing.assert_allclose(got, expected)


def test_what_was_put_into_an_argument():
    def f(d, x):
        h = np.tanh(x)
        d["h"] = h
        return np.sum(h * h)
    d, x = {"h": np.zeros(2)}, np.array([0.3, 0.7])
    pullback = tg.vjp(f, d, x)[1]
    want = pullback(1.0)[1]
    d["h"][:] = 9.0
    np.testing.assert_allclose(pullback(1.0)[1], want)
    np.testing.assert_allclose(want, 2 * np.tanh(x) / np.cosh(x) ** 2)


def test_results():
    x = a(3)
    kept = x.copy()
    (y, total), pullback = tg.vjp(lambda x: ([x * x, x], np.sum(x * x * x)), x)
    overwrite(y)
    np.testing.assert_allclose(pullback(([np.ones(3), np.ones(3)], 1.0))[0], 2 * kept + 1 + 3 * kept ** 2)
    y, pullback = tg.vjp(np.exp, kept)
    want = y.copy()
    y[:] = 5.0
    np.testing.assert_allclose(pullback(np.ones(3))[0], want)

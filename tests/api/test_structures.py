"""Gradients with respect to nested arguments: each leaf has the shape of its own, whether the function uses it or only sums it."""
from __future__ import annotations

import collections

import numpy as np
import optree
import pytest

import transgrad as tg
from transgrad.testing import numeric_grad

Layer = collections.namedtuple("Layer", "w b")
A, B = np.arange(6.0).reshape(2, 3) + 1.0, np.array([0.5, -1.0, 2.0, 0.25])


def summed(p):
    return np.sum(p[0]) * np.sum(p[1][0] ** 2)


def only_the_last(p):
    return 3.0 * np.sum(p[1][1])


def sliced(p):
    total = 1.0
    for pair in p[1:]:
        total = total * np.sum(pair[0]) + np.sum(pair[1] ** 2)
    return total


def ends(p):
    return np.sum(p[:1][0]) * np.sum(p[::-1][0][1])


STRUCTURES = [(A, (B, A)), [A, (B, A)], [A, [B, 2.0]], (A, [B, A]), (A, Layer(B, A)), (B, (A, B), (B, B)), [B, (A, B), (B, B)],
              [B, (A, 2.0), (3.0, B)]]


@pytest.mark.parametrize("f", [summed, only_the_last, sliced, ends])
@pytest.mark.parametrize("params", STRUCTURES, ids=range(len(STRUCTURES)))
@pytest.mark.parametrize("optimize", [True, False])
def test_gradients_have_the_structure_and_the_shapes(f, params, optimize):
    leaves, structure = optree.tree_flatten(params, namespace="")
    expected = numeric_grad(lambda *xs: f(optree.tree_unflatten(structure, xs)), leaves)
    out, pullback = tg.vjp(f, params, fallback="error")
    for gradient in (tg.grad(f, fallback="error", optimize=optimize)(params), pullback(1.0)[0], tg.jacrev(f, fallback="error")(params)):
        got, shape = optree.tree_flatten(gradient, namespace="")
        assert shape == structure
        for g, want, leaf in zip(got, expected, leaves):
            assert np.shape(g) == np.shape(leaf)
            np.testing.assert_allclose(g, want, rtol=1e-6, atol=1e-6)


def test_records():
    params = {"first": A, "then": {"w": B, "b": (A, B)}}

    def f(p):
        return np.sum(p["first"]) * np.sum(p["then"]["b"][0])
    gradient = tg.grad(f, fallback="error")(params)
    np.testing.assert_array_equal(gradient["first"], np.full_like(A, A.sum()))
    np.testing.assert_array_equal(gradient["then"]["w"], np.zeros_like(B))
    np.testing.assert_array_equal(gradient["then"]["b"][0], np.full_like(A, A.sum()))
    np.testing.assert_array_equal(gradient["then"]["b"][1], np.zeros_like(B))

"""Libraries that are supported by protocol, and those for which the error names the way out."""
from __future__ import annotations

import numpy as np
import pytest

import transgrad as tg


def squares(x):
    return np.sum(x ** 2)


def test_sparse_arrays():
    sparse = pytest.importorskip("sparse")
    dense = np.array([[0.0, 1.0, 0.0], [2.0, 0.0, 3.0]])
    x = sparse.COO.from_numpy(dense)

    def f(x):
        return np.sum(np.sin(x) * x)

    for fn in (squares, f):
        gradient = tg.grad(fn)(x)
        assert isinstance(gradient, sparse.COO)
        np.testing.assert_allclose(gradient.todense(), tg.grad(fn)(dense))


def test_a_sparse_matrix_beside_a_parameter():
    sparse = pytest.importorskip("sparse")
    dense = np.array([[0.0, 1.0, 0.0], [2.0, 0.0, 3.0]])

    def f(w, x):
        return np.sum((x @ w) ** 2)

    w = np.ones(3)
    np.testing.assert_allclose(tg.grad(f)(w, sparse.COO.from_numpy(dense)), tg.grad(f)(w, dense))


def test_quantities_are_refused_with_the_way_out():
    pint = pytest.importorskip("pint")
    length = np.array([1.0, 2.0]) * pint.UnitRegistry().meter
    with pytest.raises(TypeError, match=r"a pint\.Quantity: a gradient has other units than its argument\. Hint: pass q\.m_as\(unit\)"):
        tg.grad(squares)(length)


def test_ragged_arrays_are_refused_with_the_way_out():
    ak = pytest.importorskip("awkward")
    a = ak.Array([[1.0, 2.0], [3.0]])
    with pytest.raises(TypeError, match=r"its rows differ in length\. Hint: pass ak\.to_numpy\(ak\.flatten\(a\)\) and ak\.num\(a\)"):
        tg.grad(squares)(a)
    gradient = tg.grad(squares)(ak.to_numpy(ak.flatten(a)))
    assert ak.unflatten(gradient, ak.num(a)).to_list() == [[2.0, 4.0], [6.0]]

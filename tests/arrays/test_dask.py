"""Dask arrays as arguments and as constants: results are lazy, equal NumPy's, and have the chunks of their arguments."""
from __future__ import annotations

import numpy as np
import pytest

import transgrad as tg

da = pytest.importorskip("dask.array")
pytest.importorskip("array_api_compat")

import dask

from . import cases, harness


def einsum(a, b):
    return np.sum(np.einsum("ij,jk->ik", a, b) ** 2)


def einsum_three(a, b):
    return np.einsum("ij,jk,ik->", a, b, np.ones((6, 6)))


def methods(x):
    return ((x - x.mean(axis=0)) ** 2).sum() / x.size + (x.T @ x).sum() + x.max()


def by_numpy_names(x):
    return np.sum(np.sqrt(np.abs(x)) + np.where(x > 0, x, 0.0) ** 2) + np.prod(x[:2, 0])


def augmented(x):
    y = np.zeros_like(x)
    y += x ** 2
    y[1:3] = 2.0 * x[0:2]
    return np.sum(y * x)


def pairwise(x, y):
    d = x[:, None, :] - y[None, :, :]
    return np.sum(np.exp(-np.sum(d ** 2, axis=-1)))


CASES = [c for c in cases.CASES if "dask" not in c.without] + [cases.Case(f, a) for f, a in (
    (einsum, (cases.M, cases.N)), (einsum_three, (cases.M, cases.N)), (methods, (cases.M,)), (by_numpy_names, (cases.M,)),
    (augmented, (cases.V,)), (pairwise, (cases.M, cases.P)))]


@pytest.fixture
def computed():
    """The tasks that are computed."""
    tasks = []
    with dask.callbacks.Callback(pretask=lambda key, dsk, state: tasks.append(key)):
        yield tasks


def lists_of(x):
    return [item for v in x.values() for item in lists_of(v)] if isinstance(x, dict) else [x]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", [pytest.param(c, id=c.fn.__name__, marks=[pytest.mark.slow] if k % 5 else [])
                                  for k, c in enumerate(CASES)])
def test_lazy_and_equal_with_the_same_chunks(case, computed):
    args = harness.mapped(harness.converter("dask"), case.args)
    value, gradient = tg.value_and_grad(case.fn)(*args)
    assert not computed
    for g, x in zip(lists_of(gradient), lists_of(args[0])):
        assert isinstance(g, da.Array) and g.chunks == x.chunks
    harness.compare((value, gradient), tg.value_and_grad(case.fn)(*case.args), "dask")
    assert computed


def logistic(w, x, y):
    z = x @ w
    return np.mean(np.logaddexp(0.0, z) - y * z)


def test_gradient_by_a_numpy_parameter(computed):
    x, y = da.from_array(cases.M, chunks=(2, 4)), da.from_array(cases.W, chunks=2)
    w = np.full(4, 0.1)
    gradient = tg.grad(logistic)(w, x, y)
    assert not computed and isinstance(gradient, da.Array) and gradient.shape == (4,)
    np.testing.assert_allclose(gradient.compute(), tg.grad(logistic)(w, cases.M, cases.W), rtol=1e-12)


def test_lengths_that_are_not_known(computed):
    x = da.from_array(cases.M, chunks=(2, 4))
    x = x[x[:, 0] > 0]
    del computed[:]

    def f(w, x):
        return np.sum(np.tanh(x @ w))

    w = np.full(4, 0.3)
    gradient = tg.grad(f)(w, x)
    assert not computed
    np.testing.assert_allclose(gradient.compute(), tg.grad(f)(w, cases.M[cases.M[:, 0] > 0]), rtol=1e-12)


def test_source_is_of_dask():
    x, y = da.from_array(cases.M, chunks=(2, 4)), da.from_array(cases.W, chunks=2)
    source = tg.grad(logistic).source_for(np.full(4, 0.1), x, y)
    assert "da.exp(" in source and not [line for line in source.splitlines() if "np." in line and "#" not in line]


def test_a_part_that_is_read_after_a_write_is_refused():
    """A slice of a Dask array is a copy, where one of a NumPy array is a view."""
    def f(x):
        y = x * 1.0
        part = y[0:2]
        y[0] = 5.0
        return np.sum(part * y[1:3])

    with pytest.raises(tg.UnsupportedCall, match="a part of the array that was taken before is read after it"):
        tg.grad(f)(da.ones(4, chunks=2))


def test_computing_inside_is_refused_by_name():
    def f(x):
        return np.sum(x ** 2).compute()

    with pytest.raises(tg.UnsupportedCall, match="the attribute compute of a dask array"):
        tg.grad(f)(da.ones(4, chunks=2))

"""Places where arrays of other libraries differ from NumPy's: repeated indices, constants, unknown lengths, updates out of range."""
from __future__ import annotations

import numpy as np
import pytest

import transgrad as tg

from .harness import converter, to_numpy

X = np.random.default_rng(4).uniform(0.3, 2.0, (7, 5))
V = np.arange(1.0, 6.0)


@pytest.mark.parametrize("library", ["torch", "dask"])
@pytest.mark.parametrize("f", [lambda x: (x[[0, 2, 2]] ** 2).sum(), lambda x: (x[[0, 2, 2, -5]] * x[0]).sum(),
                               lambda x: (x[np.array([2, 0, 2])] ** 3).sum()])
def test_an_index_that_is_repeated(f, library):
    pytest.importorskip(library)
    gradient = tg.grad(f)(converter(library)(X))
    np.testing.assert_allclose(to_numpy(gradient), tg.grad(f)(X))


@pytest.mark.parametrize("library", ["torch", "array-api-strict"])
@pytest.mark.parametrize("f", [lambda x, xp: xp.var(x, correction=1.0), lambda x, xp: xp.sum(xp.std(x, axis=0, correction=1)),
                               lambda x, xp: xp.sum(xp.var(x, axis=0, keepdims=True))])
def test_corrected_variance(f, library):
    array_namespace = pytest.importorskip("array_api_compat").array_namespace
    pytest.importorskip(library.replace("-", "_"))

    def g(x):
        return f(x, array_namespace(x))

    np.testing.assert_allclose(to_numpy(tg.grad(g)(converter(library)(X))), tg.grad(g)(X))


@pytest.mark.parametrize("library", ["jax", "dask", "sparse"])
def test_a_constant_gradient_is_of_the_library_of_its_argument(library):
    module = pytest.importorskip(library)
    x = module.COO(V) if library == "sparse" else converter(library)(V)

    def f(x):
        return np.sum(x * V)

    for gradient in (tg.grad(f)(x), tg.value_and_grad(f)(x)[1], tg.vjp(f, x)[1](1.0)[0]):
        assert type(gradient) is type(x)
        np.testing.assert_allclose(gradient.todense() if library == "sparse" else to_numpy(gradient), V)
        assert getattr(gradient, "chunks", None) == getattr(x, "chunks", None)
    if library != "sparse":
        both = tg.grad(lambda p: f(p["a"]) + f(p["b"][0]))({"a": x, "b": [x]})
        assert type(both["a"]) is type(both["b"][0]) is type(x)


@pytest.mark.parametrize("f", [lambda x: np.mean(x ** 2), lambda x: np.sum(np.mean(x, axis=0) ** 2), lambda x: np.var(x, axis=0).sum(),
                               lambda x: ((x @ V) ** 2).mean(), lambda x: np.average(x, axis=0).sum()])
def test_means_over_lengths_that_are_not_known(f):
    da = pytest.importorskip("dask.array")
    x = da.from_array(X, chunks=(3, 5))
    np.testing.assert_allclose(tg.grad(f)(x[x[:, 0] > 1.0]).compute(), tg.grad(f)(X[X[:, 0] > 1.0]))


def test_updates_out_of_range_are_dropped():
    jax = pytest.importorskip("jax")
    jnp = jax.numpy
    x, places, weights = converter("jax")(V), jnp.array([0, 9, 2, 2]), jnp.arange(1.0, 5.0)
    for f in (lambda x: jnp.sum(x.at[places].add(x[:4] * weights) ** 2), lambda x: jnp.sum(x.at[places].subtract(x[1:]) ** 3),
              lambda x: jnp.sum(jnp.zeros((5, 2)).at[places, 1].add(x[:4]) ** 2), lambda x: jnp.sum(x[places] ** 2)):
        for gradient in (tg.grad(f), jax.jit(tg.grad(f))):
            np.testing.assert_allclose(gradient(x), jax.grad(f)(x))


def test_what_a_library_lacks_is_refused_when_compiling():
    dask, sparse = pytest.importorskip("dask.array"), pytest.importorskip("sparse")
    with pytest.raises(tg.UnsupportedCall, match=r"argsort\(\), which the derivative of .* needs, has no counterpart in dask"):
        tg.grad(lambda x: np.sum(np.sort(x)[:3]))(dask.from_array(V, chunks=2))
    with pytest.raises(tg.UnsupportedCall, match="elements that a mask selects, which the derivative of .* needs, is not possible in dask"):
        tg.grad(lambda x: np.sum(x[x > 2.0] ** 2))(dask.from_array(V, chunks=2))
    with pytest.raises(tg.UnsupportedCall, match="a read of elements, which the derivative of .* needs, is not possible in sparse"):
        tg.grad(lambda x: np.sum(x[1:] ** 2))(sparse.COO(V))
    x = sparse.COO.from_numpy(np.array([[0.0, 1.0, 0.0], [2.0, 0.0, 3.0]]))
    np.testing.assert_allclose(tg.grad(lambda x: np.sum(np.sum(x, axis=0) ** 2))(x).todense(), [[4.0, 2.0, 6.0], [4.0, 2.0, 6.0]])

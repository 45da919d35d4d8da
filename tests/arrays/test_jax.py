"""Functions that call ``jax.numpy`` by name: the derivative is ``jax.numpy`` source, which JAX compiles and transforms further."""
from __future__ import annotations

import numpy as np
import pytest

import transgrad as tg

jax = pytest.importorskip("jax")
pytest.importorskip("array_api_compat")

from . import harness, jax_cases


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", [pytest.param(c, id=c.fn.__name__, marks=[pytest.mark.slow] if k % 8 else [])
                                  for k, c in enumerate(jax_cases.CASES)])
def test_jit_of_grad_equals_jax(case):
    args = harness.mapped(harness.converter("jax"), case.args)
    found = jax.jit(tg.value_and_grad(case.fn))(*args)
    expected = jax.value_and_grad(case.fn)(*args)
    harness.compare(found, jax.tree.map(np.asarray, expected), "jax")


def test_source_is_of_jax_numpy():
    convert = harness.converter("jax")
    source = tg.grad(jax_cases.update).source_for(convert(jax_cases.V))
    assert "y = y.at[1:-1].set(" in source and "jnp.zeros_like(x)" in source and "np.add" not in source.replace("jnp.", "")


def test_jax_transforms_the_derivative():
    convert = harness.converter("jax")
    gradient = tg.grad(jax_cases.polynomial)
    rows = convert(np.stack([jax_cases.V, 2 * jax_cases.V]))
    np.testing.assert_allclose(jax.vmap(gradient)(rows), np.stack([gradient(row) for row in rows]), rtol=1e-12)
    np.testing.assert_allclose(jax.jacfwd(gradient)(rows[0]), jax.hessian(jax_cases.polynomial)(rows[0]), rtol=1e-12)


def test_a_function_that_numpy_lacks_is_refused_by_name():
    convert = harness.converter("jax")

    def f(x):
        return jax.numpy.sum(jax.lax.cumsum(x))

    with pytest.raises(tg.UnsupportedCall, match=r"jax\.lax\.cumsum\(\) has no counterpart in NumPy"):
        tg.grad(f)(convert(np.ones(3)))


def test_arguments_are_not_changed():
    convert = harness.converter("jax")
    x = convert(np.array([1.0, 2.0]))
    tg.grad(jax_cases.augmented)(x)
    np.testing.assert_array_equal(x, [1.0, 2.0])

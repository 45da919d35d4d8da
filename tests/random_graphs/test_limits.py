"""What random graphs are not compared in, because PyTorch's answer is wrong: that of another judge."""
from __future__ import annotations

import numpy as np
import pytest

import transgrad

INF = float("inf")
FACTORS = [[0.5, INF, -1.0], [INF], [INF, 2.0], [0.5, INF, -1.0, 3.0], [-2.0, 0.25, -INF]]


@pytest.mark.parametrize("factors", FACTORS)
def test_products_with_an_infinite_factor(factors):
    """The derivative of a product is the product of the others: JAX's, which PyTorch takes for inf / inf."""
    jax = pytest.importorskip("jax")
    with jax.enable_x64(True) if hasattr(jax, "enable_x64") else jax.experimental.enable_x64():      # JAX before 0.6
        x = jax.numpy.array(factors)
        slope, curvature = np.asarray(jax.grad(jax.numpy.prod)(x)), np.asarray(jax.hessian(jax.numpy.prod)(x))
    ours = transgrad.tensor(factors, dtype=transgrad.float64)

    def prod(v):
        return v.prod()
    np.testing.assert_array_equal(transgrad.autograd.functional.jacobian(prod, ours).numpy(), slope)
    assert np.nanmax(np.abs(np.where(np.isfinite(curvature), transgrad.func.hessian(prod)(ours).numpy() - curvature, 0.0))) == 0
    torch = pytest.importorskip("torch")
    theirs = torch.autograd.functional.jacobian(prod, torch.tensor(factors, dtype=torch.float64)).numpy()
    assert np.isnan(theirs[np.isinf(factors)]).all(), "PyTorch is right by now: compare it"


@pytest.mark.parametrize("library", ["transgrad", "torch"])
def test_a_hook_that_waits_for_the_root(library):
    """It is called when the gradients of all its tensors are there, say PyTorch's documents; PyTorch calls it with a part of them."""
    torch = pytest.importorskip(library)
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y, seen = x * 3, []
    torch.autograd.graph.register_multi_grad_hook([x, y], lambda gs: seen.append([g is not None for g in gs]))
    y.backward(torch.ones(2))
    assert seen == ([[True, True]] if library == "transgrad" else [[False, True], [True, False]])


@pytest.mark.parametrize("library", ["transgrad", "torch"])
@pytest.mark.parametrize("operation", ["abs", "exp"])
def test_what_was_made_in_inference_mode_and_requires_grad(library, operation):
    """Operations on it alone are not recorded, outside of that mode either; PyTorch's kernel of ``abs`` fails there, as it writes to an ``out=``."""
    torch = pytest.importorskip(library)
    with torch.inference_mode():
        x = torch.ones(2, requires_grad=True)
    if (library, operation) == ("torch", "abs"):
        with pytest.raises(RuntimeError, match="functions with out="):
            x.abs()
    else:
        assert not getattr(x, operation)().requires_grad


@pytest.mark.parametrize("library", ["transgrad", "torch"])
def test_tangents_of_an_expanded_tensor(library):
    """They are those of its copy; PyTorch's transforms refuse it, as they write to what they are given."""
    torch = pytest.importorskip(library)
    x = torch.tensor([0.5, -1.0, 2.0], dtype=torch.float64).expand(2, 3)

    def f(v):
        return v.logsumexp(0).sum()
    for transform in (torch.func.hessian, torch.func.jacfwd):
        if library == "torch":
            with pytest.raises(RuntimeError, match="single memory location"):
                transform(f)(x)
        else:
            np.testing.assert_allclose(transform(f)(x).numpy(), transform(f)(x.clone()).numpy(), rtol=1e-12)

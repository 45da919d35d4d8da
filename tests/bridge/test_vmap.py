"""A compiled function under the tape's `vmap`: an example at a time, and right."""
import numpy as np
import pytest

import transgrad as tg


def weighted(x, w):
    return {"total": np.sum(np.sin(x) * w), "parts": (np.exp(x), 2)}


R = np.random.default_rng(0)
POINTS, WEIGHTS = tg.tensor(R.standard_normal((3, 4))), tg.tensor(R.standard_normal(4))


def test_values_and_gradients():
    compiled, w = tg.compile(weighted), WEIGHTS.clone().requires_grad_()
    out = tg.vmap(lambda x: compiled(x, w)["total"], in_dims=0)(POINTS)
    assert tg.allclose(out, (POINTS.sin() * w).sum(1))
    g, = tg.autograd.grad(out.sum(), w)
    assert tg.allclose(g, POINTS.sin().sum(0))
    parts = tg.vmap(lambda x: compiled(x, WEIGHTS)["parts"][0], in_dims=1)(POINTS.t())
    assert tg.allclose(parts, POINTS.exp())


@pytest.mark.parametrize("derivative", [lambda f: tg.grad(f), lambda f: tg.func.grad(f), lambda f: tg.func.jacrev(f), lambda f: tg.func.jacfwd(f)])
def test_per_example_gradients(derivative):
    compiled = tg.compile(lambda x: np.sum(np.sin(x) * x))
    found = tg.vmap(lambda x: derivative(compiled)(x), in_dims=0)(POINTS)
    assert tg.allclose(found, POINTS.sin() + POINTS * POINTS.cos())


def test_all_rows_at_once():
    compiled, x = tg.compile(lambda x: np.sum(np.sin(x) * x)), POINTS[0].clone().requires_grad_()
    F = tg.autograd.functional
    expected = tg.diag(2 * x.cos() - x * x.sin())
    for options in ({}, {"vectorize": True}, {"vectorize": True, "outer_jacobian_strategy": "forward-mode"}):
        assert tg.allclose(F.hessian(compiled, x, **options), expected)
    assert tg.autograd.gradcheck(compiled, x, check_forward_ad=True, check_batched_grad=True, check_batched_forward_grad=True)
    assert tg.autograd.gradgradcheck(compiled, x, check_fwd_over_rev=True, check_batched_grad=True)

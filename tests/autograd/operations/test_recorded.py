"""Recording the backward pass does not change the gradients: no number becomes a Tensor of another precision on the way."""
from __future__ import annotations

import warnings

import numpy as np
import pytest

import transgrad

from .harness import evaluate, inputs, loss
from .programs import programs

LOW = ("float()", "float32", "complex64", "half", "bfloat16")
PROGRAMS = [p for _, p in programs() if not any(word in p for word in LOW)]


def gradients(program: str, create_graph: bool) -> list[np.ndarray | None] | None:
    leaves = inputs(transgrad, "float64")
    total = loss(transgrad, evaluate(transgrad, program, leaves), 5)
    if total is None or not total.requires_grad:
        return None
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        found = transgrad.autograd.grad(total, list(leaves.values()), allow_unused=True, create_graph=create_graph)
    return [None if g is None else g.detach().to_dense().numpy() if g.is_sparse else g.detach().numpy() for g in found]


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_same_when_recorded(program: str) -> None:
    plain, recorded = gradients(program, False), gradients(program, True)
    if plain is None or recorded is None:
        assert plain is recorded
        return
    for a, b in zip(plain, recorded):
        assert (a is None) == (b is None)
        if a is not None and b is not None:
            assert a.dtype == b.dtype and a.shape == b.shape
            scale = max(1.0, float(np.max(np.abs(a[np.isfinite(a)]), initial=0.0)))
            assert np.allclose(a, b, rtol=1e-11, atol=1e-11 * scale, equal_nan=True)


@pytest.mark.parametrize("base", [2.0, 3, 0.5])
def test_powers_of_a_number(base: float) -> None:
    n = transgrad.tensor([-0.375, 1.5], dtype=transgrad.float64, requires_grad=True)
    (g,) = transgrad.autograd.grad((base ** n).sum(), n, create_graph=True)
    assert np.allclose(g.detach().numpy(), np.log(base) * base ** n.detach().numpy(), rtol=1e-15)

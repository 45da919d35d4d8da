"""Derivatives as the tape computes them: rows of a Jacobian by backward, columns by forward mode."""
from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from ..backward import grad
from ..forward_ad import dual_level, make_dual, unpack_dual
from ..tensor import Tensor
from .arrays import Array, as_tuple, copied, differentiable, require_grad, tensor_like
from .errors import NONDETERMINISTIC, GradcheckError

__all__ = ["by_backward", "by_forward"]


def by_backward(output: Tensor, sources: Sequence[Tensor], vectors: Iterable[Array], nondet_tol: float,
                check_grad_dtypes: bool) -> list[Array]:
    """For each source the gradients of ``output`` along the vectors, as the columns of a matrix; computed twice, to see whether they
    are the same."""
    first, second = [[_gradients(output, sources, v, check_grad_dtypes) for v in vectors] for _ in range(2)]
    for one, other in zip(first, second):
        if any(a.size and np.abs(a - b).max() > nondet_tol for a, b in zip(one, other)):
            raise GradcheckError(NONDETERMINISTIC.format(tolerance=nondet_tol))
    return [np.stack([row[k] for row in first], axis=1) if first else np.zeros((s.numel(), 0)) for k, s in enumerate(sources)]


def _gradients(output: Tensor, sources: Sequence[Tensor], vector: Array, check_grad_dtypes: bool) -> list[Array]:
    found = grad(output, sources, tensor_like(vector, output), retain_graph=True, allow_unused=True)
    for g, s in zip(found, sources):
        if g is not None and check_grad_dtypes and g.dtype != s.dtype:
            raise GradcheckError("Gradient has dtype mismatch")
        if g is not None and g.shape != s.shape:
            raise GradcheckError("Analytical gradient has incorrect size")
    return [np.zeros(s.numel(), copied(s).dtype) if g is None else copied(g).reshape(-1) for g, s in zip(found, sources)]


def by_forward(func: Callable[..., Any], inputs: Sequence[Any], place: int, direction: Array, check_grad_dtypes: bool) -> list[Array]:
    """The tangents of the differentiable outputs, flattened, for a tangent of the input at ``place``."""
    with dual_level():
        duals = list(inputs)
        for i, t in require_grad(inputs):
            duals[i] = make_dual(t.detach(), tensor_like(direction, t) if i == place else t.new_zeros(t.shape))
        return [_tangent(y, check_grad_dtypes) for y in as_tuple(func(*duals)) if differentiable(y)]


def _tangent(y: Tensor, check_grad_dtypes: bool) -> Array:
    primal, tangent = unpack_dual(y)
    if tangent is None:
        return np.zeros(primal.numel(), copied(primal).dtype)
    if check_grad_dtypes and primal.is_complex() != tangent.is_complex():
        raise GradcheckError("Forward AD gradient has dtype mismatch.")
    return copied(tangent).reshape(-1)

"""What was once part of `gradcheck`: the two Jacobians that it compares."""
from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..callers import stacklevel
from ..tensor import Tensor, wrap
from .analytical import by_backward
from .arrays import as_tuple, memory, require_grad
from .errors import GradcheckError
from .numerical import along, unit_directions

__all__ = ["get_analytical_jacobian", "get_numerical_jacobian"]


def _warn(name: str, grad_out: float) -> None:
    warnings.warn(f"`{name}` is deprecated: use `autograd.functional.jacobian`, or `gradcheck`.", FutureWarning, stacklevel=stacklevel())
    if grad_out != 1.0:
        raise ValueError(f"Expected grad_out to be 1.0. {name} no longer supports values of grad_out != 1.0.")


def get_numerical_jacobian(fn: Callable[..., Any], inputs: Any, target: Any = None, eps: float = 1e-3,
                           grad_out: float = 1.0) -> tuple[Tensor, ...]:
    """The Jacobians of the first output of ``fn(inputs)`` by central differences; deprecated.

    Parameters
    ----------
    fn : callable
        Takes the tuple of inputs.
    inputs : tuple of Tensors
        The point.
    target : Tensor or tuple of Tensors, optional
        What to vary; all inputs that require gradients by default.
    eps : float
        The step.
    grad_out : float
        Has to be 1.

    Returns
    -------
    tuple of Tensors
        For each of the varied Tensors a matrix with a row for each element of it.
    """
    _warn("get_numerical_jacobian", grad_out)
    varied = [x for _, x in require_grad(as_tuple(inputs if target is None else target))]
    made = []
    for x in varied:        # it need not be among the inputs: it is written to in place
        rows = [along(lambda *_: fn(inputs), [x], 0, direction, eps)[0] for direction in unit_directions(x.numel())]
        made.append(wrap(np.stack(rows) if rows else np.zeros((0, 0), memory(x).dtype)))
    return tuple(made)


def get_analytical_jacobian(inputs: Sequence[Any], output: Tensor, nondet_tol: float = 0.0,
                            grad_out: float = 1.0) -> tuple[tuple[Tensor, ...], bool, bool, bool]:
    """The Jacobians of an output by backward, and whether they are deterministic, of the right sizes, of the right dtypes; deprecated.

    Parameters
    ----------
    inputs : sequence
        The inputs; those of them count that require gradients.
    output : Tensor
        What was computed from them.
    nondet_tol : float
        How much two runs may differ.
    grad_out : float
        Has to be 1.
    """
    _warn("get_analytical_jacobian", grad_out)
    if output.is_complex():
        raise ValueError("Expected output to be non-complex. get_analytical_jacobian no longer supports functions that return complex "
                         "outputs.")
    sources = [x for _, x in require_grad(as_tuple(inputs))]
    found = by_backward(output, sources, np.eye(output.numel()), float("inf"), False)
    flags = []
    for tolerance, dtypes in ((nondet_tol, False), (float("inf"), True)):
        try:
            by_backward(output, sources, np.eye(output.numel()), tolerance, dtypes)
            flags.append(True)
        except GradcheckError:
            flags.append(False)
    return tuple(wrap(m) for m in found), flags[0], True, flags[1]

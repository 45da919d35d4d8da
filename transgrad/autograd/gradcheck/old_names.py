"""Former parts of `gradcheck`: the two Jacobians that it compares."""
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

__all__ = ["get_analytical_jacobian", "get_numerical_jacobian", "get_numerical_jacobian_wrt_specific_input"]


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
        The outputs.
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


def get_numerical_jacobian_wrt_specific_input(fn: Callable[..., Any], input_idx: int, inputs: Sequence[Any], outputs: Any, eps: float,
                                              input: Any = None, is_forward_ad: bool = False) -> tuple[Tensor, ...]:
    """The Jacobians of each output of ``fn(*inputs)`` by central differences in one input, a row for each element of that.

    Parameters
    ----------
    fn : callable
        Takes the inputs.
    input_idx : int
        Which input is varied.
    inputs, outputs : sequence of Tensors
        The point, and the function's outputs there.
    eps : float
        The step.
    input : Tensor, optional
        The tensor that is perturbed in place of the input.
    is_forward_ad : bool
        Whether complex derivatives are by the real and the imaginary part rather than conjugate Wirtinger's; for real inputs the same.

    Raises
    ------
    AssertionError
        If the input requires no grad.
    NotImplementedError
        For a complex input in forward mode.
    """
    varied = inputs[input_idx] if input is None else input
    if not varied.requires_grad:
        raise AssertionError("Expected input to have requires_grad=True")
    if is_forward_ad and varied.is_complex():
        raise NotImplementedError("get_numerical_jacobian_wrt_specific_input of a complex input in forward mode: use gradcheck with "
                                  "check_forward_ad=True")
    rows = [along(lambda *_: fn(*inputs), [varied], 0, direction, eps) for direction in unit_directions(varied.numel())]
    return tuple(wrap(np.stack([row[k] for row in rows]) if rows else np.zeros((0, out.numel()), memory(out).dtype))
                 for k, out in enumerate(as_tuple(outputs)))

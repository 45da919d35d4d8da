"""What ``strict=True`` refuses, and the zeros that stand for missing gradients without it."""
from __future__ import annotations

from collections.abc import Sequence

from ..tensor import Tensor
from .arguments import Tensors

__all__ = ["filled", "require_grad"]

_REFUSED = " This is not allowed in strict mode"

_UNTRACKED = {
    "outputs": "Output {i} of the user-provided function does not require gradients. The outputs must be computed in a "
               "differentiable manner from the input when running in strict mode.",
    "grad_inputs": "The gradient with respect to input {i} is independent of the inputs of the user-provided function." + _REFUSED + ".",
    "jacobian": "While computing the hessian, found that the jacobian of the user-provided function with respect to input {i} is "
                f"independent of the input.{_REFUSED}: the function has to be twice differentiable, with a jacobian that depends on the "
                "inputs (that of a linear function does not).",
    "hessian": "The hessian of the user-provided function with respect to input {i} is independent of the input." + _REFUSED + ": the "
               "function has to be thrice differentiable, with a hessian that depends on the inputs.",
}

_MISSING = {
    "back": "The output of the user-provided function is independent of input {i}." + _REFUSED + ".",
    "back_trick": "The gradient with respect to the input is independent of entry {i} in the grad_outputs when using the double backward "
                  f"trick to compute forward mode gradients.{_REFUSED}.",
    "double_back": "The jacobian of the user-provided function is independent of input {i}." + _REFUSED + ".",
    "double_back_trick": "The hessian of the user-provided function is independent of entry {i} in the grad_jacobian." + _REFUSED
                         + ", as it prevents from using the double backward trick to replace forward mode AD.",
}

_CONSTANT = "The {derivative} of the user-provided function is independent of input {i}." + _REFUSED + " when create_graph=True."


def require_grad(tensors: Sequence[Tensor | None], what: str, strict: bool) -> None:
    """In strict mode, refuse results that do not depend on the inputs."""
    if not strict:
        return
    for i, t in enumerate(tensors):
        if t is None:
            raise RuntimeError(_MISSING["back"].format(i=i))
        if not t.requires_grad:
            raise RuntimeError(_UNTRACKED[what].format(i=i))


def filled(grads: Sequence[Tensor | None], like: Tensors, strict: bool, create_graph: bool, stage: str) -> Tensors:
    """The gradients with zeros for those that are missing; in strict mode these are refused, as are constant ones of a graph."""
    derivative = "hessian" if stage.startswith("double_back") else "jacobian"
    made = []
    for i, (grad, other) in enumerate(zip(grads, like)):
        if grad is None and strict:
            raise RuntimeError(_MISSING[stage].format(i=i))
        if grad is not None and strict and create_graph and not grad.requires_grad:
            raise RuntimeError(_CONSTANT.format(derivative=derivative, i=i))
        made.append(other.new_zeros(other.shape) if grad is None else grad)
    return tuple(made)

"""Stochastic gradient descent."""
from __future__ import annotations

from typing import Any

from ..autograd.tensor import wrap
from .optimizer import Array, Optimizer, checked

__all__ = ["SGD"]


class SGD(Optimizer):
    """Stochastic gradient descent, optionally with momentum.

    Parameters
    ----------
    params : iterable of Tensor or dict, or a structure of arrays
        The parameters; see `Optimizer`.
    lr, momentum, dampening, weight_decay : float
        The learning rate, the fraction of the last step that is added to the next one, the fraction by which the gradient is reduced
        when it enters the momentum, and the factor of an L2 penalty.
    nesterov, maximize : bool
        Whether to use Nesterov momentum, and whether to maximize the objective.
    foreach, fused, differentiable
        Accepted and without effect, except that ``differentiable=True`` is refused.

    Examples
    --------
    >>> import numpy as np
    >>> SGD({"w": np.array([1.0, 2.0])}, lr=0.1).step({"w": np.array([0.5, -0.5])})
    {'w': array([0.95, 2.05])}
    """

    _takes_sparse = True

    def __init__(self, params: Any, lr: float = 1e-3, momentum: float = 0, dampening: float = 0, weight_decay: float = 0,
                 nesterov: bool = False, *, maximize: bool = False, foreach: bool | None = None, differentiable: bool = False,
                 fused: bool | None = None):
        checked(learning_rate=(lr, lr >= 0.0), momentum_value=(momentum, momentum >= 0.0),
                weight_decay_value=(weight_decay, weight_decay >= 0.0))
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        refuse_differentiable(differentiable)
        super().__init__(params, {"lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay,
                                  "nesterov": nesterov, "maximize": maximize, "foreach": foreach, "differentiable": differentiable,
                                  "fused": fused})

    def _update(self, p: Any, g: Array, state: dict[str, Any], group: dict[str, Any]) -> None:
        array, momentum = p._array, group["momentum"]
        g = -g if group["maximize"] else g
        if group["weight_decay"]:
            g = g + group["weight_decay"] * array
        if momentum:
            buffer = state.get("momentum_buffer")
            if buffer is None:
                state["momentum_buffer"] = buffer = wrap(g.copy())
            else:
                buffer._array *= momentum
                buffer._array += (1 - group["dampening"]) * g
            g = g + momentum * buffer._array if group["nesterov"] else buffer._array
        array -= float(group["lr"]) * g


def refuse_differentiable(differentiable: bool) -> None:
    """Raise NotImplementedError for differentiable steps."""
    if differentiable:
        raise NotImplementedError("differentiable=True is not supported: steps write into arrays and are not recorded. "
                                  "Hint: write the update as an expression of Tensors, p = p - lr * g.")

"""Adam and AdamW (Kingma & Ba 2015; Loshchilov & Hutter 2019)."""
from __future__ import annotations

import math
from typing import Any

import numpy as np

from .optimizer import Array, Optimizer, checked, counted, reals, zeros
from .sgd import refuse_differentiable

__all__ = ["Adam", "AdamW"]


class Adam(Optimizer):
    """Adam: steps from running means of the gradient and of its square.

    Parameters
    ----------
    params : iterable of Tensor or dict, or a structure of arrays
        The parameters; see `Optimizer`.
    lr, eps, weight_decay : float
        The learning rate, the term added to the square root, and the factor of an L2 penalty.
    betas : pair of float
        How much of the running means is kept at each step.
    amsgrad, maximize, decoupled_weight_decay : bool
        Whether the largest mean of squares so far is used, whether the objective is to grow, and whether parameters shrink by
        ``lr * weight_decay`` in place of the penalty (`AdamW`).
    foreach, capturable, differentiable, fused
        Accepted and without effect, except that ``differentiable=True`` is refused.

    Examples
    --------
    >>> import numpy as np
    >>> params = {"w": np.ones(2), "b": 0.5}
    >>> Adam(params, lr=0.1).step({"w": np.array([1.0, -1.0]), "b": 2.0})
    {'w': array([0.9, 1.1]), 'b': 0.4000000005}
    """

    def __init__(self, params: Any, lr: float = 1e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8, weight_decay: float = 0,
                 amsgrad: bool = False, *, foreach: bool | None = None, maximize: bool = False, capturable: bool = False,
                 differentiable: bool = False, fused: bool | None = None, decoupled_weight_decay: bool = False):
        checked(learning_rate=(lr, lr >= 0.0), epsilon_value=(eps, eps >= 0.0))
        for k, beta in enumerate(betas):
            if not 0.0 <= beta < 1.0:
                raise ValueError(f"Invalid beta parameter at index {k}: {beta}")
        checked(weight_decay_value=(weight_decay, weight_decay >= 0.0))
        refuse_differentiable(differentiable)
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "amsgrad": amsgrad,
                                  "maximize": maximize, "foreach": foreach, "capturable": capturable, "differentiable": differentiable,
                                  "fused": fused, "decoupled_weight_decay": decoupled_weight_decay})

    def _update(self, p: Any, g: Array, state: dict[str, Any], group: dict[str, Any]) -> None:
        array = p._array
        step = counted(state)
        mean, square = zeros(state, "exp_avg", array), zeros(state, "exp_avg_sq", array)
        largest = zeros(state, "max_exp_avg_sq", array) if group["amsgrad"] else None
        lr, (beta1, beta2) = float(group["lr"]), group["betas"]
        g = -g if group["maximize"] else g
        if group["weight_decay"]:
            if group["decoupled_weight_decay"]:
                array *= 1 - lr * group["weight_decay"]
            else:
                g = g + group["weight_decay"] * array
        g, array, mean, square = reals(np.ascontiguousarray(g) if g.dtype.kind == "c" else g, array, mean, square)
        mean += (1 - beta1) * (g - mean)
        square *= beta2
        square += (1 - beta2) * (g * g)
        if largest is not None:
            (largest,) = reals(largest)
            square = np.maximum(largest, square, out=largest)
        denominator = np.sqrt(square, out=np.empty_like(square))
        denominator /= math.sqrt(1 - beta2 ** step)
        denominator += group["eps"]
        np.divide(mean, denominator, out=denominator)
        denominator *= lr / (1 - beta1 ** step)
        array -= denominator


class AdamW(Adam):
    """`Adam` with decoupled weight decay: each step shrinks the parameters by ``lr * weight_decay``.

    Parameters
    ----------
    params, lr, betas, eps, weight_decay, amsgrad, maximize, foreach, capturable, differentiable, fused
        As for `Adam`.

    Examples
    --------
    >>> import numpy as np
    >>> AdamW({"w": np.array([1.0, 2.0])}, lr=0.1).step({"w": np.array([0.5, -0.5])})
    {'w': array([0.899, 2.098])}
    """

    def __init__(self, params: Any, lr: float = 1e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
                 weight_decay: float = 1e-2, amsgrad: bool = False, *, maximize: bool = False, foreach: bool | None = None,
                 capturable: bool = False, differentiable: bool = False, fused: bool | None = None):
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, foreach=foreach, maximize=maximize, capturable=capturable,
                         differentiable=differentiable, fused=fused, decoupled_weight_decay=True)

"""RMSprop (Hinton 2012) and Adagrad (Duchi et al. 2011)."""
from __future__ import annotations

from typing import Any

import numpy as np

from ..autograd.ops import FUNCTIONS
from ..autograd.tensor import wrap
from .optimizer import Array, Optimizer, checked, counted, reals, zeros
from .sgd import refuse_differentiable

__all__ = ["Adagrad", "RMSprop"]


class RMSprop(Optimizer):
    """RMSprop: the gradient divided by the root of the running mean of its square.

    Parameters
    ----------
    params : iterable of Tensor or dict, or a structure of arrays
        The parameters; see `Optimizer`.
    lr, alpha, eps, weight_decay, momentum : float
        The learning rate, the decay of the running mean, the term added to the square root, the factor of an L2 penalty, and the
        part of the last step that is kept.
    centered, maximize : bool
        Whether the variance takes the place of the mean of squares, and whether the objective is to grow.
    capturable, foreach, differentiable
        Accepted and without effect, except that ``differentiable=True`` is refused.

    Examples
    --------
    >>> import numpy as np
    >>> RMSprop({"w": np.array([1.0, 2.0])}, lr=0.1, alpha=0.75, eps=0.0).step({"w": np.array([0.5, -0.5])})
    {'w': array([0.8, 2.2])}
    """

    def __init__(self, params: Any, lr: float = 1e-2, alpha: float = 0.99, eps: float = 1e-8, weight_decay: float = 0, momentum: float = 0,
                 centered: bool = False, capturable: bool = False, foreach: bool | None = None, maximize: bool = False,
                 differentiable: bool = False):
        checked(learning_rate=(lr, lr >= 0.0), epsilon_value=(eps, eps >= 0.0), momentum_value=(momentum, momentum >= 0.0),
                weight_decay_value=(weight_decay, weight_decay >= 0.0), alpha_value=(alpha, alpha >= 0.0))
        refuse_differentiable(differentiable)
        super().__init__(params, {"lr": lr, "momentum": momentum, "alpha": alpha, "eps": eps, "centered": centered,
                                  "weight_decay": weight_decay, "capturable": capturable, "foreach": foreach, "maximize": maximize,
                                  "differentiable": differentiable})

    def _update(self, p: Any, g: Array, state: dict[str, Any], group: dict[str, Any]) -> None:
        array, alpha = p._array, group["alpha"]
        counted(state)
        mean = zeros(state, "square_avg", array)
        buffer = zeros(state, "momentum_buffer", array) if group["momentum"] else None
        center = zeros(state, "grad_avg", array) if group["centered"] else None
        g = -g if group["maximize"] else g
        if group["weight_decay"]:
            g = g + group["weight_decay"] * array
        g, array, mean = reals(np.ascontiguousarray(g) if g.dtype.kind == "c" else g, array, mean)
        mean *= alpha
        mean += (1 - alpha) * (g * g)
        spread = mean
        if center is not None:
            (center,) = reals(center)
            center += (1 - alpha) * (g - center)
            spread = mean - center * center
        found = g / (np.sqrt(spread) + group["eps"])
        if buffer is not None:
            (buffer,) = reals(buffer)
            buffer *= group["momentum"]
            buffer += found
            found = buffer
        array -= float(group["lr"]) * found


class Adagrad(Optimizer):
    """Adagrad: the gradient divided by the root of the sum of its squares so far.

    Parameters
    ----------
    params : iterable of Tensor or dict, or a structure of arrays
        The parameters; see `Optimizer`.
    lr, lr_decay, weight_decay, initial_accumulator_value, eps : float
        The learning rate, its decay, the factor of an L2 penalty, the initial sum, and the term added to the square root.
    foreach, maximize, differentiable, fused
        ``maximize`` tells whether the objective is to grow; the others are accepted and without effect, except that
        ``differentiable=True`` is refused.

    Examples
    --------
    >>> import numpy as np
    >>> Adagrad({"w": np.array([1.0, 2.0])}, lr=0.1).step({"w": np.array([0.5, -0.5])})
    {'w': array([0.9, 2.1])}
    """

    _takes_sparse = True

    def __init__(self, params: Any, lr: float = 1e-2, lr_decay: float = 0, weight_decay: float = 0, initial_accumulator_value: float = 0,
                 eps: float = 1e-10, foreach: bool | None = None, *, maximize: bool = False, differentiable: bool = False,
                 fused: bool | None = None):
        checked(learning_rate=(lr, lr >= 0.0), lr_decay_value=(lr_decay, lr_decay >= 0.0),
                weight_decay_value=(weight_decay, weight_decay >= 0.0),
                initial_accumulator_value_value=(initial_accumulator_value, initial_accumulator_value >= 0.0),
                epsilon_value=(eps, eps >= 0.0))
        refuse_differentiable(differentiable)
        super().__init__(params, {"lr": lr, "lr_decay": lr_decay, "eps": eps, "weight_decay": weight_decay,
                                  "initial_accumulator_value": initial_accumulator_value, "foreach": foreach, "maximize": maximize,
                                  "differentiable": differentiable, "fused": fused})
        for group in self.param_groups:
            for p in group["params"]:
                self._begin(p, self.state[p], group)

    def _begin(self, p: Any, state: dict[str, Any], group: dict[str, Any]) -> None:
        start = group["initial_accumulator_value"]
        state["step"] = FUNCTIONS["tensor"](0.0)
        state["sum"] = wrap(np.full_like(p._array, complex(start, start) if p._array.dtype.kind == "c" else start))

    def _update(self, p: Any, g: Array, state: dict[str, Any], group: dict[str, Any]) -> None:
        if not state:
            self._begin(p, state, group)
        array, total = p._array, state["sum"]._array
        step = counted(state)
        g = -g if group["maximize"] else g
        if group["weight_decay"]:
            g = g + group["weight_decay"] * array
        g, array, total = reals(np.ascontiguousarray(g) if g.dtype.kind == "c" else g, array, total)
        total += g * g
        array -= float(group["lr"]) / (1 + (step - 1) * group["lr_decay"]) * (g / (np.sqrt(total) + group["eps"]))

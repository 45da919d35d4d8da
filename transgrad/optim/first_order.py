"""The update rules of first-order optimizers."""
from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..autograd.ops import FUNCTIONS
from .optimizer import Array, Optimizer, options

__all__ = ["SGD", "Adagrad", "Adam", "AdamW", "RMSprop"]


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

    _accepts_sparse = True

    def __init__(self, params: Any, lr: float = 1e-3, momentum: float = 0, dampening: float = 0, weight_decay: float = 0,
                 nesterov: bool = False, *, maximize: bool = False, foreach: bool | None = None, differentiable: bool = False,
                 fused: bool | None = None):
        super().__init__(params, options(locals()))
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")

    def _rule(self, p: Any, x: Array, g: Array, group: dict[str, Any]) -> None:
        momentum = group["momentum"]
        if momentum:
            first = "momentum_buffer" not in self.state[p]
            buffer = self._entry(p, "momentum_buffer")
            buffer *= momentum
            buffer += g if first else (1 - group["dampening"]) * g
            g = g + momentum * buffer if group["nesterov"] else buffer
        x -= float(group["lr"]) * g


class Adam(Optimizer):
    """Adam: steps from running means of the gradient and of its square (Kingma & Ba 2015).

    Parameters
    ----------
    params : iterable of Tensor or dict, or a structure of arrays
        The parameters; see `Optimizer`.
    lr, eps, weight_decay : float
        The learning rate, the term added to the square root, and the factor of an L2 penalty.
    betas : pair of float
        The decay rates of the running means.
    amsgrad, maximize, decoupled_weight_decay : bool
        Whether to use the maximum of the mean squares, whether to maximize the objective, and whether to multiply the parameters by
        ``1 - lr * weight_decay`` instead of adding the penalty (`AdamW`).
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
                 amsgrad: bool = False, *, maximize: bool = False, foreach: bool | None = None, capturable: bool = False,
                 differentiable: bool = False, fused: bool | None = None, decoupled_weight_decay: bool = False):
        super().__init__(params, options(locals()))

    def _rule(self, p: Any, x: Array, g: Array, group: dict[str, Any]) -> None:
        beta1, beta2 = group["betas"]
        step = self._count(p)
        mean, square = self._entry(p, "exp_avg"), self._entry(p, "exp_avg_sq")
        mean += (1 - beta1) * (g - mean)
        square *= beta2
        square += (1 - beta2) * (g * g)
        if group["amsgrad"]:
            largest = self._entry(p, "max_exp_avg_sq")
            square = np.maximum(largest, square, out=largest)
        denominator = np.sqrt(square, out=np.empty_like(square))
        denominator /= math.sqrt(1 - beta2 ** step)
        denominator += group["eps"]
        np.divide(mean, denominator, out=denominator)
        denominator *= float(group["lr"]) / (1 - beta1 ** step)
        x -= denominator


class AdamW(Adam):
    """`Adam` with decoupled weight decay (Loshchilov & Hutter 2019).

    Each step multiplies the parameters by ``1 - lr * weight_decay``.

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
        Optimizer.__init__(self, params, {**options(locals()), "decoupled_weight_decay": True})


class RMSprop(Optimizer):
    """RMSprop: the gradient divided by the root of the running mean of its square (Hinton 2012).

    Parameters
    ----------
    params : iterable of Tensor or dict, or a structure of arrays
        The parameters; see `Optimizer`.
    lr, alpha, eps, weight_decay, momentum : float
        The learning rate, the decay rate of the running mean, the term added to the square root, the factor of an L2 penalty, and the
        fraction of the last step that is added to the next one.
    centered, maximize : bool
        Whether to divide by the root of the variance instead of the mean square, and whether to maximize the objective.
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
        super().__init__(params, options(locals(), "lr momentum alpha eps centered"))

    def _rule(self, p: Any, x: Array, g: Array, group: dict[str, Any]) -> None:
        alpha = group["alpha"]
        self._count(p)
        mean = spread = self._entry(p, "square_avg")
        mean *= alpha
        mean += (1 - alpha) * (g * g)
        if group["centered"]:
            center = self._entry(p, "grad_avg")
            center += (1 - alpha) * (g - center)
            spread = mean - center * center
        change = g / (np.sqrt(spread) + group["eps"])
        if group["momentum"]:
            buffer = self._entry(p, "momentum_buffer")
            buffer *= group["momentum"]
            buffer += change
            change = buffer
        x -= float(group["lr"]) * change


class Adagrad(Optimizer):
    """Adagrad: the gradient divided by the root of the accumulated sum of its squares (Duchi et al. 2011).

    Parameters
    ----------
    params : iterable of Tensor or dict, or a structure of arrays
        The parameters; see `Optimizer`.
    lr, lr_decay, weight_decay, initial_accumulator_value, eps : float
        The learning rate, its decay, the factor of an L2 penalty, the initial sum, and the term added to the square root.
    maximize : bool
        Whether to maximize the objective.
    foreach, differentiable, fused
        Accepted and without effect, except that ``differentiable=True`` is refused.

    Examples
    --------
    >>> import numpy as np
    >>> Adagrad({"w": np.array([1.0, 2.0])}, lr=0.1).step({"w": np.array([0.5, -0.5])})
    {'w': array([0.9, 2.1])}
    """

    _accepts_sparse = True

    def __init__(self, params: Any, lr: float = 1e-2, lr_decay: float = 0, weight_decay: float = 0, initial_accumulator_value: float = 0,
                 eps: float = 1e-10, foreach: bool | None = None, *, maximize: bool = False, differentiable: bool = False,
                 fused: bool | None = None):
        super().__init__(params, options(locals(), "lr lr_decay eps weight_decay initial_accumulator_value"))
        for p in (p for group in self.param_groups for p in group["params"]):
            self.state[p]["step"] = FUNCTIONS["tensor"](0.0)
            self._entry(p, "sum", self._initial(p, self.defaults))

    def _initial(self, p: Any, group: dict[str, Any]) -> complex:
        value = group["initial_accumulator_value"]
        return complex(value, value) if p._array.dtype.kind == "c" else value

    def _rule(self, p: Any, x: Array, g: Array, group: dict[str, Any]) -> None:
        step, total = self._count(p), self._entry(p, "sum", self._initial(p, group))
        total += g * g
        x -= float(group["lr"]) / (1 + (step - 1) * group["lr_decay"]) * (g / (np.sqrt(total) + group["eps"]))

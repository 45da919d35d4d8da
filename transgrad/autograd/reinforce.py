"""Gradients of random samples (REINFORCE): a reward times the derivative of the log-probability."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .deprecated import warn_old_name
from .fit import fitted
from .nodes import Node, edge_of
from .state import STATE
from .tensor import Tensor, wrap

__all__ = ["drawn_from", "reinforce"]

Score = Callable[..., tuple[Any, ...]]


def drawn_from(sample: Tensor, score: Score, *parameters: Any) -> Tensor:
    """A sample with a reference to the parameters of its distribution that require grad."""
    recorded = STATE.grad and any(isinstance(parameter, Tensor) and parameter.requires_grad for parameter in parameters)
    sample.__dict__["_drawn"] = score, parameters if recorded else ()
    return sample


def bernoulli(x: Any, p: Any) -> tuple[Any, ...]:
    """The score of draws ``x`` of 0 or 1 with respect to the probability of 1."""
    one = x == 1
    return np.where(one, 1.0, -1.0) / np.where(one, p, 1.0 - p),


def normal(x: Any, mean: Any, std: Any) -> tuple[Any, ...]:
    """The scores with respect to mean and standard deviation."""
    z = (x - mean) / std
    return z / std, (z * z - 1.0) / std


def multinomial(x: Any, weights: Any) -> tuple[Any, ...]:
    """One over the weight of each place that was drawn.

    This is the derivative of the logarithm of a weight.  The sum of all weights, by which the sampler divides, counts as a constant: where
    the weights come from a softmax, as they do in policies, its part vanishes.
    """
    return 1.0 / weights.gather(-1, x),


class ReinforceBackward(Node):
    """Sends the score of a sample to its parameters; what arrives at the sample has no part in it."""

    __slots__ = ("draw", "reward", "sample", "wanted")
    _name = "ReinforceBackward"
    _wants_gradient = False

    def __init__(self, sample: Any, score: Score, parameters: Sequence[Any], reward: Any) -> None:
        self.wanted = [k for k, parameter in enumerate(parameters) if isinstance(parameter, Tensor) and parameter.requires_grad]
        super().__init__(tuple(edge_of(parameters[k]) for k in self.wanted))
        self.sample, self.draw, self.reward = sample, (score, parameters), reward

    def apply_graph(self, g: Any, keep: bool) -> tuple[Any, ...]:
        score, parameters = self.draw
        scores = score(self.sample, *parameters)
        return tuple(self._gradient(scores[k], parameters[k]) for k in self.wanted)

    def _gradient(self, score: Any, parameter: Any) -> Any:
        gradient = -self.reward * score
        if self.draw[0] is multinomial:
            gradient = wrap(np.zeros_like(parameter._array)).scatter_add(-1, self.sample, gradient)
        return fitted(gradient, parameter._array.shape, parameter._array.dtype)


def reinforce(self: Tensor, reward: Any) -> None:
    """Give each sample its reward; `backward` from the sample then sends ``-reward * d log p`` to the parameters (deprecated).

    The sample must come from `bernoulli`, `multinomial` or `normal`.  A step against the gradient makes rewarded draws likelier.

    Parameters
    ----------
    reward : Tensor or float
        Of the shape of the sample, or one number for all.

    Raises
    ------
    RuntimeError
        If the tensor was not drawn at random, or the reward's shape differs.

    Examples
    --------
    >>> import transgrad as torch
    >>> p = torch.tensor([0.25, 0.75], requires_grad=True)
    >>> action = p.multinomial(1)
    >>> action.reinforce(1.0)
    >>> torch.autograd.backward([action], [None])
    """
    warn_old_name("reinforce", "Differentiate `-(log_prob * reward)`, with the logarithm of the probability of the sample, instead.")
    drawn = self.__dict__.get("_drawn")
    if drawn is None:
        raise RuntimeError("reinforce() can be only called on outputs of stochastic functions: bernoulli, multinomial and normal")
    shape = np.shape(reward._array if isinstance(reward, Tensor) else reward)
    if shape not in ((), self.shape):
        raise RuntimeError(f"the reward must have the shape of the sample, {self.shape}, or be one number, but its shape is {shape}")
    score, parameters = drawn
    node = ReinforceBackward(self.detach(), score, parameters, reward)
    if node.wanted:
        self._edge = (node, 0)

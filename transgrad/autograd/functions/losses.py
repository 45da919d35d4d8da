"""Losses that torch computes in one node: of each element, all of them, their sum, or their mean.

Input and target have one shape.  Gradients below are derivatives of an element's loss with respect to the input.
"""
from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...rules.registry import rule
from ..names import node_name

__all__ = ["binary_cross_entropy_with_logits", "huber_loss", "mse_loss", "nll_loss", "smooth_l1_loss", "soft_margin_loss"]


def reduced(losses: Any, reduction: str) -> Any:
    """The losses, their sum, or their mean."""
    return losses if reduction == "none" else np.sum(losses) if reduction == "sum" else np.mean(losses)


def shared(g: Any, self: Any, reduction: str) -> Any:
    """The gradient of a reduction as that of each loss; it broadcasts."""
    return g / math.prod(self.shape) if reduction == "mean" else g


def mse_loss(self: Any, target: Any, reduction: str = "mean") -> Any:
    """Squared differences."""
    return reduced((self - target) ** 2, reduction)


@rule(mse_loss, kind="general", broadcasts=True, jvp=(
    lambda t, y, self, target, reduction="mean": reduced(2.0 * (self - target) * t, reduction),
    lambda t, y, self, target, reduction="mean": reduced(-2.0 * (self - target) * t, reduction)))
def _(g, y, self, target, reduction="mean"):
    h = 2.0 * shared(g, self, reduction) * (self - target)
    return h, -h


def huber_loss(self: Any, target: Any, reduction: str = "mean", delta: float = 1.0) -> Any:
    """Huber loss: half the squared difference up to ``delta``, and linear beyond."""
    distance = np.abs(self - target)
    return reduced(np.where(distance <= delta, 0.5 * distance ** 2, delta * (distance - 0.5 * delta)), reduction)


def huber_slope(d: Any, delta: float) -> Any:
    return np.where(np.abs(d) < delta, d, delta * np.sign(d))


@rule(huber_loss, kind="general", broadcasts=True, jvp=(
    lambda t, y, self, target, reduction="mean", delta=1.0: reduced(huber_slope(self - target, delta) * t, reduction),
    lambda t, y, self, target, reduction="mean", delta=1.0: reduced(-huber_slope(self - target, delta) * t, reduction)))
def _(g, y, self, target, reduction="mean", delta=1.0):
    h = shared(g, self, reduction) * huber_slope(self - target, delta)
    return h, -h


def smooth_l1_loss(self: Any, target: Any, reduction: str = "mean", beta: float = 1.0) -> Any:
    """`huber_loss` over ``beta``."""
    distance = np.abs(self - target)
    return reduced(np.where(distance < beta, 0.5 * distance ** 2 / beta, distance - 0.5 * beta), reduction)


@rule(smooth_l1_loss, kind="general", broadcasts=True, jvp=(
    lambda t, y, self, target, reduction="mean", beta=1.0: reduced(huber_slope(self - target, beta) / beta * t, reduction),
    lambda t, y, self, target, reduction="mean", beta=1.0: reduced(-huber_slope(self - target, beta) / beta * t, reduction)))
def _(g, y, self, target, reduction="mean", beta=1.0):
    h = shared(g, self, reduction) * (huber_slope(self - target, beta) / beta)
    return h, -h


def logistic(x: Any) -> Any:
    """``1 / (1 + exp(-x))``, without overflow, of arrays and Tensors."""
    return 0.5 * (1.0 + np.tanh(0.5 * x))


def binary_cross_entropy_with_logits(self: Any, target: Any, reduction: str = "mean") -> Any:
    """Minus the log-likelihood of targets between 0 and 1, of log-odds."""
    return reduced((1.0 - target) * self - np.minimum(self, 0) + np.log1p(np.exp(-np.abs(self))), reduction)


@rule(binary_cross_entropy_with_logits, kind="general", broadcasts=True, jvp=(
    lambda t, y, self, target, reduction="mean": reduced((logistic(self) - target) * t, reduction),
    lambda t, y, self, target, reduction="mean": reduced(-self * t, reduction)))
def _(g, y, self, target, reduction="mean"):
    return shared(g, self, reduction) * (logistic(self) - target), -shared(g, self, reduction) * self


def soft_margin_loss(self: Any, target: Any, reduction: str = "mean") -> Any:
    """``log(1 + exp(-target * x))`` for targets of 1 and -1."""
    return reduced(np.maximum(-target * self, 0) + np.log1p(np.exp(-np.abs(target * self))), reduction)


@rule(soft_margin_loss, kind="general", broadcasts=True, jvp=(
    lambda t, y, self, target, reduction="mean": reduced(-target * logistic(-target * self) * t, reduction),
    lambda t, y, self, target, reduction="mean": reduced(-self * logistic(-target * self) * t, reduction)))
def _(g, y, self, target, reduction="mean"):
    h = -shared(g, self, reduction) * logistic(-target * self)
    return h * target, h * self


def nll_loss(self: Any, target: Any, weights: Any, total: Any, reduction: str = "mean") -> Any:
    """Minus the entry at ``target`` along the last dimension times the weight of the target (None: 1); the mean is over ``total``."""
    losses = -(self[np.arange(len(target)), target] if self.ndim == 2 else self[target])
    if weights is not None:
        losses = losses * weights
    return losses if reduction == "none" else np.sum(losses) if reduction == "sum" else np.sum(losses) / total


@rule(nll_loss, kind="linear")
def _(g, y, self, target, weights, total, reduction="mean"):
    chosen = np.expand_dims(target, -1) == np.arange(self.shape[-1])
    h = g / total if reduction == "mean" else g
    h = h if weights is None else h * weights
    return np.where(chosen, -h if weights is None and reduction != "none" else np.expand_dims(-h, -1), 0.0)


for _fn, _name in ((mse_loss, "MseLoss"), (huber_loss, "HuberLoss"), (smooth_l1_loss, "SmoothL1Loss"), (nll_loss, "NllLoss"),
                   (binary_cross_entropy_with_logits, "BinaryCrossEntropyWithLogits"), (soft_margin_loss, "SoftMarginLoss")):
    node_name(_fn, f"{_name}Backward0")

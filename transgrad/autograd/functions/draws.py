"""Tensors whose elements were drawn at random: what was there before has no part in them."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...rules.registry import constant
from ..names import node_name

__all__ = ["bernoulli", "bernoulli_filled", "cauchy", "exponential", "geometric", "log_normal", "normal", "poisson", "random_", "uniform"]


def draw(name: str) -> Callable[[Any, Any], Any]:
    """The function that puts what was drawn from a distribution in the place of ``self``."""
    def drawn(self: Any, values: Any) -> Any:
        return values
    drawn.__name__ = drawn.__qualname__ = name
    drawn.__doc__ = f"Numbers of the distribution {name}."
    constant(drawn)
    return drawn


bernoulli, bernoulli_filled, cauchy, exponential, geometric, log_normal, normal, poisson, random_, uniform = map(
    draw, ("bernoulli", "bernoulli_filled", "cauchy", "exponential", "geometric", "log_normal", "normal", "poisson", "random_", "uniform"))
for _fn in (bernoulli, cauchy, exponential, geometric, log_normal, normal, poisson, random_, uniform):
    node_name(_fn, "".join(word.capitalize() for word in _fn.__name__.split("_")) + "Backward0")
node_name(bernoulli_filled, "BernoulliBackward2")

"""Tensors filled with random numbers, which do not depend on the previous values."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...rules.registry import constant
from ..names import node_name

__all__ = [
    "bernoulli", "bernoulli_filled", "cauchy", "exponential", "geometric", "log_normal", "normal", "normal_both", "normal_deviations",
    "normal_means", "poisson", "random_", "uniform",
]


def draw(name: str) -> Callable[[Any, Any], Any]:
    """The function that replaces ``self`` by samples of a distribution."""
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


def parametrized(name: str) -> Callable[[Any, Any, Any], Any]:
    """The function that replaces the parameters of a normal distribution by samples."""
    def drawn(mean: Any, std: Any, values: Any) -> Any:
        return values
    drawn.__name__ = drawn.__qualname__ = name
    drawn.__doc__ = "Normal numbers."
    constant(drawn)
    return drawn


normal_means, normal_deviations, normal_both = map(parametrized, ("normal_means", "normal_deviations", "normal_both"))
for _place, _drawn in enumerate((normal_means, normal_deviations, normal_both), 1):
    node_name(_drawn, f"NormalBackward{_place}")

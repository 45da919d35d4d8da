"""Draws whose parameters are differentiated: with the same state of the generator they move as the derivative says."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import transgrad as tg
from transgrad.rules import lookup
from transgrad.testing import check_grad

DRAWS: list[tuple[str, tuple[Any, ...]]] = [
    ("normal", (0.3, 1.2)), ("normal", (np.array([0.3, -0.4]), 1.2)), ("laplace", (0.3, 1.2)), ("logistic", (0.3, 1.2)), ("gumbel", (0.3, 1.2)),
    ("uniform", (0.3, 1.2)), ("exponential", (1.2,)), ("rayleigh", (1.2,)), ("lognormal", (0.3, 0.7)), ("weibull", (1.7,)), ("power", (1.7,)),
    ("pareto", (1.7,)),
]


def of_generator(name: str) -> Callable[..., Any]:
    def f(*parameters: Any) -> Any:
        rng = np.random.default_rng(3)
        return np.sum(np.sin(getattr(rng, name)(*parameters, size=(4, 2))))
    return f


def of_state(name: str) -> Callable[..., Any]:
    draw = getattr(np.random, name)

    def f(*parameters: Any) -> Any:
        np.random.seed(3)
        return np.sum(np.sin(draw(*parameters, size=(4, 2))))
    return f


@pytest.mark.parametrize("make", (of_generator, of_state))
@pytest.mark.parametrize(("name", "parameters"), DRAWS)
def test_reparametrised(name: str, parameters: tuple[Any, ...], make: Callable[[str], Callable[..., Any]]) -> None:
    check_grad(make(name), parameters)


def test_scale_of_a_gamma_draw() -> None:
    check_grad(lambda scale: np.random.default_rng(3).gamma(2.0, scale), (1.7,))
    with pytest.raises(tg.UnsupportedCall, match="argument 1"):
        tg.grad(lambda shape: np.random.default_rng(3).gamma(shape), fallback="error")(1.7)


def test_every_rule_of_random_numbers_is_tried() -> None:
    names = {name for name, _ in DRAWS} | {"gamma"}
    ruled = {name for name in dir(np.random) if not name.startswith("_") and lookup(getattr(np.random, name)) is not None}
    assert ruled == names

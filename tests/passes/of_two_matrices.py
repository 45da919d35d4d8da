"""Functions of two matrices whose gradients are compared with differences, in several ways that all have to be compiled."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import transgrad as tg
from tests import oracles

__all__ = ["WAYS", "X", "Y", "check"]

X = np.array([[0.21, 0.43, 0.58], [0.77, 1.04, 1.23], [1.37, 1.62, 1.83]])
Y = np.cos(X)
WAYS: dict[str, Callable[[Callable[..., Any]], Any]] = {
    "grad": lambda f: tg.grad(f, argnums=(0, 1), fallback="error")(X, Y),
    "plain": lambda f: tg.grad(f, argnums=(0, 1), fallback="error", optimize=False)(X, Y),
    "pullback": lambda f: tg.vjp(f, X, Y, fallback="error")[1](1.0),
    "nested": lambda f: tg.grad(lambda x, y: tg.value_and_grad(f)(x, y)[0], argnums=(0, 1), fallback="error")(X, Y),
    "forward": lambda f: tg.jacfwd(f, argnums=(0, 1), fallback="error")(X, Y),
}


def check(f: Callable[..., Any], way: str) -> None:
    """Compares the gradient that is found in a way with differences."""
    problem = oracles.Problem(f, (X, Y), (0, 1))
    want, error = oracles.gradient(problem, problem.x)
    found = WAYS[way](f)
    np.testing.assert_allclose(np.concatenate([np.ravel(g) for g in found]), want, rtol=1e-6, atol=1e-7 + 10 * np.max(error))

"""Programs of three numbers whose derivatives are compared with differences, in both modes, optimised and not."""
from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import transgrad as tg
from tests import oracles
from tests.random_programs.oracle import compile_text

__all__ = ["MODES", "Programs", "check", "check_nested", "written"]

_STEP = 1e-6


class Programs(list[Callable[..., Any]]):
    """The programs of a module: a decorator that collects them."""

    def __call__(self, f: Callable[..., Any]) -> Callable[..., Any]:
        self.append(f)
        return f


def written(text: str, name: str, x: np.ndarray, raises: tuple[type[Exception], ...] = ()) -> Callable[..., Any] | None:
    """The function ``program`` of a text, or None where its value at ``x`` is too large for differences, or it raises one of these."""
    f = compile_text(text, name, {"np": np, "__name__": "written"})
    try:
        with np.errstate(all="ignore"):
            return f if np.isfinite(f(x)) and abs(f(x)) < 1e4 else None
    except raises:
        return None


def _slopes(f: Callable[..., Any], x: np.ndarray) -> list[Any]:
    return [(f(x + _STEP * e) - f(x - _STEP * e)) / (2 * _STEP) for e in np.eye(len(x))]


def _reverse(f: Callable[..., Any], x: np.ndarray, **options: Any) -> Any:
    """The value and the gradient."""
    value, gradient = tg.value_and_grad(f, **options)(x)
    assert value == pytest.approx(f(x))
    np.testing.assert_allclose(gradient, _slopes(f, x), rtol=1e-7, atol=1e-8)
    return value, gradient


def _pullback(f: Callable[..., Any], x: np.ndarray, **options: Any) -> Any:
    """The gradient, in two halves."""
    gradient = tg.vjp(f, x, **options)[1](1.0)[0]
    np.testing.assert_allclose(gradient, _slopes(f, x), rtol=1e-7, atol=1e-8)
    return gradient


def _forward(f: Callable[..., Any], x: np.ndarray, **options: Any) -> Any:
    """The derivatives along all directions."""
    tangents = [tg.jvp(f, (x,), (e,), **options)[1] for e in np.eye(len(x))]
    np.testing.assert_allclose(tangents, _slopes(f, x), rtol=1e-7, atol=1e-8)
    return tangents


def _second(f: Callable[..., Any], x: np.ndarray, **options: Any) -> Any:
    """The derivative of the gradient along a direction."""
    v = np.cos(1.0 + np.arange(len(x)))
    gradient = tg.grad(f, **options)
    _, product = tg.jvp(gradient, (x,), (v,), **options)
    want, error = oracles.directional(gradient, x, v)
    np.testing.assert_allclose(product, want, rtol=1e-6, atol=max(10 * error, 1e-6 * max(1.0, np.max(np.abs(want)))))
    return product


#: a derivative that is compared with differences, and returned
MODES: dict[str, Callable[..., Any]] = {"reverse": _reverse, "pullback": _pullback, "forward": _forward, "second": _second}


def check(f: Callable[..., Any], x: np.ndarray) -> None:
    """Compares value, gradient, pullback and tangents of ``f`` at ``x`` with the function itself."""
    _reverse(f, x, optimize=False)
    for mode in ("reverse", "pullback", "forward"):
        MODES[mode](f, x)


def check_nested(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    """The same for a program of nested arguments, which it may write to; what is not compiled may run on the tape."""
    problem = oracles.Problem(f, args, range(len(args)))
    want, error = oracles.gradient(problem, problem.x)
    for options in ({}, {"optimize": False}):
        value, gradient = tg.value_and_grad(f, argnums=tuple(range(len(args))), **options)(*copy.deepcopy(args))
        assert value == pytest.approx(problem(problem.x))
        oracles.assert_close(gradient, want, args, error=error, what=f"gradient, {options}")
    oracles.assert_close(tg.vjp(f, *copy.deepcopy(args))[1](1.0), want, args, error=error, what="pullback")
    direction = np.cos(np.arange(len(want)))
    dots = oracles.rebuild_like(args, direction)
    slope = tg.jvp(f, copy.deepcopy(args), dots)[1]
    np.testing.assert_allclose(slope, want @ direction, rtol=1e-7, atol=10 * error + 1e-8)

"""Runs a program as Python does, compiled, and with its derivatives, at points that take different ways through it."""
from __future__ import annotations

import contextlib
import itertools
import linecache
import math
import random
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import transgrad as tg
from tests.outcomes import Outcome, outcome_of

from .generate import Writer, program

__all__ = ["check", "load"]

POINTS = list(itertools.product((-1.7, -0.6, 0.2, 0.8, 1.9), (-1.1, -0.3, 0.6, 1.4)))


def load(seed: int, budget: int = 3, writer_of: Callable[[random.Random], Writer] = Writer) -> Callable[[float, float], float]:
    """The function of a seed, with its source where tools look for it."""
    text, name = program(seed, budget, writer_of), f"<random control {writer_of.__name__} {seed}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    space: dict[str, Any] = {**writer_of.names, "np": np, "contextlib": contextlib}
    exec(compile(text, name, "exec"), space)
    return space["f"]  # type: ignore[no-any-return]


def _run(f: Callable[..., Any], *args: Any) -> Any:
    try:
        return f(*args)
    except ValueError:
        return "ValueError"
    except NameError:       # of a variable of the function, or of one around it
        return "NameError"


def _differ(a: Any, b: Any) -> bool:
    if a is None or b is None:
        return a is not b
    if isinstance(a, str) or isinstance(b, str):
        return bool(a != b)
    return not (a == b or math.isnan(a) and math.isnan(b) or abs(a - b) <= 1e-12 * max(1.0, abs(a)))


def check(seed: int, budget: int = 3, backend: str = "numpy", seconds: int = 60,
          writer_of: Callable[[random.Random], Writer] = Writer) -> Outcome:
    """What becomes of a program: its value, and its gradient in reverse, forward and by differences, at all points."""
    return outcome_of(lambda: _compare(load(seed, budget, writer_of), backend), seconds)


def _compare(f: Callable[[float, float], float], backend: str) -> list[Any]:
    """The values and gradients at all points; AssertionError says what is wrong.  What is refused does not keep the rest from being compared."""
    if all(isinstance(_run(f, *point), str) for point in POINTS):
        return []      # it has no value anywhere
    found: list[Any] = []
    refused: list[tg.TransgradError] = []
    for part in (_compare_values, _compare_batch, _compare_gradients, _compare_halves):
        try:
            found.extend(part(f, backend))
        except tg.TransgradError as error:
            refused.append(error)
    if refused:
        _compare_eager(f)
        raise refused[0]
    return found


def _compare_eager(f: Callable[[float, float], float]) -> None:
    """The gradient of what is not compiled, in the way that is taken then, beside differences."""
    gradient = tg.grad(f, (0, 1))
    for x, y in POINTS:
        want, above, below = _run(f, x, y), _run(f, x + 6e-7, y - 8e-7), _run(f, x - 6e-7, y + 8e-7)
        if all(isinstance(v, float) for v in (want, above, below)) and abs(above + below - 2 * want) < 1e-9:
            try:
                found = gradient(x, y)
            except tg.TransgradError:
                continue
            slope, difference = 0.6 * found[0] - 0.8 * found[1], (above - below) / 2e-6
            assert abs(difference - slope) <= 1e-4 * max(1.0, abs(slope)), f"eager derivative at {x, y}: {slope}, by differences {difference}"


def _compare_values(f: Callable[[float, float], float], backend: str) -> list[Any]:
    compiled = tg.compile(f, fallback="error", backend=backend)
    for point in POINTS:
        want, got = _run(f, *point), _run(compiled, *point)
        assert isinstance(want, complex) or not _differ(want, got), f"value at {point}: {got}, not {want}"
    return []


def _compare_gradients(f: Callable[[float, float], float], backend: str) -> list[Any]:
    reverse = tg.value_and_grad(f, (0, 1), fallback="error", backend=backend)
    reverse.source_for(0.5, 0.5)
    found: list[Any] = []
    for x, y in POINTS:
        want = _run(f, x, y)
        if isinstance(want, complex) or want is None:
            continue
        both = _run(reverse, x, y)
        if isinstance(want, str) or isinstance(both, str):
            assert want == both, f"gradient at {x, y}: {both}, not {want}"
            continue
        value, gradient = both
        assert not _differ(want, value), f"value beside the gradient at {x, y}: {value}, not {want}"
        slope = tg.jvp(f, (x, y), (0.6, -0.8), fallback="error")[1]
        inner = 0.6 * gradient[0] - 0.8 * gradient[1]
        assert abs(slope - inner) <= 1e-9 * max(1.0, abs(slope)), f"gradient at {x, y}: {inner} in reverse, {slope} forward"
        above, below = _run(f, x + 6e-7, y - 8e-7), _run(f, x - 6e-7, y + 8e-7)
        if isinstance(above, float) and isinstance(below, float) and abs(above + below - 2 * want) < 1e-9:
            difference = (above - below) / 2e-6
            assert abs(difference - slope) <= 1e-4 * max(1.0, abs(slope)), f"derivative at {x, y}: {slope}, by differences {difference}"
        found.append((value, gradient, slope))
    return found


def _compare_halves(f: Callable[[float, float], float], backend: str) -> list[Any]:
    """The pullback, and what is linear in the tangents, are the gradient at all points that have a value."""
    whole = tg.grad(f, (0, 1), fallback="error")
    for x, y in POINTS:
        if not isinstance(_run(f, x, y), float):
            continue
        gradient = whole(x, y)
        pulled = tg.vjp(f, x, y, fallback="error")[1](1.0)
        slope, inner = tg.linearize(f, x, y, fallback="error")[1](0.6, -0.8), 0.6 * gradient[0] - 0.8 * gradient[1]
        np.testing.assert_allclose(pulled, gradient, rtol=1e-9, atol=1e-9, err_msg=f"pullback at {x, y}")
        assert abs(slope - inner) <= 1e-9 * max(1.0, abs(slope)), f"linear form at {x, y}: {slope}, not {inner}"
    return []


def _compare_batch(f: Callable[[float, float], float], backend: str) -> list[Any]:
    """The values of a batch of those points where there is one."""
    points = [point for point in POINTS if isinstance(_run(f, *point), float)]
    if points:
        xs, ys = np.array(points).T
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", tg.BatchLoopWarning)
            found = tg.vmap(f)(xs, ys)
        for point, got in zip(points, found):
            want = f(*point)
            assert not _differ(want, got), f"value in a batch at {point}: {got}, not {want}"
    return []

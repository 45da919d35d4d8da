"""Run a program in plain Python, in reverse and in forward mode, and compare values, derivatives and the state left behind."""
from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import transgrad as tg
from tests.outcomes import Outcome, TooSlow, alarm
from transgrad.errors import InternalError

from .registry import Program
from .snapshot import difference, snapshot

__all__ = ["CALLS", "Run", "check", "expected"]

CALLS = 3
#: step of the central differences, and how far a derivative may lie from them
STEP, TOLERANCE = 1e-6, 2e-5


@dataclass
class Run:
    """The values, the directional derivatives and the state after each of the calls."""

    values: list[float]
    slopes: list[float]
    states: list[Any]


def _directions(x: tuple[Any, ...]) -> tuple[Any, ...]:
    """A fixed direction in the space of the differentiated arguments."""
    rng = np.random.default_rng(7)
    return tuple(rng.uniform(0.3, 1.0, np.shape(a)) if isinstance(a, np.ndarray) else float(rng.uniform(0.3, 1.0)) for a in x)


def _moved(x: tuple[Any, ...], step: float) -> tuple[Any, ...]:
    return tuple(a + step * d for a, d in zip(x, _directions(x)))


def expected(p: Program) -> Run:
    """What plain Python and central differences give; each call starts from the state that the calls before it left."""
    run = Run([], [], [])
    p.reset()
    given = list(p.given())
    for _ in range(CALLS):
        run.values.append(float(p.f(*p.x, *given)))
        run.states.append(snapshot([given, p.outside()]))
    for call in range(CALLS):
        ends = []
        for sign in (1, -1):
            p.reset()
            given = list(p.given())
            for _ in range(call):
                p.f(*p.x, *given)
            ends.append(float(p.f(*_moved(p.x, sign * STEP), *given)))
        run.slopes.append((ends[0] - ends[1]) / (2 * STEP))
    p.reset()
    return run


def reverse(p: Program, fallback: Any) -> Run:
    """The gradient with respect to the leading arguments; the given ones are passed along."""
    derivative = tg.value_and_grad(p.f, tuple(range(len(p.x))), fallback=fallback)

    def call(given: list[Any]) -> tuple[Any, float]:
        value, gradient = derivative(*p.x, *given)
        for g, a in zip(gradient, p.x):
            assert np.shape(g) == np.shape(a), f"gradient of shape {np.shape(g)} for an argument of shape {np.shape(a)}"
        return value, sum(float(np.sum(g * d)) for g, d in zip(gradient, _directions(p.x)))
    return _calls(p, call)


def forward(p: Program, fallback: Any) -> Run:
    """The directional derivative; the given arguments are in the closure of the differentiated function."""
    def call(given: list[Any]) -> tuple[Any, float]:
        value, slope = tg.jvp(_closure(p, *given), p.x, _directions(p.x), fallback=fallback)
        return value, float(slope)
    return _calls(p, call)


def _closure(p: Program, *given: Any) -> Callable[..., Any]:
    """The program as a function of the differentiated arguments alone."""
    f = p.f
    if len(given) == 0:
        return f
    first, second = given[0], given[-1]
    if len(given) == 1:
        return lambda *x: f(*x, first)
    assert len(given) == 2
    return lambda *x: f(*x, first, second)


def _calls(p: Program, call: Callable[[list[Any]], tuple[Any, float]]) -> Run:
    run = Run([], [], [])
    p.reset()
    given = list(p.given())
    try:
        for _ in range(CALLS):
            value, slope = call(given)
            assert isinstance(value, (float, np.floating)) or np.shape(value) == (), f"value is {type(value).__name__}"
            run.values.append(float(value))
            run.slopes.append(slope)
            run.states.append(snapshot([given, p.outside()]))
    finally:
        p.reset()
    return run


def _compare(want: Run, got: Run) -> None:
    for k in range(CALLS):
        a, b = want.values[k], got.values[k]
        assert abs(a - b) <= 1e-9 * max(1.0, abs(a)) or math.isnan(a) and math.isnan(b), f"call {k}: value {b}, not {a}"
        differs = difference(want.states[k], got.states[k])
        assert not differs, f"call {k}: state: {differs}"
        a, b = want.slopes[k], got.slopes[k]
        assert abs(a - b) <= TOLERANCE * max(1.0, abs(a)), f"call {k}: derivative {b}, by differences {a}"


def check(p: Program, mode: Callable[[Program, Any], Run], seconds: int = 60) -> Outcome:
    """One mode of a program: 'compiled', 'tape', 'refused', 'wrong' or 'crashed', with the reason why it is not compiled."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        want = expected(p)
        alarm(seconds)
        try:
            return _outcome(p, mode, want)
        finally:
            alarm(0)


def _outcome(p: Program, mode: Callable[[Program, Any], Run], want: Run) -> Outcome:
    reason = ""
    for fallback in ("error", "tape"):
        try:
            _compare(want, mode(p, fallback))
            return Outcome("tape" if reason else "compiled", reason)
        except InternalError as error:
            return Outcome("crashed", f"{error.reason}", reason)
        except tg.TransgradError as error:
            loc = error.loc
            reason = reason or f"{error.reason}" + (f" [{loc.text.strip()}]" if loc and loc.text else "")
        except AssertionError as error:
            return Outcome("wrong", str(error), reason)
        except (Exception, TooSlow) as error:
            return Outcome("crashed", f"{type(error).__name__}: {error}", reason)
    return Outcome("refused", reason)

"""One random program: its value, and its derivatives in both modes, beside Python and central differences."""
from __future__ import annotations

import linecache
import math
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import transgrad as tg
from tests.outcomes import Outcome, TooSlow, alarm, outcome_of

from .generate import generate

__all__ = ["compiled_program", "trial"]

POINT, STEPS = (0.37, 0.81), (1e-5, 2e-6)


def compiled_program(seed: int) -> Callable[[float, float], float]:
    """The function ``program`` of a seed."""
    text, filename = generate(seed), f"<random classes {seed}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    space: dict[str, Any] = {"__name__": "random_classes"}
    exec(compile(text, filename, "exec"), space)
    return space["program"]     # type: ignore[no-any-return]


def _differences(f: Callable[[float, float], float], step: float) -> list[float]:
    x, y = POINT
    return [(f(x + step, y) - f(x - step, y)) / (2 * step), (f(x, y + step) - f(x, y - step)) / (2 * step)]


def trial(seed: int, seconds: int = 30) -> Outcome:
    """'right', 'wrong', 'refused', 'crashed', or 'unfit' where differences cannot judge the program."""
    f = compiled_program(seed)
    alarm(seconds)
    try:
        value, want, again = f(*POINT), _differences(f, STEPS[0]), _differences(f, STEPS[1])
    except (Exception, TooSlow) as error:
        return Outcome("unfit", type(error).__name__)
    finally:
        alarm(0)
    if not all(math.isfinite(v) and abs(v) < 1e4 for v in (value, *want)) or any(
            abs(a - b) > 1e-5 * max(1.0, abs(a)) for a, b in zip(want, again)):
        return Outcome("unfit", "kink")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        outcome = outcome_of(lambda: _compare(f, value, again), seconds)
    return replace(outcome, kind="crashed") if outcome.cause.startswith("InternalError") else outcome


def _compare(f: Any, value: float, want: list[float]) -> Outcome:
    found, gradient = tg.value_and_grad(f, (0, 1), fallback="error")(*POINT)
    pushed = tg.jvp(f, POINT, (1.0, -0.5), fallback="error")
    for mode, got, expected in (("value", found, value), ("value of jvp", pushed[0], value), ("d/dx", gradient[0], want[0]),
                                ("d/dy", gradient[1], want[1]), ("jvp", pushed[1], want[0] - 0.5 * want[1])):
        if not abs(got - expected) <= 2e-5 * max(1.0, abs(expected)):
            return Outcome("wrong", mode, f"{mode}: {got}, not {expected}")
    return Outcome("right")

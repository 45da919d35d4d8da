"""Differentiate the programs, compare with finite differences, and print the table."""
from __future__ import annotations

import copy
import importlib
import traceback
import warnings
from typing import Any

import numpy as np

import transgrad as tg

from ..limits import TooSlow, limited
from .programs import PROGRAMS, Program

__all__ = ["absent", "differences", "table", "verdict"]

_MODULES = {"colour-science": "colour", "modern-robotics": "modern_robotics", "spatialmath-python": "spatialmath"}


def absent(program: Program) -> bool:
    """Return whether the package is not installed."""
    try:
        importlib.import_module(_MODULES.get(program.package, program.package))
    except ImportError:
        return True
    return False


def differences(program: Program) -> tuple[Any, Any]:
    """The derivative by central differences with two steps, and an estimate of its error."""
    found = []
    for step in (1e-4, 5e-5):
        slopes = np.zeros(program.x.shape)
        for place in np.ndindex(program.x.shape):
            size = abs(float(program.x[place]))
            h = step * max(1e-2, size) if program.step is None else 1e4 * step * program.step
            ends = []
            for sign in (1.0, -1.0):
                x = program.x.copy()
                x[place] += sign * h
                ends.append(float(program.f(x, *program.make())))
            slopes[place] = (ends[0] - ends[1]) / (2 * h)
        found.append(slopes)
    best = (4 * found[1] - found[0]) / 3
    return best, np.abs(found[1] - found[0]) + 1e-9


def _closed(f: Any, made: tuple[Any, ...]) -> Any:
    """A function of the array alone."""
    if len(made) == 1:
        only, = made
        return lambda x: f(x, only)
    if len(made) == 2:
        first, second = made
        return lambda x: f(x, first, second)
    return lambda x: f(x, *made)


def verdict(program: Program, seconds: int = 120) -> tuple[str, str, str]:
    """How the gradient and the derivative along a direction run: 'compiled', 'taped', 'refused', 'wrong' or 'crashed'; and why."""
    want, error = differences(program)
    rng = np.random.default_rng(0)
    direction = rng.normal(size=program.x.shape)
    bound = 1e-4 * np.maximum(1.0, np.abs(want)) + 10 * error
    kinds, why = [], ""
    for mode in ("reverse", "forward"):
        for fallback in ("error", "tape"):
            made = program.make()
            try:
                with limited(seconds), warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    if mode == "reverse":
                        got = tg.grad(program.f, fallback=fallback)(program.x.copy(), *made)
                        right = np.all(np.abs(got - want) <= bound)
                    else:
                        got = tg.jvp(_closed(program.f, made), (program.x.copy(),), (direction,), fallback=fallback)[1]
                        right = abs(got - np.sum(want * direction)) <= np.sum(bound * np.abs(direction))
            except TooSlow:
                kinds.append("too slow")
                break
            except tg.TransgradError as refusal:
                if fallback == "error":
                    why = why or _first(refusal)
                    continue
                kinds.append("refused")
                why = _first(refusal)
                break
            except Exception as problem:
                place = traceback.extract_tb(problem.__traceback__)[-1]
                kinds.append("crashed")
                why = f"{type(problem).__name__}: {problem} ({place.filename.rpartition('/')[2]}:{place.lineno})"
                break
            kinds.append(("compiled" if fallback == "error" else "taped") if right else "wrong")
            if not right:
                why = f"{got!r:.120} instead of {want!r:.120}"
            break
    return kinds[0], kinds[1], " ".join(why.split())


def _first(refusal: BaseException) -> str:
    lines = str(refusal).splitlines()
    place = next((line.strip().replace('File "', "").rpartition("/")[2] for line in lines if line.strip().startswith("File")), "")
    return f"{lines[0]} ({place})" if place else lines[0]


def table(only: str = "") -> str:
    """The table of all programs whose package is installed."""
    rows, counts = [], dict.fromkeys(("compiled", "taped", "refused", "wrong", "crashed", "too slow"), 0)
    for program in PROGRAMS:
        if absent(program) or only not in f"{program.package} {program.f.__name__}":
            continue
        reverse, forward, why = verdict(copy.copy(program))
        counts[reverse] += 1
        rows.append(f"| {program.package} | {program.what} | {reverse} | {forward} | {why.replace('|', '/')[:160]} |")
        print(rows[-1], flush=True)
    total = ", ".join(f"{n} {kind}" for kind, n in counts.items() if n)
    return "\n".join(["# Object-oriented code of published packages", "", f"`python -m tests.packages.objects` (reverse mode: {total})", "",
                      "| package | what | reverse | forward | why it does not compile |", "|---|---|---|---|---|", *rows, ""])

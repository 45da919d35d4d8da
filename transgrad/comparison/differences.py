"""Directional derivatives by central differences, extrapolated to step 0, with an estimate of the error.

Reference: Ridders, *Accurate computation of F'(x) and F'(x)F''(x)*, Advances in Engineering Software 4 (1982).
"""
from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .numbers import moved, numbers

__all__ = ["Estimate", "along"]

#: The first step and the ratio of consecutive steps; six steps reach 2e-7.
_FIRST, _RATIO, _STEPS = 4e-3, 8.0, 6
#: The estimated relative error at which the step is not decreased further.
_ENOUGH = 1e-9


@dataclass(frozen=True)
class Estimate:
    """The derivative of one array of a result along a direction, with its error bound."""

    value: np.ndarray
    error: float

    @property
    def scale(self) -> float:
        """Return the size of the derivative, at least 1."""
        return max(1.0, _size(self.value))

    @property
    def is_reliable(self) -> bool:
        """Return whether the differences converge to a finite number."""
        return bool(np.all(np.isfinite(self.value))) and self.error <= 1e-4 * self.scale


def _size(a: np.ndarray) -> float:
    return float(np.max(np.abs(a), initial=0.0)) if a.size else 0.0


def along(run: Callable[[Any], Any], at: Any, direction: Sequence[np.ndarray], step: float = _FIRST) -> list[Estimate]:
    """Return the derivatives of the numbers in ``run(at)`` along a direction; steps decrease until the estimated errors are small.

    A result is unreliable if its differences do not converge (at a discontinuity, or a kink that the direction crosses) or if ``run``
    fails near ``at``.
    """
    middle = _numbers(run, at)
    best = [Estimate(np.full_like(m, np.nan), np.inf) for m in middle]
    previous: list[list[np.ndarray]] = []
    bends = [np.inf] * len(middle)
    for k in range(_STEPS):
        h = step / _RATIO ** k
        try:
            sides = [_numbers(run, moved(at, direction, sign * h)) for sign in (1.0, -1.0)]
        except Exception:       # outside the domain of the function
            previous = []
            continue
        if any([a.shape for a in side] != [m.shape for m in middle] for side in sides):
            previous = []
            continue
        row = [[(a - b) / (2 * h) for a, b in zip(*sides)]]
        for j, older in enumerate(previous[:2]):
            factor = _RATIO ** (2 * (j + 1))
            row.append([(factor * a - b) / (factor - 1) for a, b in zip(row[j], older)])
        # at a kink the one-sided differences do not approach each other
        bent = [_size(a + b - 2 * m) / h for a, b, m in zip(*sides, middle)]
        kinks = [b if b > 0.5 * before and b > 1e-3 * max(1.0, _size(row[0][n])) else 0.0 for n, (b, before) in enumerate(zip(bent, bends))]
        rounding = [_size(m) * float(np.finfo(m.dtype).eps if m.dtype.kind in "fc" else 0.0) / h for m in middle]
        best = [_better(old, [r[n] for r in row], [p[n] for p in previous], kinks[n], rounding[n]) for n, old in enumerate(best)]
        previous, bends = row, bent
        if all(e.error <= _ENOUGH * e.scale for e in best):
            break
    return best


def _better(old: Estimate, row: Sequence[np.ndarray], previous: Sequence[np.ndarray], kink: float, rounding: float) -> Estimate:
    """Return the best estimate so far: the extrapolation that changed least. No error is less than that of rounded values."""
    found = Estimate(old.value, max(old.error, kink))
    for j in range(1, len(row)):
        error = max(_size(row[j] - row[j - 1]), _size(row[j] - previous[j - 1]), kink, rounding)
        if error < found.error:     # False for NaN
            found = Estimate(row[j], error)
    return found


def _numbers(run: Callable[[Any], Any], at: Any) -> list[np.ndarray]:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return numbers(run(at))

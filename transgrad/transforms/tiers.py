"""Tier-up: ``backend="auto"`` starts on NumPy and moves calls that take long to Numba, where measurement shows that it is faster.

A variant runs on the NumPy back end until it has spent a second there with arguments of about one size. The next call compiles it with
Numba, two more are timed, and the faster back end keeps that size. No call runs twice, so that functions with effects may be timed. What
Numba refuses stays on NumPy.
"""
from __future__ import annotations

import functools
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import UnsupportedByNumba

__all__ = ["Tiers", "tiered"]

#: Seconds on NumPy, with arguments of about one size, before Numba is tried, and the calls that are timed on Numba then.
_PATIENCE, _TIMED = 1.0, 2


class _Size:
    """The calls with arguments of about one size."""

    __slots__ = ("chosen", "numba", "numpy", "spent", "tried")

    def __init__(self) -> None:
        self.spent, self.numpy, self.numba, self.tried = 0.0, float("inf"), float("inf"), 0
        self.chosen: Callable[..., Any] | None = None


class Tiers:
    """The choice between the two back ends.

    Parameters
    ----------
    function : callable
        The generated function on NumPy.
    make : callable or None
        Makes the derivative on Numba; None if Numba is not installed.
    """

    def __init__(self, function: Callable[..., Any], make: Callable[[], Callable[..., Any]] | None):
        self.function, self._make = function, make
        self.native: Callable[..., Any] | None = None
        self.refusal = "" if make is not None else "Numba is not installed"
        self.sizes: dict[int, _Size] = {}

    def run(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function on the back end of this size."""
        if self.refusal:
            return self.function(*args, **kwargs)
        key = sum([a.size for a in args if isinstance(a, np.ndarray)]).bit_length()
        size = self.sizes.get(key)
        if size is None:
            size = self.sizes.setdefault(key, _Size())
        if size.chosen is not None:
            return size.chosen(*args, **kwargs)
        if size.spent >= _PATIENCE:
            return self._on_numba(size, args, kwargs)
        start = time.perf_counter()
        out = self.function(*args, **kwargs)
        taken = time.perf_counter() - start
        size.spent += taken
        size.numpy = min(size.numpy, taken)
        return out

    def _on_numba(self, size: _Size, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        assert self._make is not None
        try:
            if self.native is None:
                self.native = self._make()
            start = time.perf_counter()
            out = self.native(*args, **kwargs)
        except UnsupportedByNumba as refused:
            self.refusal = f"Numba refused it: {refused.reason}"
            return self.function(*args, **kwargs)
        if size.tried:      # the first call compiles
            size.numba = min(size.numba, time.perf_counter() - start)
        size.tried += 1
        if size.tried > _TIMED:
            size.chosen = self.native if size.numba < size.numpy else self.function
        return out

    def described(self) -> list[str]:
        """The choices, for `explain`."""
        if self.refusal:
            return [f"NumPy ({self.refusal})"]
        found = []
        for key, size in sorted(self.sizes.items()):
            up_to = f"up to {(1 << key) - 1:,} elements: "
            if size.chosen is None:
                found.append(f"{up_to}NumPy, {size.spent:.2f} s so far; Numba is tried after {_PATIENCE:g} s")
            else:
                chosen = "NumPy" if size.chosen is self.function else "Numba"
                found.append(f"{up_to}{chosen}, measured: NumPy {1e3 * size.numpy:.3g} ms, Numba {1e3 * size.numba:.3g} ms")
        return found or [f"NumPy; Numba is tried after {_PATIENCE:g} s"]


def tiered(function: Callable[..., Any], make: Callable[[], Callable[..., Any]] | None) -> Callable[..., Any]:
    """The function with a choice of back ends; its attribute ``tiers`` holds the choice."""
    tiers = Tiers(function, make)

    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        return tiers.run(*args, **kwargs)
    run.tiers = tiers  # type: ignore[attr-defined]
    return run

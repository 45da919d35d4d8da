"""Times functions against each other: interleaved in one run, so that a busy machine slows both sides alike."""
from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

__all__ = ["compare", "difference"]

Thunk = Callable[[], Any]


def _repeats(thunk: Thunk, target: float) -> int:
    """How often to call a function for one measurement to take about ``target`` seconds."""
    thunk()     # the first call may have to set things up
    count = 1
    while True:
        start = time.perf_counter()
        for _ in range(count):
            thunk()
        taken = time.perf_counter() - start
        if taken >= target / 4:
            return max(1, round(count * target / taken))
        count *= 4


def compare(thunks: Sequence[Thunk], rounds: int = 151, target: float = 0.002) -> list[float]:
    """Median over the rounds of each function's time relative to the first one's in the same round."""
    counts = [_repeats(thunk, target) for thunk in thunks]
    ratios: list[list[float]] = [[] for _ in thunks]
    for number in range(rounds):
        taken = [0.0] * len(thunks)
        order = range(len(thunks)) if number % 2 == 0 else reversed(range(len(thunks)))
        for k in order:
            start = time.perf_counter()
            for _ in range(counts[k]):
                thunks[k]()
            taken[k] = (time.perf_counter() - start) / counts[k]
        for k, seconds_taken in enumerate(taken):
            ratios[k].append(seconds_taken / taken[0])
    return [statistics.median(r) for r in ratios]


def difference(a: Thunk, b: Thunk, rounds: int = 51, target: float = 0.002) -> float:
    """Median over interleaved rounds of how much longer a call of ``b`` takes than one of ``a``, in seconds."""
    count = _repeats(a, target)
    found = []
    for _ in range(rounds):
        taken = []
        for thunk in (a, b):
            start = time.perf_counter()
            for _ in range(count):
                thunk()
            taken.append((time.perf_counter() - start) / count)
        found.append(taken[1] - taken[0])
    return statistics.median(found)

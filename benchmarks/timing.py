"""Times functions against each other: interleaved in one run, so that a busy machine slows both sides alike."""
from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

__all__ = ["Timings", "compare", "difference", "interleaved"]

Thunk = Callable[[], Any]


def _repeats(thunk: Thunk, target: float, clock: Callable[[], float] = time.perf_counter) -> int:
    """How often to call a function for one measurement to take about ``target`` seconds."""
    thunk()     # the first call may have to set things up
    count = 1
    while True:
        start = clock()
        for _ in range(count):
            thunk()
        taken = clock() - start
        if taken >= target / 4:
            return max(1, round(count * target / taken))
        count *= 4


def compare(thunks: Sequence[Thunk], rounds: int = 151, target: float = 0.002,
            clock: Callable[[], float] = time.perf_counter) -> list[float]:
    """Median over the rounds of each function's time relative to the first one's in the same round.

    With ``time.process_time`` as the clock the time that other processes take is not counted.
    """
    counts = [_repeats(thunk, target, clock) for thunk in thunks]
    ratios: list[list[float]] = [[] for _ in thunks]
    for number in range(rounds):
        taken = [0.0] * len(thunks)
        order = range(len(thunks)) if number % 2 == 0 else reversed(range(len(thunks)))
        for k in order:
            start = clock()
            for _ in range(counts[k]):
                thunks[k]()
            taken[k] = (clock() - start) / counts[k]
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


class Timings:
    """Seconds of several functions in each of the rounds they ran in."""

    def __init__(self, rounds: Mapping[str, Mapping[int, float]]):
        self.rounds = rounds

    def seconds(self, name: str) -> float:
        """The median."""
        return statistics.median(self.rounds[name].values())

    def ratio(self, a: str, b: str) -> float:
        """The median of one function's time in units of another's in the same round."""
        both = [seconds / self.rounds[b][k] for k, seconds in self.rounds[a].items() if k in self.rounds[b]]
        return statistics.median(both) if len(both) > 2 else self.seconds(a) / self.seconds(b)


def interleaved(thunks: Mapping[str, Thunk], rounds: int = 21, target: float = 0.003, most: float = 0.4) -> Timings:
    """Times functions that differ by orders of magnitude: a slow one runs in a few of the rounds, spread over all of them.

    Processor time counts, that of all threads: what else the machine is doing is not measured.  What ran just before is not, either: it
    leaves its own arrays in the caches, and the heap to the next as it likes, so each runs once before it is timed.

    Parameters
    ----------
    thunks : mapping of str to callable
        What to run, by name.
    rounds : int
        How often at most.
    target : float
        Seconds that one measurement takes at least, by calling the function again and again.
    most : float
        Seconds that a function may take in all; it is run three times at least.
    """
    clock = time.process_time
    counts = {name: _repeats(thunk, target, clock) for name, thunk in thunks.items()}
    found: dict[str, dict[int, float]] = {name: {} for name in thunks}
    every = dict.fromkeys(thunks, 1)
    for number in range(rounds):
        order = list(thunks) if number % 2 == 0 else list(thunks)[::-1]
        for name in order:
            if number % every[name]:
                continue
            thunks[name]()
            start = clock()
            for _ in range(counts[name]):
                thunks[name]()
            taken = clock() - start
            found[name][number] = taken / counts[name]
            if number == 0:
                every[name] = min(max(1, math.ceil(rounds * taken / most)), (rounds - 1) // 2)
    return Timings(found)

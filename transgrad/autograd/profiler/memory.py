"""Bytes of arrays allocated and freed while a profile runs."""
from __future__ import annotations

import threading
import weakref
from collections.abc import Sequence
from time import perf_counter_ns
from typing import Any, NamedTuple

import numpy as np

from ..tensor import Tensor

MEMORY_EVENT_NAME = "[memory]"


class Change(NamedTuple):
    """Bytes gained (or lost, if negative) by a thread at a time in nanoseconds."""

    time: int
    thread: int
    nbytes: int


class MemoryWatch:
    """Notices an array when an operation returns it, and when the last reference to it goes.

    Arrays that live and die inside one operation go unseen.
    """

    def __init__(self) -> None:
        self.changes: list[Change] = []
        self._alive: dict[int, weakref.ref[np.ndarray[Any, Any]]] = {}
        self._open = True

    def returned(self, inputs: Sequence[object], outputs: Sequence[object]) -> None:
        """Count the outputs' memory unless it is some input's, or was counted before."""
        known = {id(_owner(value)) for value in inputs}
        for output in outputs:
            owner = _owner(output)
            if owner is not None and id(owner) not in known and id(owner) not in self._alive:
                self._allocated(owner)

    def stop(self) -> None:
        """Ends the watch; arrays freed later do not count."""
        self._open = False
        self._alive.clear()

    def _allocated(self, owner: np.ndarray[Any, Any]) -> None:
        key, nbytes = id(owner), owner.nbytes

        def freed(_: object) -> None:
            if self._open:
                del self._alive[key]
                self.changes.append(Change(perf_counter_ns(), threading.get_native_id(), -nbytes))

        self._alive[key] = weakref.ref(owner, freed)
        self.changes.append(Change(perf_counter_ns(), threading.get_native_id(), nbytes))


def _owner(value: object) -> np.ndarray[Any, Any] | None:
    """The array whose memory `value`, a Tensor or an array, lies in."""
    array = value._memory if isinstance(value, Tensor) else value
    while isinstance(array, np.ndarray):
        if not isinstance(array.base, np.ndarray):
            return array
        array = array.base
    return None

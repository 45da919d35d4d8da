"""How much is compiled for one function: a call whose callees would exceed it is refused by name, and runs on the tape or not at all.

``TRANSGRAD_MAX_OPERATIONS`` and ``TRANSGRAD_MAX_SECONDS`` in the environment change the limits.
"""
from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ..refusals import refuse

if TYPE_CHECKING:
    from ...ir.ops import Loc

__all__ = ["Budget"]

#: operations of the functions that one compilation reads, and the time it takes to read them
_OPERATIONS, _SECONDS = 300_000, 120.0
_EVERY = 256


class Budget:
    """The remaining budget of a compilation.

    Attributes
    ----------
    count : int
        The operations so far.
    """

    def __init__(self) -> None:
        self.operations = int(os.environ.get("TRANSGRAD_MAX_OPERATIONS") or _OPERATIONS)
        self.seconds = float(os.environ.get("TRANSGRAD_MAX_SECONDS") or _SECONDS)
        self.count = 0
        self.start = time.monotonic()
        #: The calls that are being read, the user's first: name and place.
        self.calls: list[tuple[str, Loc | None]] = []

    @contextmanager
    def call(self, fn: Any, loc: Loc | None) -> Iterator[None]:
        """Read the source of a function for a call."""
        self.calls.append((str(getattr(fn, "__qualname__", None) or getattr(fn, "__name__", "the function")), loc))
        try:
            yield
        finally:
            self.calls.pop()

    def use(self) -> None:
        """Take an operation from the budget."""
        self.count += 1
        if self.count > self.operations:
            self._refuse(f"more than {self.operations} operations")
        if self.count % _EVERY == 0 and time.monotonic() - self.start > self.seconds:
            self._refuse(f"more than {self.seconds:g} seconds")

    def refund(self, count: int, start: float) -> None:
        """Refund the operations of an attempt that left no results."""
        self.start += time.monotonic() - start
        self.count = count

    def _refuse(self, limit: str) -> None:
        if not self.calls:      # the function itself is large
            self.operations, self.seconds = 1 << 62, float("inf")
            return
        name, loc = self.calls[0]
        refuse("budget", loc, f"{name}() and the functions that it calls, which would take {limit}")

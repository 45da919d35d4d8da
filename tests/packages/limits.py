"""A limit on the time of a call."""
from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator

__all__ = ["TooSlow", "limited"]


class TooSlow(BaseException):
    """A call took longer than it may; no ``except Exception`` of the called code catches it."""


@contextlib.contextmanager
def limited(seconds: int) -> Iterator[None]:
    """Raise `TooSlow` if the block takes longer than so many seconds."""
    def stop(*_: object) -> None:
        raise TooSlow

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)

"""Lets an observer hear the operations of this thread, or of all."""
from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ..observer import Both, Observer
from ..state import STATE


@contextmanager
def listening(observer: Observer, everywhere: bool = False) -> Iterator[None]:
    """While open, `observer` hears operations, beside any observer that does already.

    Parameters
    ----------
    observer : Observer
        The one to tell.
    everywhere : bool
        Whether to tell it of other threads' operations too.
    """
    before = STATE.profiler
    STATE.profiler = observer if before is None else Both(before, observer)
    STATE.refresh()
    try:
        yield
    finally:
        STATE.profiler = before
        STATE.refresh()

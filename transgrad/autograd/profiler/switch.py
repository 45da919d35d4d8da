"""Lets an observer hear the operations of this thread, or of all."""
from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ..observer import Both, Observer
from ..state import STATE
from ..state import everywhere as set_everywhere


@contextmanager
def listening(observer: Observer, everywhere: bool = False) -> Iterator[None]:
    """While open, `observer` hears operations, beside any observer that does already.

    Parameters
    ----------
    observer : Observer
        The one to tell.
    everywhere : bool
        Whether to tell it of all threads' operations; other threads' own observers hear no more from then on.
    """
    before = STATE.profiler
    if everywhere:
        set_everywhere("profiler", observer)
    _listen(observer if before is None else Both(before, observer))
    try:
        yield
    finally:
        if everywhere:
            set_everywhere("profiler", None)
        _listen(before)


def _listen(observer: Observer | None) -> None:
    STATE.profiler = observer
    STATE.refresh()

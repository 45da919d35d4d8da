"""The levels of `vmap` on this thread."""
from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ..state import STATE
from .interpret import interpret
from .values import Level, current_levels

__all__ = ["opened"]


@contextmanager
def opened(size: int, randomness: str) -> Iterator[Level]:
    """A level for as long as the block runs: operations on its Tensors are those on a batch of ``size``."""
    levels = current_levels()
    level = Level(len(levels) + 1, size, randomness)
    before = STATE.interpreter
    levels.append(level)
    STATE.interpreter = interpret
    STATE.refresh()
    try:
        yield level
    finally:
        level.open = False
        levels.pop()
        STATE.interpreter = before
        STATE.refresh()

"""Switches for every checkpoint made inside a ``with`` block."""
from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar

early_stop: ContextVar[bool | None] = ContextVar("early_stop", default=None)
debug: ContextVar[bool | None] = ContextVar("debug", default=None)


@contextmanager
def set_checkpoint_early_stop(enable: bool) -> Iterator[None]:
    """Whether recomputation ends as soon as all required values exist, regardless of the setting of each checkpoint.

    Parameters
    ----------
    enable : bool
        False has every function run to its end.
    """
    with _set(early_stop, enable):
        yield


@contextmanager
def set_checkpoint_debug_enabled(enabled: bool | None) -> Iterator[None]:
    """Whether errors of recomputation list the operations that ran, regardless of the setting of each checkpoint.

    Parameters
    ----------
    enabled : bool or None
        None leaves it to the checkpoints.
    """
    with _set(debug, enabled):
        yield


@contextmanager
def _set(switch: ContextVar[bool | None], value: bool | None) -> Iterator[None]:
    before = switch.set(value)
    try:
        yield
    finally:
        switch.reset(before)


def noop_context_fn() -> tuple[AbstractContextManager[None], AbstractContextManager[None]]:
    """The context managers of a checkpoint that wants none."""
    return nullcontext(), nullcontext()

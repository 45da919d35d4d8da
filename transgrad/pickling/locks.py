"""Locks that a forked process can acquire.

A process that is forked while another thread holds a lock inherits a locked lock whose owner does not exist there, and would wait for
it for ever. The locks of this package are released in the child.
"""
from __future__ import annotations

import os
import threading
import weakref
from typing import Any

__all__ = ["reentrant_lock"]

_LOCKS: "weakref.WeakSet[Any]" = weakref.WeakSet()


def reentrant_lock() -> Any:
    """Return a `threading.RLock` that is released in forked processes.

    Examples
    --------
    >>> with reentrant_lock():
    ...     pass
    """
    lock = threading.RLock()
    _LOCKS.add(lock)
    return lock


def _release() -> None:
    for lock in tuple(_LOCKS):
        lock._at_fork_reinit()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_release)

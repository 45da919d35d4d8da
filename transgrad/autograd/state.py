"""What each thread has switched on: grad mode, inference mode, dual levels, hooks on saved tensors, and who listens."""
from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any
from weakref import WeakKeyDictionary

from ..pickling import reentrant_lock

__all__ = ["STATE", "State", "everywhere", "numpy_layouts", "refresh", "share_level", "stop_sharing_level"]

_LOCK = reentrant_lock()       # a tensor may die, and have modes set, while a thread starts
_FOR_ALL: dict[str, Any] = {}
_MODES_OF: WeakKeyDictionary[threading.Thread, dict[str, Any]] = WeakKeyDictionary()


class State(threading.local):
    """The modes of one thread.

    Attributes
    ----------
    plain : bool
        Whether nothing below is out of the ordinary: the one attribute that the fast path of an operation reads.
    unrecorded : bool
        Whether nothing is, except that operations are not recorded (``no_grad``, ``inference_mode``): the fast path there.
    born : list or None
        The version counter of new tensors, in inference mode the one that stands for none.
    grad, inference : bool
        Grad mode and inference mode.
    level, duals : int, tuple
        How many dual levels operations run on, and those that are open.
    packing, packing_refused : tuple, str or None
        The pairs of hooks on saved tensors, the innermost last; and the message of the error where there may be none.
    sweep, depth : object or None, int
        The backward sweep that is running, and how many are, one inside another.
    interpreter : callable or None
        ``interpreter(fn, args, kwargs)`` runs an operation in place of the tape (batching).
    profiler, anomaly : object or None
        Listeners: an `observer.Observer`, an `anomaly_mode.Anomaly`.
    selective : bool
        Whether the backward sweep that is running was given ``inputs``.
    volatile : bool
        Whether there are volatile tensors.
    masking : bool
        Whether gradients of entries that were not selected stay zero, as in compiled derivatives.
    as_numpy : bool
        Whether results lie in memory as NumPy lays them out, not as torch does.
    """

    def __init__(self) -> None:
        self.grad = True
        self.masking = False
        self.inference = False
        self.level = 0
        self.duals: tuple[Any, ...] = ()
        self.packing: tuple[Any, ...] = ()
        self.packing_refused: str | None = None
        self.sweep: Any = None
        self.depth = 0
        self.interpreter: Callable[[Any, tuple[Any, ...], dict[str, Any]], Any] | None = None
        self.profiler: Any = None
        self.anomaly: Any = None
        self.selective = False
        self.volatile = False
        self.as_numpy = False
        with _LOCK:
            self.__dict__.update(_FOR_ALL)
            _MODES_OF[threading.current_thread()] = self.__dict__
        self.refresh()

    def refresh(self) -> None:
        """To be called after a change."""
        refresh(self.__dict__)


#: what `tensor` puts here for tensors made in inference mode
_NO_VERSION: list[Any] = [None]


def refresh(modes: dict[str, Any]) -> None:
    """Derive `plain`, `unrecorded` and `born` from the other modes of a thread."""
    modes["unrecorded"] = ((not modes["grad"] or modes["inference"]) and (not modes["level"] or modes["inference"])
                           and modes["interpreter"] is None and modes["profiler"] is None and not modes["volatile"])
    modes["born"] = _NO_VERSION[0] if modes["inference"] else None
    modes["plain"] = (modes["grad"] and not modes["inference"] and not modes["level"] and not modes["packing"]
                      and modes["interpreter"] is None and modes["profiler"] is None and modes["anomaly"] is None and not modes["volatile"])


STATE = State()


@contextlib.contextmanager
def numpy_layouts() -> Iterator[None]:
    """Where NumPy code runs on the tape, which may write to a view or to a copy by how an array lies in memory."""
    before, STATE.as_numpy = STATE.as_numpy, True
    try:
        yield
    finally:
        STATE.as_numpy = before


def everywhere(name: str, value: Any) -> None:
    """Set an attribute of the state of every thread, those to come included."""
    with _LOCK:
        _FOR_ALL[name] = value
        for modes in _MODES_OF.values():
            modes[name] = value
            refresh(modes)


def share_level(level: Any) -> None:
    """Open a dual level of this thread in all others, those to come included: a function may compute in threads that it starts.

    Threads that have opened levels of their own are left alone.
    """
    own = STATE.__dict__
    with _LOCK:
        shared = _FOR_ALL.get("duals", ())
        for modes in [_FOR_ALL, *_MODES_OF.values()]:
            if modes is not own and all(d in shared for d in modes.get("duals", ())):
                _set_levels(modes, (*modes.get("duals", ()), level))


def stop_sharing_level(level: Any) -> None:
    """Close a level in the threads that it was shared with."""
    own = STATE.__dict__
    with _LOCK:
        for modes in [_FOR_ALL, *_MODES_OF.values()]:
            if modes is not own and level in modes.get("duals", ()):
                _set_levels(modes, tuple(d for d in modes["duals"] if d is not level))


def _set_levels(modes: dict[str, Any], levels: tuple[Any, ...]) -> None:
    modes["duals"], modes["level"] = levels, len(levels)
    if modes is not _FOR_ALL:
        refresh(modes)

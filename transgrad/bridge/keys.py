"""Recorded numbers in sets and as keys of dicts: equal numbers are one element, as in Python, where they have one derivative.

A number hashes by its value.  Where a set or dict finds an element that is equal but was computed in another way, the program goes
on with either of the two, and which of the derivatives is meant is not decided: that is refused.  Two exceptions keep caches
right: what another run of the tape has left behind is another key, and for a call (``cache.get(x)``, a function with
``functools.lru_cache``) so is a constant.
"""
from __future__ import annotations

import dis
import sys
import threading
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .array import TapedArray

__all__ = ["element", "equal_key", "hash_of"]


class _Mark(threading.local):
    """Where a number was hashed last: the frame and its instruction."""

    place: tuple[int, int] | None = None


_mark = _Mark()


def hash_of(x: TapedArray) -> int:
    """The hash of a recorded number, that of its value."""
    frame = sys._getframe(2)
    _mark.place = id(frame), frame.f_lasti
    return hash(x.tensor._array.item())


def element(x: TapedArray, key: int, read: Callable[[], Any]) -> Any:
    """An element of a recorded vector: the same object as long as it is held and nothing is written, so that it is one key."""
    version = x.tensor._version
    if x.items is None or x.items[0] != version:
        x.items = version, weakref.WeakValueDictionary()
    found = x.items[1].get(key)
    if found is None:
        found = read()
        if type(found) is type(x):
            x.items[1][key] = found
    return found


def equal_key(x: TapedArray, other: Any, differentiated: Any) -> bool | None:
    """Whether a set or dict treats two numbers as equal; None if the comparison is not made by a set or dict.

    ``differentiated`` says whether something is a recorded number with a derivative.
    """
    frame = sys._getframe(2)
    if _mark.place != (id(frame), frame.f_lasti):
        return None
    operation = dis.opname[frame.f_code.co_code[frame.f_lasti]]
    if type(other) is type(x) and other.run != x.run and differentiated(other):
        return False
    if operation in ("COMPARE_OP", "CONTAINS_OP") or not differentiated(x) and not differentiated(other):
        return None
    value = getattr(getattr(other, "tensor", None), "_array", other)
    if x.tensor._array != value:
        return False
    if not differentiated(other) or not differentiated(x):
        if operation.startswith("CALL"):
            return False
    elif x.tensor is other.tensor or x.tensor._edge is not None and x.tensor._edge == other.tensor._edge:
        return True
    raise TypeError("two equal numbers that were computed in different ways meet as elements of a set or keys of a dict, at least one of "
                    "them differentiated: which derivative is meant is not decided. Hint: use an index or a name as the key")

"""Containers passed to a function on the tape: the copies that the function receives, and the changes to copy back afterwards."""
from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from ..errors import UnsupportedCall
from ..runtime.fields import fields_of, is_record, set_fields
from ..transforms.sharing import REMEDY
from .held import settled

__all__ = ["Exchange"]


class Exchange:
    """Containers whose numbers and arrays are replaced by recorded ones, and the caller's own.

    Parameters
    ----------
    plain : callable
        Converts a recorded value to the value that the caller receives.
    """

    def __init__(self, plain: Callable[[Any], Any]):
        self.plain = plain
        self._pairs: list[tuple[Any, Any, Any]] = []        # the copy, the original, its items
        self._originals: dict[int, Any] = {}

    def pair(self, seen: Any, value: Any) -> Any:
        """Record that the function gets ``seen`` for ``value``, which has the same structure; return it."""
        if seen is not value:
            self._originals[id(seen)] = value
        if isinstance(value, (list, tuple)):
            items: Any = [self.pair(*both) for both in zip(seen, value)]
        elif isinstance(value, dict):
            items = {key: self.pair(item, value[key]) for key, item in seen.items()}
        elif type(seen) is type(value) and (seen is not value or dataclasses.is_dataclass(value)) and is_record(value):
            mine, others = fields_of(seen), fields_of(value)
            items = {name: self.pair(item, others[name]) for name, item in mine.items() if name in others}
        else:
            return seen
        self._pairs.append((seen, value, items))
        return seen

    def restore(self, name: str) -> None:
        """Change the caller's containers as the function, of this name, has changed its own."""
        changed = [(seen, value) for seen, value, items in self._pairs if _is_changed(seen, value, items)]
        for _, value in changed:
            if sum(value is other for _, other, _ in self._pairs) > 1:
                raise UnsupportedCall(f"{name} changes a {type(value).__name__} that it is given in two places", None, REMEDY)
        for seen, value in changed:
            if isinstance(value, list):
                value[:] = map(self._original, seen)
            elif isinstance(value, dict):
                new = {key: self._original(item) for key, item in seen.items()}
                value.clear()
                value.update(new)
            else:
                mine = fields_of(seen)
                set_fields(value, {name: self._original(item) for name, item in mine.items()})
                for name in fields_of(value).keys() - mine.keys():
                    object.__delattr__(value, name)

    def _original(self, item: Any) -> Any:
        if id(item) in self._originals:
            return self._originals[id(item)]
        return settled(item, self.plain, {})


def _is_changed(seen: Any, value: Any, items: Any) -> bool:
    """Whether the container that the function got no longer holds its items."""
    if isinstance(value, tuple):
        return False
    if isinstance(value, list):
        return len(seen) != len(items) or any(a is not b for a, b in zip(seen, items))
    if isinstance(value, dict):
        return list(seen) != list(items) or any(seen[key] is not item for key, item in items.items())
    found = fields_of(seen)
    return found.keys() != items.keys() or any(item is not items[name] for name, item in found.items())

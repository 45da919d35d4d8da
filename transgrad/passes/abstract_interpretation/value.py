"""Abstract value: a number or array together with the information that is propagated along with it."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

__all__ = ["SHAPES", "Lifted", "lifted_in", "strip"]

#: The attributes of an array that say nothing of the numbers in it.
SHAPES = frozenset(("shape", "ndim", "size", "dtype", "itemsize", "nbytes", "strides", "flags"))


class Lifted:
    """A value with company.  Python's own protocols see the value; ``decide`` is told when something is decided by it."""

    __slots__ = ("value",)
    value: Any

    def decide(self) -> Any:
        """The value, to decide something by it."""
        return self.value

    def __bool__(self) -> bool:
        return bool(self.decide())

    def __index__(self) -> int:
        return self.decide().__index__()  # type: ignore[no-any-return]

    def __len__(self) -> int:
        return len(self.value)

    def __getitem__(self, index: Any) -> Any:
        raise NotImplementedError

    def __iter__(self) -> Iterator[Any]:
        return (self[k] for k in range(len(self.value)))

    def __reversed__(self) -> Iterator[Any]:
        return (self[k] for k in reversed(range(len(self.value))))

    def __str__(self) -> str:
        return str(self.value)

    def __format__(self, how: str) -> str:
        return format(self.value, how)


def strip(x: Any, decide: bool = False) -> Any:
    """The value alone, inside of containers too; ``decide``: something is going to be decided by it."""
    kind = type(x)
    if isinstance(x, Lifted):
        return x.decide() if decide else x.value
    if isinstance(x, (list, set)):
        return kind(strip(i, decide) for i in x)
    if isinstance(x, tuple):
        items = [strip(i, decide) for i in x]
        return kind(*items) if hasattr(x, "_fields") else tuple(items)
    if isinstance(x, dict):
        return {k: strip(v, decide) for k, v in x.items()}
    if kind is slice:
        return slice(*(strip(i, decide) for i in (x.start, x.stop, x.step)))
    return x


def lifted_in(x: Any) -> Iterator[Any]:
    """Every such value in an argument."""
    if isinstance(x, Lifted):
        yield x
    elif isinstance(x, (list, tuple, set)):
        for item in x:
            yield from lifted_in(item)
    elif isinstance(x, dict):
        for item in x.values():
            yield from lifted_in(item)
    elif type(x) is slice:
        yield from lifted_in((x.start, x.stop, x.step))

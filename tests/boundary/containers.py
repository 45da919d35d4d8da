"""Containers of every kind, and what is the same of all of them: their leaves, and a copy around other leaves."""
from __future__ import annotations

import collections
import dataclasses
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

__all__ = ["CONTAINERS", "difference", "leaves", "rebuilt"]


class Pair(NamedTuple):
    a: Any
    b: Any


@dataclasses.dataclass
class Params:
    a: Any
    b: Any


Draw = Callable[..., Any]
#: name → container around numbers that ``draw`` makes: of a shape, or a float where there is none
CONTAINERS: dict[str, Callable[[Draw], Any]] = {
    "tuple of matrices": lambda draw: (draw(2, 2), draw(2, 2)),
    "list of matrices": lambda draw: [draw(2, 2), draw(2, 2)],
    "tuple of vectors": lambda draw: (draw(3), draw(3)),
    "list of vectors": lambda draw: [draw(3), draw(3)],
    "tuple of one": lambda draw: (draw(3),),
    "list of one": lambda draw: [draw(3)],
    "tuple of floats": lambda draw: (draw(), draw()),
    "list of floats": lambda draw: [draw(), draw(), draw()],
    "nested lists": lambda draw: [[draw(), draw()], [draw(), draw()]],
    "nested tuples": lambda draw: ((draw(), draw()), (draw(), draw())),
    "list of tuples": lambda draw: [(draw(), draw()), (draw(), draw())],
    "tuple of lists": lambda draw: ([draw(), draw()], [draw(), draw()]),
    "rows of vectors": lambda draw: [[draw(3), draw(3)], [draw(3), draw(3)]],
    "tuple of other lengths": lambda draw: (draw(2, 3), draw(1, 3)),
    "list of other lengths": lambda draw: [draw(2, 3), draw(1, 3)],
    "tuple of other ranks": lambda draw: (draw(2, 3), draw(3)),
    "list of other ranks": lambda draw: [draw(2, 3), draw(3)],
    "tuple of a float and a vector": lambda draw: (draw(), draw(3)),
    "list of a float and a vector": lambda draw: [draw(), draw(3)],
    "named tuple": lambda draw: Pair(draw(3), draw(3)),
    "float32 beside float64": lambda draw: (draw(3).astype(np.float32), draw(3)),
    "list of float32": lambda draw: [draw(3).astype(np.float32), draw(3).astype(np.float32)],
    "NumPy scalars": lambda draw: (np.float64(draw()), np.float64(draw())),
    "list of complex numbers": lambda draw: [complex(draw(), draw()), complex(draw(), draw())],
    "complex vectors": lambda draw: (draw(2) + 1j * draw(2), draw(2) + 1j * draw(2)),
    "a float beside a complex number": lambda draw: [draw(), complex(draw(), draw())],
    "dict": lambda draw: {"a": draw(2), "b": draw(3)},
    "dict by numbers": lambda draw: {0: draw(2), 1: draw(3)},
    "dict of complex numbers by numbers": lambda draw: {0: complex(draw(), draw()), 1: complex(draw(), draw())},
    "dict of lists": lambda draw: {"a": [draw(2), draw(2)], "b": (draw(3), draw())},
    "ordered dict": lambda draw: collections.OrderedDict(b=draw(2), a=draw(3)),
    "default dict": lambda draw: collections.defaultdict(float, a=draw(2), b=draw(3)),
    "deque": lambda draw: collections.deque([draw(2), draw(3)]),
    "dataclass": lambda draw: Params(draw(2), [draw(3), draw()]),
}


def _items(x: Any) -> list[tuple[Any, Any]] | None:
    """The keys and items of a container; None for a leaf."""
    if isinstance(x, dict):
        return list(x.items())
    if dataclasses.is_dataclass(x):
        return [(field.name, getattr(x, field.name)) for field in dataclasses.fields(x)]
    return list(enumerate(x)) if isinstance(x, (list, tuple, collections.deque)) else None


def leaves(x: Any) -> list[Any]:
    """The leaves of a container, in order."""
    items = _items(x)
    return [x] if items is None else [leaf for _, item in items for leaf in leaves(item)]


def rebuilt(x: Any, new: Iterator[Any]) -> Any:
    """A container like ``x`` around other leaves."""
    items = _items(x)
    if items is None:
        return next(new)
    made = [(key, rebuilt(item, new)) for key, item in items]
    if isinstance(x, dict):
        copy = x.copy()
        copy.update(made)
        return copy
    if dataclasses.is_dataclass(x):
        return type(x)(**dict(made))
    return type(x)(*(v for _, v in made)) if hasattr(x, "_fields") else type(x)(v for _, v in made)


def difference(found: Any, x: Any, place: str = "x") -> str | None:
    """How a gradient differs from its argument in structure, class, shape or dtype; None where it does not."""
    items = _items(x)
    if items is not None:
        if type(found) is not type(x):
            return f"{place} is a {type(found).__name__} for a {type(x).__name__}"
        got = _items(found)
        assert got is not None
        if [key for key, _ in got] != [key for key, _ in items]:
            return f"{place} has the keys {[key for key, _ in got]} for {[key for key, _ in items]}"
        return next((d for (key, g), (_, v) in zip(got, items) if (d := difference(g, v, f"{place}[{key!r}]"))), None)
    if np.shape(found) != np.shape(x):
        return f"{place} has shape {np.shape(found)} for {np.shape(x)}"
    if np.asarray(found).dtype != np.asarray(x).dtype:
        return f"{place} has dtype {np.asarray(found).dtype} for {np.asarray(x).dtype}"
    return None

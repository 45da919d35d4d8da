"""The functions and closure cells that are reached from a function through its closure, in a fixed order."""
from __future__ import annotations

import types
import weakref
from typing import Any

from ...rules.registry import definition_of, lookup

__all__ = ["Layout", "layout_of"]

_PLAIN = (type(None), bool, int, float, complex, str, bytes)


class Layout:
    """What two functions have in common if one can run the code that was generated for the other.

    Attributes
    ----------
    shape : list
        The code of each function, and the places where functions and cells occur again. Two functions with equal shapes differ at most
        in the contents of their cells.
    objects : list
        The functions and the cells. Objects at the same place in two layouts of equal shape correspond to each other.
    names : list of str
        The variable of each cell; an empty string for a function.
    """

    __slots__ = ("names", "objects", "seen", "shape")

    def __init__(self) -> None:
        self.shape: list[Any] = []
        self.objects: list[Any] = []
        self.names: list[str] = []
        self.seen: dict[int, int] = {}

    def visit(self, x: Any, name: str = "") -> bool:
        """Add an object; return whether it has been there before."""
        place = self.seen.get(id(x))
        if place is not None:
            self.shape.append(place)
            return True
        self.seen[id(x)] = len(self.objects)
        self.objects.append(x)
        self.names.append(name)
        return False


def layout_of(f: types.FunctionType) -> Layout | None:
    """Return the layout of a function; None if variants cannot be shared: a cell is empty, or a function carries attributes."""
    layout = Layout()
    return layout if _add(layout, f, root=True) else None


def _add(layout: Layout, f: types.FunctionType, root: bool = False) -> bool:
    if layout.visit(f):
        return True
    if f.__dict__:
        return False
    shape = layout.shape
    if not root:        # the family knows its code, and the defaults are arguments
        shape.append(weakref.ref(f.__code__))
        for name, value in (*enumerate(f.__defaults__ or ()), *(f.__kwdefaults__ or {}).items()):
            if type(value) not in _PLAIN:
                return False
            shape.append((name, type(value), value))
    else:
        shape.append((f.__defaults__ is None, tuple(f.__kwdefaults__ or ())))
    shape.append(id(f.__globals__))
    if f.__closure__ is None:
        return True
    for name, cell in zip(f.__code__.co_freevars, f.__closure__):
        if layout.visit(cell, name):
            continue
        try:
            held = cell.cell_contents
        except ValueError:
            return False
        if not _add_contents(layout, held):
            return False
    return True


def _add_contents(layout: Layout, held: Any) -> bool:
    """Add the contents of a cell, if functions are found there that may be made anew as well."""
    kind = type(held)
    if kind is types.FunctionType:
        if "<" in held.__qualname__ and lookup(held) is None and definition_of(held) is None:
            return _add(layout, held)
    elif hasattr(kind, "__transgrad_lower__") and type(getattr(held, "primal", None)) is types.FunctionType:
        if layout.visit(held):
            return True
        layout.shape.append((kind, held.kind, held.target, held.options, held.skip))
        return _add(layout, held.primal)
    layout.shape.append(None)       # a guard checks it
    return True

"""Tracked numbers and arrays: a value together with the inputs on which each of its entries may depend."""
from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import UnsupportedCall
from ..abstract_interpretation.value import SHAPES, Lifted, lifted_in, strip
from .graph import Graph, Ids

__all__ = ["State", "Tracked", "fresh", "ids_of", "number", "refuse", "same_memory"]


def refuse(what: str) -> UnsupportedCall:
    """The error for operations that the analysis does not support."""
    return UnsupportedCall(f"the sparsity cannot be found: {what}", None, "pass sparsity=, a pattern that holds every non-zero")


class State:
    """Common state of the views of one array: whether it may differ at the next call, and whether it is external."""

    __slots__ = ("outside", "varies")

    def __init__(self, varies: bool, outside: bool = False):
        self.varies, self.outside = varies, outside


#: the states of numbers, which nothing writes to
_OF_NUMBERS = State(False), State(True)


class Tracked(Lifted):
    """A value with the node (see `Graph`) of each of its entries.

    Views of arrays have views of nodes, so that a write through one of them reaches both.  ``state`` is shared between them.
    """

    __slots__ = ("graph", "ids", "state")

    def __init__(self, graph: Graph, value: Any, ids: Ids, state: State):
        self.graph, self.value, self.ids, self.state = graph, value, ids, state

    def decide(self) -> Any:
        """The value, to decide something by it."""
        if self.state.varies:
            self.graph.decided = True
        return self.value

    def __getitem__(self, index: Any) -> Any:
        if type(index) is not int:
            index = strip(index, decide=True)
        value, ids = self.value[index], self.ids[index]
        if isinstance(value, np.ndarray):
            same_memory(value, ids, self)
            return Tracked(self.graph, value, ids, self.state)
        return number(self.graph, value, int(ids), self.state.varies)

    def __getattr__(self, name: str) -> Any:
        if name in SHAPES:
            return getattr(self.value, name)
        if isinstance(self.ids, int):
            return number(self.graph, getattr(self.value, name), self.ids, self.state.varies)
        if name in ("T", "mT") or name in ("real", "imag") and not np.iscomplexobj(self.value):
            value = getattr(self.value, name)
            return Tracked(self.graph, value, getattr(self.ids, name) if name in ("T", "mT") else self.ids[...], self.state)
        raise refuse(f"the attribute {name!r} of an array is not looked through")


def same_memory(value: Any, ids: Any, of: Tracked) -> None:
    """Refuse a view of one that is none of the other."""
    if np.may_share_memory(value, of.value) != np.may_share_memory(ids, of.ids):
        raise refuse("a view that is one or not by the strides of an array")


def number(graph: Graph, value: Any, node: int, varies: bool) -> Tracked:
    """A number."""
    return Tracked(graph, value, node, _OF_NUMBERS[varies])


def fresh(graph: Graph, value: Any, ids: Ids, varies: bool) -> Tracked:
    """A new value; the nodes of an array are laid out in memory as the array is."""
    if not isinstance(value, np.ndarray):
        return number(graph, value, ids if isinstance(ids, int) else int(ids), varies)
    nodes = np.empty_like(value, np.intp, subok=False)
    nodes[...] = ids
    return Tracked(graph, value, nodes, State(varies))


def ids_of(x: Any) -> Ids:
    """The nodes of an argument, in its shape: of a nested list, those of the array it would make."""
    if type(x) is Tracked:
        return x.ids
    if isinstance(x, (list, tuple)) and any(True for _ in lifted_in(x)):
        parts = [np.broadcast_to(ids_of(item), np.shape(strip(item))) for item in x]
        return np.array(parts, np.intp)
    return np.zeros(np.shape(x), np.intp) if isinstance(x, (np.ndarray, list, tuple)) else 0

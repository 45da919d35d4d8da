"""What torch's nodes show as saved and ours do not keep, because it is known from the rest: sizes of an input, a factor of 1."""
from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from .size import Size

__all__ = ["facts_of", "false", "numel", "one", "one_unless_given", "second_result", "shape_of", "shows", "sizes", "strides_of", "true"]

Fact = Callable[[Any], Any]
_FACTS: dict[Any, dict[str, Fact]] = {}
_NONE: dict[str, Fact] = {}


def shows(*fns: Any, **facts: Fact) -> None:
    """Has the nodes of functions show ``_saved_<name>``, found from the node."""
    for fn in fns:
        _FACTS[fn] = {**_FACTS.get(fn, {}), **facts}


def facts_of(fn: Any) -> dict[str, Fact]:
    """The attributes that the nodes of a function show in addition to saved values."""
    return _FACTS.get(fn, _NONE)


def shape_of(k: int) -> Fact:
    """The shape of argument k: of one whose gradient is wanted it is kept, of another all is."""
    def shape(node: Any) -> Size:
        if k in node._wanted:
            return Size(node.meta[node._wanted.index(k)][0])
        return Size(node.argument(k).shape)
    return shape


def strides_of(k: int) -> Fact:
    """The strides of argument k, if it is saved."""
    def strides(node: Any) -> Any:
        argument = node.argument(k)
        if argument is None:
            raise AttributeError(f"{node.name()!r} object does not need the strides of argument {k}, and has not kept them")
        return argument.stride()
    return strides


def sizes(node: Any) -> Size:
    """The shape of the one input."""
    return Size(_meta(node)[0])


def numel(node: Any) -> int:
    """The number of elements of the one input."""
    return math.prod(_meta(node)[0])


def _meta(node: Any) -> Any:
    return (node.metas if hasattr(type(node), "metas") else node.meta)[0]


def second_result(node: Any) -> Any:
    """The second of several results."""
    return node._load(node.y[1], False)


def one_unless_given(name: str) -> Fact:
    """The constant of that name, 1 where the call has left it out."""
    def constant(node: Any) -> Any:
        return node._field(name, False) if name in node.fields() else 1
    return constant


def one(node: Any) -> int:
    """1."""
    return 1


def false(node: Any) -> bool:
    """False."""
    return False


def true(node: Any) -> bool:
    """True."""
    return True


shows(np.add, np.subtract, operator.add, operator.sub, alpha=one)

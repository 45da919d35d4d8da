"""Runs one operation inside `vmap`: by the batching rule of its function, or an example at a time."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...rules.registry import lookup
from .. import dispatch
from ..state import STATE
from ..tensor import Tensor
from .call import Call, map_leaves
from .duals import uniform, with_tangents
from .elementwise import elementwise
from .loop import loop
from .table import RULES
from .values import BatchedTensor, Level, escaped

__all__ = ["innermost", "interpret", "rule_of", "shown"]


def interpret(fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What `dispatch.apply` does while a `vmap` runs."""
    level = innermost((args, kwargs))
    if level is None:
        return dispatch.unbatched(fn, args, kwargs)
    if not level.open:
        raise escaped()
    if STATE.level:
        args, kwargs = with_tangents((args, kwargs), level)
        return shown(rule_of(fn)(Call(fn, args, kwargs, level)), level, uniform((args, kwargs), level))
    return shown(rule_of(fn)(Call(fn, args, kwargs, level)), level)


def innermost(tree: Any) -> Level | None:
    """The level of the `vmap` that is to deal with a call on these arguments; None if nothing is mapped over."""
    found: list[Level] = []
    map_leaves(lambda x: found.append(x.level) if isinstance(x, BatchedTensor) else None, tree)
    return max(found, key=lambda level: level.number, default=None)


def rule_of(fn: Callable[..., Any]) -> Callable[[Call], Any]:
    """What carries out a function for a whole batch."""
    if fn in RULES:
        return RULES[fn]
    if isinstance(fn, np.ufunc):
        return elementwise if fn.signature is None else loop
    rule = lookup(fn)
    return elementwise if rule is not None and rule.kind == "elementwise" else loop


def shown(result: Any, level: Level, equal: bool = False) -> Any:
    """The results as the function under `vmap` sees them; ``equal`` says that they are the same for all examples."""
    def one(x: Any) -> Any:
        if not isinstance(x, Tensor):
            return x
        made = BatchedTensor(x, level)
        made.uniform = equal
        return made
    return map_leaves(one, result)

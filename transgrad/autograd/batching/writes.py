"""Writes inside `vmap`: into the memory of the whole batch."""
from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from .. import dtypes
from ..functions.shape import clone
from ..functions.writes import copied
from ..inplace import CASTS, unbatched_inplace
from ..state import STATE
from ..tensor import Tensor
from .call import Call, map_leaves
from .duals import common, uniform
from .interpret import innermost, interpret, rule_of, shown
from .loop import loop
from .values import BatchedTensor, escaped

__all__ = ["UnmappedWrite", "apart", "write"]


class UnmappedWrite(RuntimeError):
    """What differs among the examples of a `vmap` is written into a Tensor that is the same for all."""


def apart(views: Iterable[Callable[..., Any]], run: Callable[..., Any], g: Tensor) -> Any:
    """``run(g, True)`` for each example of a batch apart, where one of the views would be a copy for all of them; else None."""
    level = innermost(g)
    if level is None or not any(rule_of(fn) is loop for fn in views):
        return None
    return shown(loop(Call(run, (g, True), {}, level), run), level)


def write(fn: Callable[..., Any], x: Tensor, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Tensor:
    """What `inplace` does while a `vmap` runs."""
    level = innermost(((x, *args), kwargs))
    if level is None:
        return unbatched_inplace(fn, x, args, kwargs)
    if not isinstance(x, BatchedTensor) or x.level is not level:
        if STATE.level and level.open and uniform((args, kwargs), level):      # only the tangents are mapped over
            args, kwargs = map_leaves(lambda a: common(a, level), (args, kwargs))
            return unbatched_inplace(fn, x, args, kwargs)
        raise UnmappedWrite("vmap: inplace arithmetic(self, *extra_args) is not possible because there exists a Tensor `other` in "
                            "extra_args that has more elements than `self`: it is mapped over and `self` is not. Use an operation that is "
                            "not in-place, or make `self` from a Tensor that is mapped over.")
    if not level.open:
        raise escaped()
    before = interpret(clone, (x,), {}) if STATE.grad and fn is not copied else x        # which the operation may save
    result = interpret(fn, (before, *args), kwargs)
    if result.shape != x.shape:
        raise RuntimeError(f"output with shape {list(x.shape)} doesn't match the broadcast shape {list(result.shape)}")
    if fn not in CASTS and dtypes.category(result.dtype) > dtypes.category(x.dtype):
        raise RuntimeError(f"result type {dtypes.title(result.dtype)} can't be cast to the desired output type {dtypes.title(x.dtype)}")
    x.physical.copy_(result.physical)
    x.uniform = x.uniform and result.uniform
    return x

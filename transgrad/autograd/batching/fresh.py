"""Tensors made in the shape or dtype of one that is mapped over: inside `vmap` there is one for each example, which may be written to."""
from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..ops.arguments import listed
from ..state import STATE
from .values import BatchedTensor, escaped

__all__ = ["for_each_example"]

_LIKE = ("empty_like", "full_like", "ones_like", "zeros_like")
_NEW = ("new_empty", "new_ones", "new_zeros")


def for_each_example(functions: dict[str, Any], methods: dict[str, Any]) -> None:
    """Has the functions and methods in the tables of operations do so."""
    for name in _LIKE:
        functions[name] = _batched(functions[name], lambda level, args: args)
    for name in _NEW:
        methods[name] = _batched(methods[name], lambda level, args: (level.size, *listed(args)))
    methods["new_full"] = _batched(methods["new_full"], lambda level, args: ((level.size, *listed(args[:1])), *args[1:]))


def _batched(function: Callable[..., Any], of_all: Callable[[Any, tuple[Any, ...]], tuple[Any, ...]]) -> Callable[..., Any]:
    """The function, applied to all examples at once: ``of_all`` makes its other arguments those for all of them."""
    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if "input" in kwargs:
            args = (kwargs.pop("input"), *args)
        like = args[0] if args else None
        if STATE.interpreter is None or not isinstance(like, BatchedTensor):
            return function(*args, **kwargs)
        if not like.level.open:
            raise escaped()
        size = (kwargs.pop("size"),) if "size" in kwargs else ()
        return BatchedTensor(call(like.physical, *of_all(like.level, (*size, *args[1:])), **kwargs), like.level)
    return call

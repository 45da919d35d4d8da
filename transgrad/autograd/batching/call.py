"""A call that is to be carried out for a whole batch."""
from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...rules.registry import lookup
from ..dispatch import apply
from ..tensor import Tensor
from .values import BatchedTensor, Level, mapped_at

__all__ = ["Call", "map_leaves"]


def map_leaves(change: Callable[[Any], Any], tree: Any) -> Any:
    """``tree`` with every element of its lists, tuples, slices and dicts changed."""
    if isinstance(tree, (list, tuple)):
        parts = [map_leaves(change, x) for x in tree]
        return type(tree)(*parts) if hasattr(tree, "_fields") else parts if isinstance(tree, list) else tuple(parts)
    if isinstance(tree, dict):
        return {k: map_leaves(change, x) for k, x in tree.items()}
    if isinstance(tree, slice):
        return slice(*(map_leaves(change, x) for x in (tree.start, tree.stop, tree.step)))
    return change(tree)


@functools.lru_cache(512)
def _parameters(fn: Callable[..., Any]) -> tuple[inspect.Parameter, ...]:
    """The parameters of a function; as its rule names them where Python cannot tell."""
    try:
        found = tuple(inspect.signature(fn).parameters.values())
    except (TypeError, ValueError):
        found = ()
    rule = lookup(fn)
    unnamed = not found or any(p.kind is p.VAR_POSITIONAL for p in found)
    return rule.parameters if unnamed and rule is not None else found


class Call:
    """A function and its arguments, some of which are mapped over at ``level``.

    A batching rule operates on them by `run`, on ordinary Tensors (or on those of the enclosing `vmap`).
    """

    def __init__(self, fn: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any], level: Level):
        self.fn, self.args, self.kwargs, self.level = fn, list(args), dict(kwargs), level

    def run(self, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        return apply(fn, *args, **kwargs)

    def mapped(self, x: Any) -> bool:
        return mapped_at(x, self.level)

    def any_mapped(self, tree: Any) -> bool:
        """Return whether anything in a nested argument is mapped over."""
        found: list[Any] = []
        map_leaves(lambda x: found.append(x) if self.mapped(x) else None, tree)
        return bool(found)

    def physical(self, x: BatchedTensor, ndim: int | None = None) -> Tensor:
        """The batch, its dimension first, and ``ndim`` others (new ones of size 1 in front of those there are)."""
        missing = 0 if ndim is None else ndim - x.ndim
        if missing <= 0:
            return x.physical
        return self.run(np.reshape, x.physical, (self.level.size, *(1,) * missing, *x.shape))       # type: ignore[no-any-return]

    def aligned(self, x: Any, ndim: int) -> Any:
        """``x`` so that it broadcasts against others of ``ndim`` dimensions beside that of the batch."""
        return self.physical(x, ndim) if self.mapped(x) else x

    def full(self, x: Any) -> Any:
        """``x`` with the batch dimension first, even if it is unbatched."""
        if self.mapped(x):
            return x.physical
        return self.run(np.broadcast_to, x, (self.level.size, *np.shape(x)))

    def example(self, tree: Any, k: int) -> Any:
        """Arguments as they are for example ``k``."""
        return map_leaves(lambda x: x.physical[k] if self.mapped(x) else x, tree)

    def parameter(self, name: str) -> Any:
        """The argument of a parameter, or its default."""
        names = [p.name for p in _parameters(self.fn)]
        if name in self.kwargs:
            return self.kwargs[name]
        place = names.index(name)
        return self.args[place] if place < len(self.args) else _parameters(self.fn)[place].default

    def put(self, name: str, value: Any) -> None:
        """Pass another argument for a parameter, the way it was passed."""
        names = [p.name for p in _parameters(self.fn)]
        if name not in self.kwargs and names.index(name) < len(self.args):
            self.args[names.index(name)] = value
        else:
            self.kwargs[name] = value

    @property
    def names(self) -> list[str]:
        """The names of the parameters; none where nothing tells."""
        return [p.name for p in _parameters(self.fn)]


def ndim_of(x: Any) -> int:
    """The dimensions of a Tensor, array or number."""
    return int(x.ndim) if hasattr(x, "ndim") else 0

"""Which arguments are differentiated, and their Tensors."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...tree import flatten, unflatten
from ..tensor import Tensor

__all__ = ["ArgNums", "changed", "chosen", "of_chosen", "tensors"]

ArgNums = int | tuple[int, ...]


def chosen(args: Sequence[Any], argnums: ArgNums) -> Any:
    """The arguments that ``argnums`` names: one, or a tuple."""
    if isinstance(argnums, int):
        return args[_place(argnums, len(args))]
    if isinstance(argnums, tuple) and argnums and all(isinstance(k, int) for k in argnums):
        return tuple(args[_place(k, len(args))] for k in argnums)
    if isinstance(argnums, tuple):
        raise RuntimeError(f"argnums must be a non-empty tuple of ints, got: {argnums}")
    raise RuntimeError(f"argnums must be int or Tuple[int, ...], got: {type(argnums)}")


def _place(k: int, count: int) -> int:
    if not -count <= k < count:
        raise RuntimeError(f"Got argnum={k}, but only {count} positional inputs")
    return k % count


def of_chosen(func: Callable[..., Any], args: Sequence[Any], argnums: ArgNums, kwargs: dict[str, Any]) -> Callable[[Any], Any]:
    """``func`` as a function of the chosen arguments alone."""
    def of(values: Any) -> Any:
        full = list(args)
        for k, value in zip((argnums,) if isinstance(argnums, int) else argnums, (values,) if isinstance(argnums, int) else values):
            full[k] = value
        return func(*full, **kwargs)
    return of


def tensors(tree: Any) -> tuple[list[Tensor], Any]:
    """The leaves of a tree that holds Tensors alone, and its structure."""
    leaves, form = flatten(tree)
    for leaf in leaves:
        if not isinstance(leaf, Tensor):
            raise ValueError(f"Thing passed to transform API must be Tensor, got {type(leaf)}")
    return leaves, form


def changed(change: Callable[[Any], Any], tree: Any) -> Any:
    """The tree with each leaf changed."""
    leaves, form = flatten(tree)
    return unflatten(form, [change(leaf) for leaf in leaves])

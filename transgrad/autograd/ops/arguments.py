"""Dimensions and sizes as users write them, checked with torch's words."""
from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from .. import dtypes
from ..size import axis_of as dim_of
from ..tensor import Tensor

__all__ = ["dim_of", "dims_of", "every", "listed", "needed", "refuse", "sizes_of"]

_INTEGERS = frozenset((int,))


def refuse(name: str, x: Tensor, kinds: str) -> None:
    """NotImplementedError for a tensor of a dtype that has no such operation; ``kinds`` are NumPy's letters of dtypes."""
    if x._array.dtype.kind in kinds:
        raise NotImplementedError(f'"{name}" not implemented for \'{dtypes.title(x._array.dtype)}\'')


def every(dim: Any) -> bool:
    """Return whether ``dim`` means all dimensions."""
    return dim is None or isinstance(dim, (tuple, list)) and not dim


def dims_of(dim: Any, ndim: int) -> tuple[int, ...]:
    """Normalize dimensions: all for None or an empty tuple; raise RuntimeError if one occurs twice."""
    if type(dim) is int and ndim:
        return (dim_of(dim, ndim),)
    if every(dim):
        return tuple(range(ndim))
    found = tuple(dim_of(d, ndim) for d in (dim if isinstance(dim, (tuple, list)) else (dim,)))
    for k in found:
        if found.count(k) > 1:
            raise RuntimeError(f"dim {k} appears multiple times in the list of dims")
    return found if ndim else ()


def listed(given: Sequence[Any]) -> tuple[Any, ...]:
    """Arguments that were passed one by one, or as one tuple or list."""
    return tuple(given[0]) if len(given) == 1 and isinstance(given[0], (tuple, list)) else tuple(given)


def needed(name: str, what: str, given: tuple[Any, ...]) -> tuple[Any, ...]:
    """Arguments that were passed one by one; raise TypeError if there are none."""
    if not given:
        raise TypeError(f'{name}() missing 1 required positional arguments: "{what}"')
    return given


def size_of(n: Any) -> int:
    """Check a size; raise TypeError if it is not an integer."""
    if isinstance(n, bool):
        raise TypeError("argument 'size' must be tuple of ints, not bool")
    try:
        return n.__index__()        # type: ignore[no-any-return]
    except AttributeError:
        raise TypeError(f"argument 'size' must be tuple of ints, but found element of type {type(n).__name__}") from None


def sizes_of(given: Sequence[Any], numel: int | None = None) -> tuple[int, ...]:
    """Sizes given one by one or as a tuple; with ``numel``, one of them may be -1."""
    sizes = listed(given)
    if not _INTEGERS.issuperset(map(type, sizes)):
        sizes = tuple(int(n.item()) if isinstance(n, Tensor) else size_of(n) for n in sizes)
    if math.prod(sizes) == numel and min(sizes, default=0) >= 0:
        return sizes
    if numel is None:
        for n in sizes:
            if n < 0:
                raise RuntimeError(f"Dimension size must be non-negative. Trying to create tensor with negative dimension {n}: "
                                   f"{list(sizes)}")
        return sizes
    known = 1
    for n in sizes:
        if n < -1:
            raise RuntimeError(f"invalid shape dimension {n}")
        known *= n if n != -1 else 1
    if sizes.count(-1) > 1:
        raise RuntimeError("only one dimension can be inferred")
    if -1 in sizes:
        if known == 0 and numel == 0:
            raise RuntimeError(f"cannot reshape tensor of 0 elements into shape {list(sizes)} because the unspecified dimension size -1 "
                               "can be any value and is ambiguous")
        if known and numel % known == 0:
            return tuple(numel // known if n == -1 else n for n in sizes)
    raise RuntimeError(f"shape '{list(sizes)}' is invalid for input of size {numel}")

"""Arguments that are lists where an array is meant: ``np.dot([a, b], w)``."""
from __future__ import annotations

import operator
from dataclasses import replace
from typing import Any

import numpy as np

from ..ir.build import current
from ..ir.ops import Call, Lit, Value
from ..ir.types import Arr, ListT, Num, Obj, TupleT, is_differentiable, ndim_of, strip
from ..runtime import items_like

__all__ = ["gather", "holds_values", "is_sequence", "is_simple", "scatter_entry"]


def holds_values(x: Any) -> bool:
    """Whether ``x`` is, or is a display that contains, an operand of the IR."""
    return isinstance(x, (Value, Lit)) or isinstance(x, (list, tuple)) and any(map(holds_values, x))


def is_sequence(x: Any) -> bool:
    """Whether ``x`` is a list or tuple of real or complex numbers or arrays (not of strings, and not a shape or an index)."""
    if isinstance(x, (Value, Lit)):
        if isinstance(x.type, TupleT):      # an index may be a tuple of arrays of which nothing is known
            return any(is_differentiable(e) and not isinstance(e, Obj) for e in x.type.elems)
        return isinstance(x.type, ListT) and is_differentiable(x.type)
    return isinstance(x, (list, tuple)) and type(x) in (list, tuple) and any(map(_is_quantity, x))


def _is_quantity(x: Any) -> bool:
    if isinstance(x, (list, tuple)):
        return is_sequence(x)
    if isinstance(x, (Value, Lit)):     # a number that may be None is none where an array is made of it
        return is_sequence(x) or isinstance(strip(x.type), (Num, Arr)) and is_differentiable(x.type)
    return isinstance(x, (float, complex)) or getattr(getattr(x, "dtype", None), "kind", "") in ("f", "c")


def is_simple(x: Any) -> bool:
    """Whether ``x`` is plainly no sequence: an operand that is a number or an array, or a number."""
    return type(x.type) is Num or type(x.type) is Arr if type(x) is Value else type(x) in (int, float, type(None))


def gather(x: Any, symbolic: bool = False) -> Any:
    """``x`` as an array if it is a sequence of quantities, other values unchanged; ``symbolic`` says that the adjacent operands
    are IR values."""
    if not is_sequence(x):
        return x
    return current().call(np.array, x) if symbolic or holds_values(x) else np.array(x)


def _whole(entry: Any, arg: Any, t: ListT) -> Any:
    """A cotangent that stands for its broadcast, with all the dimensions of the array that a list is made into."""
    inner, have = ndim_of(t.elem), getattr(entry, "type", None)
    made = getattr(current(), "maker", {}).get(entry)
    if isinstance(made, Call) and made.fn is np.broadcast_to:       # whose rows are the same memory
        return current().call(np.array, entry)
    if inner is not None and isinstance(have, Arr) and len(have.dims) == inner + 1 and not any(d.one for d in have.dims):
        return entry
    return current().call(np.array, current().call(np.broadcast_to, entry, current().call(np.shape, arg)))


def _real(entry: Any, t: ListT) -> Any:
    """The real part of a complex cotangent, of a list of real numbers or arrays."""
    item: Any = t.elem
    while isinstance(item, ListT):
        item = item.elem
    kinds = [x.dtype if isinstance(x, Arr) else x.kind if isinstance(x, Num) else "" for x in (getattr(entry, "type", None), item)]
    return current().call(np.real, entry) if kinds[0].startswith("complex") and kinds[1].startswith("float") else entry


def _rows_fit(whole: Any, item: Any) -> bool:
    """Whether the rows of an array are cotangents of the items of a list."""
    if not isinstance(whole, Arr) or len(whole.dims) - 1 != ndim_of(item):
        return False
    return whole.dtype == item.dtype if isinstance(item, Arr) else whole.dtype == ("complex128" if item.kind == "complex" else "float64")


def _of_items(entry: Any, count: int) -> list[Any]:
    """The cotangents of the items of a sequence, from that of the array it stands for: one that is lazy may be the same for all."""
    if not isinstance(entry, (Value, Lit)):
        return [entry] * count if np.ndim(entry) == 0 else list(entry) if len(entry) == count else [entry[0]] * count
    if isinstance(entry.type, Num) or isinstance(entry.type, Arr) and not entry.type.dims:
        return [entry] * count
    if isinstance(entry.type, Arr) and entry.type.dims[0].one is not False and count != 1:
        b, (first, *inner) = current(), entry.type.dims
        shape = b.attr(entry, "shape")
        whole = b.build("tuple", [count, *(b.call(operator.getitem, shape, k + 1, type=Num("int")) for k in range(len(inner)))])
        entry = b.call(np.broadcast_to, entry, whole, type=Arr(entry.type.dtype, (replace(first, one=False), *inner)))
    return [current().call(operator.getitem, entry, k) for k in range(count)]


def scatter_entry(entry: Any, arg: Any) -> Any:
    """The cotangent of the argument of `gather`, in its structure, from that of the array."""
    if isinstance(entry, Value) and isinstance(entry.type, TupleT):     # a rule that returns the result of another rule
        return entry
    if isinstance(entry, Value) and isinstance(entry.type, ListT):
        return current().call(list, entry, type=entry.type)
    if isinstance(arg, (list, tuple)) and is_sequence(arg):
        if isinstance(entry, Value) and not isinstance(entry.type, (Arr, Num)):     # it may stand for its broadcast
            entry = current().call(np.broadcast_to, entry, current().call(np.shape, arg))
        return (list if isinstance(arg, list) else tuple)(map(scatter_entry, _of_items(entry, len(arg)), arg))
    if isinstance(arg, (Value, Lit)) and isinstance(arg.type, ListT) and is_sequence(arg):
        full = _whole(_real(entry, arg.type), arg, arg.type)
        if _rows_fit(full.type, arg.type.elem):
            return current().call(list, full)
        return current().call(items_like, full, arg, type=arg.type)
    return entry

"""Have the interpreter call functions that Numba does not implement.

``np.pad(x, 1)`` becomes a call of a function that enters the interpreter, calls ``np.pad`` and returns an array of the type that the front
end has found. Literal arguments are bound to that function, as Numba has no type for some of them. The call costs some microseconds more
than from Python, and the machine code is not stored on disk; without it, the whole function would be refused.
"""
from __future__ import annotations

import math
import operator
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ...ir.build import Builder
from ...ir.ops import Build, Call, Lit, Op, Operand, Star, Value
from ...ir.prims import inplace_at
from ...ir.types import Arr, ListT, Num, TupleT, Type
from ...runtime import add_at, gather_written, scatter

__all__ = ["in_interpreter"]

#: NumPy functions that Numba implements in part: whether a call is beyond that part.
_PARTIAL: dict[Any, Callable[[Call], bool]] = {
    np.linalg.norm: lambda op: _given(op, 2, "axis") or "keepdims" in op.kwargs,
    np.delete: lambda op: _given(op, 2, "axis"),
    np.sort: lambda op: _given(op, 1, "axis"),
}
_INDEXED = frozenset((operator.getitem, operator.setitem, inplace_at, add_at, scatter, gather_written))
_LIBRARIES = ("numpy", "scipy", "math", "transgrad")
_KINDS = {"float": "float64", "int": "int64", "bool": "boolean", "complex": "complex128"}


def in_interpreter(b: Builder, op: Call, makers: dict[Value, Op]) -> bool:
    """Rewrite a call in place where Numba does not implement it and the types of its results are known; whether it was rewritten."""
    if not _beyond(op, makers):
        return False
    found = [_numba_type(r.type) for r in op.results]
    results = [t for t in found if t is not None]
    operands = [*op.args, *op.kwargs.values()]
    if len(results) < len(found) or any(isinstance(a, Star) for a in operands):
        return False
    values, call = _bound(op, operands, makers)
    if not all(_passes(v.type) for v in values):
        return False
    from ...runtime.numba.interpreted import interpreted  # needs Numba, which is optional

    name = f"python_{op.fn.__name__.strip('_')}"
    op.fn = interpreted(call, name, len(values), results)
    op.args, op.kwargs, op.spelling = list(values), {}, None
    return True


def _beyond(op: Call, makers: dict[Value, Op]) -> bool:
    """Whether Numba does not implement a call."""
    if op.fn in _INDEXED:
        return _by_several_arrays(op.args[1], makers)
    try:
        if (partial := _PARTIAL.get(op.fn)) is not None:
            return partial(op)
    except TypeError:       # it has no hash
        return False
    module = getattr(op.fn, "__module__", None) or ""
    if module.split(".")[0] not in _LIBRARIES or module.startswith(("transgrad.ir", "transgrad.runtime.numba")):
        return False
    if not isinstance(op.fn, (types.FunctionType, type(np.sum), type(math.sin))):
        return False
    from ...runtime.numba.interpreted import is_known  # needs Numba, which is optional
    return not is_known(op.fn)


def _given(op: Call, place: int, name: str) -> bool:
    return len(op.args) > place or name in op.kwargs


def _by_several_arrays(index: Operand, makers: dict[Value, Op]) -> bool:
    """Whether an index is a tuple with more than one array, of which Numba takes one."""
    if not isinstance(index, Value):
        return False
    made = makers.get(index)
    items = [getattr(i, "type", None) for i in made.items] if isinstance(made, Build) else getattr(index.type, "elems", ())
    return sum(isinstance(t, Arr) and bool(t.dims) for t in items) > 1


def _passes(t: Type) -> bool:
    """Whether values of a type can be passed to the interpreter."""
    if isinstance(t, TupleT):
        return all(map(_passes, t.elems))
    return isinstance(t, (Arr, Num)) or isinstance(t, ListT) and t.elem is not None and _passes(t.elem)


def _numba_type(t: Type) -> str | None:
    """A type in Numba's notation; None if it has none here."""
    if isinstance(t, Num):
        return _KINDS.get(t.kind)
    if isinstance(t, Arr) and t.scalar:
        return {"bool": "boolean"}.get(t.dtype, t.dtype)
    if isinstance(t, Arr) and t.dims and t.dtype:
        return f"{t.dtype}[{':, ' * (len(t.dims) - 1)}::1]"
    return None


def _taken_apart(a: Operand, makers: dict[Value, Op]) -> tuple[list[Value], Callable[[Iterator[Any]], Any]]:
    """The values that an operand is made of, and a function that makes it from them: tuples and slices are made in the interpreter."""
    if isinstance(a, Lit):
        return [], lambda _: a.value
    made = makers.get(a)
    if not isinstance(made, Build) or made.kind not in ("tuple", "slice"):
        return [a], next
    parts = [_taken_apart(item, makers) for item in made.items]
    cls = tuple if made.kind == "tuple" else _slice
    return [v for values, _ in parts for v in values], lambda values: cls([make(values) for _, make in parts])


def _slice(bounds: list[Any]) -> slice:
    return slice(*bounds)


def _bound(op: Call, operands: list[Operand], makers: dict[Value, Op]) -> tuple[list[Value], Callable[..., Any]]:
    """The values that a call needs, and a function of them that makes the call; literals are bound to it."""
    fn, names, count = op.fn, list(op.kwargs), len(op.args)
    parts = [_taken_apart(a, makers) for a in operands]

    def call(*values: Any) -> Any:
        given = iter(values)
        whole = [make(given) for _, make in parts]
        return fn(*whole[:count], **dict(zip(names, whole[count:])))
    return [v for found, _ in parts for v in found], call

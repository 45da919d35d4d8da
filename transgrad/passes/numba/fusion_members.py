"""The role of an operation in a fused loop: the operands that it indexes, and the sums."""
from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ...ir.ops import Call, Lit, Operand, Value
from ...ir.types import Arr, Dim, Num
from ..scalarize.functions.elementwise import NUMBERS, dtype_of
from .fusion_group import Reduction, is_stretched, same_dim

__all__ = ["is_basic", "is_measured", "is_triangle", "reduction", "runs_along", "starts_of"]

_EXTREMA: dict[Any, str] = {np.max: "maximum", np.amax: "maximum", np.ndarray.max: "maximum", np.min: "minimum", np.amin: "minimum",
                            np.ndarray.min: "minimum"}
_SUMS = frozenset((np.sum, np.ndarray.sum, np.mean, np.ndarray.mean, np.count_nonzero))


def runs_along(o: Operand, dims: tuple[Dim, ...]) -> bool:
    """Whether it is known along which dimensions an operand is broadcast."""
    t = o.type
    if isinstance(t, Num) or isinstance(t, Arr) and t.scalar:
        return dtype_of(o) in NUMBERS
    if not isinstance(o, Value) or not isinstance(t, Arr) or not t.dims or t.dtype not in NUMBERS or len(t.dims) > len(dims):
        return False
    return all(d.one or same_dim(d, e) or is_stretched(d, e) for d, e in zip(t.dims, dims[len(dims) - len(t.dims):]))


def is_measured(args: list[Any], dims: tuple[Dim, ...]) -> bool:
    """Whether each length can be read from an operand."""
    return all(e.one or any(isinstance(a.type, Arr) and len(a.type.dims) >= len(dims) - k and same_dim(a.type.dims[k - len(dims)], e)
                            for a in args) for k, e in enumerate(dims))


def is_triangle(op: Call) -> bool:
    """Whether an operation keeps the elements of matrices on one side of a diagonal that is known, and puts zeros in the rest."""
    t, x = op.result.type if len(op.results) == 1 else None, op.args[0] if op.args else None
    if op.fn not in (np.tril, np.triu) or op.kwargs or not all(isinstance(k, Lit) and type(k.value) is int for k in op.args[1:]):
        return False
    return isinstance(x, Value) and isinstance(x.type, Arr) and isinstance(t, Arr) and t.dtype == x.type.dtype in NUMBERS and (
        len(x.type.dims) == len(t.dims) > 1)


def starts_of(index: Any, n: int) -> tuple[int, ...] | None:
    """Where along each dimension a part begins, if it takes each element from there on."""
    starts: list[int] = []
    for part in index if isinstance(index, tuple) else (index,):
        if not isinstance(part, slice) or part.step not in (None, 1) or type(part.start) not in (int, type(None)):
            return None
        starts.append(part.start or 0)
    return (*starts, *[0] * (n - len(starts))) if len(starts) <= n else None


def is_basic(index: Operand, x: Operand) -> bool:
    """Whether an index makes a view."""
    if isinstance(index.type, Num) and index.type.kind == "int":
        return isinstance(x.type, Arr) and len(x.type.dims) > 1
    if isinstance(index, Lit):
        parts = index.value if isinstance(index.value, tuple) else (index.value,)
        return any(isinstance(p, slice) or p is Ellipsis for p in parts) and all(
            isinstance(p, slice) or p is Ellipsis or type(p) is int for p in parts)
    t: Any = index.type
    elems = getattr(t, "elems", (t,))
    return any(getattr(e, "cls", None) is slice for e in elems) and all(
        getattr(e, "cls", None) is slice or isinstance(e, Num) and e.kind == "int" for e in elems)


def reduction(op: Call) -> Reduction | None:
    """A sum over axes that are known."""
    x: Any = op.args[0] if op.args else None
    if not isinstance(x, Value) or not isinstance(x.type, Arr) or not x.type.dims or len(op.results) != 1:
        return None
    t = op.result.type
    dtype = dtype_of(op.result)
    if dtype not in NUMBERS or dtype == "bool" or x.type.dtype not in NUMBERS:
        return None
    if op.fn in (np.vdot, np.dot, operator.matmul, np.inner) and len(op.args) == 2 and not op.kwargs:
        y = op.args[1]
        fits = isinstance(y, Value) and isinstance(y.type, Arr) and len(y.type.dims) == len(x.type.dims) and all(
            same_dim(d, e) for d, e in zip(x.type.dims, y.type.dims))
        if not fits or op.fn is not np.vdot and len(x.type.dims) != 1:
            return None
        if dtype not in ("float64", "float32") or dtype_of(y) not in NUMBERS:
            return None
        return Reduction(op, [x, y], tuple(range(len(x.type.dims))))
    extremum = _EXTREMA.get(op.fn, "")
    if not extremum and op.fn not in _SUMS or not set(op.kwargs) <= {"axis", "keepdims"} or len(op.args) > 2:
        return None
    if op.fn is np.count_nonzero and x.type.dtype != "bool":
        return None
    axis, keep = op.kwargs.get("axis", op.args[1] if len(op.args) > 1 else Lit(None)), op.kwargs.get("keepdims", Lit(False))
    if not isinstance(axis, Lit) or not isinstance(keep, Lit) or not isinstance(t, (Arr, Num)):
        return None
    n = len(x.type.dims)
    axes = tuple(range(n)) if axis.value is None else tuple(sorted(k % n for k in np.atleast_1d(axis.value).tolist()))
    if any(d.one is None and d.sym is None for d in x.type.dims):
        return None
    mean = op.fn in (np.mean, np.ndarray.mean)
    if mean and dtype not in ("float64", "float32"):
        return None
    if extremum and (dtype not in ("float64", "float32") or x.type.dtype != dtype):
        return None
    return Reduction(op, [x], axes, bool(keep.value), mean, extremum)

"""Reduce a cotangent to the shape and dtype of its primal: un-broadcasting and casts, in one place."""
from __future__ import annotations

import operator
from typing import Any

import numpy as np

from .... import runtime
from ....ir.effects import MAY_RETURN, VIEWS
from ....ir.ops import Call, Lit, Operand, Value
from ....ir.types import UNKNOWN, Arr, DictT, Dim, ListT, Num, RecordT, TupleT, Type, is_box, strip
from ....runtime import unbroadcast
from ...algebra.folding_builder import AlgebraBuilder
from .python_scalars import as_number

__all__ = [
    "ALIASING", "cast", "covers", "entry_type", "fit", "full", "holds_complex", "is_as_large", "is_complex_type", "is_fresh", "narrow",
    "of_dtype", "same_length", "whole", "widened",
]


#: extended precision, which is double precision on some platforms
_WIDE = tuple({np.dtype(np.longdouble).name, np.dtype(np.clongdouble).name} - {"float64", "complex128"})
#: dtypes that numbers of Python's take beside arrays, but arrays made of such numbers do not have
_NARROW = ("float32", "float16", "complex64", *_WIDE)


def dims_of(t: Type) -> tuple[Dim, ...] | None:
    """Dimensions of a number or array; None if they are not known."""
    return t.dims if type(t) is Arr else () if type(t) is Num else None


def same_length(a: Dim, b: Dim) -> bool:
    """Whether two dimensions that broadcast against each other have the same length."""
    if a.one is True or b.one is True:
        return a.one is b.one
    return a.one is False and b.one is False or a.sym is not None and (a.sym, a.off) == (b.sym, b.off)


def is_as_large(a: Any, b: Any) -> bool:
    """Whether an array has the shape of one that it is broadcast to."""
    m, n = (t.dims if isinstance(t, Arr) else () for t in (a, b))
    return len(m) == len(n) and all(map(same_length, m, n))


def covers(g: Type, y: Type) -> bool:
    """Whether a cotangent of type ``g`` has all the dimensions of ``y`` (a lazy one stands for its broadcast)."""
    a, b = dims_of(g), dims_of(strip(y))
    if a is b:
        return True
    return a is not None and b is not None and len(a) == len(b) and all(map(_covers, a, b))


def _covers(g: Dim, y: Dim) -> bool:
    """Whether a dimension of a cotangent is not 1 if that of its value is not; a value without a name is loop-carried, and as
    long."""
    if g.one is not None or y.one is True:
        return g.one is False or y.one is True
    return g.sym is None or y.one is None and y.sym is None or (g.sym, g.off) == (y.sym, y.off)


def full(b: AlgebraBuilder, g: Any, y: Operand) -> Any:
    """A cotangent with all the dimensions of the value it belongs to."""
    if covers(g.type, y.type):
        return g
    if isinstance(g, Lit) and type(g.value) in (int, float) and g.value == 1.0 and isinstance(y.type, Arr):
        return b.call(np.ones_like, y)
    t = strip(y.type)
    dtype = t.dtype if isinstance(t, Arr) else ""
    if isinstance(t, Arr) and (isinstance(g, Lit) or isinstance(g.type, Num)):
        if t.dtype in _NARROW:
            g = b.call(getattr(np, t.dtype), g)     # a number of Python's would make an array of float64
        elif isinstance(g.type, Num):
            dtype = "complex128" if g.type.kind == "complex" else "float64"
    if isinstance(t, Num) or isinstance(t, Arr) and t.scalar:
        # a number is a number, not an array without dimensions that cannot be written to
        dtype = t.dtype if isinstance(t, Arr) else "complex128" if t.kind == "complex" else "float64"
        if dtype in _NARROW and not (isinstance(g.type, Arr) and g.type.dtype == dtype):     # perhaps a number of Python's
            return b.call(getattr(np, dtype), g, type=Arr(dtype, (), True))
        return b.call(operator.getitem, b.call(np.broadcast_to, g, Lit(()), type=Arr(dtype, ())), Lit(()), type=Arr(dtype, (), True))
    if y.type == UNKNOWN:       # perhaps a number
        return b.call(runtime.fit, g, y)
    shape = b.attr(y, "shape") if isinstance(y.type, Arr) else b.call(np.shape, y)
    return b.call(np.broadcast_to, g, shape, type=Arr(g.type.dtype if isinstance(g.type, Arr) else dtype, t.dims)
                  if isinstance(t, Arr) else None)


def whole(b: AlgebraBuilder, g: Any, like: Operand) -> Any:
    """A cotangent with all the dimensions of the value it belongs to; a new array, unless it may have these dimensions already."""
    if covers(g.type, like.type) or not isinstance(like.type, Arr):
        return g
    if g.type == UNKNOWN:       # its precision too is known at run time only
        return b.call(runtime.fit, g, like, type=like.type)
    if isinstance(g, Lit) and g.text is None and type(g.value) in (int, float) and g.value == 1.0:
        return b.call(np.ones_like, like, type=like.type)
    return b.call(np.full_like, like, g, type=like.type)


def fit(b: AlgebraBuilder, g: Any, like: Operand, t: Type, broadcasts: bool) -> Any:
    """``g`` summed over broadcast dimensions and cast to the dtype of ``like`` (of type ``t``)."""
    if broadcasts and not (isinstance(t, ListT) and isinstance(g.type, ListT)):
        have, want = dims_of(g.type), dims_of(t)
        if want is None:
            g = b.call(unbroadcast, g, like)
        elif have is None:
            g = b.call(runtime.fit, g, like, type=t if isinstance(t, Arr) else None)
        else:
            g = _reduce(b, g, like, have, want, t)
    elif isinstance(t, Arr) and t.dtype in _NARROW and g.type == UNKNOWN:      # only running tells whether it is of that precision
        g = b.call(runtime.fit, g, like, type=t)
    held = g.type
    if isinstance(held, Arr):
        if isinstance(t, ListT):        # the cotangent of a list is a list
            if isinstance(t.elem, ListT) and isinstance(t.elem.elem, Num):
                return b.call(np.ndarray.tolist, g, type=t)
            return b.call(list, g, type=t) if isinstance(t.elem, (Num, Arr)) else b.call(runtime.items_like, g, like, type=t)
        if not held.dims and not held.scalar and (isinstance(t, Num) or isinstance(t, Arr) and t.scalar) and not is_fresh(b, g):
            # a number, which ``*=`` makes a new one of: this array is somebody's (or a number already, as a caller may give it)
            g = b.call(operator.getitem, b.call(np.asarray, g, type=held), Lit(()))
    elif isinstance(held, ListT) and isinstance(t, Arr):    # that of an array an array
        narrow: dict[str, Any] = {"dtype": Lit(getattr(np, t.dtype), f"np.{t.dtype}")} if t.dtype in _NARROW else {}
        return b.call(np.array, g, type=t, **narrow)
    return cast(b, g, t)


def _reduce(b: AlgebraBuilder, g: Any, like: Operand, have: tuple[Dim, ...], want: tuple[Dim, ...], t: Type) -> Any:
    extra = len(have) - len(want)
    if not want:
        return _total(b, g) if have else g
    keep = []
    unknown = False
    for k, (h, w) in enumerate(zip(have[max(extra, 0):], want[max(-extra, 0):])):
        if h.one is not True and w.one is not False:
            if w.one is True:
                keep.append(k)
            elif not same_length(h, w):
                unknown = True
    if unknown:
        dtype = g.type.dtype if isinstance(g.type, Arr) else g.type.kind
        return b.call(unbroadcast, g, like, type=Arr(dtype, t.dims, t.scalar) if isinstance(t, Arr) else None)
    made = b.expression(g) if extra > 0 or keep else None
    if made is not None and made.fn is operator.neg and b.retract(made):
        return b.call(operator.neg, _reduce(b, made.args[0], like, have, want, t))
    if extra > 0:
        g = b.call(np.sum, g, axis=0 if extra == 1 else tuple(range(extra)))
    if keep:
        g = b.call(np.sum, g, axis=keep[0] if len(keep) == 1 else tuple(keep), keepdims=True)
    return g


def _total(b: AlgebraBuilder, g: Any) -> Any:
    """The sum of all elements; of a product of two arrays of one shape, as a dot product without a temporary array."""
    made = b.maker.get(g) if isinstance(g, Value) else None
    if isinstance(made, Call) and made.fn is operator.mul:
        x, y = made.args
        if _is_vector(x) and _is_vector(y):
            if len(x.type.dims) == len(y.type.dims) and all(map(same_length, x.type.dims, y.type.dims)) and b.retract(made):
                return b.call(np.vdot, x, y)
        else:
            for c, product in ((x, y), (y, x)):
                if dims_of(c.type) == () and dims_of(product.type) and b.retract(made):
                    return b.call(operator.mul, c, _total(b, product))
    elif isinstance(made, Call) and made.fn is operator.neg and b.retract(made):
        return b.call(operator.neg, _total(b, made.args[0]))
    return b.call(np.sum, g)


def _is_vector(x: Any) -> bool:
    return isinstance(x.type, Arr) and bool(x.type.dims) and x.type.dtype[0] == "f"


def cast(b: AlgebraBuilder, g: Any, t: Type) -> Any:
    """``g`` in the dtype of a value of type ``t``; of a complex one, the real part where ``t`` is real."""
    have = g.type
    if have is t:
        return g
    if isinstance(t, Arr) and isinstance(have, (Arr, Num)):
        dtype = have.dtype if isinstance(have, Arr) else have.kind
        if dtype == t.dtype:
            return g
        if dtype.startswith("complex") and t.dtype.startswith("float"):
            g = b.attr(g, "real") if isinstance(have, Arr) else b.attr(g, "real", Num("float"))
            have, dtype = g.type, "float64"
        if isinstance(have, Arr) and t.dtype in _NARROW and have.dtype != t.dtype:
            scalar_type = getattr(np, t.dtype)
            if have.scalar or not have.dims:
                return b.call(scalar_type, g)
            return b.call(np.ndarray.astype, g, Lit(scalar_type, f"np.{t.dtype}"))
    elif isinstance(t, Num) and t.kind == "float":
        if isinstance(have, Num) and have.kind == "complex" or isinstance(have, Arr) and have.dtype.startswith("complex"):
            g = b.attr(g, "real")
    return as_number(b, g, t)


def widened(b: AlgebraBuilder, g: Any, t: Type) -> Any:
    """An array in the dtype of ``t``, which something of that dtype is written into later."""
    if isinstance(g, Value) and isinstance(g.type, Arr) and g.type.dims and isinstance(t, Arr) and narrower(g.type.dtype, t.dtype):
        return b.call(np.ndarray.astype, g, Lit(getattr(np, t.dtype), f"np.{t.dtype}"))
    return g


def of_dtype(b: AlgebraBuilder, entry: Any, t: Type) -> Any:
    """A cotangent in the dtype of the argument or parameter that it is returned for, whose type is ``t``."""
    have = entry.type
    if is_box(have) and (isinstance(t, Num) or isinstance(t, Arr) and t.scalar):
        entry = b.call(operator.getitem, entry, Lit(()), type=Arr(have.dtype, (), True))
        have = entry.type
    if isinstance(t, Num) and t.kind == "complex" and isinstance(have, (Num, Arr)) and not is_complex_type(have):
        return Lit(complex(entry.value)) if isinstance(entry, Lit) and entry.text is None else b.call(complex, entry)
    if isinstance(t, Num) and isinstance(have, Arr) and not have.dims and have.dtype not in ("float64", "complex128"):
        return b.call(complex if t.kind == "complex" else float, entry)
    if not isinstance(t, Arr) or t.dtype[0] not in "fc" or not isinstance(have, (Num, Arr)):
        return entry
    dtype = have.dtype if isinstance(have, Arr) else "complex128" if have.kind == "complex" else "float64"
    if dtype == t.dtype or not hasattr(np, t.dtype):
        return entry
    if dtype.startswith("complex") and t.dtype.startswith("float"):
        return cast(b, entry, t)
    cls = getattr(np, t.dtype)
    if isinstance(have, Arr) and have.dims:
        return b.call(np.ndarray.astype, entry, Lit(cls, f"np.{t.dtype}"), type=Arr(t.dtype, have.dims))
    return b.call(cls, entry, type=Arr(t.dtype, (), True))


def is_complex_type(t: Type) -> bool:
    """Whether a number or array is complex."""
    return isinstance(t, Num) and t.kind == "complex" or isinstance(t, Arr) and t.dtype.startswith("complex")


def narrow(b: AlgebraBuilder, g: Any, t: Type) -> Any:
    """A Python number that is passed as the cotangent of a single-precision array, in that precision."""
    return of_dtype(b, g, t) if isinstance(g.type, Num) and isinstance(t, Arr) and t.dtype in _NARROW else g


def narrower(dtype: str, other: str) -> bool:
    """Whether an array of ``dtype`` cannot hold all that one of the ``other`` can."""
    return dtype != other and other[0] in "fc" and not np.can_cast(other, dtype)


#: functions whose result may be one of their arguments, or a part of it
ALIASING = frozenset((operator.getitem, *VIEWS, *MAY_RETURN))


def is_fresh(b: AlgebraBuilder, e: Any, since: int | None = None) -> bool:
    """Whether a cotangent is a new array that nothing else refers to, made by one of the operations from number ``since`` on.

    An older one may be the cotangent of something else: ``--g`` is folded to ``g``.
    """
    made = b.maker.get(e) if isinstance(e, Value) else None
    if since is not None and not any(op is made for op in b.block.ops[since:]):
        return False
    return isinstance(made, Call) and made.fn not in ALIASING and getattr(made.fn, "__objclass__", None) is not np.ndarray or (
        isinstance(made, Call) and made.fn is np.ndarray.copy)


def entry_type(container: Type, item: Type) -> Type:
    """The type of the cotangent of an item: among complex numbers, that of a real one is complex until the item is read.

    Where items differ in type, that of a number is only known at run time: code that reads all of them alike may have made it double.
    """
    elem = container.elem if isinstance(container, ListT) else container.value if isinstance(container, DictT) else None
    if elem == UNKNOWN and (isinstance(item, Num) or isinstance(item, Arr) and item.scalar):
        return UNKNOWN
    return Num("complex") if isinstance(item, Num) and holds_complex(container) else item


def holds_complex(container: Type) -> bool:
    """Whether some of the items of a container are complex numbers of Python's."""
    items: tuple[Type | None, ...] = ()
    if isinstance(container, (TupleT, RecordT)):
        items = container.elems
    elif isinstance(container, (ListT, DictT)):
        items = (container.elem if isinstance(container, ListT) else container.value,)
    return any(t is not None and strip(t) == Num("complex") for t in items)

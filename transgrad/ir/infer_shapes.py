"""Result types of the functions whose result depends on numbers in their arguments, or on data: one line each."""
from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..runtime.kinks import divisor
from .infer import broadcast_dims, derived
from .types import ANY, BIG, ONE, Arr, DictT, Dim, ListT, Num, TupleT, Type, join

__all__ = ["JOINS", "SHAPES", "elementwise", "joined"]


def _static(operand: Any) -> bool:
    return hasattr(operand, "value")


def _length(operand: Any) -> Dim:
    """The dimension made by a length given as an operand."""
    if _static(operand):
        return ONE if operand.value == 1 else Dim(False, ("<const>", operand.value)) if operand.value >= 0 else ANY
    t = operand.type
    return t.dim if isinstance(t, Num) and t.dim is not None else Dim(None, id(operand))


def _dims(shape: Any) -> tuple[Dim, ...]:
    """Dimensions of a new array from its shape operand."""
    if _static(shape):
        value = shape.value
        lengths = value if isinstance(value, (tuple, list)) else (value,)
        return tuple(ONE if n == 1 else Dim(False, ("<const>", n)) if n >= 0 else ANY for n in lengths)
    t = shape.type
    if isinstance(t, Num) or (isinstance(t, Arr) and not t.dims):
        return (_length(shape),)
    if isinstance(t, TupleT):
        return tuple(e.dim if isinstance(e, Num) and e.dim is not None else ANY for e in t.elems)
    raise TypeError(shape)


def _dtype(dtype: Any, default: str = "float64") -> str:
    if dtype is None or (_static(dtype) and dtype.value is None):
        return default
    name: str = np.dtype(dtype.value).name
    return name


def _new(shape: Any, dtype: Any = None, **_: Any) -> Type:
    return Arr(_dtype(dtype), _dims(shape))


def _full(shape: Any, fill: Any, dtype: Any = None, **_: Any) -> Type:
    t = fill.type
    return Arr(_dtype(dtype, np.asarray(fill.value).dtype.name if _static(fill) else t.dtype if isinstance(t, Arr)
                      else np.dtype(t.kind).name), _dims(shape))


def _sections(default: int | None) -> Callable[..., Type | None]:
    """The types of the parts that an array is split into, along ``default`` where no axis is given."""
    def found(a: Any, sections: Any, axis: Any = None) -> Type | None:
        at = default if axis is None else axis.value
        if not isinstance(a.type, Arr) or not _static(sections) or at is None:
            return None
        count = sections.value if isinstance(sections.value, int) else len(sections.value) + 1
        dims = list(a.type.dims)
        dims[at] = ANY
        return ListT(Arr(a.type.dtype, tuple(dims)), count)
    return found


def _like(a: Any, dtype: Any = None, shape: Any = None, **_: Any) -> Type | None:
    if shape is not None or not isinstance(a.type, Arr):
        return None
    return Arr(_dtype(dtype, a.type.dtype), a.type.dims)


def _full_like(a: Any, fill: Any, dtype: Any = None, **_: Any) -> Type | None:
    return _like(a, dtype)


def _arange(start: Any, stop: Any = None, step: Any = None, dtype: Any = None) -> Type:
    kinds = [o.type for o in (start, stop, step) if o is not None]
    kind = "int64" if all(isinstance(t, Num) and t.kind == "int" or isinstance(t, Arr) and t.dtype[0] in "iu" for t in kinds) else "float64"
    if stop is not None:
        return Arr(_dtype(dtype, kind), (ANY,))
    if _static(start) and isinstance(start.value, float):
        n = max(math.ceil(start.value), 0)
        return Arr(_dtype(dtype, kind), (Dim(n == 1, ("<const>", n)),))
    return Arr(_dtype(dtype, kind), (_length(start),))


def _linspace(start: Any, stop: Any, num: Any = None, **kwargs: Any) -> Type | None:
    if kwargs or start.type is None or not all(isinstance(o.type, (Num, Arr)) and not getattr(o.type, "dims", ()) for o in (start, stop)):
        return None
    return Arr("float64", (_length(num) if num is not None else BIG,))


def _eye(n: Any, m: Any = None, dtype: Any = None, **_: Any) -> Type:
    return Arr(_dtype(dtype), (_length(n), _length(m) if m is not None else _length(n)))


def _reshape(a: Any, *shape: Any, **kwargs: Any) -> Type | None:
    t = a.type
    if not isinstance(t, Arr) or set(kwargs) - {"order"}:
        return None
    dims = _dims(shape[0]) if len(shape) == 1 else tuple(d for s in shape for d in _dims(s))
    if len(dims) == 1 and dims[0].one is None and len(t.dims) == 1:
        dims = t.dims       # reshape(-1) of a vector
    return Arr(t.dtype, dims)


def _broadcast_to(a: Any, shape: Any, **_: Any) -> Type:
    return Arr(a.type.dtype if isinstance(a.type, Arr) else "float64", _dims(shape))


def _ravel(a: Any, *_: Any, **__: Any) -> Type | None:
    t = a.type
    return Arr(t.dtype, t.dims if len(t.dims) == 1 else (ANY,)) if isinstance(t, Arr) else None


def _copied(a: Any, *_: Any, **__: Any) -> Type | None:
    """Of a number, an array without dimensions."""
    t = a.type
    return (Arr(t.dtype, ()) if t.scalar else t) if isinstance(t, Arr) else None


def _sequence(a: Any, dtype: Any = None, **kwargs: Any) -> Type | None:
    """np.array, np.asarray."""
    t = a.type
    if isinstance(t, Arr) and not kwargs:
        return Arr(_dtype(dtype, t.dtype), t.dims)
    if isinstance(t, Num) and not kwargs:
        return Arr(_dtype(dtype, np.dtype(t.kind).name), ())
    if kwargs.keys() - {"copy", "order"}:       # ndmin adds dimensions
        return None
    if isinstance(t, ListT) and t.length == 0:
        return Arr(_dtype(dtype, "float64"), (Dim(False, ("<const>", 0)),))
    if isinstance(t, ListT) and t.elem is not None and not _static(a):
        inner = _sequence_elem(t.elem)
        return Arr(_dtype(dtype, inner.dtype), (_listed(t), *inner.dims)) if inner else None
    return None


def _sequence_elem(t: Type) -> Arr | None:
    if isinstance(t, Num):
        return Arr(np.dtype(t.kind).name)
    if isinstance(t, Arr):
        return t
    if isinstance(t, TupleT) and t.elems:
        inner = [_sequence_elem(e) for e in t.elems]
        if any(i is None for i in inner):
            return None
        first = inner[0]
        assert first is not None
        dtype = np.result_type(*(i.dtype for i in inner if i)).name
        return Arr(dtype, (Dim(len(inner) == 1, ("<const>", len(inner))), *first.dims))
    if isinstance(t, ListT) and t.elem is not None:
        e = _sequence_elem(t.elem)
        return e and Arr(e.dtype, (_listed(t), *e.dims))
    return None


def _listed(t: ListT) -> Dim:
    return ANY if t.length is None else Dim(t.length == 1, ("<const>", t.length))


def _getitem(a: Any, index: Any) -> Type | None:
    t = a.type
    if isinstance(t, ListT):
        return (ListT(t.elem) if _is_slice(index) else t.elem) if t.elem is not None else None
    if isinstance(t, TupleT):
        if _static(index) and isinstance(index.value, int):
            return t.elems[index.value]
        out = None
        for e in t.elems:
            out = join(out, e)
        return out if not _is_slice(index) else None
    if isinstance(t, DictT):
        return t.value
    if not isinstance(t, Arr):
        return None
    parts = _parts(index)
    if t.scalar and not any(isinstance(p, tuple) and p[0] == "mask" for p in parts):
        return None
    dims: list[Dim] = []
    used = sum(1 for p in parts if p not in ("new", "ellipsis"))
    used += sum(p[1] - 1 for p in parts if isinstance(p, tuple) and p[0] == "mask")
    rest = list(t.dims)
    fancy: list[tuple[Dim, ...]] = []
    fancy_at: int | None = None
    if "ellipsis" not in parts:
        parts = [*parts, "ellipsis"]
    for p in parts:
        if p == "new":
            dims.append(ONE)
        elif p == "ellipsis":
            n = len(t.dims) - used
            dims += rest[:n]
            rest = rest[n:]
        elif p == "int":
            rest.pop(0)
        elif isinstance(p, tuple) and p[0] == "mask":
            rest = rest[p[1]:]
            fancy.append((ANY,))
            fancy_at = len(dims) if fancy_at is None else fancy_at
        elif isinstance(p, tuple) and p[0] == "fancy":
            rest.pop(0)
            fancy.append(p[1])
            fancy_at = len(dims) if fancy_at is None else fancy_at
        else:
            dims.append(_sliced(rest.pop(0), p))
    if fancy and fancy_at is not None:
        if len(fancy) > 1 and len(parts) > len(fancy) + 1:
            # arrays apart from each other put their dimensions first; let NumPy's rule be applied at run time
            return Arr(t.dtype, (ANY,) * (len(dims) + len(broadcast_dims(fancy))))
        dims[fancy_at:fancy_at] = broadcast_dims(fancy)
    return Arr(t.dtype, tuple(dims), scalar=not dims and not fancy and "ellipsis" not in _parts(index))


def _is_slice(index: Any) -> bool:
    return isinstance(index.value, slice) if _static(index) else getattr(index.type, "cls", None) is slice


def _parts(index: Any) -> list[Any]:
    if _static(index):
        value = index.value
        return [_part(v) for v in (value if isinstance(value, tuple) else (value,))]
    t = index.type
    return [_part_type(e) for e in t.elems] if isinstance(t, TupleT) else [_part_type(t)]


def _part(v: Any) -> Any:
    if v is None:
        return "new"
    if v is Ellipsis:
        return "ellipsis"
    if isinstance(v, slice):
        return v
    if isinstance(v, (bool, np.bool_)):
        raise TypeError(v)
    if isinstance(v, (int, np.integer)):
        return "int"
    from .infer import type_of
    return _part_type(type_of(np.asarray(v)))


def _part_type(t: Type) -> Any:
    if isinstance(t, Num):
        return ("mask", 0) if t.kind == "bool" else "int"
    if isinstance(t, Arr):
        if t.dtype == "bool":
            return "mask", len(t.dims)
        return "int" if not t.dims else ("fancy", t.dims)
    if isinstance(t, ListT):
        return _row(t.elem)
    if isinstance(t, TupleT) and t.elems:       # in a list
        if t.elems.count(t.elems[0]) == len(t.elems):
            return _row(t.elems[0])
        if all(isinstance(e, Num) for e in t.elems):
            return "fancy", (ANY,)
    cls = getattr(t, "cls", None)
    if cls is slice:
        return slice(..., ..., ...)
    if cls is type(None):
        return "new"
    if cls is type(Ellipsis):
        return "ellipsis"
    raise TypeError(t)


def _row(t: Type | None) -> Any:
    """The type of a list of objects of one type as an index."""
    if t == Num("bool"):
        return "mask", 1
    inner = _part_type(t) if t is not None else "int"
    if inner == "int":
        return "fancy", (ANY,)
    if isinstance(inner, tuple):
        return ("mask", inner[1] + 1) if inner[0] == "mask" else ("fancy", (ANY, *inner[1]))
    raise TypeError(t)


def _sliced(dim: Dim, s: slice) -> Dim:
    """The dimension left by a slice."""
    start, stop, step = s.start, s.stop, s.step
    if start is None and stop is None and step in (None, -1, 1):
        return dim
    if dim.known is not None and all(x is None or type(x) is int for x in (start, stop, step)) and step != 0:
        n = len(range(dim.known)[s])
        return ONE if n == 1 else Dim(False, ("<const>", n))
    if step not in (None, 1) or start is Ellipsis or dim.one is not False and dim.one is not None:
        return ANY
    start = start or 0
    if not isinstance(start, (int, np.integer)) or not (stop is None or isinstance(stop, (int, np.integer))):
        return ANY
    if start >= 0 and (stop is None or stop < 0):
        return derived(dim, -(int(start) - int(stop or 0)))
    if start < 0 and stop is None:
        return ANY if start != -1 else ANY
    return ANY


def _len(a: Any) -> Type:
    t = a.type
    if isinstance(t, Arr) and t.dims:
        return Num("int", t.dims[0])
    return Num("int")


def _data_dependent(result: Callable[[Any], Type]) -> Callable[..., Type]:
    return lambda a, *_, **__: result(a.type)


def _same(a: Any, *_: Any, **__: Any) -> Type | None:
    t: Type | None = a.type
    return t


def _add(a: Any, b: Any) -> Type | None:
    if isinstance(a.type, ListT) and isinstance(b.type, ListT):
        return ListT(join(a.type.elem, b.type.elem) if a.type.elem or b.type.elem else None)
    return _sum(a, b)


def _mul(a: Any, b: Any) -> Type | None:
    """``[x] * n``, with items of any type, and products of numbers."""
    if ListT in (type(a.type), type(b.type)):
        many, times = (a.type, b.type) if isinstance(a.type, ListT) else (b.type, a.type)
        if isinstance(times, Num) and times.kind in ("int", "bool"):
            return ListT(many.elem)
    return _product(a, b)


def elementwise(fn: Callable[..., Any]) -> Callable[..., Type | None]:
    """Broadcasting functions: the dtype from the scalars' result, the dimensions by broadcasting."""
    dtypes: dict[Any, str | None] = {}
    of_numbers: dict[Any, Type] = {}

    def infer_elementwise(*args: Any, **kwargs: Any) -> Type | None:
        if kwargs:
            return None
        key: list[Any] = []
        shapes: list[tuple[Dim, ...]] = []
        first: Any = None
        for a in args:
            t = a.type
            if type(t) is Arr:
                key.append((t.dtype, t.scalar, not t.dims))
                if t.dims:
                    shapes.append(t.dims)
                    if first is None:
                        first = t
            elif type(t) is Num:
                key.append((type(a.value), a.value) if _static(a) else (t.kind, t.dim))
            else:
                return None
        known = tuple(key)
        if first is None:
            if isinstance(fn, np.ufunc):
                return None     # which looks at the values of literals
            found = of_numbers.get(known)
            if found is None:
                if len(of_numbers) > _KEPT:
                    of_numbers.clear()
                found = of_numbers[known] = _of_numbers(fn, args)
            return found
        if known not in dtypes:
            if len(dtypes) > _KEPT:
                dtypes.clear()
            dtypes[known] = _elementwise_dtype(fn, args)
        dtype = dtypes[known]
        if dtype is None:
            return None
        dims = broadcast_dims(shapes)
        return first if first.dims is dims and first.dtype == dtype else Arr(dtype, dims)
    return infer_elementwise


#: how many combinations of dtypes and numbers are remembered for one function
_KEPT = 2000


def _of_numbers(fn: Callable[..., Any], args: Sequence[Any]) -> Type:
    from .infer import _infer_cached, _spec
    return _infer_cached(fn, tuple(map(_spec, args)), ())


def _elementwise_dtype(fn: Callable[..., Any], args: Sequence[Any]) -> str | None:
    from .infer import _infer_cached, _Static
    spec = tuple(Arr(a.type.dtype, (ONE,) * min(1, len(a.type.dims)), a.type.scalar) if isinstance(a.type, Arr)
                 else _Static(a.value) if _static(a) else a.type for a in args)
    out = _infer_cached(fn, spec, ())
    return out.dtype if isinstance(out, Arr) else None


_sum, _product = elementwise(operator.add), elementwise(operator.mul)


def _inplace(a: Any, *_: Any) -> Type | None:
    return a.type if isinstance(a.type, (ListT,)) or isinstance(a.type, Arr) and not a.type.scalar else None


def _pad(a: Any, pad_width: Any, *_: Any, **__: Any) -> Type | None:
    """By widths that are not known at compile time, to any lengths."""
    return Arr(a.type.dtype, (ANY,) * len(a.type.dims)) if isinstance(a.type, Arr) and not _static(pad_width) else None


def joined(found: Type, parts: Any, axis: Any = None, *_: Any, **__: Any) -> Type:
    """The type of arrays joined along an axis, where that of stand-ins says nothing of the length: none is 1, so the sum is not, either."""
    at = 0 if axis is None else axis.value if _static(axis) else None
    t = getattr(parts, "type", None)
    types: Any = [t.elem] if isinstance(t, ListT) else t.elems if isinstance(t, TupleT) else []
    if not isinstance(found, Arr) or type(at) is not int or not -len(found.dims) <= at < len(found.dims) or found.dims[at] != ANY:
        return found
    if not types or not all(isinstance(e, Arr) and len(e.dims) == len(found.dims) and e.dims[at].one is False for e in types):
        return found
    return Arr(found.dtype, tuple(BIG if k == at % len(found.dims) else d for k, d in enumerate(found.dims)))


def _shaped_like(fn: Callable[..., Any], place: int) -> Callable[..., Type | None]:
    """A function of a square matrix, for which stand-ins of different lengths do not exist: it returns an array of an operand's shape."""
    def infer_like(*args: Any, **kwargs: Any) -> Type | None:
        from .infer import _infer_cached, _spec
        if not all(isinstance(a.type, Arr) for a in args) or len(args[0].type.dims) != 2:
            return None
        found = _infer_cached(fn, tuple(map(_spec, args)), tuple((k, _spec(v)) for k, v in kwargs.items()))
        dims = args[place].type.dims
        return Arr(found.dtype, dims) if isinstance(found, Arr) and len(found.dims) == len(dims) else None
    return infer_like


#: what joins arrays along an axis
JOINS: frozenset[Any] = frozenset((np.concatenate, getattr(np, "concat", np.concatenate)))
SHAPES: dict[Any, Callable[..., Type | None]] = {
    np.pad: _pad,
    np.zeros: _new, np.ones: _new, np.empty: _new, np.full: _full,
    np.zeros_like: _like, np.ones_like: _like, np.empty_like: _like, np.full_like: _full_like,
    np.arange: _arange, np.linspace: _linspace, np.eye: _eye, np.identity: _eye,
    np.reshape: _reshape, np.ndarray.reshape: _reshape, np.broadcast_to: _broadcast_to,
    np.ravel: _ravel, np.ndarray.ravel: _ravel, np.ndarray.flatten: _ravel,
    np.array: _sequence, np.asarray: _sequence,
    np.ndarray.copy: lambda a, *_, **__: a.type, np.copy: _copied,
    operator.getitem: _getitem, len: _len,
    np.flatnonzero: _data_dependent(lambda _: Arr("int64", (ANY,))),
    np.nonzero: _data_dependent(lambda t: TupleT(tuple(Arr("int64", (ANY,)) for _ in t.dims))),
    operator.iadd: _inplace, operator.isub: _inplace, operator.imul: _inplace, operator.itruediv: _inplace,
    operator.ipow: _inplace, operator.imatmul: _inplace, operator.ifloordiv: _inplace, operator.imod: _inplace,
}
SHAPES[np.linalg.solve] = _shaped_like(np.linalg.solve, 1)
SHAPES[np.linalg.inv], SHAPES[np.linalg.cholesky] = _shaped_like(np.linalg.inv, 0), _shaped_like(np.linalg.cholesky, 0)
for _fn in (operator.sub, operator.truediv, operator.pow, operator.mod, operator.floordiv, operator.neg,
            operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne, operator.and_, operator.or_, operator.xor):
    SHAPES[_fn] = elementwise(_fn)
SHAPES[operator.add], SHAPES[operator.mul] = _add, _mul
SHAPES[divisor] = elementwise(operator.neg)
for _fn in vars(np).values():
    if isinstance(_fn, np.ufunc) and _fn.signature is None and _fn.nout == 1:
        SHAPES.setdefault(_fn, elementwise(_fn))
from .infer_calls import CALLS  # noqa: E402  uses the definitions above

SHAPES[np.array_split] = _sections(0)
SHAPES.update(CALLS)

"""Writes IR by running Python: inside ``with Builder(block)``, operators and NumPy functions applied to Values append
operations to the block.

Rules and passes are written as plain NumPy mathematics this way: ``-q * y`` or ``np.cos(x) * g``.
"""
from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np

from ..services import on_python_numbers, scalar_form
from .infer import infer
from .ops import Block, Build, Call, GetAttr, Lit, Loc, Op, Operand, SetAttr, Value
from .prims import unpack
from .types import UNKNOWN, Arr, DictT, Dim, ListT, Num, Obj, RecordT, TupleT, Type, join, strip

__all__ = ["Builder", "current", "lift", "tell_apart"]

_STACK: list["Builder"] = []


def current() -> "Builder":
    """The builder that Values write to."""
    if not _STACK:
        raise RuntimeError("an operation on an IR value outside a Builder")
    return _STACK[-1]


def lift(x: Any) -> Any:
    """``x`` as an operand: values stay, displays are built, anything else is a literal."""
    if type(x) is Value or type(x) is Lit:
        return x
    if isinstance(x, (tuple, list)):
        if not _has_value(x):
            return Lit(type(x)(v.value if isinstance(v, Lit) else v for v in x))
        rows = [current().build("list", v) if isinstance(v, list) else v for v in x]    # of numbers alone, too: how many there are counts
        return current().build("tuple" if isinstance(x, tuple) else "list", rows)
    if isinstance(x, slice) and _has_value(x):
        return current().build("slice", [x.start, x.stop, x.step])
    return Lit(x)


def _has_value(v: Any) -> bool:
    if isinstance(v, slice):
        return any(isinstance(p, Value) for p in (v.start, v.stop, v.step))
    return isinstance(v, Value) or isinstance(v, (tuple, list)) and any(map(_has_value, v))


class Builder:
    """Appends operations to a block; ``part`` and ``loc`` are stamped on each."""

    def __init__(self, block: Block, part: str = "primal", loc: Loc | None = None):
        self.block = block
        self.part = part
        self.loc = loc
        #: the blocks that were written to when the current one was entered
        self.enclosing: list[Block] = []

    def __enter__(self) -> Self:
        _STACK.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        _STACK.pop()

    def inside(self, block: Block) -> _Inside:
        """Write to another block for a while."""
        return _Inside(self, block)

    def emit(self, op: Op) -> Op:
        """Append an operation made elsewhere."""
        op.part = self.part
        if op.loc is None:
            op.loc = self.loc
        self.block.ops.append(op)
        return op

    def call(self, fn: Callable[..., Any], *args: Any, name: str | None = None, type: Type | None = None,
             spelling: str | None = None, **kwargs: Any) -> Any:
        """Append a call and return its result: a Value, or a tuple of Values where ``fn`` returns a tuple."""
        return self.append(fn, [lift(x) for x in args], {n: lift(v) for n, v in kwargs.items()}, name, type, spelling)

    def append(self, fn: Callable[..., Any], a: list[Any], k: dict[str, Any], name: str | None = None, t: Type | None = None,
               spelling: str | None = None) -> Any:
        """Append a call of operands."""
        t = infer(fn, a, k) if t is None else t
        varied = any(map(_varied, a)) or bool(k) and any(map(_varied, k.values()))
        if not isinstance(t, TupleT) or len(t.elems) < 2 and fn is not unpack:        # a tuple of one stays a tuple
            result = Value(tell_apart(t), name, varied)
            self.emit(Call(fn, a, k, spelling, results=[result]))
            return result
        results = [Value(tell_apart(e), name, varied) for e in t.elems]
        self.emit(Call(fn, a, k, spelling, results=results))
        return tuple(results) if t.cls in (None, list) else t.cls(*results)

    def build(self, kind: str, items: Sequence[Any], cls: type | None = None, name: str | None = None) -> Operand:
        """Append a display, or returns a literal where all its items are."""
        ops = [lift(x) for x in items]
        if kind in ("tuple", "slice") and cls is None and all(isinstance(o, Lit) and o.text is None for o in ops):
            values = [o.value for o in ops]
            return Lit(tuple(values) if kind == "tuple" else slice(*values))
        types = [o.type for o in ops]
        t: Type = UNKNOWN
        if kind in ("tuple", "namedtuple"):
            # a length among the items is kept in the type: the tuple may be a shape
            t = TupleT(tuple(Num("int", Dim(o.value == 1, ("<const>", o.value))) if isinstance(o, Lit) and type(o.value) is int else o.type
                             for o in ops), cls)
        elif kind == "list":
            t = ListT(_join_all(types), len(types))
        elif kind == "dict":
            keys, values = ops[::2], types[1::2]
            t = DictT(_join_all(types[::2]), _join_all(values))
            if t.value == UNKNOWN and all(isinstance(k, Lit) for k in keys):
                t = RecordT(tuple(k.value for k in keys if isinstance(k, Lit)), tuple(values))
        elif kind == "slice":
            t = Obj(slice)
        result = Value(t, name, any(map(_varied, ops)))
        self.emit(Build(kind, ops, cls, results=[result]))
        return result

    def attr(self, obj: Any, name: str, type: Type | None = None) -> Any:
        """Append ``obj.name``."""
        obj = lift(obj)
        if name == "shape" and type is None and obj.type == UNKNOWN:       # perhaps a number of Python's, which has no such attribute
            return self.call(np.shape, obj)
        result = Value(attr_type(obj.type, name) if type is None else type, None, obj.varied and name not in _STRUCTURE)
        self.emit(GetAttr(obj, name, results=[result]))
        return result

    def set_attr(self, obj: Any, name: str, value: Any) -> None:
        """Append ``obj.name = value``."""
        self.emit(SetAttr(lift(obj), name, lift(value)))


class _Inside:
    """The context in which a builder writes to another block."""

    __slots__ = ("block", "builder", "outer")

    def __init__(self, builder: Builder, block: Block):
        self.builder, self.block = builder, block

    def __enter__(self) -> Block:
        self.outer, self.builder.block = self.builder.block, self.block
        self.builder.enclosing.append(self.outer)
        return self.block

    def __exit__(self, *_: object) -> None:
        self.builder.block = self.outer
        self.builder.enclosing.pop()


def _join_all(types: Sequence[Type]) -> Type | None:
    found: Type | None = None
    for t in types:
        found = t if found is None else join(found, t)
    return found


_COUNT = itertools.count()
_varied = operator.attrgetter("varied")


def tell_apart(t: Type) -> Type:
    """Gives unknown lengths names of their own, so that results with the same shape are known to have it."""
    if type(t) is Arr:
        for dim in t.dims:
            if dim.one is None and dim.sym is None:
                return Arr(t.dtype, tuple(Dim(None, ("<fresh>", next(_COUNT))) if _is_nameless(d) else d for d in t.dims), t.scalar)
    return t


def _is_nameless(d: Dim) -> bool:
    return d.one is None and d.sym is None


_STRUCTURE = frozenset(("shape", "ndim", "dtype", "size", "nbytes", "itemsize", "strides"))


def attr_type(t: Type, name: str) -> Type:
    """Type of an attribute of a number or array; UNKNOWN for other objects."""
    t = strip(t)
    if isinstance(t, Arr):
        if name == "T":
            return Arr(t.dtype, t.dims[::-1], t.scalar)
        if name == "mT":
            return Arr(t.dtype, (*t.dims[:-2], *t.dims[:-3:-1]))
        if name in ("real", "imag"):
            return Arr({"complex128": "float64", "complex64": "float32"}.get(t.dtype, t.dtype), t.dims, t.scalar)
        if name == "shape":
            return TupleT(tuple(Num("int", d) for d in t.dims))
        if name in ("ndim", "size"):
            return Num("int", t.dims[0] if name == "size" and len(t.dims) == 1 else None)
        if name == "flat":
            return Arr(t.dtype, (Dim(None),))
    if isinstance(t, Num) and name in ("real", "imag"):
        return Num("float" if t.kind == "complex" else t.kind)
    return UNKNOWN


def _binary(fn: Callable[..., Any], swap: bool = False) -> Callable[[Any, Any], Any]:
    if swap:
        return lambda self, other: current().call(fn, other, self)
    return lambda self, other: current().call(fn, self, other)


def _unary(fn: Callable[..., Any]) -> Callable[[Any], Any]:
    return lambda self: current().call(fn, self)


def _invert(self: Any) -> Any:
    """``~x``: of a truth value, which may be Python's or NumPy's, its negation."""
    t = self.type
    truth = t == Num("bool") or isinstance(t, Arr) and t.scalar and t.dtype == "bool"
    return current().call(operator.not_ if truth else operator.invert, self)


def _attribute(name: str) -> Callable[[Any], Any]:
    def read(self: Any) -> Any:
        if isinstance(self.type, Num) and name in _OF_NUMBERS:
            return _OF_NUMBERS[name](self)
        return current().attr(self, name)
    return read


#: The attributes that NumPy's scalars have and Python numbers lack.
_OF_NUMBERS: dict[str, Callable[[Any], Any]] = {"shape": lambda x: (), "size": lambda x: 1, "T": lambda x: x, "mT": lambda x: x}


def _overload(cls: Any) -> None:
    """Gives IR values, and literals that stand for arrays, the operators of numbers and NumPy's protocols."""
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul"):
        fn = getattr(operator, name)
        setattr(cls, f"__{name}__", _binary(fn))
        setattr(cls, f"__r{name}__", _binary(fn, swap=True))
    for name in ("lt", "le", "gt", "ge", "and_", "or_", "xor"):
        setattr(cls, f"__{name.rstrip('_')}__", _binary(getattr(operator, name)))
    for name in ("and_", "or_", "xor"):
        setattr(cls, f"__r{name.strip('_')}__", _binary(getattr(operator, name), swap=True))
    for name in ("neg", "pos", "abs"):
        setattr(cls, f"__{name}__", _unary(getattr(operator, name)))
    cls.__invert__ = _invert
    cls.__getitem__ = lambda self, index: current().call(operator.getitem, self, index)
    cls.__bool__ = _no_truth
    cls.__array_ufunc__ = _array_ufunc
    cls.__array_function__ = _array_function
    cls.__iter__ = None     # or Python would iterate by subscripts, without end
    for name in ("T", "mT", "real", "imag", "shape", "size"):
        setattr(cls, name, property(_attribute(name)))
    cls.ndim = property(lambda self: 0 if isinstance(self.type, Num) else len(self.type.dims))
    cls.dtype = property(lambda self: np.dtype(self.type.dtype if isinstance(self.type, Arr) else self.type.kind))


def _no_truth(self: Any) -> bool:
    raise TypeError("the truth of an IR value is not known when compiling")


def _array_ufunc(self: Value, ufunc: Any, method: str, *args: Any, **kwargs: Any) -> Any:
    fn = ufunc if method == "__call__" else getattr(ufunc, method)
    return _applied(fn, args, kwargs)


def _array_function(self: Value, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
    return _applied(func, args, kwargs)


def _applied(fn: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """A NumPy function applied to values; on Python numbers alone, the expression or math function that does the same."""
    if not kwargs:
        found = on_python_numbers(fn, args)
        if found is not NotImplemented:
            return found
        fn = scalar_form(fn, [lift(a).type if isinstance(a, (Value, Lit, int, float, complex)) else UNKNOWN for a in args])
    return current().call(fn, *args, **kwargs)


for _cls in (Value, Lit):
    _overload(_cls)

"""Libraries that follow the Python array API standard: PyTorch (by array-api-compat), array-api-strict and others."""
from __future__ import annotations

import ast
import operator
import types
from typing import TYPE_CHECKING, Any

import numpy as np

from ...ir.ops import Build, Call, GetAttr, Lit, Operand, Star, Value
from ...ir.types import Arr, ListT, Num, TupleT, ndim_of
from ..operators import BINARY
from .dialect import Dialect, attribute, dotted_name, is_none
from .signatures import ELEMENTWISE, SPECS, bound_arguments, standard_name

if TYPE_CHECKING:
    from ..expressions import Expressions

__all__ = ["Standard"]

_LOAD = ast.Load()
#: Kinds of dtypes; the standard promotes within a rank only.
_RANKS = {"b": 0, "i": 1, "u": 1, "f": 2, "c": 2}
_ARITHMETIC = frozenset((operator.add, operator.sub, operator.mul, operator.truediv, operator.pow))
#: Functions beyond the standard that a library has with NumPy's signature.
_EXTRAS: dict[str, frozenset[str]] = {"torch": frozenset(("einsum", "fmax", "fmin", "logaddexp2", "exp2", "sinc", "kron"))}
_UNARY = frozenset(name for name in ELEMENTWISE if name not in (
    "add", "atan2", "bitwise_and", "bitwise_or", "bitwise_xor", "copysign", "divide", "equal", "floor_divide", "greater", "greater_equal",
    "hypot", "less", "less_equal", "logaddexp", "logical_and", "logical_or", "logical_xor", "maximum", "minimum", "multiply", "nextafter",
    "not_equal", "pow", "remainder", "subtract", "where"))


class Standard(Dialect):
    """Source that uses only the functions of the standard."""

    # -- functions

    def call(self, e: Expressions, op: Call) -> ast.expr | None:
        """A call in the library's terms; None if Python's operators say it."""
        if op.fn is len and isinstance(op.args[0].type, Arr):
            return ast.Subscript(attribute(e.operand(op.args[0]), "shape"), ast.Constant(0), _LOAD)
        if op.fn in _ARITHMETIC and len(op.args) == 2 and not op.kwargs and self.promotes(op):
            left, right = (self.promoted(e, a, op) for a in op.args)
            return ast.BinOp(left, BINARY[op.fn](), right)
        return super().call(e, op)

    @staticmethod
    def promotes(op: Call) -> bool:
        """Whether an operand is an array of another kind than the result, which the standard does not promote."""
        r = op.result.type if op.results else None
        return isinstance(r, Arr) and any(isinstance(a.type, Arr) and _RANKS[a.type.dtype[0]] < _RANKS[r.dtype[0]] for a in op.args)

    def promoted(self, e: Expressions, a: Operand, op: Call) -> ast.expr:
        """An operand in the dtype of the result, if it is an array of another kind."""
        r = op.result.type
        if isinstance(a.type, Arr) and isinstance(r, Arr) and _RANKS[a.type.dtype[0]] < _RANKS[r.dtype[0]]:
            return self.astype(e, a, attribute(self.root(e.names), r.dtype), op)
        return e.operand(a)

    def numpy_call(self, e: Expressions, op: Call) -> ast.expr:
        """A call of a function or a method of NumPy's."""
        self.check_options(op)
        fn, args = op.fn, list(op.args)
        if isinstance(fn, (types.MethodDescriptorType, types.WrapperDescriptorType)):
            return self.method(e, op, fn.__name__)
        made = self.special(e, op, fn, args)
        if made is not None:
            return made
        name = standard_name(fn)
        if name is None:
            own = dotted_name(e.names, fn) or str(getattr(fn, "__name__", fn))
            if own in _EXTRAS.get(self.library.name, ()):
                return ast.Call(self.function(e, own, op), e.arguments(args), e.keywords(op.kwargs))
            return self.refuse(op, f"{own}()", "is not part of the Python array API standard and is not available")  # type: ignore[no-any-return]
        return self.by_name(e, op, name, fn, args, op.kwargs)

    def method(self, e: Expressions, op: Call, name: str) -> ast.expr:
        """A method of an array, as the function of the same name."""
        args = list(op.args)
        x, rest = args[0], args[1:]
        match name:
            case "copy":
                return self.copy(e, op, x)
            case "astype":
                dtype = self.literal(rest[0], e.names) or e.operand(rest[0])
                return self.astype(e, x, dtype, op)
            case "reshape" | "transpose" if len(rest) > 1 or rest and isinstance(rest[0].type, Num):
                shape = ast.Tuple(e.arguments(rest), _LOAD)
                return ast.Call(self.function(e, "reshape" if name == "reshape" else "permute_dims", op), [e.operand(x), shape], [])
            case "flatten":
                return self.ravel(e, op, x)
            case "item" | "tolist" | "__array_namespace__":
                return ast.Call(attribute(e.operand(x), name), e.arguments(rest), e.keywords(op.kwargs))
        fn: Any = getattr(np, {"conj": "conjugate"}.get(name, name), None)
        if fn is None:
            return self.refuse(op, f"{name}()")  # type: ignore[no-any-return]
        made = self.special(e, op, fn, args)
        if made is not None:
            return made
        known = standard_name(fn)
        if known is None:
            return self.refuse(op, f"{name}()", "is not part of the Python array API standard and is not available")  # type: ignore[no-any-return]
        return self.by_name(e, op, known, fn, args, op.kwargs)

    def by_name(self, e: Expressions, op: Call, name: str, fn: Any, args: list[Any], kwargs: dict[str, Any]) -> ast.expr:
        """A call of a function of the standard."""
        spec = SPECS.get(name)
        callee = self.function(e, name, op)
        if spec is None:
            if kwargs:
                self.refuse(op, f"{name}({', '.join(f'{k}=…' for k in kwargs)})")
            items = [self.as_array(e, a, op) if name in _UNARY and isinstance(getattr(a, "type", None), Num) else e.arguments([a])[0]
                     for a in args]
            return ast.Call(callee, items, [])
        bound = bound_arguments(name, fn, args, kwargs)
        if bound is None:
            return self.refuse(op, f"{name}() with these arguments")  # type: ignore[no-any-return]
        if name in ("sort", "argsort"):     # the standard's are stable, which every kind of NumPy's may be
            bound.pop("kind", None)
        positional: list[ast.expr] = []
        keywords: list[ast.keyword] = []
        for entry in spec.split():
            own, sep, given = entry.partition("=")
            key = given if sep else own
            if key not in bound:
                continue
            o = bound.pop(key)
            if sep:
                if isinstance(o, Lit) and o.value is None or key == "keepdims" and not isinstance(o, (Value, Lit)):
                    continue
                value = self.dtype_or(e, o)
                keywords.append(ast.keyword(own or given, value))
            else:
                positional.append(self.as_array(e, o, op) if not positional and name in _OF_ARRAYS and isinstance(o.type, Num)
                                  else e.operand(o))
        left = {k for k, v in bound.items() if not (isinstance(v, Lit) and (v.value is None or v.value is False))}
        if left:
            self.refuse(op, f"{name}({', '.join(f'{k}=…' for k in sorted(left))})")
        return ast.Call(callee, positional, [*keywords, *self.placed(e, op, name, {k.arg for k in keywords})])

    def placed(self, e: Expressions, op: Any, name: str, given: set[str | None]) -> list[ast.keyword]:
        """The dtype and the device of a new array that is made of numbers."""
        if name not in _CREATING:
            return []
        made: list[ast.keyword] = []
        t = op.result.type if op.results else None
        if "dtype" not in given and isinstance(t, Arr) and not op.written and t.dtype[0] in "fc":
            made.append(ast.keyword("dtype", attribute(self.root(e.names), t.dtype)))
        return [*made, *self.device(e)]

    def dtype_or(self, e: Expressions, o: Operand) -> ast.expr:
        """A keyword's value."""
        return e.operand(o)

    # -- functions with another meaning, or none, in the standard

    def special(self, e: Expressions, op: Call, fn: Any, args: list[Any]) -> ast.expr | None:
        """Functions of NumPy that are written with several of the standard."""
        name = getattr(fn, "__name__", "")
        x = args[0] if args and not isinstance(args[0], Star) else None
        ndim = ndim_of(x.type) if x is not None else None
        match name:
            case "ravel":
                return self.ravel(e, op, x)
            case "copy":
                return self.copy(e, op, x)
            case "transpose" | "permute_dims" if len(args) == 1 and not op.kwargs:
                return self.transposed(e, op, x)
            case "swapaxes":
                return self.swapped(e, op, args, ndim)
            case "dot" | "inner" | "vdot":
                return self.product(e, op, args)
            case "array" | "asarray" | "asanyarray" if x is not None and _holds_arrays(x):
                return self.stacked(e, op, x)
            case "identity":
                return self.by_name(e, op, "eye", np.eye, args, op.kwargs)
            case "where" if len(args) == 3 and isinstance(args[0].type, Num) and not all(isinstance(a.type, Num) for a in args[1:]):
                condition = ast.Call(self.function(e, "asarray", op), [e.operand(args[0])], self.device(e))
                return ast.Call(self.function(e, "where", op), [condition, *e.arguments(args[1:])], [])
            case "where" if len(args) == 3 and all(isinstance(a.type, Num) for a in args[1:]):
                return ast.Call(self.function(e, "where", op), [e.operand(args[0]), self.as_array(e, args[1], op, op.result.type),
                                                                e.operand(args[2])], [])
            case "diagonal" | "trace":
                return self.diagonal(e, op, name, args, ndim)
            case "norm":
                return self.norm(e, op, args)
            case "vstack" | "hstack" | "column_stack" | "dstack":
                return None
            case "cumsum" | "cumprod" if len(args) == 1 and "axis" not in op.kwargs and ndim != 1:
                callee = self.function(e, f"cumulative_{name[3:]}", op)
                return ast.Call(callee, [self.ravel(e, op, x)], [])
            case "size" if x is not None:
                return self.size(e, x)
            case "shape" if x is not None:
                return attribute(e.operand(x), "shape")
            case "broadcast_to" if x is not None and isinstance(x.type, Num):
                shape = args[1] if len(args) > 1 else op.kwargs["shape"]
                return ast.Call(self.function(e, "full", op), [e.operand(shape), e.operand(x)],
                                [*self.dtype_of_result(e, op), *self.device(e)])
            case "sqrt" | "square" | "exp" | "log" | "abs" | "absolute":
                return None
        return None

    def dtype_of_result(self, e: Expressions, op: Call) -> list[ast.keyword]:
        """``dtype=`` of what an operation of the compiler results in."""
        t = op.result.type
        return [ast.keyword("dtype", attribute(self.root(e.names), t.dtype))] if isinstance(t, Arr) else []

    def as_array(self, e: Expressions, o: Operand, op: Any, like: Any = None) -> ast.expr:
        """A number as an array without dimensions."""
        by_kind = {"float": "float64", "complex": "complex128"}.get(getattr(o.type, "kind", ""))
        dtype = self.own_dtype(op) or like.dtype if isinstance(like, Arr) else by_kind
        keywords = [ast.keyword("dtype", attribute(self.root(e.names), dtype))] if dtype else []
        return ast.Call(self.function(e, "asarray", op), [e.operand(o)], [*keywords, *self.device(e)])

    def own_dtype(self, op: Any) -> str | None:
        """The widest floating dtype of the arguments, for arrays that the user creates from numbers; None for those that a rule creates."""
        found = [p.type.dtype for p in self.fn.params if isinstance(p.type, Arr) and p.type.dtype[0] in "fc"]
        return max(found, key=lambda name: np.dtype(name).itemsize) if op.written and found else None

    def ravel(self, e: Expressions, op: Any, x: Any) -> ast.expr:
        """An array as a vector."""
        return ast.Call(self.function(e, "reshape", op), [e.operand(x), ast.Tuple([ast.UnaryOp(ast.USub(), ast.Constant(1))], _LOAD)], [])

    def copy(self, e: Expressions, op: Any, x: Any) -> ast.expr:
        """A copy of an array."""
        return ast.Call(self.function(e, "asarray", op), [e.operand(x)], [ast.keyword("copy", ast.Constant(True))])

    def astype(self, e: Expressions, x: Operand, dtype: ast.expr, op: Any) -> ast.expr:
        """An array cast to a dtype."""
        return ast.Call(self.function(e, "astype", op), [e.operand(x), dtype], [])

    def stacked(self, e: Expressions, op: Call, x: Any) -> ast.expr:
        """An array of a list of arrays and numbers."""
        made = e.plan.folded.get(x) if isinstance(x, Value) else None
        if isinstance(made, Build) and made.kind in ("list", "tuple") and not any(isinstance(i, Star) for i in made.items):
            items: list[ast.expr] = [self.as_array(e, i, op, op.result.type) if isinstance(i.type, Num) else self.stacked(e, op, i)
                                     if _holds_arrays(i) else e.operand(i) for i in made.items]
            return ast.Call(self.function(e, "stack", op), [ast.List(items, _LOAD)], [])
        return ast.Call(self.function(e, "stack", op), [e.operand(x)], [])

    def transposed(self, e: Expressions, op: Any, x: Any) -> ast.expr:
        """An array with its axes in reverse order."""
        ndim = ndim_of(x.type)
        if ndim is None or ndim < 2:
            return e.operand(x)
        if ndim == 2:
            return attribute(e.operand(x), "T")
        order: list[ast.expr] = [ast.Constant(k) for k in range(ndim - 1, -1, -1)]
        return ast.Call(self.function(e, "permute_dims", op), [e.operand(x), ast.Tuple(order, _LOAD)], [])

    def swapped(self, e: Expressions, op: Call, args: list[Any], ndim: int | None) -> ast.expr:
        """An array with two axes exchanged."""
        axes = [a.value for a in args[1:] if isinstance(a, Lit)]
        if ndim is None or len(axes) != 2:
            return self.refuse(op, "swapaxes() with axes that are not known when compiling")  # type: ignore[no-any-return]
        first, second = (a % ndim for a in axes)
        if {first, second} == {ndim - 1, ndim - 2}:
            return attribute(e.operand(args[0]), "T" if ndim == 2 else "mT")
        order = list(range(ndim))
        order[first], order[second] = second, first
        return ast.Call(self.function(e, "permute_dims", op), [e.operand(args[0]), ast.Tuple([ast.Constant(k) for k in order], _LOAD)], [])

    def product(self, e: Expressions, op: Call, args: list[Any]) -> ast.expr:
        """``np.dot`` and its relatives."""
        a, b = args[:2]
        dims = ndim_of(a.type), ndim_of(b.type)
        left, right = e.operand(a), e.operand(b)
        if 0 in dims:
            return ast.BinOp(left, ast.Mult(), right)
        if dims == (1, 1) or op.fn is not np.inner and None not in dims and (dims[1] or 0) <= 2 and op.fn is not np.vdot:
            return ast.BinOp(left, ast.MatMult(), right)
        if op.fn is np.inner and dims[1] == 2:
            return ast.BinOp(left, ast.MatMult(), attribute(right, "T"))
        return self.refuse(op, f"{op.fn.__name__}() of arrays with {dims[0]} and {dims[1]} dimensions")  # type: ignore[no-any-return]

    def diagonal(self, e: Expressions, op: Call, name: str, args: list[Any], ndim: int | None) -> ast.expr:
        """The diagonal of the last two axes, or its sum."""
        found: dict[str, Any] = {"offset": 0, "axis1": 0, "axis2": 1}
        given = dict(zip(found, args[1:])) | op.kwargs
        for key, o in given.items():
            if key not in found or not isinstance(o, Lit):
                self.refuse(op, f"{name}({key}=…)")
            found[key] = o.value
        if ndim is None or {found["axis1"] % ndim, found["axis2"] % ndim} != {ndim - 1, ndim - 2}:
            self.refuse(op, f"{name}() of other axes than the last two")
        offset = [ast.keyword("offset", ast.Constant(found["offset"]))] if found["offset"] else []
        return ast.Call(self.function(e, f"linalg.{name}", op), [e.operand(args[0])], offset)

    def norm(self, e: Expressions, op: Call, args: list[Any]) -> ast.expr:
        """The norm of a vector, or of all elements."""
        given: dict[str, Any] = dict(zip(("ord", "axis", "keepdims"), args[1:])) | op.kwargs
        ord_ = given.pop("ord", Lit(None))
        axis = given.get("axis", Lit(None))
        ndim = ndim_of(args[0].type)
        vector = ndim == 1 or isinstance(axis, Lit) and isinstance(axis.value, int)
        if not (is_none(ord_) or vector):
            self.refuse(op, "norm(ord=…) of a matrix")
        keywords = [ast.keyword(k, e.operand(v)) for k, v in given.items() if not is_none(v)]
        if not is_none(ord_):
            keywords.append(ast.keyword("ord", e.operand(ord_)))
        return ast.Call(self.function(e, "linalg.vector_norm", op), [e.operand(args[0])], keywords)

    # -- attributes

    def size(self, e: Expressions, x: Operand) -> ast.expr:
        """The number of elements."""
        return ast.Call(e.names.spelled("math.prod"), [attribute(e.operand(x), "shape")], [])

    def attribute(self, e: Expressions, op: GetAttr) -> ast.expr | None:
        """An attribute of an array."""
        t = op.obj.type
        if not isinstance(t, Arr):
            return None
        match op.name:
            case "size":
                return self.size(e, op.obj)
            case "T":
                return self.transposed(e, op, op.obj)
            case "real" | "imag":
                return ast.Call(self.function(e, op.name, op), [e.operand(op.obj)], [])
            case "shape" | "dtype" | "ndim" | "mT":
                return None
        return self.refuse(op, f"the attribute {op.name}")  # type: ignore[no-any-return]

    def index(self, e: Expressions, x: Operand, i: Operand) -> ast.expr:
        """An index; PyTorch has no negative steps."""
        place = super().index(e, x, i)
        if self.library.name == "torch" and any(_is_negative(item.step) for item in _items(place) if isinstance(item, ast.Slice)):
            self.refuse(None, "a slice with a negative step", "cannot be assigned")
        return place

    def getitem(self, e: Expressions, op: Call) -> ast.expr | None:
        """``x[i]``."""
        x, i = op.args
        if self.library.name == "torch" and isinstance(x.type, Arr):
            place = super().index(e, x, i)
            items = _items(place)
            turned = [k for k, item in enumerate(items) if isinstance(item, ast.Slice) and _is_negative(item.step)]
            if turned:
                return self.flipped(e, op, items, turned)
        return super().getitem(e, op)

    def flipped(self, e: Expressions, op: Call, items: list[ast.expr], turned: list[int]) -> ast.expr:
        """An array read backwards along some axes."""
        plain = all(isinstance(item, ast.Slice) for item in items)
        if not plain or any(items[k].lower or items[k].upper or not _is_one(items[k].step) for k in turned):  # type: ignore[attr-defined]
            self.refuse(op, "a slice with a negative step and a start, a stop or a stride")
        axes: list[ast.expr] = [ast.Constant(k) for k in turned]
        axis = axes[0] if len(axes) == 1 else ast.Tuple(axes, _LOAD)
        flip = ast.Call(self.function(e, "flip", op), [e.operand(op.args[0])], [ast.keyword("axis", axis)])
        rest: list[ast.expr] = [ast.Slice() if k in turned else item for k, item in enumerate(items)]
        if all(isinstance(item, ast.Slice) and not (item.lower or item.upper or item.step) for item in rest):
            return flip
        return ast.Subscript(flip, ast.Tuple(rest, _LOAD), _LOAD)


_CREATING = frozenset(("zeros", "ones", "empty", "full", "eye", "arange", "linspace", "asarray"))
_OF_ARRAYS = frozenset(("sum", "mean", "prod", "max", "min", "reshape", "broadcast_to", "expand_dims", "zeros_like", "ones_like",
                        "full_like"))


def _items(place: ast.expr) -> list[ast.expr]:
    return place.elts if isinstance(place, ast.Tuple) else [place]


def _is_negative(step: ast.expr | None) -> bool:
    return isinstance(step, ast.UnaryOp) and isinstance(step.op, ast.USub) or (
        isinstance(step, ast.Constant) and isinstance(step.value, int) and step.value < 0)


def _is_one(step: ast.expr | None) -> bool:
    value = step.operand if isinstance(step, ast.UnaryOp) else step
    return isinstance(value, ast.Constant) and value.value in (1, -1)


def _holds_arrays(o: Any) -> bool:
    """Whether a list or tuple holds arrays."""
    t = o.type
    elems = [t.elem] if isinstance(t, ListT) else list(t.elems) if isinstance(t, TupleT) else []
    return any(isinstance(x, Arr) or isinstance(x, (ListT, TupleT)) and _inner(x) for x in elems)


def _inner(t: Any) -> bool:
    elems = [t.elem] if isinstance(t, ListT) else list(t.elems)
    return any(isinstance(x, Arr) or isinstance(x, (ListT, TupleT)) and _inner(x) for x in elems)


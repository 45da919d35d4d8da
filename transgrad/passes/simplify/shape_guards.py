"""Check shapes in place of dead operations that may raise for their shapes.

The gradient of ``np.sum(x + y)`` does not need the sum; where the shapes do not match, the function raises all the same::

    before:  t = x + y                                    (dead)
    after:   check_broadcast(x.shape, y.shape)

Nothing is left where the types prove that the shapes match.  A check reads the shapes of arguments where the types say which lengths
these are, and otherwise that of an array that is computed anyway: an array that would have to be computed for it is not checked, and
neither is an operation in a loop, each iteration of which would have to check.  An in-place operation whose result NumPy refuses to
cast stays as it is, and raises.

`shape_checks` removes the checks that other operations make redundant, once the function is final.
"""
from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...ir.build import Builder
from ...ir.effects import VIEWS
from ...ir.ops import Block, Call, GetAttr, Invoke, Lit, Op, Operand, Star, Value
from ...ir.types import Arr, Dim, Obj
from ...runtime import check_broadcast, check_product
from ..analysis.def_use import definitions_in
from ..memory.destination_passing import UFUNC

__all__ = ["INPLACE", "PRODUCTS", "ShapeCheck", "Lengths", "arrays_of", "axes_of", "checks", "guard_of", "guards_of_call", "is_elementwise",
           "is_refused_cast"]

PRODUCTS = frozenset((operator.matmul, np.matmul))
INPLACE = frozenset((operator.iadd, operator.isub, operator.imul, operator.itruediv, operator.ipow, operator.ifloordiv, operator.imod))
_BINARY = frozenset((operator.add, operator.sub, operator.mul, operator.truediv, operator.pow, operator.mod, operator.floordiv)) | INPLACE


def is_elementwise(fn: Any) -> bool:
    """Whether a function broadcasts its arguments together."""
    return fn is np.where or fn in _BINARY or isinstance(found := UFUNC.get(fn, fn), np.ufunc) and found.signature is None


def is_refused_cast(op: Call) -> bool:
    """Whether NumPy refuses to write the result of an in-place operation into its array, for all values."""
    if op.fn not in INPLACE or len(op.args) != 2:
        return False
    base, value = (x.type for x in op.args)
    if not isinstance(base, Arr) or not base.dims or base.dtype[0] not in "iufbc":
        return False
    kinds = {"float": "float64", "complex": "complex128"}
    dtype = value.dtype if isinstance(value, Arr) else kinds.get(getattr(value, "kind", ""), base.dtype)
    try:
        result = np.result_type(base.dtype, dtype) if op.fn is not operator.itruediv else np.result_type(base.dtype, dtype, np.float16)
        return not np.can_cast(result, base.dtype, "same_kind")
    except TypeError:
        return False


@dataclass(frozen=True)
class Lengths:
    """A shape that is read from arguments: for each dimension the length, or an array and its axis."""

    dims: tuple[int | tuple[Value, int], ...]

    @property
    def arrays(self) -> list[Value]:
        """The arrays that are asked."""
        return [d[0] for d in self.dims if isinstance(d, tuple)]

    def of_call(self, args: Mapping[Any, Any]) -> "Lengths":
        """The same shape where a function is called."""
        return Lengths(tuple((args[d[0]], d[1]) if isinstance(d, tuple) else d for d in self.dims))

    def emit(self, b: Builder) -> Any:
        """Emit the operations that compute it."""
        first, size = self.dims[0], len(self.dims)
        if isinstance(first, tuple) and self.dims == tuple((first[0], first[1] + k) for k in range(size)):
            start, rank = first[1], len(first[0].type.dims)  # type: ignore[union-attr]
            shape = b.attr(first[0], "shape")
            return shape if size == rank else b.call(operator.getitem, shape, Lit(slice(start or None, None if start + size == rank else
                                                                                        start + size)))
        items = [b.call(operator.getitem, b.attr(d[0], "shape"), d[1]) if isinstance(d, tuple) else Lit(d) for d in self.dims]
        return Lit(tuple(d.value for d in items)) if all(isinstance(d, Lit) for d in items) else b.build("tuple", items)


#: the function that checks, and the arrays or `Lengths` that it compares
ShapeCheck = tuple[Callable[..., Any], list[Any]]


def axes_of(params: Iterable[Value]) -> dict[Any, tuple[Value, int]]:
    """The first argument of a length, and its axis, by the symbol of the length: cotangents and shadows come after the arguments."""
    return {d.sym: (p, k) for p in reversed(list(params)) if isinstance(p.type, Arr) for k, d in enumerate(p.type.dims)
            if d.sym is not None and not d.off and d.known is None}


def guard_of(op: Call, makers: Mapping[Any, Op], is_there: Callable[[Value], bool], axes: Mapping[Any, tuple[Value, int]]
             ) -> ShapeCheck | None:
    """The check of the shapes that a dead operation would check; None if nothing is to be checked.

    ``axes`` are those of the arguments, by `axes_of`.
    """
    if not op.written or op.kwargs or any(isinstance(a, Star) for a in op.args):
        return None     # computations of a rule for its own use are not visible to the user
    product = op.fn in PRODUCTS
    if not product and not is_elementwise(op.fn):
        return None
    arrays = [a for a in op.args if isinstance(a.type, Arr) and a.type.dims]
    if len(arrays) < 2 or all(may_match(op, a.type.dims, b.type.dims) for k, b in enumerate(arrays) for a in arrays[:k]):
        return None
    asked = [_lengths(a.type.dims, axes) or _source(a, makers, is_there) for a in arrays]
    if any(a is None for a in asked):
        return None
    return (check_product, asked) if product else (check_broadcast, list(dict.fromkeys(asked)))


def _lengths(dims: tuple[Dim, ...], axes: Mapping[Any, tuple[Value, int]]) -> Lengths | None:
    """A shape, read from arguments."""
    found = [d.known if d.known is not None else axes.get(d.sym) if not d.off else None for d in dims]
    return None if None in found else Lengths(tuple(found))  # type: ignore[arg-type]


def guards_of_call(call: Invoke, is_there: Callable[[Value], bool]) -> list[ShapeCheck]:
    """The checks of the shapes of arguments that a lowered function combines outside of its branches and loops."""
    body = call.func.body
    args = dict(zip(body.params, call.args))
    if len([p for p in body.params if isinstance(p.type, Arr) and p.type.dims]) < 2:
        return []
    makers = definitions_in(body.ops)
    axes = axes_of(body.params)
    found: list[ShapeCheck] = []
    for op in body.ops:
        guard = guard_of(op, makers, args.__contains__, axes) if type(op) is Call and len(op.args) >= 2 else None
        if guard is not None:
            given = [a.of_call(args) if isinstance(a, Lengths) else args.get(a, a) for a in guard[1]]
            if all(isinstance(a, Lit) or a in args.values() and is_there(a) for a in arrays_of(given)):
                found.append((guard[0], given))
    return found


def arrays_of(asked: Iterable[Any]) -> list[Any]:
    """The arrays whose shapes a check reads."""
    return [array for a in asked for array in (a.arrays if isinstance(a, Lengths) else [a])]


def checks(guards: list[ShapeCheck], loc: Any) -> list[Op]:
    """The operations that check."""
    with Builder(Block(), "primal", loc) as b:
        for fn, arrays in guards:
            b.call(fn, *(a.emit(b) if isinstance(a, Lengths) else b.attr(a, "shape") for a in arrays), type=Obj(type(None)))
            b.block.ops[-1].results = []
    return b.block.ops


def may_match(op: Call, a: tuple[Dim, ...], b: tuple[Dim, ...]) -> bool:
    """Whether two shapes are known to be those of factors of a product, or to be broadcast together."""
    if op.fn not in PRODUCTS:
        return _match(a, b)
    return _match(a[-1:], b[-2:-1] or b) and a[-1].one is b[-2 if len(b) > 1 else 0].one and _match(a[:-2], b[:-2])


def _match(a: tuple[Dim, ...], b: tuple[Dim, ...]) -> bool:
    return all(p.one is True or q.one is True or p.sym is not None and (p.sym, p.off) == (q.sym, q.off)
               or p.known is not None and p.known == q.known for p, q in zip(reversed(a), reversed(b)))


def _source(a: Operand, makers: Mapping[Any, Op], is_there: Callable[[Value], bool]) -> Operand | None:
    """An array of the same shape that is an argument, a constant, or computed anyway."""
    if isinstance(a, Lit) or is_there(a):
        return a
    made = makers.get(a)
    if isinstance(made, GetAttr):
        return a if made.name in ("T", "mT", "real", "imag") and _source(made.obj, makers, is_there) is not None else None
    if not isinstance(made, Call):
        return None
    if made.fn in VIEWS or made.fn is operator.getitem:     # it takes no time to make
        return a if made.args and all(not isinstance(x, Value) or not isinstance(x.type, Arr) or _source(x, makers, is_there) is not None
                                      for x in made.args) else None
    for x in made.args:
        if isinstance(x, Value) and isinstance(x.type, Arr) and isinstance(a.type, Arr) and len(x.type.dims) == len(a.type.dims) and all(
                p.sym is not None and (p.sym, p.off) == (q.sym, q.off) for p, q in zip(x.type.dims, a.type.dims)):
            if (found := _source(x, makers, is_there)) is not None:
                return found
    return None

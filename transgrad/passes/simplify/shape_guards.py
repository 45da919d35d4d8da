"""Check shapes in place of dead operations that may raise for their shapes.

The gradient of ``np.sum(x + y)`` does not need the sum; where the shapes do not match, the function raises all the same::

    before:  t = x + y                                    (dead)
    after:   check_broadcast(x.shape, y.shape)

Nothing is left where the types prove that the shapes match.  A check asks an array that is computed anyway, or an argument:
one that would have to be computed for it is not checked, and neither is an operation in a loop, each iteration of which would
have to check.  An in-place operation whose result NumPy refuses to cast stays as it is, and raises.
"""
from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ...ir.build import Builder
from ...ir.effects import VIEWS
from ...ir.ops import Block, Call, Function, GetAttr, Invoke, Lit, Op, Operand, Star, Value, walk
from ...ir.types import Arr, Dim, Obj
from ...runtime import check_broadcast, check_product
from ..buffers.into import UFUNC

__all__ = ["guard_of", "is_refused_cast", "may_raise"]

_PRODUCTS = frozenset((operator.matmul, np.matmul))
_INPLACE = frozenset((operator.iadd, operator.isub, operator.imul, operator.itruediv, operator.ipow, operator.ifloordiv, operator.imod))
_BINARY = frozenset((operator.add, operator.sub, operator.mul, operator.truediv, operator.pow, operator.mod, operator.floordiv)) | _INPLACE


def is_refused_cast(op: Call) -> bool:
    """Whether NumPy refuses to write the result of an in-place operation into its array, whatever the values are."""
    if op.fn not in _INPLACE or len(op.args) != 2:
        return False
    base, value = (x.type for x in op.args)
    if not isinstance(base, Arr) or not base.dims or base.dtype[0] not in "iufbc":
        return False
    kinds = {"float": "float64", "complex": "complex128"}
    kinds = {"float": "float64", "complex": "complex128"}
    dtype = value.dtype if isinstance(value, Arr) else kinds.get(getattr(value, "kind", ""), base.dtype)
    try:
        result = np.result_type(base.dtype, dtype) if op.fn is not operator.itruediv else np.result_type(base.dtype, dtype, np.float16)
        return not np.can_cast(result, base.dtype, "same_kind")
    except TypeError:
        return False


def guard_of(op: Call, makers: Mapping[Any, Op], is_there: Callable[[Value], bool]) -> tuple[list[Op], list[Operand]] | None:
    """The operations that check what a dead one would, and the arrays that they ask; None where nothing is to be checked."""
    if op.kwargs or any(isinstance(a, Star) for a in op.args):
        return None
    product = op.fn in _PRODUCTS
    if not product and op.fn is not np.where and op.fn not in _BINARY and not (
            isinstance(fn := UFUNC.get(op.fn, op.fn), np.ufunc) and fn.signature is None):
        return None
    arrays = [a for a in op.args if isinstance(a.type, Arr) and a.type.dims]
    if len(arrays) < 2 or all(may_match(op, a.type.dims, b.type.dims) for k, b in enumerate(arrays) for a in arrays[:k]):
        return None
    asked = [_source(a, makers, is_there) for a in arrays]
    if any(a is None for a in asked):
        return None
    with Builder(Block(), "primal", op.loc) as b:
        b.call(check_product if product else check_broadcast, *(b.attr(a, "shape") for a in asked), type=Obj(type(None)))
        b.block.ops[-1].results = []
    return b.block.ops, [a for a in asked if a is not None]


def may_raise(fn: Function) -> bool:
    """Whether a lowered function, or one that it calls, combines arrays whose lengths are known by different names; kept on it."""
    if "may_raise" not in fn.attrs:
        fn.attrs["may_raise"] = False       # of a recursive call
        fn.attrs["may_raise"] = any(map(_may_differ, walk(fn.body)))
    return bool(fn.attrs["may_raise"])


def _may_differ(op: Op) -> bool:
    if isinstance(op, Invoke):
        return may_raise(op.func)
    if not isinstance(op, Call) or op.kwargs or op.fn not in _BINARY or len(op.args) != 2:
        return False
    a, b = (x.type.dims if isinstance(x.type, Arr) else () for x in op.args)
    return any(p.one is not True and q.one is not True and p.sym is not None and q.sym is not None and (p.sym, p.off) != (q.sym, q.off)
               and (p.known is None or p.known != q.known) for p, q in zip(reversed(a), reversed(b)))


def may_match(op: Call, a: tuple[Dim, ...], b: tuple[Dim, ...]) -> bool:
    """Whether two shapes are known to be those of factors of a product, or to be broadcast together."""
    if op.fn not in _PRODUCTS:
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

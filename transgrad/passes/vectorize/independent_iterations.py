"""Analysis: loops whose iterations are independent of each other, but for sums, lists that are appended to and rows that are stored.

Such a loop is a map over the rows of arrays, followed by reductions::

    for point in x:                          terms = [f(point) for point in x]
        total = total + f(point)             total = total + sum(terms)
        out.append(g(point))                 out += [g(point) for point in x]
"""
from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

import numpy as np

from ...ir.effects import is_unknown, writes
from ...ir.ops import (
    Block,
    Build,
    Call,
    CallValue,
    For,
    Function,
    GetAttr,
    If,
    Invoke,
    Op,
    Raise,
    SetAttr,
    Try,
    Value,
    While,
    With,
    blocks_of,
    operands_of,
    walk,
)
from ...ir.prims import inplace_at
from ...ir.types import Arr, ListT, Num
from ..analysis.alias import AliasClasses
from ..analysis.def_use import definitions_in
from ..loops.distribution.plan import Sum
from ..memory.in_place_accumulation import collect_uses
from ..simplify.dce import has_no_effects
from .iteration_access import Access, Iterations
from .private_parts import PrivateParts, defined, invariant_ops

__all__ = ["Outcome", "independent_iterations", "is_float"]

#: what computes the same of Python's numbers as of arrays of them, whatever they are
_ALIKE = frozenset((
    operator.add, operator.sub, operator.mul, operator.neg, operator.pos, operator.lt, operator.le, operator.gt, operator.ge,
    operator.getitem, operator.abs, abs, len, np.shape, np.ndim, np.size,
))


class Outcome:
    """What the iterations of a loop leave behind.

    Attributes
    ----------
    invariant : list of Op
        The operations that compute the same in all iterations.
    sums : list of Sum
        The sums that the loop carries.
    appended : list of (Call, Value, Value)
        The operation, a list, and what each iteration appends to it.
    stored : list of (Call, Access, Value)
        The operation that stores a part of an array, the parts of all iterations, and what is stored.
    """

    def __init__(self) -> None:
        self.invariant: list[Op] = []
        self.sums: list[Sum] = []
        self.appended: list[tuple[Call, Value, Value]] = []
        self.stored: list[tuple[Call, Access, Any]] = []

    @property
    def ops(self) -> list[Op]:
        """The operations that are not done in each iteration any more."""
        return [*(s.op for s in self.sums), *(op for op, _, _ in self.appended), *(op for op, _, _ in self.stored)]

    @property
    def values(self) -> list[Any]:
        """What each iteration computes for them."""
        return [*(s.term for s in self.sums), *(v for _, _, v in self.appended), *(v for _, _, v in self.stored)]


def independent_iterations(loop: For, block: Block, iterations: Iterations, classes: AliasClasses) -> Outcome | None:
    """What a loop in ``block`` leaves behind, if no iteration reads what another one computes; None otherwise."""
    body = loop.body
    if not all(map(_only_computes, _inside(body))):
        return None
    found = Outcome()
    uses, makers = collect_uses(body.ops), definitions_in(body.ops)
    first = len(body.params) - len(loop.inits)
    for k, (p, y) in enumerate(zip(body.params[first:], body.yields)):
        op = makers.get(y) if isinstance(y, Value) else None
        if not isinstance(op, Call) or op.fn not in (operator.add, operator.sub) or op.args[0] is not p or op.args[1] is p:
            return None
        alone = len(uses.get(p, ())) == 1 and not uses.get(op.result) and body.yields.count(y) == 1 and p not in body.yields
        if not alone or not (is_float(op.args[1].type) and is_float(op.result.type)) or not _as_large(op.args[1].type, p.type):
            return None
        found.sums.append(Sum(k, op))
    found.invariant = invariant_ops(body, classes)
    inside = defined(body).difference(*(op.results for op in found.invariant))
    for op in body.ops:
        if type(op) is Call and op.fn is list.append and op.args[0] not in inside and isinstance(op.args[0], Value):
            if isinstance(v := op.args[1], Value) and is_float(v.type) and not classes.is_written(v):
                found.appended.append((op, op.args[0], v))
        elif type(op) is Call and op.fn in (operator.setitem, inplace_at) and _is_storable(op):
            if (access := iterations.access(op, inside)) is not None and len(op.args[2].type.dims) <= access.rank:
                found.stored.append((op, access, op.args[2]))
    gone = set(map(id, found.ops))
    lists = [items for _, items, _ in found.appended]
    if len({classes.find(v) for v in lists}) < len(lists):
        return None
    memory = PrivateParts(loop, block, iterations, found.stored, classes, inside)
    if not memory.are_private(gone, {classes.find(items) for items in lists}):
        return None
    return found if found.values and _computes_alike(body, set(body.params[:first]), gone) else None


def _is_storable(op: Call) -> bool:
    """Whether an operation stores an array of float64, or a number, in an array of float64."""
    t = op.args[0].type
    return isinstance(t, Arr) and t.dtype == "float64" and isinstance(op.args[2], Value) and is_float(op.args[2].type)


def is_float(t: Any) -> bool:
    """Whether a value is an array of float64, or one of NumPy's numbers."""
    return isinstance(t, Arr) and t.dtype == "float64" and (bool(t.dims) or t.scalar)


def _as_large(term: Any, total: Any) -> bool:
    """Whether a term has the dimensions of its sum, so that neither is broadcast."""
    dims = getattr(total, "dims", ())
    return len(dims) == len(term.dims) and all(c.one is d.one is not None for c, d in zip(term.dims, dims))


def _inside(block: Block, within: tuple[Function, ...] = ()) -> Iterator[Op]:
    """The operations of a block and of the functions that it calls."""
    for op in walk(block):
        yield op
        if isinstance(op, Invoke) and op.func not in within:
            yield from _inside(op.func.body, (*within, op.func))


def _only_computes(op: Op) -> bool:
    """Whether an operation neither raises, nor loops as long as something holds, nor has an effect but on its operands."""
    if isinstance(op, (While, Try, With, Raise, CallValue, SetAttr)) or is_unknown(op):
        return False
    if isinstance(op, For):
        return not op.stops
    return not isinstance(op, Invoke) or has_no_effects(op.func)


def _computes_alike(body: Block, variables: set[Value], gone: set[int]) -> bool:
    """Whether the operations compute the same of an array of all iterations as of the value of each: Python's numbers raise where arrays
    have infinities or NaN."""
    differ = set(variables)
    for op in walk(body):
        own = [o for o in operands_of(op) if o in differ]
        inner = [p for b in blocks_of(op) for p in b.params]
        if not own:
            continue
        differ.update(op.results)
        differ.update(inner)
        if id(op) in gone:
            continue
        if type(op) is Call and (isinstance(op.fn, np.ufunc) or (getattr(op.fn, "__module__", None) or "").partition(".")[0] == "numpy"):
            if any(isinstance(o.type, Num) and o.type.kind != "int" for o in own) and not isinstance(op.fn, np.ufunc):
                return False
            continue
        if isinstance(op, Invoke):
            if not all(map(_is_of_numpy, _inside(op.func.body))):
                return False
        elif not _is_of_numpy(op):
            return False
    return True


def _is_of_numpy(op: Op) -> bool:
    """Whether an operation is one of NumPy's, or does the same to Python's numbers."""
    if isinstance(op, (Build, GetAttr, If, For, Invoke)):
        return True
    if type(op) is not Call:
        return False
    if op.fn in (max, min) and not op.kwargs:
        if isinstance(items := op.args[0].type, ListT):
            return len(op.args) == 1 and is_float(items.elem) and not items.elem.dims       # type: ignore[union-attr]
        return all(isinstance(a.type, Num) or is_float(a.type) and not a.type.dims for a in op.args)
    if op.fn in _ALIKE or op.fn in (list.append, operator.setitem, inplace_at):
        return True
    module = (getattr(op.fn, "__module__", None) or getattr(getattr(op.fn, "__objclass__", None), "__module__", None) or "")
    if module.partition(".")[0] == "numpy" or isinstance(op.fn, np.ufunc):
        return True
    # operators of arrays and of NumPy's numbers
    return module in ("operator", "_operator") and not writes(op) and any(isinstance(o.type, Arr) for o in op.args)


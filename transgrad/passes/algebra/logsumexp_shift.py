"""Eliminate the cotangent of the maximum in ``m + log(sum(exp(x - m)))``, which does not depend on ``m``.

The cotangent is expanded into a sum of products, and sums over an axis are factored. If all terms cancel, the cotangent of the maximum
is zero.
"""
from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Any

import numpy as np

from ...ir.ops import Block, Call, Function, Lit, Op, Operand, Value, blocks_of, calls, operands_of
from ...ir.types import ONE, Arr, Num
from ..analysis.alias import AliasClasses
from ..analysis.def_use import definitions_in
from ..manager import Stage, optimization
from ..rewriting.substitute import substitute, uses_of

__all__ = ["cancel_logsumexp_shift"]

#: a factor: its value, and the axes that were added to it, in order
Atom = tuple[Any, tuple[int, ...]]
#: the factors of a product with their powers
Product = frozenset[tuple[Atom, int]]
Sum = dict[Product, float]
_MOST = 8
_PRODUCTS = (np.vdot, np.vecdot)
_UNKNOWN = object()


@optimization(Stage.SIMPLIFY, "simplify")
def cancel_logsumexp_shift(fn: Function, makers: Mapping[Value, Op] | None = None) -> bool:
    """Rewrite the adjoint part of ``fn`` in place; ``makers`` are those of the values that blocks read from the forward part, before
    residuals."""
    if calls(fn.body, np.count_nonzero):      # of how many places a maximum has
        _block(fn.body, fn, dict(makers or {}))
        return True
    return False


def _block(block: Block, fn: Function, makers: dict[Value, Op]) -> None:
    makers = {**makers, **definitions_in(block.ops)}
    for op in block.ops:
        for inner in blocks_of(op):
            _block(inner, fn, makers)
    shares = [(op, total) for op in block.ops if (total := _shared(op, makers)) is not None]
    if shares:
        proof = _Proof(block, AliasClasses(fn), makers)
        for op, total in shares:
            if proof.is_zero(total):
                _leave_out(block, op.results[0], proof.classes)


def _shared(op: Op, makers: dict[Value, Op]) -> Value | None:
    """The cotangent of a maximum, in the operation that hands it to the places where the maximum is."""
    if not isinstance(op, Call) or op.part != "adjoint" or op.fn is not np.where or len(op.args) != 3:
        return None
    rest = getattr(op.args[2], "value", None)
    made = _maker(op.args[1], makers) if type(rest) in (int, float) and rest == 0.0 else None
    while made is not None and made.fn in (np.expand_dims, operator.neg, operator.getitem):
        made = _maker(made.args[0], makers)
    if made is None or made.fn is not operator.truediv or not isinstance(made.args[0], Value):
        return None
    count = _maker(made.args[1], makers)
    return made.args[0] if count is not None and count.fn is np.count_nonzero else None


def _maker(v: Operand, makers: dict[Value, Op]) -> Call | None:
    made = makers.get(v) if isinstance(v, Value) else None
    return made if isinstance(made, Call) else None


def _leave_out(block: Block, zero: Value, classes: AliasClasses) -> None:
    """Replace the sum of something and zeros by that."""
    users = [op for op in block.ops if zero in operands_of(op) or any(zero in uses_of(b) for b in blocks_of(op))]
    if len(users) != 1 or zero in block.yields:
        return
    user = users[0]
    if not isinstance(user, Call) or user.fn is not operator.add or user.args[1] is not zero or not isinstance(user.args[0], Value):
        return
    rest, total = user.args[0], user.result
    if classes.is_written(rest) or classes.is_written(total) or not isinstance(rest.type, Arr) or not isinstance(
            total.type, Arr) or rest.type.dims != total.type.dims:
        return
    rest.name = rest.name or total.name
    block.ops.remove(user)
    substitute(block, {total: rest})


class _Proof:
    """Values of one block as sums of products."""

    def __init__(self, block: Block, classes: AliasClasses, makers: dict[Value, Op]):
        self.classes, self.makers = classes, makers
        self.place = {id(op): k for k, op in enumerate(block.ops)}
        self.known: dict[Value, Sum] = {}

    def is_zero(self, v: Value) -> bool:
        found = self.terms(v, None)
        return found is not None and all(c == 0.0 for c in found.values())

    def terms(self, x: Operand, reader: Op | None) -> Sum | None:
        """A value as a sum of products; None if that is too long, or if ``reader`` may see a changed value."""
        if isinstance(x, Lit):
            return {frozenset(): float(x.value)} if type(x.value) in (int, float) and x.text is None else None
        if not isinstance(x, Value) or not isinstance(x.type, (Arr, Num)):
            return None
        if self.classes.is_written(x):
            return self.atom(x) if self.is_final(x, reader) else None
        if x not in self.known:
            made = _maker(x, self.makers)
            found = self.expand(made) if made is not None else None
            self.known[x] = found if found is not None and len(found) <= _MOST else self.atom(x)
        return self.known[x]

    def atom(self, x: Value) -> Sum:
        return {frozenset([((x, ()), 1)]): 1.0}

    def is_final(self, x: Value, reader: Op | None) -> bool:
        """Whether all writes to an array come before an operation that reads it."""
        at = self.place.get(id(reader), -1)
        return all(self.place.get(id(w), at) < at for w in self.classes.writers.get(self.classes.find(x), ()))

    def expand(self, op: Call) -> Sum | None:
        """The operation that computes a value, in terms of its operands; None if it is not expanded."""
        if op.fn in (operator.add, operator.sub, operator.mul, operator.truediv, operator.neg) and not op.kwargs:
            found = [self.terms(a, op) for a in op.args]
            if any(f is None for f in found):
                return None
            first: Any = found[0]
            if op.fn is operator.neg:
                return {p: -c for p, c in first.items()}
            second: Any = found[1]
            if op.fn in (operator.add, operator.sub):
                sign = 1.0 if op.fn is operator.add else -1.0
                out = dict(first)
                for p, c in second.items():
                    out[p] = out.get(p, 0.0) + sign * c
                return {p: c for p, c in out.items() if c != 0.0}
            if op.fn is operator.truediv:
                if len(second) != 1 or 0.0 in second.values():
                    return None
                (p, c), = second.items()
                second = {frozenset((a, -n) for a, n in p): 1.0 / c}
            return _product(first, second)
        k = _axis(op)
        inner = None if k is None else self.of_products(op) if op.fn in _PRODUCTS else self.terms(op.args[0], op)
        if inner is None or k is None:
            return None
        if op.fn in (np.expand_dims, operator.getitem):
            return {frozenset((_added(a, k), n) for a, n in p): c for p, c in inner.items()}
        rank = len(op.args[0].type.dims)
        if not all(any(_spans(a, k - rank) for a, _ in p) for p in inner):
            return None     # a term that is stretched along the axis counts as often as the others are long
        return self.sum(inner, k, getattr(op.kwargs.get("keepdims"), "value", False) is True, rank - 1)

    def of_products(self, op: Call) -> Sum | None:
        """The terms of a product of vectors."""
        x, y = (self.terms(a, op) for a in op.args)
        return None if x is None or y is None else _product(x, y)

    def sum(self, terms: Sum, k: int, keeps: bool, rank: int) -> Sum | None:
        """The sum over an axis, of which ``rank`` others are left."""
        out: Sum = {}
        for product, c in terms.items():
            same = [(a, n) for a, n in product if a[1][-1:] == (k,) or _is_number(a)]
            varies = frozenset(f for f in product if f not in same)
            if not varies:
                return None
            factors = same if keeps else [((a[0], a[1][:-1]), n) for a, n in same]
            total = ("sum", k, varies, rank), ((k,) if keeps else ())
            for p, d in _product({frozenset(factors): c}, {frozenset([(total, 1)]): 1.0}).items():
                out[p] = out.get(p, 0.0) + d
        return {p: c for p, c in out.items() if c != 0.0}


def _axis(op: Call) -> int | None:
    """The only axis that is summed, or that is added, counted from the first."""
    t = op.args[0].type if op.args else None
    if not isinstance(t, Arr):
        return None
    if op.fn is operator.getitem:
        index = getattr(op.args[1], "value", None)
        added = [k for k, i in enumerate(index) if i is None] if isinstance(index, tuple) else []
        return added[0] if len(added) == 1 and all(i is None or i == slice(None) for i in index or ()) else None
    if op.fn in _PRODUCTS:
        u = op.args[1].type
        known = isinstance(u, Arr) and t.dtype == u.dtype == "float64" and len(t.dims) == len(u.dims) and not op.kwargs
        return len(t.dims) - 1 if known and (len(t.dims) == 1 or op.fn is np.vecdot) else None
    if op.fn is np.expand_dims:
        k = getattr(op.args[1], "value", None) if len(op.args) == 2 else None
        rank = len(t.dims) + 1
    elif op.fn in (np.sum, np.ndarray.sum) and op.kwargs.keys() <= {"axis", "keepdims"} and len(op.args) <= 2:
        k = getattr(op.args[1] if len(op.args) == 2 else op.kwargs.get("axis", Lit(None)), "value", _UNKNOWN)
        rank = len(t.dims)
        k = 0 if k is None and rank == 1 else k
    else:
        return None
    return k % rank if type(k) is int and -rank <= k < rank else None


def _is_number(a: Atom) -> bool:
    """Whether a factor is the same along all axes."""
    if a[1]:
        return False
    t = getattr(a[0], "type", None)
    return a[0][3] == 0 if isinstance(a[0], tuple) else isinstance(t, Num) or isinstance(t, Arr) and not t.dims


def _added(a: Atom, k: int) -> Atom:
    """A factor with an axis more; a number stays one."""
    return a if _is_number(a) else (a[0], (*a[1], k))


def _spans(a: Atom, k: int) -> bool:
    """Whether a factor is known to have more than one entry along an axis, counted from the last."""
    t = getattr(a[0], "type", None)
    if not isinstance(t, Arr):
        return False
    dims = list(t.dims)
    for at in a[1]:
        dims.insert(at, ONE)
    return -k <= len(dims) and dims[k].one is False


def _product(x: Sum, y: Sum) -> Sum:
    out: Sum = {}
    for p, c in x.items():
        for q, d in y.items():
            powers = dict(p)
            for a, n in q:
                powers[a] = powers.get(a, 0) + n
            key = frozenset((a, n) for a, n in powers.items() if n)
            out[key] = out.get(key, 0.0) + c * d
    return {p: c for p, c in out.items() if c != 0.0}

"""The passes in their order: what the transformations call."""
from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

from ..ir.build import Builder
from ..ir.clone import clone_function
from ..ir.ops import Function, Lit, Operand, Tree, Value
from ..ir.types import RecordT, TupleT, Type, is_differentiable
from .algebra import AlgebraBuilder
from .assemble import place_forward_halves, place_snapshots
from .residuals import connect
from .reverse.driver import ReverseResult, reverse_body
from .simplify import simplify
from .split import _trim, _zero_for
from .stability import Stability

__all__ = ["reverse"]


def reverse(fn: Function, wrt: Sequence[str], *, with_value: bool = False, optimize: bool = True) -> Function:
    """The gradient of a function with one scalar result.

    Parameters
    ----------
    fn : Function
        As lowered; it is left as it is.
    wrt : sequence of str
        Names of the parameters to differentiate with respect to.
    with_value : bool
        Whether the value is returned before the gradients.

    Returns
    -------
    Function
        With the parameters of ``fn``; it returns one gradient a name (a tuple, where there are several), in the structure of
        the argument.
    """
    fn = clone_function(fn)
    if optimize:
        simplify(fn)
    values = [_param(fn, name) for name in wrt]
    leaf = fn.returns.items[0] if fn.returns.kind == "tuple" else fn.returns
    result = fn.body.yields[leaf.index] if leaf.kind == "leaf" else Lit(leaf.value)
    dynamic = [v for v in values if isinstance(v, Value)]
    res = reverse_body(fn, dynamic, [(result, Lit(1.0))])
    trees: list[Tree] = []
    primal = [result] if with_value else []
    flat: list[Operand] = list(primal)
    with AlgebraBuilder(res.block, part="adjoint") as b:
        for v in values:
            entry = res.adjoints[dynamic.index(v)] if isinstance(v, Value) else None
            trees.append(_structure(b, v, v.type, entry, flat))
    fn.body.yields = flat
    join_parts(fn, res)
    tree = trees[0] if len(trees) == 1 else Tree("tuple", trees)
    fn.returns = Tree("tuple", [Tree("leaf", index=0), tree]) if with_value else tree
    fn.origin = None
    if optimize:
        simplify(fn)
    return fn


def join_parts(fn: Function, res: ReverseResult) -> None:
    """Appends the reverse part to the forward part, and makes available to it what it reads."""
    stability = Stability(res.layout, res.classes)
    place_snapshots(fn, res, stability)
    place_forward_halves(res)
    res.block.yields = fn.body.yields
    fn.body.yields = []
    _trim(fn, res.block)
    connect(res, stability)
    fn.body.ops += res.block.ops
    fn.body.yields = res.block.yields


def _param(fn: Function, name: str) -> Operand:
    return next(p.value for p in fn.signature if p.name == name)


def _structure(b: Builder, v: Any, t: Type, entry: Any, flat: list[Operand]) -> Tree:
    """Appends the leaves of a gradient to ``flat`` and says how they make it up."""
    if isinstance(t, (TupleT, RecordT)) and (entry is None or isinstance(entry, dict)):
        keys = list(t.keys) if isinstance(t, RecordT) else list(range(len(t.elems)))
        items = []
        for k, (key, e) in enumerate(zip(keys, t.elems)):
            if not is_differentiable(e):
                items.append(Tree("lit", value=None))
                continue
            sub = entry.get(k) if entry else None
            part = v
            if sub is None:
                part = b.attr(v, key, e) if isinstance(t, RecordT) and t.cls is not dict else b.call(operator.getitem, v, key, type=e)
            items.append(_structure(b, part, e, sub, flat))
        if isinstance(t, RecordT):
            return Tree("dict" if t.cls is dict else "object", items, keys=keys, cls=None if t.cls is dict else t.cls)
        if t.cls is list:
            return Tree("list", items)
        return Tree("tuple", items, cls=t.cls)
    if entry is None:
        entry = _zero_for(b, v, ()) if isinstance(v, Value) else Lit(0.0)
    flat.append(entry)
    return Tree("leaf", index=len(flat) - 1)


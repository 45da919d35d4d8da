"""The pullback of a function as a function of its arguments and of cotangents, to be differentiated as any other."""
from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ... import tree
from ...ir.build import Builder
from ...ir.ops import Call, Function, Lit, Operand, Param, Tree, Value
from ...ir.types import Arr, Num, TupleT, is_differentiable
from ...passes.ad.split import split_call
from ...passes.pipelines import simplify
from ...runtime.plain_tree import of_fields
from ..jacobian.loops import invoke, pull
from ..structure import argument, leaves_of, select_slots, shell, tree_of
from ..transformations import Target, cotangents_of

__all__ = ["pulled"]


def pulled(fn: Function, target: Target) -> Function:
    """The cotangents of the slots, from the arguments of ``fn`` and ``cotangents``, a tuple with one entry for each number or
    array among its results, in the order of `transgrad.tree`."""
    new, own = shell(fn)
    params = list(own)      # without the cotangents
    wrt = [argument(fn, name) for name in target.names]
    active = tuple(fn.params.index(v) for v in wrt if isinstance(v, Value))
    order = [k for k in tree.flatten(_numbers(fn.returns))[0] if k is not None and is_differentiable(fn.body.yields[k].type)]
    pair = split_call(fn, active, tuple(k for k in dict.fromkeys(order) if isinstance(fn.body.yields[k], Value)))
    name = cotangents_of(p.name for p in fn.signature)
    given = Value(TupleT(tuple(fn.body.yields[k].type for k in order)), name, True)
    new.body.params.append(given)
    new.signature.append(Param(name, given, "keyword"))
    with Builder(new.body, part="adjoint") as b:
        bars: dict[int, Operand] = {}
        for n, k in enumerate(order):
            bar = Value(fn.body.yields[k].type, f"{getattr(fn.body.yields[k], 'name', None) or 'out'}_bar", True)
            b.emit(Call(operator.getitem, [given, Lit(n)], results=[bar]))
            bars[k] = b.call(operator.add, bars[k], _plain(b, bar)) if k in bars else _plain(b, bar)
        found = invoke(b, pair.forward, params)
        outs, residuals = found[:len(fn.body.yields)], found[len(fn.body.yields):]
        entries = pull(b, bars, outs, residuals, pair, params)
        flat: list[Operand] = [_plain(b, e) for e in entries]
    new.body.yields = flat
    new.returns = _structure(fn, target, params)
    simplify(new)
    return new


def _numbers(returned: Tree) -> Any:
    """The returned structure with the numbers of the results at its leaves."""
    if returned.kind == "leaf":
        return returned.index
    if returned.kind == "lit":
        return None
    items = [_numbers(item) for item in returned.items]
    if returned.kind == "dict":
        return dict(zip(returned.keys, items))
    if returned.kind == "object":
        assert returned.cls is not None
        return of_fields(returned.cls, dict(zip(map(str, returned.keys), items)))
    if returned.kind == "list":
        return items
    return tuple(items) if returned.cls is None else returned.cls(*items)


def _plain(b: Builder, x: Any) -> Any:
    """The conjugate of a complex cotangent: the halves of a pair know of none."""
    t = x.type
    is_complex = isinstance(t, Arr) and t.dtype[0] == "c" or isinstance(t, Num) and t.kind == "complex"
    return b.call(np.conj, x, type=t) if is_complex else x


def _structure(fn: Function, target: Target, params: list[Value]) -> Tree:
    """The cotangents of the slots, whose leaves are in the order of the parameters."""
    at: dict[tuple[str, tuple[Any, ...]], int] = {}
    places = sorted((fn.params.index(argument(fn, name)), name) for name in target.names)  # type: ignore[arg-type]
    with Builder(type(fn.body)()) as b:      # to list the leaves; the operations are discarded
        for place, name in places:
            for leaf in leaves_of(b, params[place]):
                at[name, leaf.path] = len(at)
    trees = [tree_of(argument(fn, name).type, lambda path, n=name: Tree("leaf", index=at[n, path])) for name in target.names]  # type: ignore[misc]
    return select_slots(trees, target.names, target.slots, single=False)

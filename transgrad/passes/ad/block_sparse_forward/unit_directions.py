"""Inline a derivative for arguments whose tangents are unit vectors, so that no product with ones and zeros remains."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ....ir.attributes import Attributes
from ....ir.build import Builder
from ....ir.clone import clone_block
from ....ir.ops import Block, Build, Call, Function, Lit, Op, Operand, Param, Tree, Value, blocks_of
from ....ir.types import Arr, Dim
from ...analysis.def_use import definitions_in
from ...manager import simplify
from ...scalarize.values.boundary import has_effects
from ..forward.invoke import jvp_of
from .constant_arguments import with_numbers

__all__ = ["for_units"]


def for_units(fn: Function, tangents: Sequence[int]) -> Function | None:
    """A derivative made by `jvp_of`, without its ``tangents``: positions of parameters, each with its own unit direction, in this order
    (stored on the function). Its tangent results have the directions along their first axis.

    None if there are other tangents, or if it is not known to return displays of numbers.
    """
    if fn.attrs.pushforward_of is None:
        return None
    primal, active = fn.attrs.pushforward_of
    first = len(fn.params) - len(active)
    if sorted(tangents) != list(range(first, len(fn.params))):
        return None
    kept: dict[Any, Function | None] = fn.memo(for_units)
    key = tuple(tangents)
    if key in kept:
        return kept[key]
    kept[key] = None
    params = [Value(p.type, p.name) for p in fn.params[:first]]
    body, ends = Block(list(params)), []
    for k in tangents:
        one, varied = jvp_of(primal, (active[k - first],))
        made = with_numbers(one, {first: Lit(1.0)})
        if made is None or varied != jvp_of(primal, active)[1] or has_effects(made) or any(map(blocks_of, made.body.ops)):
            return None
        copy = clone_block(Block([], made.body.ops, made.body.yields), dict(zip(made.params, params)))
        body.ops += copy.ops
        ends.append(copy.yields)
    makers = definitions_in(body.ops)
    count = len(primal.body.yields)
    body.yields = ends[0][:count]
    with Builder(body, "tangent", fn.loc) as b:
        for parts in zip(*(end[count:] for end in ends)):
            displays = [_display(makers, y) for y in parts]
            if None in displays:
                return None
            body.yields.append(b.call(np.array, b.build("list", displays), type=Arr("float64", (Dim(False), *parts[0].type.dims))))
    leaves = [Tree("leaf", index=k) for k in range(len(body.yields))]
    made = Function(f"{fn.name}_units{f'_{len(kept)}' if len(kept) > 1 else ''}", body, returns=Tree("tuple", leaves), names=dict(fn.names),
                    loc=fn.loc, attrs=Attributes(emit=True))
    made.signature = [Param(p.name or f"a{k}", p) for k, p in enumerate(params)]
    simplify(made)
    kept[key] = made
    return made


def _display(makers: dict[Value, Op], y: Operand) -> Any:
    """The display of floats that an array is made of."""
    made = makers.get(y) if isinstance(y, Value) else None
    if not isinstance(made, Call) or made.fn is not np.array or made.kwargs or not isinstance(y.type, Arr) or y.type.dtype != "float64":
        return None
    display = makers.get(made.args[0])
    return display.result if isinstance(display, Build) and display.kind == "list" else None

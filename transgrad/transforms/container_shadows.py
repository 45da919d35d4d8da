"""Backward halves that make the shadows of containers themselves, so that none passes through their calls."""
from __future__ import annotations

from collections.abc import Collection

from ..ir.clone import clone_function
from ..ir.ops import Call, Function, Param, Tree, Value
from ..runtime import zeros_of

__all__ = ["making_shadows"]


def making_shadows(fn: Function, places: Collection[int]) -> Function:
    """A function that is given a model of each shadow among the parameters of ``fn``, and returns the shadows after its results."""
    new = clone_function(fn)
    shadows = [new.params[k] for k in places]
    models = {s: Value(s.type, f"like_{s.name}", s.varied) for s in shadows}
    new.body.params = [models.get(p, p) for p in new.params]
    new.signature = [Param(models[p.value].name or p.name, models[p.value], p.kind) if p.value in models else p
                     for p in new.signature]
    new.body.ops[:0] = [Call(zeros_of, [model], results=[s], loc=fn.loc, part="adjoint") for s, model in models.items()]
    new.body.yields += shadows
    leaves = [Tree("leaf", index=k) for k in range(len(new.body.yields))]
    new.returns = Tree("tuple", leaves) if len(leaves) > 1 else leaves[0]
    return new

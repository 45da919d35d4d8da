"""Entry point of block-sparse forward mode, for functions that read their argument in parts."""
from __future__ import annotations

import itertools

from ....ir.attributes import Attributes
from ....ir.ops import Block, Function, Param, Value
from ....ir.types import Dim, Num
from ...batch.driver import enter, facts_of, finish
from ...manager import simplify
from .driver import SpannedBatch
from .narrow_tangents import Spans

__all__ = ["spanned"]

_COUNT = itertools.count()


def spanned(fn: Function, seed: Value, complete: bool = False,
            worth_it: bool = False) -> tuple[Function, list[bool]] | None:
    """A forward sweep for many unit directions at once, most of which affect few values; None if that is not known.

    Parameters
    ----------
    fn : Function
        A forward derivative; it is not modified.
    seed : Value
        The parameter for the tangent of an array with one axis.
    complete : bool
        Whether the directions are those of all elements that are read, in order; they are then distinguished at compile time.
    worth_it : bool
        Whether it is known to be profitable.

    Returns
    -------
    Function
        Its ``seed`` is a matrix with one adjacent unit direction per row; if they may be incomplete, its last parameter is the position
        of the first of them.
    list of bool
        Which of its results depend on the direction.

    Raises
    ------
    CannotBatch
        If an operation has no form for several directions.
    """
    facts = facts_of(fn, [p is seed for p in fn.params])
    found = Spans(fn, facts, seed, worth_it)
    if facts.written(seed) or not found.worth_it():
        return None
    made = Function(f"{fn.name}_batched", Block(), names=fn.names, loc=fn.loc, attrs=Attributes(emit=True, spans=True))
    first = None if complete else Value(Num("int"), "first")
    run = SpannedBatch(fn, facts, found, first)
    params, _ = enter(run, made, Dim(None, ("<spans>", next(_COUNT))))
    made.body.params = [*params, *([] if first is None else [first])]
    with run.builder.inside(made.body), run.builder:
        run.begin()
    finish(run, made)
    made.signature = [Param(p.name or f"a{k}", p) for k, p in enumerate(made.body.params)]
    made.returns = fn.returns
    simplify(made)
    return made, [facts.batched(y) for y in fn.body.yields]

"""Scalarize a function path by path: the code after a branch is generated for each outcome.

On a path, a condition has one outcome, so later branches on it, as in the reverse sweep, disappear.
"""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ....ir.build import Builder
from ....ir.ops import Block, Function, Operand
from .element import NotSmall
from .interpreter import Parting, Run, Step
from .lanes import Lane

__all__ = ["write_paths"]

#: how often a way parts at most
_TIMES = 2

Finish = Callable[[list[Any], list[Step]], None]


def write_paths(b: Builder, fn: Function, args: Sequence[Any], lane: Lane, finish: Finish) -> None:
    """Write a function out to a builder.

    Parameters
    ----------
    b : Builder
        The builder of the scalar code.
    fn : Function
        The function; it is not modified.
    args : sequence
        For each parameter an operand, or an array of operands.
    lane : Lane
        The representation of one number.
    finish : callable
        Receives the results at the end of each path, each an `Element`, a literal, or an array of `Element`; and the operations on
        arrays that were unrolled on that path.

    Raises
    ------
    NotSmall
        If the function is not supported.
    """
    _follow(b, fn, args, lane, finish, {}, {})


def _follow(b: Builder, fn: Function, args: Sequence[Any], lane: Lane, finish: Finish, known: dict[Any, Operand],
            outcomes: dict[Operand, bool]) -> None:
    """Write the paths on which some tests have known outcomes; values that are ``known`` from before the branch are not computed again."""
    run = Run(b, lane, known, outcomes)
    try:
        results = run.results(fn, args)
    except Parting as parting:
        if len(outcomes) == _TIMES:
            raise NotSmall("the code goes too many ways") from None
        sides = []
        for holds in (True, False):
            with b.inside(Block()) as side:
                _follow(b, fn, args, lane, finish, dict(known), {**outcomes, parting.test: holds})
            sides.append(side)
        lane.part(b, parting.test, *sides)
        return
    finish(results, run.steps)

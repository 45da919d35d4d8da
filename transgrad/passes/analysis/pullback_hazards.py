"""Detect arguments of ``tg.vjp`` and ``tg.linearize`` that may be modified before the pullback is called.

A pullback reads arguments again (`Attributes.read_later`), which is valid only if nothing has written to them. Otherwise the function is
lowered again, and the pullback stores the values that it reads.
"""
from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...frontend.context import KEPT, Restart
from ...ir.effects import is_mutable
from ...ir.ops import Function, Invoke, Op, Value, walk
from .alias import AliasClasses, summarize

__all__ = ["check_meanwhile"]

def check_meanwhile(program: Any, functions: Iterable[Function]) -> None:
    """Lower the function again if pullbacks have to save their operands."""
    if KEPT not in program.sites and any(map(_reads_what_changes, functions)):
        raise Restart([KEPT])


def _reads_what_changes(fn: Function) -> bool:
    """Return whether another operation writes to an operand of a pullback."""
    ops = [op for op in walk(fn.body) if isinstance(op, Invoke) and op.func.attrs.read_later is not None]
    if not ops:
        return False
    classes = AliasClasses(fn)

    def written(root: Any, op: Op) -> bool:
        return any(w is not op for w in classes.writers.get(root, ()))

    for op in ops:
        given = [a for k in op.func.attrs.read_later or () if isinstance(a := op.args[k], Value) and is_mutable(a.type)]
        roots = [root for a in given for root in (classes.find(a), *classes.inner(a))]
        if any(written(root, op) for root in (*roots, *map(classes.find, summarize(op.func).held))):
            return True
    return False

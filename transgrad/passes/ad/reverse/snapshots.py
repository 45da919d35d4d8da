"""Snapshots: forward values as they were when the forward part read them, copied if they are overwritten later."""
from __future__ import annotations

import copy
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ....ir.effects import is_mutable
from ....ir.ops import Build, Call, Function, GetAttr, Invoke, Op, Operand, Star, Value
from ....ir.prims import unpack
from ....ir.types import UNKNOWN, Arr, DictT, ListT, Obj, RecordT, Type
from ...algebra.folding_builder import AlgebraBuilder
from ...analysis.memory_order import has_order
from ...analysis.to_be_recorded import may_be_tuple
from .adjoint_facts import COPY, Facts, Mirrors

__all__ = ["Snapshot", "Snapshots"]


def _holds_references(t: Type) -> bool:
    """Whether what a container of this type holds may be written to."""
    held = t.elem if isinstance(t, ListT) else t.value if isinstance(t, DictT) else None
    return held is None and not isinstance(t, Arr) or held is not None and is_mutable(held)


def _may_leave_undefined(maker: Op) -> bool:
    """Whether an operation may give no value: residuals, and the results of branches and loops, are defined on some paths only."""
    return not isinstance(maker, (Call, Build, Invoke, GetAttr)) or isinstance(maker, Call) and maker.fn is unpack


@dataclass(eq=False)
class Snapshot:
    """The contents of ``source`` as they were before (or after) the operation ``at``."""

    source: Value
    at: Op
    after: bool
    op: Call
    #: whether it is more than a copy of ``source``, and so has to be taken wherever it is used
    forced: bool = False
    #: whether what ``source`` holds counts, too
    deep: bool = False


class Snapshots(Facts):
    """The copies that the forward part of a function keeps."""

    builder: AlgebraBuilder

    def __init__(self, fn: Function, wrt: Iterable[Value], results: Iterable[Operand], frozen: Iterable[Any] = (),
                 mirrors: Mirrors | None = None):
        super().__init__(fn, wrt, results, frozen, mirrors)
        self.snapshots: dict[Value, Snapshot] = {}
        self._snapshot_of: dict[tuple[Value, int, bool, Any], Value] = {}

    def keep(self, v: Any, op: Op, after: bool = False, deep: bool = False) -> Any:
        """``v`` as it was when ``op`` ran: itself, or a snapshot where it may be overwritten later; ``deep`` includes what a list holds."""
        if not self.changes or not isinstance(v, Value) or not is_mutable(v.type):
            return v
        if self.is_unknown_view(v):
            deep = False
        elif may_be_tuple(v.type) and not (v.type == UNKNOWN and self.is_active(v)):
            made = self.layout.maker.get(v)
            if isinstance(made, Build) and made.kind == "tuple" and not any(isinstance(i, Star) for i in made.items):
                items = [self.keep(i, op, after, deep) for i in made.items]
                return v if all(a is b for a, b in zip(items, made.items)) else self.builder.build("tuple", items)
            deep = True
        elif isinstance(v.type, Obj) or isinstance(v.type, RecordT) and not deep:
            return v
        deep = deep and _holds_references(v.type)
        # the derivative of an operation that reads elements in the order of memory needs a copy that lies in memory as the array did
        made_by = copy.deepcopy if deep else COPY.get(type(v.type), np.copy) if not (isinstance(op, Call) and has_order(op)) else np.copy
        if not self.stability.ever_changes(v, deep):
            return v
        if not deep and not self.classes.is_written(v):      # only others write to it: one copy is enough
            if (maker := self.layout.maker.get(v)) is not None:
                if self.layout.inside[id(maker)] is self.layout.inside[id(op)] or not _may_leave_undefined(maker):
                    op, after = maker, True
            elif v in self.fn.params:
                op, after = self.fn.body.ops[0], False
        key = (v, id(op), after, made_by)
        if key not in self._snapshot_of:
            kept = Value(v.type, v.name, v.varied)
            self.remember(kept, Call(made_by, [v], results=[kept], loc=op.loc), v, op, after)
            self.snapshots[kept].deep = deep
            self._snapshot_of[key] = kept
        return self._snapshot_of[key]

    def remember(self, value: Value, made: Call, source: Value, at: Op, after: bool, forced: bool = False) -> None:
        """Has the forward part compute ``value`` by ``made`` before or after the operation ``at``."""
        self.snapshots[value] = Snapshot(source, at, after, made, forced)
        self.copy_of[value] = source
        self.layout.home[value] = self.layout.inside[id(at)]
        self.layout.maker[value] = made

"""Result of the reverse pass: the reverse block, and the map from forward regions to their reverse regions."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ....ir.ops import Block, Function, Invoke, Op, Value
from ...analysis.alias import AliasClasses
from ...analysis.program_order import Layout
from ...analysis.to_be_recorded import Stability
from .snapshots import Snapshot

__all__ = ["Pair", "ReverseResult"]


@dataclass(eq=False)
class Pair:
    """A region of the forward part and the region that reverses it.

    ``owner`` and ``mirror`` are the operations they belong to (a loop, an ``if``…); ``position`` is, in the reverse
    region, the number of the iteration, if it is used.
    """

    forward: Block
    backward: Block
    owner: Op | None = None
    mirror: Op | None = None
    position: Value | None = None


@dataclass(eq=False)
class ReverseResult:
    """The result of the reverse pass: the reverse block, the adjoints of the inputs, the pairs of regions, and
    the copies of overwritten arrays that the forward part has to save if they are used."""

    block: Block
    adjoints: list[Any]
    pairs: list[Pair]
    layout: Layout
    classes: AliasClasses
    stability: Stability
    snapshots: dict[Value, Snapshot] = field(default_factory=dict)
    forward_halves: dict[int, tuple[Invoke, Function, list[Value]]] = field(default_factory=dict)

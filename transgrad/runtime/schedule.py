"""Where a loop that may keep few of its states keeps them: the binomial schedule of checkpoints (Griewank's treeverse)."""
from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

__all__ = ["binomial_middle", "binomial_stretch", "taken"]

#: No step is computed more often than this, and no more states are kept, so that the recursion stays shallow.
_SWEEPS, _SNAPSHOTS = 32, 200


def binomial_stretch(steps: int, snapshots: int) -> int:
    """How many steps are reversed at once: one, unless the snapshots are so few that steps would be computed too often."""
    snapshots = min(snapshots, _SNAPSHOTS)
    return max(1, -(-steps // math.comb(snapshots + _SWEEPS, snapshots)))


def binomial_middle(first: int, end: int, snapshots: int, stretch: int) -> int:
    """The step between ``first`` and ``end`` at which to keep a state, so that the steps computed again are the fewest.

    The state at ``first`` is kept already, and ``snapshots`` counts it.  What lies before the middle has all of them once what
    lies behind it is reversed; what lies behind it has one less.
    """
    n = -(-(end - first) // stretch)
    snapshots = min(snapshots, _SNAPSHOTS)
    if snapshots <= 1:
        return first + stretch * (n - 1)
    sweeps = 1
    while math.comb(snapshots + sweeps, snapshots) < n:
        sweeps += 1
    before = min(math.comb(snapshots + sweeps - 1, snapshots), n - math.comb(snapshots + sweeps - 2, snapshots - 1))
    return first + stretch * max(before, 1)


def taken(items: list[Any]) -> Iterator[Any]:
    """The items from the last to the first, each of which leaves the list, so that its memory is free for the next."""
    while items:
        yield items.pop()

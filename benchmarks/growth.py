"""How time grows with size: the exponent of a power law fitted to the largest sizes of a workload whose sizes are numbers."""
from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .measure import Row

__all__ = ["GROWING", "exponents", "length"]

#: the workload whose exponents are limited
GROWING = ("recurrence",)


def length(row: Row) -> float:
    """The size of a row as a number."""
    return float(row.size)


def exponents(rows: Sequence[Row]) -> dict[str, tuple[float, float]]:
    """Of the gradient and of the primal, by workload."""
    found = {}
    for name in GROWING:
        mine = [r for r in rows if r.workload == name]
        if len(mine) > 2:
            sizes = np.log([length(r) for r in mine])
            found[name] = tuple(float(np.polyfit(sizes, np.log([r.seconds[t] for r in mine]), 1)[0]) for t in ("ours", "primal"))
    return found  # type: ignore[return-value]

"""A function that is tried: where it is, what it is given, and how its result becomes one number."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["Entry", "entry"]


@dataclass(frozen=True, eq=False)
class Entry:
    """``target`` is 'package.module:function' or an expression after the colon; ``reduce`` makes one number of the result r."""

    target: str
    args: tuple[Any, ...]
    wrt: tuple[int, ...] = (0,)
    reduce: str = "r"
    step: float = 1e-4

    @property
    def package(self) -> str:
        return self.target.partition(":")[0].partition(".")[0]

    @property
    def name(self) -> str:
        return self.target.partition(":")[2]


def entry(target: str, *args: Any, wrt: tuple[int, ...] | None = None, reduce: str = "r", step: float = 1e-4) -> Entry:
    """An entry; it is differentiated by its floats where nothing else is said."""
    floats = tuple(k for k, a in enumerate(args) if isinstance(a, float) or isinstance(a, np.ndarray) and a.dtype.kind == "f")
    return Entry(target, args, floats if wrt is None else wrt, reduce, step)

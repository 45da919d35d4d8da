"""Reverses of reading and writing by arrays of indices, slices and numbers together, as loops over the elements."""
from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload

from .. import add, add_at, gather_written, scatter

__all__: list[str] = []

_jit = {"error_model": "numpy"}
_LENGTHS = "operands could not be broadcast together"


class _Loops:
    """The lines that go over the elements that ``x[index]`` names; not ``ok`` where there are none for such an index."""

    def __init__(self, x: Any, index: Any):
        given = list(index) if isinstance(index, types.BaseTuple) else [index]
        self.whole = not isinstance(index, types.BaseTuple)
        kinds = ["array" if isinstance(t, types.Array) and t.ndim == 1 and isinstance(t.dtype, types.Integer)
                 else "number" if isinstance(t, types.Integer) else "slice" if isinstance(t, types.SliceType) else "" for t in given]
        self.ok = all(kinds) and "array" in kinds and len(kinds) <= x.ndim
        self.kinds = kinds + ["whole"] * (x.ndim - len(kinds))
        #: the dimensions that arrays and numbers index, and those that stay
        self.named = [d for d, kind in enumerate(self.kinds) if kind in ("array", "number")]
        self.kept = [d for d, kind in enumerate(self.kinds) if kind in ("slice", "whole")]
        together = self.named == list(range(self.named[0], self.named[-1] + 1)) if self.named else True
        first = sum(d < self.named[0] for d in self.kept) if together and self.named else 0
        #: the loops in the order of the dimensions of ``x[index]``
        self.order: list[Any] = [*self.kept[:first], "k", *self.kept[first:]]

    def part(self, d: int) -> str:
        return "index" if self.whole else f"index[{d}]"

    def head(self) -> list[str]:
        """Lengths and where slices start, before the loops."""
        arrays = [d for d in self.named if self.kinds[d] == "array"]
        lines = [f"count = len({self.part(arrays[0])})"]
        for d in arrays[1:]:
            lines += [f"if len({self.part(d)}) != count:", "    raise IndexError('index arrays have different lengths')"]
        for d in self.kept:
            if self.kinds[d] == "slice":
                lines += [f"start{d}, stop{d}, step{d} = {self.part(d)}.indices(x.shape[{d}])",
                          f"n{d} = len(range(start{d}, stop{d}, step{d}))"]
            else:
                lines += [f"n{d} = x.shape[{d}]"]
        return lines

    def place(self) -> list[str]:
        """Where the ``k``-th of the indices are."""
        lines = []
        for d in self.named:
            lines += [f"i{d} = {self.part(d)}{'[k]' if self.kinds[d] == 'array' else ''}",
                      f"if i{d} < -x.shape[{d}] or i{d} >= x.shape[{d}]:", "    raise IndexError('index is out of bounds')",
                      f"if i{d} < 0:", f"    i{d} += x.shape[{d}]"]
        return lines

    def nest(self, body: list[str]) -> list[str]:
        """The loops over all elements, the ``k``-th place known, around ``body``."""
        lines, depth = ["for k in range(count):", *_deeper(self.place(), 1)], 1
        for d in self.kept:
            lines += _deeper([f"for j{d} in range(n{d}):"], depth)
            depth += 1
            lines += _deeper([f"i{d} = start{d} + step{d} * j{d}" if self.kinds[d] == "slice" else f"i{d} = j{d}"], depth)
        return lines + _deeper(body, depth)

    @property
    def element(self) -> str:
        """The index of an element of ``x``."""
        return ", ".join(f"i{d}" for d in range(len(self.kinds)))

    @property
    def result(self) -> str:
        """The index of an element of ``x[index]``."""
        return ", ".join("k" if d == "k" else f"j{d}" for d in self.order)

    @property
    def lengths(self) -> list[str]:
        """The lengths of ``x[index]``."""
        return ["count" if d == "k" else f"n{d}" for d in self.order]


def _deeper(lines: list[str], depth: int) -> list[str]:
    return ["    " * depth + line for line in lines]


def _made(names: str, lines: list[str], **scope: Any) -> Any:
    found: dict[str, Any] = {"np": np, **scope}
    exec("\n".join([f"def implementation({names}):", *_deeper(lines, 1)]), found)
    return found["implementation"]


@overload(add_at, jit_options=_jit)
def _add_at(a, index, g):
    if isinstance(a, types.List):
        return lambda a, index, g: a.__setitem__(index, add(a[index], g))
    if not isinstance(a, types.Array):
        return None
    loops = _Loops(a, index)
    rank = g.ndim if isinstance(g, types.Array) else 0
    if not loops.ok or rank not in (0, len(loops.order)):
        return None
    checks = [line for k, n in enumerate(loops.lengths) if rank
              for line in (f"if g.shape[{k}] != {n}:", f"    raise ValueError({_LENGTHS!r})")]
    added = f"g[{loops.result}]" if rank else "g"
    return _made("a, index, g", ["x = a", *loops.head(), *checks, *loops.nest([f"x[{loops.element}] += {added}"])])


@overload(gather_written, jit_options=_jit)
def _gather_written(x_bar, index):
    """The later of two writes to one place stays; the cotangent of the earlier is zero."""
    if not isinstance(x_bar, types.Array):
        return None
    if isinstance(index, types.Array) and isinstance(index.dtype, types.Boolean):
        return lambda x_bar, index: x_bar[index]
    loops = _Loops(x_bar, index)
    if not loops.ok:
        return None
    named = ", ".join(f"i{d}" for d in loops.named)
    lines = [*loops.head(), f"last = np.full(({', '.join(f'x.shape[{d}]' for d in loops.named)},), -1, np.int64)",
             "for k in range(count):", *_deeper([*loops.place(), f"last[{named}] = k"], 1),
             f"out = np.zeros(({', '.join(loops.lengths)},), dtype)",
             *loops.nest([f"if last[{named}] == k:", f"    out[{loops.result}] = x[{loops.element}]"]), "return out"]
    return _made("x_bar, index", ["x = x_bar", *lines], dtype=np.dtype(str(x_bar.dtype)))


@overload(scatter, jit_options=_jit)
def _scatter(x, index, g):
    if not isinstance(x, types.Array):
        return None
    dtype = np.result_type(str(x.dtype), str(getattr(g, "dtype", g)))

    def implementation(x, index, g):
        out = np.zeros(x.shape, dtype)
        add_at(out, index, g)
        return out
    return implementation

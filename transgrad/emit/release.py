"""Large arrays are let go of when nothing reads them any more, where others are made afterwards.

Freed memory is reused for the next array. Memory held to the end of a call is returned to the system if it is much
larger than the largest array, and the next call maps it page by page.
"""
from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from .statements import Line

__all__ = ["release_arrays"]

#: so many times the largest array may be held at a time
_HELD = 2


def release_arrays(lines: list[Line], sizes: Mapping[str, int]) -> list[Line]:
    """The lines of a function, with ``del`` after the last use of variables.

    Parameters
    ----------
    lines : list of Line
        The function's body, with names.
    sizes : mapping of str to int
        How large the arrays are that variables hold: 0 for a view of another array.  Parameters are not among them.
    """
    assigned: dict[str, int] = {}
    last: dict[str, int] = {}
    for k, line in enumerate(lines):
        target = _assigned(line)
        if target is not None:
            assigned.setdefault(target, k)
        for name in _names(line):
            if name in sizes:
                last[name] = k
    made = [k for k, line in enumerate(lines) if _assigned(line) in sizes]
    held = [name for name in last if name in assigned]
    if not made or sum(sizes[name] for name in held) <= _HELD * max(sizes.values()):
        return lines
    out: list[Line] = []
    for k, line in enumerate(lines):
        out.append(line)
        gone = [name for name in held if last[name] == k < made[-1]]
        if gone and line.pieces[:1] != ["return "]:
            out.append(Line(["del " + ", ".join(sorted(gone, key=assigned.__getitem__))], line.loc, line.part))
    return out


def _assigned(line: Line) -> str | None:
    """The variable that a line assigns to, and nothing but that."""
    first = line.pieces[0] if line.pieces else None
    return first.id if isinstance(first, ast.Name) and len(line.pieces) > 1 and line.pieces[1] == " = " and line.body is None else None


def _names(line: Line) -> Iterator[str]:
    """The variables that a line mentions, with its nested statements."""
    for piece in line.pieces:
        if isinstance(piece, ast.expr):
            yield from (node.id for node in ast.walk(piece) if isinstance(node, ast.Name))
    for inner in [*(line.body or ()), *line.clauses]:
        yield from _names(inner)

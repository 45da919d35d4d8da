"""The output of the emitter: source, the names it refers to, and the statement each line was generated from."""
from __future__ import annotations

import types
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..ir.ops import Loc

__all__ = ["Module", "Origin"]


class Origin(NamedTuple):
    """The statement of a function that a line of generated code belongs to.

    Attributes
    ----------
    file : str
    line : int
        1-based.
    text : str
        The statement; of a compound statement, its header.
    part : str
        ``"primal"``, ``"adjoint"`` or ``"tangent"``: the role of the generated line.
    """

    file: str
    line: int
    text: str
    part: str


@dataclass(eq=False, slots=True)
class Module:
    """The source of a function.

    Attributes
    ----------
    text : str
        Python source: the definitions of ``entry`` and of the functions that only it has.
    names : dict
        The objects outside of the source that it refers to: modules, functions, constants by name.
    entry : str
        The name of the function.
    locs : dict
        The statement of the user's source behind each line (1-based).
    parts : dict
        The part of the derivative that each line with a statement belongs to, if it is not ``"primal"``.
    code : code, optional
        The compiled source, once it has been compiled.
    stored : dict, optional
        The origins as they were read from the cache.
    """

    text: str
    names: dict[str, Any]
    entry: str
    locs: dict[int, Loc] = field(default_factory=dict)
    parts: dict[int, str] = field(default_factory=dict)
    code: types.CodeType | None = None
    stored: dict[int, tuple[Any, ...]] | None = None

    def origins(self) -> dict[int, tuple[Any, ...]]:
        """The origin of each line that has one, as plain tuples (see `Origin`)."""
        if self.stored is not None:
            return self.stored
        out: dict[int, tuple[Any, ...]] = {}
        for line, loc in self.locs.items():
            own = loc.caller or loc
            out[line] = own.file, own.line, own.text, self.parts.get(line, "primal")
        return out

"""What the emitter writes, and where tracebacks, pdb and inspect find it."""
from __future__ import annotations

import functools
import linecache
import types
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from ..ir.ops import Loc

__all__ = ["Module", "show"]


@dataclass(eq=False, slots=True)
class Module:
    """The text of a function.

    Attributes
    ----------
    text : str
        Python source: the definitions of ``entry`` and of the functions that only it has.
    names : dict
        What the text refers to outside itself: modules, functions, constants by name.
    entry : str
        The name of the function.
    locs : dict
        The statement of the user's source behind each line (1-based).
    code : code, optional
        The text compiled, once it has been.
    """

    text: str
    names: dict[str, Any]
    entry: str
    locs: dict[int, Loc] = field(default_factory=dict)
    code: types.CodeType | None = None


class _Lines(Sequence[str]):
    """The lines of a text, which is taken apart when one is looked for: few texts ever are."""

    def __init__(self, text: str):
        self.text = text

    @functools.cached_property
    def _lines(self) -> list[str]:
        return self.text.splitlines(keepends=True)

    def __getitem__(self, k: Any) -> Any:
        return self._lines[k]

    def __len__(self) -> int:
        return len(self._lines)


def show(filename: str, text: str) -> None:
    """Has a text found under the name of a file that does not exist."""
    linecache.cache[filename] = len(text), None, cast(list[str], _Lines(text)), filename

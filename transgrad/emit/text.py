"""What the emitter writes."""
from __future__ import annotations

import types
from dataclasses import dataclass, field
from typing import Any

from ..ir.ops import Loc

__all__ = ["Module"]


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

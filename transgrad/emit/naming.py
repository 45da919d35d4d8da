"""The one place where names are made: of derivatives, of saved values, of temporaries, and unique where two want the same."""
from __future__ import annotations

import itertools
import keyword
from collections.abc import Container, Iterator
from typing import TYPE_CHECKING

from ..ir.ops import Value
from ..ir.types import Arr, Num, TupleT, Type

if TYPE_CHECKING:
    from .coalesce import Variables

__all__ = ["bar", "dot", "name_variables", "saved", "temporary_names", "unique"]


#: Names of temporaries, in order of preference; `l`, `o` and `e` read badly.
_TEMPORARIES = ("s", "t", "q", "r", "w", "v", "u", "z", "p", "h", "g", "a", "b", "c", "d")
_INTEGERS = ("n", "m", "k", "j", "i")


def bar(name: str | None) -> str:
    """The name of the adjoint of a variable."""
    return f"{name or 's'}_bar"


def dot(name: str | None) -> str:
    """The name of the tangent of a variable."""
    return f"{name or 's'}_dot"


def saved(name: str | None) -> str:
    """The name of the list that keeps a variable's values for the reverse sweep."""
    return f"saved_{name or 's'}"


def unique(hint: str, taken: Container[str]) -> str:
    """``hint``, or with the first free number appended; never a keyword of Python."""
    if hint not in taken and not keyword.iskeyword(hint):
        return hint
    k = 1
    while f"{hint}_{k}" in taken:
        k += 1
    return f"{hint}_{k}"


def name_variables(variables: Variables, fixed: dict[Value, str], taken: set[str], mentioned: Container[int]) -> dict[int, str]:
    """Names all variables of a function.

    Parameters
    ----------
    variables : Variables
        What shares a name.
    fixed : dict
        Names of the parameters.
    taken : set of str
        Names that the generated code uses for other objects: modules, functions, constants.
    mentioned : container of int
        The variables that the generated code mentions.
    """
    names = {variables.class_of(v): name for v, name in fixed.items()}
    hints = {k: variables.name(k) for k in variables.classes()}
    used = {*taken, *names.values()}
    temporaries = [k for k, hint in hints.items() if k not in names and k in mentioned and hint is None]
    candidates: dict[tuple[str, ...], Iterator[str]] = {}

    def give(k: int, base: tuple[str, ...]) -> None:
        """The next free name; names of other variables stay in use."""
        names[k] = next(name for name in candidates.setdefault(base, _numbered(base)) if name not in used and not keyword.iskeyword(name))
        used.add(names[k])

    for k, hint in hints.items():
        if k not in names and k in mentioned and hint is not None:
            give(k, (hint,))
    used.update(hint for hint in hints.values() if hint is not None)
    for k in temporaries:
        give(k, temporary_names(variables.type(k)))
    return names


def temporary_names(t: Type) -> tuple[str, ...]:
    """Names that suit a temporary of a type, in order of preference."""
    if isinstance(t, Num) and t.kind == "int":
        return _INTEGERS
    if isinstance(t, Arr) and t.dtype == "bool" and t.dims:
        return ("mask",)
    if isinstance(t, TupleT) and len(t.elems) == 2:
        return ("pair",)
    return _TEMPORARIES


def _numbered(base: tuple[str, ...]) -> Iterator[str]:
    """Some names, and then the same with numbers."""
    yield from base
    for k in itertools.count(1):
        yield from (f"{n}_{k}" for n in base)

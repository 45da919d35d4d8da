"""The one place where names are made: of derivatives, of saved values, of temporaries, and unique where two want the same."""
from __future__ import annotations

import keyword
from collections.abc import Container, Iterator

from ..ir.ops import Value
from ..ir.types import Arr, Num, TupleT, Type
from .coalesce import Variables

__all__ = ["bar", "dot", "name_variables", "saved", "unique"]


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
        Names that the text uses for something else: modules, functions, constants.
    mentioned : container of int
        The variables that the text mentions.
    """
    names = {variables.class_of(v): name for v, name in fixed.items()}
    used = {*taken, *names.values()}
    hints = {n for k in variables.classes() if (n := variables.name(k)) is not None}
    temporaries: list[int] = []
    for k in variables.classes():
        if k in names or k not in mentioned:
            continue
        hint = variables.name(k)
        if hint is None:
            temporaries.append(k)
            continue
        names[k] = unique(hint, used)
        used.add(names[k])
    _name_temporaries(variables, temporaries, names, used | hints)
    return names


def _name_temporaries(variables: Variables, temporaries: list[int], names: dict[int, str], used: set[str]) -> None:
    """Short names, used again where the one before is no longer needed."""
    homes: dict[str, list[int]] = {}
    for k in temporaries:
        name = next(name for name in _candidates(variables.type(k), used)
                    if not any(variables.interferes(k, other) for other in homes.get(name, ())))
        homes.setdefault(name, []).append(k)
        names[k] = name


def _candidates(t: Type, used: set[str]) -> Iterator[str]:
    base = _INTEGERS if isinstance(t, Num) and t.kind == "int" else _TEMPORARIES
    if isinstance(t, Arr) and t.dtype == "bool" and t.dims:
        base = ("mask",)
    elif isinstance(t, TupleT) and len(t.elems) == 2:
        base = ("pair",)
    yield from (n for n in base if n not in used)
    k = 1
    while True:
        yield from (f"{n}_{k}" for n in base if f"{n}_{k}" not in used)
        k += 1

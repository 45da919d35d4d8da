"""Lengths that arguments are taken not to have: where ``x[2:]`` has one element, it is broadcast, which a text for others does not undo.

Each call checks them; of a call with such an argument, the length is taken as known instead.
"""
from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ...ir.attributes import Guard
from ...ir.ops import Function
from ...ir.types import Arr, Dim, RecordT, TupleT, Type
from ..context import Program, Restart

__all__ = ["NO_ASSUMPTIONS", "checked", "is_argument_length", "nonempty_lengths", "with_known_lengths"]

#: Among the sites of a program: no loop is assumed to run at least once.
NO_ASSUMPTIONS = "loops may be empty"

#: what stands, with the name of a dimension, among the sites of a program where the length is known
_KNOWN = "<length>"


def checked(program: Program, assumed: Iterable[tuple[Any, int]], args: Mapping[str, Any]) -> list[Guard]:
    """The guards of some lengths that dimensions are assumed not to have; lowers again where the arguments have them."""
    guards, wrong = [], []
    for sym, length in sorted(assumed, key=repr):
        path, axis = _place(sym)
        if path is None:
            continue
        found = _argument(path, args)
        if isinstance(found, np.ndarray):
            if found.shape[axis] == length:
                wrong.append((_KNOWN, sym))
            guards.append(Guard("unlike", path[0] if len(path) == 1 else path, axis, length))
    if wrong:
        raise Restart(wrong)
    return guards


def with_known_lengths(program: Program, t: Type, example: Any) -> Type:
    """The type of an argument, in which lengths that were assumed not to be are numbers; these are checked."""
    if not any(type(site) is tuple and type(site[0]) is str and site[0] == _KNOWN for site in program.sites):
        return t
    if isinstance(t, Arr) and isinstance(example, np.ndarray):
        dims = [*t.dims]
        for k, d in enumerate(dims):
            path, axis = _place(d.sym)
            if (_KNOWN, d.sym) in program.sites and path is not None:
                n = example.shape[k]
                dims[k] = Dim(False, ("<const>", n))
                program.guard("alike", path[0] if len(path) == 1 else path, axis, n)
        return Arr(t.dtype, tuple(dims), t.scalar)
    if isinstance(t, TupleT) and isinstance(example, (tuple, list)):
        return TupleT(tuple(with_known_lengths(program, e, x) for e, x in zip(t.elems, example)), t.cls)
    if isinstance(t, RecordT):
        items = [example[k] if isinstance(example, dict) else getattr(example, str(k)) for k in t.keys]
        return replace(t, elems=tuple(with_known_lengths(program, e, x) for e, x in zip(t.elems, items)))
    return t


def is_argument_length(sym: Any) -> bool:
    """Whether a dimension is named after an axis of an argument, of the function or of a function that it calls."""
    return isinstance(sym, tuple) and (sym[:1] == ("<arg>",) or _place(sym)[0] is not None)


def nonempty_lengths(function: Function, callers: tuple[Function, ...] = ()) -> set[tuple[Any, int]]:
    """The lengths, as (dimension, length), at which loops that are assumed to run would be empty, in a function and in those it calls.

    Lowers again without such assumptions where a caller cannot check them: of the length of a value that is computed, and of functions
    that call themselves.
    """
    found = set(function.attrs.nonempty)
    for variant, lengths in function.attrs.calls:
        inner = variant.function
        if inner is function or inner in callers:
            if any(f.attrs.nonempty for f in (function, *callers)):
                raise Restart([NO_ASSUMPTIONS])
            continue
        for sym, length in nonempty_lengths(inner, (*callers, function)):
            origin, off = lengths.back.get(sym[1], (None, 0))
            if not is_argument_length(origin):
                raise Restart([NO_ASSUMPTIONS])
            found.add((origin, length - off))
    return found


def _place(sym: Any) -> tuple[tuple[Any, ...] | None, int]:
    """Where an argument's dimension is: the argument's name and the keys that lead to the array, and the axis."""
    if not isinstance(sym, tuple) or len(sym) != 2 or type(sym[1]) is not int:
        return None, 0
    root, axis = sym
    keys: list[Any] = []
    while isinstance(root, tuple) and len(root) == 2:
        root, key = root
        keys.insert(0, key)
    return ((root, *keys), axis) if isinstance(root, str) and not root.startswith("<") else (None, 0)


def _argument(path: tuple[Any, ...], args: Mapping[str, Any]) -> Any:
    found = args.get(path[0])
    for key in path[1:]:
        found = found[key] if isinstance(found, (dict, list)) or isinstance(found, tuple) and isinstance(key, int) else getattr(
            found, str(key), None)
    return found

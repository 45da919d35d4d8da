"""Unknowns of several shapes as one vector, and back: plain code, compiled along with the function that asks for it.

Tuples are taken apart one item at a time, so that each keeps its own type.
"""
from __future__ import annotations

from typing import Any

import numpy as np

from .implicit import custom_root

__all__ = ["structured_root"]


def structured_root(f: Any, x: Any) -> Any:
    """`custom_root` for a root ``x`` in any structure, by that of a vector."""
    form = _form(x)
    return _shaped(custom_root(lambda z: _raveled(f(_shaped(z, form))), _raveled(x), _found), form)


def _form(x: Any) -> Any:
    """The structure and the shapes alone, as arrays without derivatives."""
    if isinstance(x, dict):
        return {key: _form(item) for key, item in x.items()}
    if isinstance(x, list):
        return list(_form(tuple(x)))
    if isinstance(x, tuple):
        return (_form(x[0]), *_form(x[1:])) if len(x) else ()
    return np.zeros(np.shape(x), dtype=bool)


def _found(f: Any, guess: Any) -> Any:
    return guess


def _raveled(x: Any) -> Any:
    return np.concatenate(_pieces(x))


def _pieces(x: Any) -> Any:
    if isinstance(x, dict):
        return _pieces(tuple(x.values()))
    if isinstance(x, (tuple, list)):
        return (*_pieces(x[0]), *_pieces(x[1:])) if len(x) else ()
    return (np.reshape(x, -1) if np.ndim(x) else np.array([x]),)


def _shaped(z: Any, x: Any) -> Any:
    return _taken(z, 0, x)[0]


def _taken(z: Any, at: Any, x: Any) -> Any:
    """What starts at ``at``, in the form of x, and where it ends."""
    if isinstance(x, dict):
        items, at = _taken(z, at, tuple(x.values()))
        return dict(zip(x.keys(), items)), at
    if isinstance(x, list):
        items, at = _taken(z, at, tuple(x))
        return list(items), at
    if isinstance(x, tuple):
        if not x:
            return (), at
        first, at = _taken(z, at, x[0])
        rest, at = _taken(z, at, x[1:])
        return (first, *rest), at
    if np.ndim(x) == 0:
        return z[at], at + 1
    return np.reshape(z[at:at + np.size(x)], np.shape(x)), at + np.size(x)

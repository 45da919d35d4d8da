"""Random number generators for functions on the tape: the arrays that they return record writes."""
from __future__ import annotations

from typing import Any

import numpy as np

from .makers import fresh

__all__ = ["drawing"]


def _drawn(method: Any) -> Any:
    def draw(*args: Any, **kwargs: Any) -> Any:
        return fresh(method(*args, **kwargs))
    return draw


def _attribute(self: Any, name: str) -> Any:
    found = object.__getattribute__(self, name)
    return _drawn(found) if callable(found) and not name.startswith("_") else found


class _RandomState(np.random.RandomState):
    __getattribute__ = _attribute


class _Generator(np.random.Generator):
    __getattribute__ = _attribute


def _generator(seed: Any = None) -> Any:
    """np.random.default_rng."""
    found = np.random.default_rng(seed)
    return _Generator(found.bit_generator) if type(found) is np.random.Generator else found


def drawing(value: Any) -> Any:
    """The replacement of a generator, of its constructor, or of a method of one (such as ``np.random.normal``), on the tape;
    None for other values."""
    if value is np.random.RandomState:
        return _RandomState
    if value is np.random.default_rng:
        return _generator
    if type(value) is np.random.Generator:
        return _Generator(value.bit_generator)
    if isinstance(getattr(value, "__self__", None), (np.random.RandomState, np.random.Generator)) and callable(value):
        return _drawn(value)
    return None

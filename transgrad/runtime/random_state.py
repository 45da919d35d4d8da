"""Random numbers that are drawn again as they were, where a call is made again in the reverse sweep."""
from __future__ import annotations

import random
from typing import Any

import numpy as np

__all__ = ["random_state", "set_random_state"]


def random_state(*generators: Any) -> list[Any]:
    """What generators are at; ``"numpy"`` and ``"random"`` stand for the ones behind ``np.random`` and the module random."""
    return [_get(g) for g in generators]


def set_random_state(state: list[Any], *generators: Any) -> list[Any]:
    """Restore earlier states of generators, and return their current states."""
    now = random_state(*generators)
    for g, s in zip(generators, state):
        _set(g, s)
    return now


def _get(g: Any) -> Any:
    if isinstance(g, str):
        return np.random.get_state() if g == "numpy" else random.getstate()
    if isinstance(g, random.Random):
        return g.getstate()
    return g.get_state() if isinstance(g, np.random.RandomState) else g.bit_generator.state


def _set(g: Any, state: Any) -> None:
    if isinstance(g, str):
        (np.random.set_state if g == "numpy" else random.setstate)(state)
    elif isinstance(g, random.Random):
        g.setstate(state)
    elif isinstance(g, np.random.RandomState):
        g.set_state(state)
    else:
        g.bit_generator.state = state

"""Derivatives of functions of containers by central differences."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .containers import leaves, rebuilt

__all__ = ["along", "gradient", "second"]


def _wide(x: Any) -> list[np.ndarray[Any, Any]]:
    return [np.asarray(leaf).astype(complex if np.iscomplexobj(leaf) else float) for leaf in leaves(x)]


def _at(f: Callable[[Any], Any], x: Any, values: Sequence[Any]) -> Any:
    """The value of ``f`` for other leaves, in double precision."""
    new = [v if isinstance(leaf, np.ndarray) else v.item() for v, leaf in zip(values, leaves(x))]
    return f(rebuilt(x, iter(new)))


def gradient(f: Callable[[Any], Any], x: Any, step: float = 1e-6) -> list[np.ndarray[Any, Any]]:
    """The gradient, leaf by leaf; of a complex leaf, the steepest ascent."""
    values = _wide(x)
    found = [np.zeros_like(v) for v in values]
    for k, v in enumerate(values):
        for index in np.ndindex(v.shape):
            for unit in (1.0, 1j) if v.dtype.kind == "c" else (1.0,):
                ends = []
                for sign in (1.0, -1.0):
                    moved = [w.copy() for w in values]
                    moved[k][index] += sign * step * unit
                    ends.append(_at(f, x, moved))
                found[k][index] += unit * (ends[0] - ends[1]) / (2.0 * step)
    return found


def along(tangent: Any, slopes: Sequence[Any]) -> float:
    """The derivative along a tangent, from the gradient."""
    return float(sum(np.sum(np.real(np.conj(s) * np.asarray(t))) for t, s in zip(leaves(tangent), slopes)))


def second(f: Callable[[Any], Any], x: Any, tangent: Any, step: float = 1e-4) -> list[np.ndarray[Any, Any]]:
    """The Hessian times a tangent, leaf by leaf."""
    def moved(sign: float) -> Any:
        new = [v + sign * step * np.asarray(t) for v, t in zip(_wide(x), leaves(tangent))]
        return rebuilt(x, iter([v if isinstance(leaf, np.ndarray) else v.item() for v, leaf in zip(new, leaves(x))]))
    return [(a - b) / (2.0 * step) for a, b in zip(gradient(f, moved(1.0)), gradient(f, moved(-1.0)))]

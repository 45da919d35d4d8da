"""Numbers in nested values: read them, move them along a direction, pair them with a cotangent, compare structures."""
from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from .. import tree
from ..transforms.seeds import is_active

__all__ = ["differs", "draw", "entries_of", "is_single", "like", "moved", "named_numbers", "numbers", "paired", "private"]


def private(value: Any) -> Any:
    """Return a copy that a function may modify."""
    return copy.deepcopy(value)


def named_numbers(value: Any, name: str = "") -> list[tuple[str, Any]]:
    """Return the differentiable leaves of a nested value, each with the expression that reads it."""
    return [(path, leaf) for path, leaf in tree.leaves_with_paths(value, name, objects=True) if is_active(leaf)]


def numbers(value: Any) -> list[np.ndarray]:
    """Return the differentiable leaves as arrays of at least double precision."""
    return [np.asarray(leaf, _wide(leaf)) for leaf in tree.flatten(value, objects=True)[0] if is_active(leaf)]


def entries_of(got: Any, value: Any) -> list[np.ndarray]:
    """Return the numbers of a gradient or tangent ``got`` that correspond to those of ``value``, which has the same structure."""
    pairs = zip(tree.flatten(got, objects=True)[0], tree.flatten(value, objects=True)[0])
    return [np.asarray(g, _wide(g)) for g, leaf in pairs if is_active(leaf)]


def _wide(leaf: Any) -> np.dtype[Any]:
    return np.result_type(np.asarray(leaf).dtype, np.float64)


def is_single(value: Any) -> bool:
    """Return whether a number has less than double precision."""
    return any(np.finfo(np.asarray(leaf).dtype).eps > 1e-10 for leaf in tree.flatten(value, objects=True)[0] if is_active(leaf))


def draw(value: Any, rng: np.random.Generator) -> list[np.ndarray]:
    """Return a random direction for each number, away from 0."""
    out: list[np.ndarray] = []
    for leaf in numbers(value):
        parts = [rng.uniform(0.5, 1.5, leaf.shape) * rng.choice([-1.0, 1.0], leaf.shape) for _ in range(1 + (leaf.dtype.kind == "c"))]
        out.append(parts[0] + 1j * parts[1] if len(parts) > 1 else np.asarray(parts[0]))
    return out


def _replaced(value: Any, fn: Callable[[Any, np.ndarray], Any], directions: Sequence[np.ndarray]) -> Any:
    rest: Iterator[np.ndarray] = iter(directions)
    leaves, form = tree.flatten(value, objects=True)
    return tree.unflatten(form, [fn(leaf, next(rest)) if is_active(leaf) else private(leaf) for leaf in leaves])


def like(value: Any, directions: Sequence[np.ndarray]) -> Any:
    """Return a direction with the structure, types and dtypes of a value."""
    def cast(leaf: Any, d: np.ndarray) -> Any:
        if isinstance(leaf, np.ndarray):
            return np.asarray(d, leaf.dtype)
        return leaf.dtype.type(d[()]) if isinstance(leaf, np.generic) else type(leaf)(d[()])
    return _replaced(value, cast, directions)


def moved(value: Any, directions: Sequence[np.ndarray], step: float) -> Any:
    """Return ``value + step * direction`` in at least double precision.

    Each leaf keeps its kind (array, NumPy or Python number), and an array the order of its elements in memory, on which a function may
    depend.
    """
    def move(leaf: Any, d: np.ndarray) -> Any:
        out = np.asarray(leaf, _wide(leaf)) + step * d
        if isinstance(leaf, np.ndarray):
            kept = np.empty_like(leaf, dtype=np.asarray(out).dtype, subok=False)
            kept[...] = out
            return kept
        return np.asarray(out)[()] if isinstance(leaf, np.generic) else type(leaf)(np.asarray(out)[()])
    return _replaced(value, move, directions)


def paired(cotangents: Sequence[np.ndarray], tangents: Sequence[np.ndarray]) -> float:
    """Return the real part of the sum of ``conj(cotangent) * tangent``."""
    return float(sum(np.real(np.sum(np.conj(c) * t)) for c, t in zip(cotangents, tangents)))


def differs(got: Any, value: Any, name: str, what: str, dtypes: bool = True) -> str:
    """Describe how a gradient or tangent differs from its value in structure, shape or dtype; empty if it does not."""
    leaves, form = tree.flatten(value, objects=True)
    mine, other = tree.flatten(got, objects=True)
    paths = [path for path, _ in tree.leaves_with_paths(value, name, objects=True)]
    if form != other and len(mine) != len(leaves):
        return f"the {what} of {name} has the structure {other}, and {name} has {form}"
    if form != other and not _same_nodes(got, value):
        return f"the {what} of {name} has the structure {other}, and {name} has {form}"
    for path, g, leaf in zip(paths, mine, leaves):
        if not is_active(leaf):
            continue
        if not is_active(g):
            return f"the {what} of {path} is {tree.describe(g)}, and {path} is {tree.describe(leaf)}"
        if np.shape(g) != np.shape(leaf):
            return f"the {what} of {path} has shape {np.shape(g)}, and {path} has {np.shape(leaf)}"
        if dtypes and np.asarray(g).dtype != np.asarray(leaf).dtype:
            return f"the {what} of {path} is {np.asarray(g).dtype}, and {path} is {np.asarray(leaf).dtype}"
    return ""


def _same_nodes(got: Any, value: Any) -> bool:
    """Return whether two containers differ only in leaves that are not numbers."""
    found, wanted = ([path for path, _ in tree.leaves_with_paths(v, objects=True)] for v in (got, value))
    return type(got) is type(value) and found == wanted

"""Distances of vectors of truth values.

They count where the two agree and where not, each place with its weight, and have a derivative by the weights; those that multiply
the elements (all but `hamming` and `jaccard`, which compare them) have one by the elements too, where these are numbers.
"""
from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["BOOLEAN", "boolean"]

BOOLEAN = ("dice", "hamming", "jaccard", "rogerstanimoto", "russellrao", "sokalsneath", "yule")


def boolean(u: Any, v: Any, name: str, w: Any) -> Any:
    """A distance along the last axis by its name."""
    if name == "hamming":
        apart = (u != v) * 1.0
        return np.mean(apart, axis=-1) if w is None else np.sum(w / np.sum(w) * apart, axis=-1)
    if name == "jaccard":
        return jaccard(u, v, 1.0 if w is None else w)
    weight = 1.0 if w is None else w
    both = np.sum(weight * (u * v), axis=-1)
    if name == "russellrao":
        count = u.shape[-1] if w is None else np.sum(w)
        return (count - both) / count
    only_u, only_v = np.sum(weight * u * (1.0 - v), axis=-1), np.sum(weight * (1.0 - u) * v, axis=-1)
    if name == "dice":
        return (only_u + only_v) / (2.0 * both + only_u + only_v)
    if name == "sokalsneath":
        return 2.0 * (only_u + only_v) / (both + 2.0 * (only_u + only_v))
    neither = np.sum(weight * (1.0 - u) * (1.0 - v), axis=-1)
    if name == "rogerstanimoto":
        return 2.0 * (only_u + only_v) / (both + neither + 2.0 * (only_u + only_v))
    half = only_u * only_v      # Yule's
    return np.where(half == 0.0, 0.0, 2.0 * half / (both * neither + half + (half == 0.0)))


def jaccard(u: Any, v: Any, weight: Any) -> Any:
    """The share of the places that differ in those where either is set."""
    apart = np.sum(weight * ((u != 0.0) != (v != 0.0)), axis=-1)
    either = np.sum(weight * ((u != 0.0) | (v != 0.0)), axis=-1)
    return np.where(either == 0.0, 0.0, apart / np.where(either == 0.0, 1.0, either))

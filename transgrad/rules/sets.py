"""Arrays taken as sets: of equal elements the first one has the derivative, and of two arrays the first."""
from __future__ import annotations

from typing import Any

import numpy as np

from .registry import definition
from .static import NoDerivative


@definition(np.union1d)
def union1d(ar1: Any, ar2: Any) -> Any:
    """The different elements of both, in order."""
    return np.unique(np.concatenate((np.ravel(ar1), np.ravel(ar2))))


@definition(np.intersect1d)
def intersect1d(ar1: Any, ar2: Any, assume_unique: bool = False, return_indices: bool = False) -> Any:
    """The elements of the first that are in the second."""
    if return_indices:
        raise NoDerivative("no derivative of np.intersect1d with return_indices=True")
    first = np.sort(np.ravel(ar1)) if assume_unique else np.unique(ar1)
    return first[np.isin(first, ar2)]


@definition(np.setdiff1d)
def setdiff1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> Any:
    """The elements of the first that are not in the second."""
    first = np.ravel(ar1) if assume_unique else np.unique(ar1)
    return first[~np.isin(first, ar2)]


@definition(np.setxor1d)
def setxor1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> Any:
    """The elements that are in exactly one of the two, sorted."""
    first, second = (np.ravel(ar1), np.ravel(ar2)) if assume_unique else (np.unique(ar1), np.unique(ar2))
    return np.sort(np.concatenate((first[~np.isin(first, second)], second[~np.isin(second, first)])))


@definition(np.trim_zeros)
def trim_zeros(filt: Any, trim: str = "fb", axis: Any = None) -> Any:
    """A vector without the zeros at its ends."""
    if np.ndim(filt) != 1:
        raise NoDerivative("no derivative of np.trim_zeros of more than one dimension")
    kept = np.flatnonzero(filt)
    if len(kept) == 0:
        return filt[:0]
    start = kept[0] if "f" in trim.lower() else 0
    stop = kept[-1] + 1 if "b" in trim.lower() else len(filt)
    return filt[start:stop]


@definition(np.resize)
def resize(a: Any, new_shape: Any) -> Any:
    """The elements, repeated to fill the new shape."""
    flat = np.ravel(a)
    count = np.prod(new_shape, dtype=int)
    return np.reshape(flat[np.arange(count) % len(flat)], new_shape)


@definition(np.sort_complex)
def sort_complex(a: Any) -> Any:
    """Sorted, as complex numbers."""
    return np.sort(a) * np.complex128(1.0)

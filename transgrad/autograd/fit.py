"""The gradient of an input, as a rule computes it, made one of that input's shape and dtype; on arrays and Tensors alike."""
from __future__ import annotations

from typing import Any

import numpy as np

from ..rules.plain import broadcast
from ..rules.static import ZERO
from .halves import is_half

__all__ = ["Meta", "entering", "fitted", "is_dense", "leaving", "refuse_overlap", "required"]

Meta = tuple[tuple[int, ...], "np.dtype[Any]"]


def fitted(g: Any, shape: tuple[int, ...], dtype: "np.dtype[Any]") -> Any:
    """``g`` summed down or broadcast up to ``shape``, real where ``dtype`` is, and of that precision."""
    if type(g) is np.ndarray and g.shape == shape and g.dtype == dtype:
        return g
    if not hasattr(g, "dtype"):
        g = np.asarray(g)
    if g.dtype != dtype:
        if g.dtype.kind == "c" and dtype.kind != "c":
            g = np.real(g)
        if g.dtype != dtype:
            if is_half(dtype) and g.shape != shape:     # rounded when it is summed
                return fitted(fitted(g, shape, g.dtype), shape, dtype)
            g = g.astype(dtype)
    have = g.shape
    if have == shape:
        return g
    extra = len(have) - len(shape)
    axes = tuple(range(extra)) + tuple(k for k, n in enumerate(have) if k >= extra >= 0 and shape[k - extra] == 1 and n != 1)
    if axes:        # a size 1 may also have to be broadcast up: in two steps
        kept = tuple(1 if k in axes else n for k, n in enumerate(have))[max(extra, 0):]
        g = np.add.reduce(g, axis=axes).reshape(kept) if type(g) is np.ndarray else np.reshape(np.sum(g, axis=axes), kept)
    return g if g.shape == shape else broadcast(g, shape) if type(g) is np.ndarray else np.broadcast_to(g, shape)


def entering(g: Any) -> Any:
    """The cotangent that a rule pairs plainly, of a gradient: its conjugate."""
    if isinstance(g, (tuple, list)):
        return tuple(None if part is None else entering(part) for part in g)
    return np.conjugate(g) if g.dtype.kind == "c" else g


def leaving(entry: Any, meta: Meta) -> Any:
    """Convert the cotangent of a rule to the gradient of an input; None stays None."""
    if entry is None:
        return None
    if entry is ZERO:
        return np.zeros(*meta)
    g = fitted(entry, *meta)
    return _conjugate(g) if g.dtype.kind == "c" else g


def _conjugate(g: Any) -> Any:
    """The conjugate, in which an imaginary part of 0 is not negative for having been one twice."""
    found = np.conjugate(g)
    if isinstance(found, (np.ndarray, np.generic)):
        found = np.asarray(found)
        found.imag += 0.0
    return found


def required(entry: Any, meta: Meta) -> Any:
    """`leaving`, for an input whose gradient is wanted; NotImplementedError where the rule has no text for it."""
    if entry is None:
        raise NotImplementedError("the derivative for an argument of this function that requires grad is not implemented; pass its "
                                  "detach()")
    return leaving(entry, meta)


def refuse_overlap(array: np.ndarray[Any, Any]) -> None:
    """RuntimeError for an array that is written to and in which several elements share their memory."""
    if array.size and not array.flags.c_contiguous and any(s == 0 and n > 1 for s, n in zip(array.strides, array.shape)):
        raise RuntimeError("unsupported operation: more than one element of the written-to tensor refers to a single memory location. "
                           "Please clone() the tensor before performing the operation.")


def is_dense(array: np.ndarray[Any, Any]) -> bool:
    """Return whether the elements fill their memory without gaps and overlap, in any order of dimensions."""
    if array.flags.c_contiguous:
        return True
    expected = array.itemsize
    for stride, length in sorted((s, n) for s, n in zip(array.strides, array.shape) if n != 1):
        if stride != expected:
            return False
        expected *= length
    return True

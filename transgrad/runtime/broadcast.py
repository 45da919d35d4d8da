"""The reverse of broadcasting, where types did not decide it."""
from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["cofactor", "fit", "unbroadcast"]


def unbroadcast(g: Any, like: Any) -> Any:
    """``g`` summed down to the shape of ``like``.

    Examples
    --------
    >>> unbroadcast(np.ones((3, 2)), np.zeros(2))
    array([3., 3.])
    """
    try:
        if g.shape == like.shape:       # as mostly
            return g
    except AttributeError:      # a number
        pass
    shape = np.shape(like)
    if np.shape(g) == shape:
        return g
    extra = np.ndim(g) - len(shape)
    axes = tuple(range(extra)) + tuple(k for k, n in enumerate(np.shape(g)[extra:], extra) if shape[k - extra] == 1 and n != 1)
    if extra < 0 or not axes:
        return g
    return np.reshape(np.sum(g, axis=axes), shape)


def fit(g: Any, like: Any) -> Any:
    """The cotangent ``g`` as one of ``like``: summed or broadcast to its shape, real if it is real, in its precision."""
    g = unbroadcast(g, like)
    if np.shape(g) != np.shape(like):
        g = np.broadcast_to(g, np.shape(like)).copy()
    if np.iscomplexobj(g) and not np.iscomplexobj(like):
        g = np.real(g)
    dtype = getattr(like, "dtype", None)
    if dtype is not None and dtype.kind in "fc" and getattr(g, "dtype", np.float64) != dtype:
        g = g.astype(dtype) if hasattr(g, "astype") else dtype.type(g)
    # a number is a number, not an array without dimensions that cannot be written to
    return g[()] if type(g) is np.ndarray and not g.ndim and not isinstance(like, np.ndarray) else g


def cofactor(a: Any, g: Any, before: bool = True) -> Any:
    """The cotangent of ``x`` in ``a * x``, or ``x * a``, where only running tells what ``a`` is: for SciPy's csr_matrix and its like
    ``*`` is the product of matrices; arrays of other classes, whose operators are not known, raise TypeError."""
    cls = type(a)
    if hasattr(a, "nnz") and hasattr(a, "getH") and np.ndim(g):
        return a.T @ g if before else g @ a.T
    if hasattr(cls, "__array_priority__") and cls not in (np.ndarray, np.memmap) and not isinstance(a, np.generic):
        raise TypeError(f"a differentiated value is multiplied by a {cls.__name__}, whose operators are its own: make it an array first")
    return a * g

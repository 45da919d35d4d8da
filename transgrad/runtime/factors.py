"""Factors of matrices of which only running tells whether they have a derivative."""
from typing import Any

import numpy as np

from ..errors import NoDerivative

__all__ = ["of_rank", "of_square", "of_tall"]


def of_tall(r: Any) -> Any:
    """``r``, the triangular factor of a matrix with at least as many rows as columns; NoDerivative for another."""
    if r.shape[-2] < r.shape[-1]:
        raise NoDerivative("np.linalg.qr has no derivative for a matrix with more columns than rows", None,
                           "factor its first columns, q, r = np.linalg.qr(a[:, :len(a)]), and multiply the others by the adjoint of q")
    return r


def of_square(u: Any, vh: Any) -> Any:
    """``u``, the left singular vectors, where ``vh`` are as many; NoDerivative where one of both has been filled up."""
    if u.shape[-1] != vh.shape[-2]:
        raise NoDerivative("the vectors that svd adds with full_matrices=True, as the matrix is not square, have no derivative: "
                           "pass full_matrices=False")
    return u


def of_rank(p: Any, a: Any) -> Any:
    """``p``, a pseudo-inverse of ``a``; NoDerivative where singular values were left out that are no zeros."""
    lost = np.max(np.abs(a - a @ p @ a), axis=(-2, -1), initial=0.0)
    if np.any(lost > np.sqrt(np.finfo(a.dtype).eps) * np.max(np.abs(a), axis=(-2, -1), initial=0.0)):       # more than rounding
        raise NoDerivative("nonzero singular values were discarded, and the derivative of the rest is not known here: "
                           "give a smaller rcond, or discard them with np.linalg.svd")
    return p

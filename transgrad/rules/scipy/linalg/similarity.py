"""Similarities that follow from others: balancing, real and complex Schur forms and eigenvalues."""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg

from ....ir.infer_shapes import SHAPES
from ....ir.types import ANY, Arr
from ...registry import constant, definition


def balancing(a: Any, permute: Any, scale: Any) -> Any:
    """The transformation by powers of 2 and exchanges."""
    return scipy.linalg.matrix_balance(a, permute, scale)[1]


def balancing_parts(a: Any, permute: Any, scale: Any) -> Any:
    """Its scales and its order."""
    return scipy.linalg.matrix_balance(a, permute, scale, separate=True)[1]


def pair_places(w: Any) -> Any:
    """The transformation of complex conjugate pairs of vectors into their real and imaginary parts."""
    n = w.shape[0]
    u = np.eye(n, dtype=complex)
    k = 0
    while k < n:
        if np.imag(w[k]) != 0.0:
            u[k:k + 2, k:k + 2] = np.array([[0.5j, 0.5], [-0.5j, 0.5]])
            k += 2
        else:
            k += 1
    return u


constant(balancing, balancing_parts, pair_places)
SHAPES[balancing] = lambda a, *rest: Arr("float64", (ANY, ANY))
SHAPES[pair_places] = lambda w: Arr("complex128", (ANY, ANY))


@definition(scipy.linalg.matrix_balance)
def matrix_balance(A: Any, permute: Any = True, scale: Any = True, separate: Any = False, overwrite_a: Any = False) -> Any:
    """The transformation, of powers of 2 and exchanges, is constant."""
    t = balancing(A, permute, scale)
    balanced = np.linalg.inv(t) @ A @ t
    return (balanced, balancing_parts(A, permute, scale)) if separate else (balanced, t)


@definition(scipy.linalg.cdf2rdf)
def cdf2rdf(w: Any, v: Any) -> Any:
    """The places of the conjugate pairs are constant."""
    u = pair_places(w)
    return np.real(np.linalg.inv(u) @ (w[:, None] * u)), np.real(v @ u)


@definition(scipy.linalg.rsf2csf)
def rsf2csf(T: Any, Z: Any, check_finite: Any = True) -> Any:
    """A rotation for each block of two on the diagonal; which elements are blocks is constant."""
    t, z = T.astype(complex), Z.astype(complex)
    n = t.shape[0]
    for m in range(n - 1, 0, -1):
        if np.abs(t[m, m - 1]) > np.finfo(float).eps * (np.abs(t[m - 1, m - 1]) + np.abs(t[m, m])):
            half = 0.5 * (t[m - 1, m - 1] - t[m, m])
            mu = half + np.sqrt(half * half + t[m - 1, m] * t[m, m - 1])
            r = np.sqrt(np.real(mu * np.conj(mu)) + np.real(t[m, m - 1] * np.conj(t[m, m - 1])))
            c, s = mu / r, t[m, m - 1] / r
            turn = np.stack((np.stack((np.conj(c), s)), np.stack((-s, c))))
            t[m - 1:m + 1, m - 1:] = turn @ t[m - 1:m + 1, m - 1:]
            back = np.conj(turn).T
            t[:m + 1, m - 1:m + 1] = t[:m + 1, m - 1:m + 1] @ back
            z[:, m - 1:m + 1] = z[:, m - 1:m + 1] @ back
        t[m, m - 1] = 0.0
    return t, z

"""Polynomials given by their coefficients, the highest first."""
from __future__ import annotations

from typing import Any

import numpy as np

from ..ir.ops import Lit, Value
from ..ir.types import Arr
from .registry import definition, rule
from .static import arange, lifted, ndim

vander = lifted(np.vander)


def derived(p: Any) -> Any:
    """The coefficients of a polynomial's derivative."""
    return p[:-1] * arange(p.size - 1, 0, -1)


def of_one(p: Any, x: Any) -> bool:
    """Whether the coefficients are an array, and those of one polynomial: rows of them are coefficients of several."""
    return isinstance(p.type, Arr) and ndim(p) < 2 if isinstance(p, (Value, Lit)) else getattr(p, "ndim", 2) < 2


@rule(np.polyval, kind="general", when=of_one,
      jvp=(lambda t, y, p, x: np.polyval(t, x), lambda t, y, p, x: np.polyval(derived(p), x) * t))
def _(g, y, p, x):
    powers = vander(np.reshape(x, (-1,)), p.size)
    return np.reshape(g, (-1,)) @ powers, np.polyval(derived(p), x) * g


@definition(np.polyval)
def polyval(p: Any, x: Any) -> Any:
    """Several polynomials, each at its own point, by Horner's scheme."""
    y = np.zeros_like(x)
    for row in p:
        y = y * x + row
    return y


def power_slopes(x: Any, count: Any, increasing: bool) -> Any:
    """The derivatives of the columns of `np.vander` that are not constant."""
    n = x.size if count is None else count
    order = arange(1, n) if increasing else arange(n - 1, 0, -1)
    return vander(x, n - 1, increasing) * order


def vander_jvp(t, y, x, N=None, increasing=False):
    filled = power_slopes(x, N, increasing) * np.expand_dims(t, 1)
    return np.pad(filled, ((0, 0), (1, 0) if increasing else (0, 1)))


@rule(np.vander, kind="general", jvp=vander_jvp)
def _(g, y, x, N=None, increasing=False):
    return np.sum((g[:, 1:] if increasing else g[:, :-1]) * power_slopes(x, N, increasing), axis=1)


@rule(np.roots, kind="general", jvp=lambda t, y, p: -(vander(y, p.size) @ t) / np.polyval(derived(p), y))
def _(g, y, p):
    """The derivative of a multiple root is infinite."""
    return -(g / np.polyval(derived(p), y)) @ vander(y, p.size)


@rule(np.polyder, kind="linear")
def _(g, y, p, m=1):
    for _step in range(m):
        n = g.size
        g = np.pad(g * arange(n, 0, -1), (0, 1))
    return g


@rule(np.polyint, kind="general", jvp=lambda t, y, p, m=1, k=None: np.polyint(t, m))
def _(g, y, p, m=1, k=None):
    """The constants of integration are arguments."""
    for _step in range(m):
        g = g[:-1] / arange(g.size - 1, 0, -1)
    return g


@definition(np.polyadd)
def polyadd(a1: Any, a2: Any) -> Any:
    """The sum, the shorter one filled with zeros."""
    a1, a2 = np.atleast_1d(a1), np.atleast_1d(a2)
    n, m = len(a1), len(a2)
    return np.pad(a1, (max(m - n, 0), 0)) + np.pad(a2, (max(n - m, 0), 0))


@definition(np.polysub)
def polysub(a1: Any, a2: Any) -> Any:
    """The difference, the shorter one filled with zeros."""
    a1, a2 = np.atleast_1d(a1), np.atleast_1d(a2)
    n, m = len(a1), len(a2)
    return np.pad(a1, (max(m - n, 0), 0)) - np.pad(a2, (max(n - m, 0), 0))


def leading(p: Any) -> Any:
    """A polynomial without leading zeros, but for one."""
    p = np.atleast_1d(p)
    kept = np.flatnonzero(p)
    return p[kept[0]:] if len(kept) else p[-1:]


@definition(np.polymul)
def polymul(a1: Any, a2: Any) -> Any:
    """The coefficients of a product are a convolution."""
    return np.convolve(leading(a1), leading(a2))


@definition(np.poly)
def poly(seq_of_zeros: Any) -> Any:
    """The product of ``x - z`` over the zeros, which for a matrix are its eigenvalues."""
    zeros = np.linalg.eigvals(seq_of_zeros) if np.ndim(seq_of_zeros) == 2 else np.atleast_1d(seq_of_zeros)
    a = np.concatenate((np.ones(1), np.zeros_like(zeros)))
    for k in range(len(zeros)):
        a = np.concatenate((a[:1], a[1:] - zeros[k] * a[:-1]))
    return a


@definition(np.polydiv)
def polydiv(u: Any, v: Any) -> tuple[Any, Any]:
    """Long division: the quotient, and the remainder without leading zeros."""
    u, v = np.atleast_1d(u) + 0.0, np.atleast_1d(v) + 0.0
    n, m = len(u), len(v)
    if n < m:
        return np.zeros(1), u
    r, q = u + np.zeros_like(v[:1]), []
    for k in range(n - m + 1):
        q.append(r[k] / v[0])
        r = np.concatenate((r[:k], r[k:k + m] - q[k] * v, r[k + m:]))
    first = 0
    while first < n - 1 and np.isclose(r[first], 0.0, rtol=1e-14):
        first = first + 1
    return np.stack(q), r[first:]


@definition(np.polyfit)
def polyfit(x: Any, y: Any, deg: int, rcond: Any = None, full: bool = False, w: Any = None, cov: Any = False) -> Any:
    """Least squares with the powers of ``x``, each scaled to length one."""
    x, y = np.atleast_1d(x) * 1.0, np.atleast_1d(y) * 1.0
    cut = len(x) * np.finfo(x.dtype).eps if rcond is None else rcond
    left, right = np.vander(x, deg + 1), y
    if w is not None:
        left = left * np.reshape(w, (-1, 1))
        right = y * np.reshape(w, (-1, 1)) if np.ndim(y) == 2 else y * w
    scale = np.sqrt(np.sum(left * left, axis=0))
    c, residuals, rank, s = np.linalg.lstsq(left / scale, right, cut)
    c = (c.T / scale).T
    if full:
        return c, residuals, rank, s, cut
    if cov is False:
        return c
    base = np.linalg.inv((left / scale).T @ (left / scale)) / np.outer(scale, scale)
    factor = 1.0 if cov == "unscaled" else residuals / (len(x) - deg - 1)
    return c, base[:, :, None] * factor if np.ndim(y) == 2 else base * factor

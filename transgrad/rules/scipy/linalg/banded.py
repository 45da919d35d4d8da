"""Banded systems: the adjoint is a banded system too, and what comes out of it stays in the band."""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg

from ...registry import definition, rule
from ...static import NoDerivative, is_complex, lifted

banded = lifted(scipy.linalg.solve_banded)


def _shifted(x: Any, by: int) -> Any:
    """``x[..., j + by]`` at j, 0 where there is none."""
    out = np.zeros_like(x)
    n = x.shape[-1]
    out[..., max(0, -by):n - max(0, by)] = x[..., max(0, by):n - max(0, -by)]
    return out


def turned_band(low: int, high: int, ab: Any) -> Any:
    """The band of the transposed matrix."""
    return np.stack([_shifted(ab[high + low - k], k - low) for k in range(low + high + 1)])


def outer_band(low: int, high: int, s: Any, x: Any) -> Any:
    """The band of the outer product of s and x, summed over columns where there are several."""
    rows = [_shifted(np.transpose(s), k - high) * np.transpose(x) for k in range(low + high + 1)]
    return np.stack([r if r.ndim == 1 else np.sum(r, axis=0) for r in rows])


def band_product(low: int, high: int, ab: Any, x: Any) -> Any:
    """The product of a banded matrix and a vector, or several."""
    out = np.zeros_like(np.transpose(x))
    for k in range(low + high + 1):
        out = out + _shifted(ab[k] * np.transpose(x), high - k)
    return np.transpose(out)


def mirrored(half: Any, lower: Any) -> Any:
    """The whole band of a symmetric matrix of which half is kept."""
    width = half.shape[0] - 1
    if lower:
        return np.stack([*(_shifted(half[k], -k) for k in range(width, 0, -1)), *half])
    return np.stack([*half, *(_shifted(half[width - k], k) for k in range(1, width + 1))])


def folded(full: Any, lower: Any) -> Any:
    """The adjoint of `mirrored`."""
    width = full.shape[0] // 2
    if lower:
        return np.stack([full[width], *(full[width + k] + _shifted(full[width - k], k) for k in range(1, width + 1))])
    return np.stack([*(full[width - k] + _shifted(full[width + k], -k) for k in range(width, 0, -1)), full[width]])


turn = lifted(turned_band)
outer = lifted(outer_band)
product = lifted(band_product)
mirror = lifted(mirrored)
fold = lifted(folded)


@rule(turned_band, kind="linear", linear_in=(2,))
def _(g, y, low, high, ab):
    return None, None, turn(high, low, g)


@rule(outer_band, kind="multilinear", linear_in=(2, 3))
def _(g, y, low, high, s, x):
    return None, None, product(low, high, g, x), product(high, low, turn(low, high, g), s)


@rule(band_product, kind="multilinear", linear_in=(2, 3))
def _(g, y, low, high, ab, x):
    return None, None, outer(low, high, g, x), product(high, low, turn(low, high, ab), g)


@rule(mirrored, kind="linear")
def _(g, y, half, lower):
    return fold(g, lower)


@rule(folded, kind="linear")
def _(g, y, full, lower):
    return mirror(g, lower)


@rule(scipy.linalg.solve_banded, kind="general", jvp=(
    None, lambda t, y, l_and_u, ab, b, **how: -banded(l_and_u, ab, product(l_and_u[0], l_and_u[1], t, y)),
    lambda t, y, l_and_u, ab, b, **how: banded(l_and_u, ab, t)))
def _(g, y, l_and_u, ab, b, **how):
    if is_complex(ab) or is_complex(b):
        raise NoDerivative("no derivative of a banded system of complex numbers")
    low, high = l_and_u
    s = banded((high, low), turn(low, high, ab), g)
    return None, -outer(low, high, s, y), s


@definition(scipy.linalg.solveh_banded)
def solveh_banded(ab: Any, b: Any, overwrite_ab: Any = False, overwrite_b: Any = False, lower: Any = False,
                  check_finite: Any = True) -> Any:
    """The solution of a symmetric banded system of which half is given."""
    width = ab.shape[0] - 1
    return scipy.linalg.solve_banded((width, width), mirrored(ab, lower), b)

"""Integrals of samples."""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.integrate

from ....ir.infer_shapes import SHAPES
from ....ir.types import ANY, Arr
from ...registry import constant, definition, rule
from ...sampling import cut, ends, heights, steps
from ...static import ZERO, lifted, ndim


@definition(scipy.integrate.trapezoid)
def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: Any = -1) -> Any:
    """NumPy's, which has the rule."""
    return np.trapezoid(y, x, dx, axis)


running = lifted(scipy.integrate.cumulative_trapezoid)


def running_sums(areas: Any, axis: int, initial: Any) -> Any:
    """The cumulative sums of the areas, after a zero if there is an ``initial`` value."""
    total = np.cumsum(areas, axis)
    return total if initial is None else np.pad(total, [(1, 0) if k == axis % ndim(areas) else (0, 0) for k in range(ndim(areas))])


@rule(scipy.integrate.cumulative_trapezoid, kind="general", jvp=(
    lambda t, r, y, x=None, dx=1.0, axis=-1, initial=None: running(t, x, dx, axis, initial),
    lambda t, r, y, x=None, dx=1.0, axis=-1, initial=None: running_sums(heights(y, axis) * steps(t, y, axis), axis, initial),
    lambda t, r, y, x=None, dx=1.0, axis=-1, initial=None: None if x is not None else running_sums(t * heights(y, axis), axis, initial)))
def _(g, _y, y, x=None, dx=1.0, axis=-1, initial=None):
    if initial is not None:
        g = cut(g, axis, slice(1, None))
    later = np.flip(np.cumsum(np.flip(g, axis), axis), axis)
    if x is None:
        return ends(0.5 * later * dx, axis, 1.0), None, np.sum(later * heights(y, axis))
    dy, dx_ = ends(0.5 * later * steps(x, y, axis), axis, 1.0), ends(later * heights(y, axis), axis, -1.0)
    return dy, dx_ if ndim(x) == ndim(y) else np.sum(dx_, axis=tuple(k for k in range(ndim(y)) if k != axis % ndim(y))), ZERO


@definition(scipy.integrate.simpson)
def simpson(y: Any, x: Any = None, *, dx: Any = 1.0, axis: Any = -1) -> Any:
    """Parabolas through three samples at a time; the last interval of an even number of samples by Cartwright's correction."""
    v = np.moveaxis(y, axis, -1)
    n = v.shape[-1]
    if x is None:
        h = np.full(n - 1, 1.0) * dx
    else:
        h = np.diff(x if np.ndim(x) == 1 else np.moveaxis(x, axis, -1), axis=-1)
    if n == 2:
        return 0.5 * h[..., 0] * (v[..., 0] + v[..., 1])
    even = n % 2 == 0
    end = n - 2 if even else n - 1
    h0, h1 = h[..., 0:end:2], h[..., 1:end:2]
    both = h0 + h1
    a, b, c = v[..., 0:end:2], v[..., 1:end:2], v[..., 2:end + 1:2]
    total = np.sum(both / 6.0 * (a * (2.0 - h1 / h0) + b * (both * both / (h0 * h1)) + c * (2.0 - h0 / h1)), axis=-1)
    if not even:
        return total
    p, q = h[..., -2], h[..., -1]
    last = (2.0 * q * q + 3.0 * p * q) / (6.0 * (p + q))
    middle = (q * q + 3.0 * p * q) / (6.0 * p)
    first = q ** 3 / (6.0 * p * (p + q))
    return total + last * v[..., -1] + middle * v[..., -2] - first * v[..., -3]


def romberg_weights(n: Any) -> Any:
    """The weights of n samples a unit apart in Romberg's rule."""
    return scipy.integrate.romb(np.eye(n), axis=-1)


constant(romberg_weights)
SHAPES[romberg_weights] = lambda n: Arr("float64", (ANY,))


@definition(scipy.integrate.romb)
def romb(y: Any, dx: Any = 1.0, axis: Any = -1, show: Any = False) -> Any:
    """Romberg's rule for ``2 ** k + 1`` samples: a weighted sum of them."""
    v = np.moveaxis(y, axis, -1)
    return dx * (v @ romberg_weights(v.shape[-1]))

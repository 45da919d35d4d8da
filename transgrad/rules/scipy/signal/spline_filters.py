"""Filters with poles that run there and back along the rows and columns of an image: linear in the image.

Where SciPy breaks off its sums at the boundary depends on the lengths and the precision alone; what it makes of each sample is found
by giving it one sample after the other.
"""
from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.signal as sg

from ....ir.infer_shapes import SHAPES
from ....ir.types import ANY, Arr
from ...registry import constant, definition, rule
from ...static import lifted
from .splines import CUBIC, QUADRATIC


def filtered(fn: Any, size: int, dtype: Any, *how: Any) -> Any:
    """What a filter makes of each sample of a row, a row a sample.  One at a time: SciPy before 1.15 filters one row."""
    return np.stack([fn(row, *how) for row in np.eye(size, dtype=dtype)])


def second_order_rows(x: Any, r: Any, omega: Any, precision: Any) -> Any:
    """What the filter makes of each sample of a row, a row a sample."""
    return filtered(sg.symiirorder2, np.shape(x)[-1], x.dtype, r, omega, precision)


def poles(lamb: float) -> tuple[float, float]:
    """Radius and angle of the poles of a smoothing cubic spline."""
    root = math.sqrt(3.0 + 144.0 * lamb)
    xi = 1.0 - 96.0 * lamb + 24.0 * lamb * root
    radius = (24.0 * lamb - 1.0 - math.sqrt(xi)) / (24.0 * lamb) * math.sqrt(48.0 * lamb + 24.0 * lamb * root) / math.sqrt(xi)
    return radius, math.atan(math.sqrt((144.0 * lamb - 1.0) / xi))


def spline_rows(x: Any, axis: int, lamb: Any, precision: Any, cubic: bool) -> Any:
    """What a spline's filter makes of each sample along an axis, a row a sample."""
    size = np.shape(x)[axis]
    if precision < 0.0 or precision >= 1.0:
        precision = 1e-3 if x.dtype == np.float32 else 1e-6
    if cubic and lamb > 1.0 / 144.0:
        return filtered(sg.symiirorder2, size, x.dtype, *poles(float(lamb)), precision)
    pole, gain = (CUBIC, -6.0 * CUBIC) if cubic else (QUADRATIC, -8.0 * QUADRATIC)
    return filtered(sg.symiirorder1, size, x.dtype, gain, pole, precision)


constant(second_order_rows, spline_rows)
SHAPES.update(dict.fromkeys((second_order_rows, spline_rows),
                            lambda x, *rest: Arr(x.type.dtype, (ANY, ANY)) if isinstance(x.type, Arr) else None))
SHAPES.update(dict.fromkeys((sg.symiirorder2, sg.cspline2d, sg.qspline2d), lambda x, *rest: x.type if isinstance(x.type, Arr) else None))
rows_of, splines_of = lifted(second_order_rows), lifted(spline_rows)


@rule(sg.symiirorder2, kind="linear")
def _(g, y, input, r, omega, precision=-1.0):
    return g @ rows_of(input, r, omega, precision).T


@rule(sg.cspline2d, kind="linear")
def _(g, y, signal, lamb=0.0, precision=-1.0):
    return splines_of(signal, 0, lamb, precision, True) @ g @ splines_of(signal, 1, lamb, precision, True).T


@rule(sg.qspline2d, kind="linear")
def _(g, y, signal, lamb=0.0, precision=-1.0):
    return splines_of(signal, 0, lamb, precision, False) @ g @ splines_of(signal, 1, lamb, precision, False).T


@definition(sg.spline_filter)
def spline_filter(Iin: Any, lmbda: Any = 5.0) -> Any:
    """With respect to an image of real numbers; the weights have the digits of single precision, as SciPy's do."""
    weights = (np.array([1.0, 4.0, 1.0], np.float32) / np.float32(6.0)).astype(float)
    return sg.sepfir2d(sg.cspline2d(Iin, lmbda), weights, weights)

"""Derivatives of the functions that rules call: a derivative can be differentiated again."""
from __future__ import annotations

import numpy as np

from .. import runtime
from .registry import constant, rule
from .static import ZERO, lifted, ndim

constant(runtime.median_weights, runtime.running_source)

quantile_shares = lifted(runtime.quantile_weights)
cumprod_forth = lifted(runtime.cumprod_pushforward)
cumprod_back = lifted(runtime.cumprod_pullback)
others_back = lifted(runtime.others_product_pullback)
others = lifted(runtime.others_product)
product_slope = lifted(runtime.product_slope)
cumprod_slope = lifted(runtime.cumprod_slope)
cumprod_slope_back = lifted(runtime.cumprod_slope_back)


@rule(runtime.place_diagonal, kind="linear", linear_in=(1,))
def _(g, y, x, part, offset=0, axis1=0, axis2=1):
    return ZERO, np.diagonal(g, offset, axis1, axis2)


@rule(runtime.fold_pad, kind="linear", linear_in=(1,))
def _(g, y, x, part, pad_width, mode):
    return ZERO, np.pad(g, pad_width, mode)


@rule(runtime.gradient_pullback, kind="linear")
def _(g, y, f_bar, spacing, axis=0, edge_order=1):
    return np.gradient(g, spacing, axis=axis, edge_order=edge_order)


@rule(runtime.others_product, kind="general", jvp=lambda t, y, x, axis=None: others_back(t, x, axis))
def _(g, y, x, axis=None):
    return others_back(g, x, axis)      # the matrix of second derivatives of a product is symmetric


@rule(runtime.others_product_pullback, kind="general", jvp=(lambda t, y, x_bar, x, axis=None: others_back(t, x, axis),
                                                            lambda t, y, x_bar, x, axis=None: product_slope(x, axis, x_bar, t)))
def _(g, y, x_bar, x, axis=None):
    return others_back(g, x, axis), product_slope(x, axis, x_bar, g)


@rule(runtime.cumprod_pullback, kind="general", jvp=(lambda t, y, y_bar, x, axis=None: cumprod_back(t, x, axis),
                                                     lambda t, y, y_bar, x, axis=None: cumprod_slope_back(y_bar, x, axis, t)))
def _(g, y, y_bar, x, axis=None):
    return cumprod_forth(g, x, axis), cumprod_slope_back(y_bar, x, axis, g)


@rule(runtime.cumprod_pushforward, kind="general", jvp=(lambda t, y, x_dot, x, axis=None: cumprod_forth(t, x, axis),
                                                        lambda t, y, x_dot, x, axis=None: cumprod_slope(x, axis, x_dot, t)))
def _(g, y, x_dot, x, axis=None):
    return cumprod_back(g, x, axis), cumprod_slope_back(g, x, axis, x_dot)


# Those of any order: along one direction more, or along another in place of one.

def replaced(ts, k, t):
    """Directions with another one in a place; after the last, one more."""
    return (*ts[:k], *ts[k + 1:], t)


_MOST = 12


@rule(runtime.product_slope, kind="general", jvp=(lambda t, y, x, axis, *ts: product_slope(x, axis, *ts, t), None, *(
      lambda t, y, x, axis, *ts, k=k: product_slope(x, axis, *replaced(ts, k, t)) for k in range(_MOST))))
def _(g, y, x, axis, *ts):
    entries = [product_slope(x, axis, *ts, g), None, *(product_slope(x, axis, *replaced(ts, k, g)) for k in range(len(ts)))]
    return tuple(entries)


@rule(runtime.cumprod_slope, kind="general", jvp=(lambda t, y, x, axis, *ts: cumprod_slope(x, axis, *ts, t), None, *(
      lambda t, y, x, axis, *ts, k=k: cumprod_slope(x, axis, *replaced(ts, k, t)) for k in range(_MOST))))
def _(g, y, x, axis, *ts):
    others = (cumprod_slope_back(g, x, axis, *ts[:k], *ts[k + 1:]) for k in range(len(ts)))
    entries = [cumprod_slope_back(g, x, axis, *ts), None, *others]
    return tuple(entries)


@rule(runtime.cumprod_slope_back, kind="general", jvp=(
      lambda t, y, y_bar, x, axis, *ts: cumprod_slope_back(t, x, axis, *ts),
      lambda t, y, y_bar, x, axis, *ts: cumprod_slope_back(y_bar, x, axis, *ts, t), None, *(
      lambda t, y, y_bar, x, axis, *ts, k=k: cumprod_slope_back(y_bar, x, axis, *replaced(ts, k, t)) for k in range(_MOST))))
def _(g, y, y_bar, x, axis, *ts):
    others = (cumprod_slope_back(y_bar, x, axis, *replaced(ts, k, g)) for k in range(len(ts)))
    entries = [cumprod_slope(x, axis, *ts, g), cumprod_slope_back(y_bar, x, axis, *ts, g), None, *others]
    return tuple(entries)


def shares_jvp(t, y, x, q, axis=None, method="linear", slope=False):
    if slope:       # shares are linear in the probability, between the elements
        return None
    return quantile_shares(x, q, axis, method, True) * (t if ndim(q) == 0 else np.expand_dims(t, tuple(range(ndim(q), ndim(y)))))


@rule(runtime.quantile_weights, kind="general", jvp=(None, shares_jvp))
def _(g, y, x, q, axis=None, method="linear", slope=False):
    if slope:
        return ZERO, ZERO
    return ZERO, np.sum(g * quantile_shares(x, q, axis, method, True), axis=tuple(range(ndim(q), ndim(y))))

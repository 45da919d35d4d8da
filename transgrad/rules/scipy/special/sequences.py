"""Functions that return themselves and their derivatives for every order up to one: how the derivatives change says an equation."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.special as sp

from ....ir.infer_shapes import SHAPES
from ....ir.types import ANY, Arr, TupleT
from ...registry import constant, rule
from ...static import NoDerivative, arange, lifted, ndim, part

__all__ = ["register"]


def register(fn: Any, bend: Callable[..., Any]) -> None:
    """The rule of ``fn(order, x)``, whose results are y and y' with the orders along a first dimension; ``bend`` is y''."""

    @rule(fn, kind="general", jvp=(None, lambda t, y, n, x: (t * y[1], t * bend(y[0], y[1], n, x))))
    def _(g: Any, y: Any, n: Any, x: Any) -> Any:
        """By the order they have no derivative."""
        entry = part(g, y, 0) * y[1] + part(g, y, 1) * bend(y[0], y[1], n, x)
        return None, np.sum(entry) if ndim(x) == 0 else np.sum(entry, axis=0)


def orders(v: Any) -> Any:
    """``v`` and the orders below it in steps of one, from the smallest that is not negative."""
    if v < 0:
        raise NoDerivative("SciPy's sequences of negative orders are wrong in their last derivatives: no derivative of them")
    return float(v) - int(v) + np.arange(int(v) + 1)


constant(orders)
SHAPES[orders] = lambda v: Arr("float64", (ANY,))
numbers = lifted(orders)


register(sp.riccati_jn, lambda y, dy, n, x: (arange(n + 1) * (arange(n + 1) + 1) / (x * x) - 1.0) * y)
register(sp.riccati_yn, lambda y, dy, n, x: (arange(n + 1) * (arange(n + 1) + 1) / (x * x) - 1.0) * y)
register(sp.lmbda, lambda y, dy, v, x: -y - (2.0 * numbers(v) + 1.0) / x * dy)
register(sp.pbdv_seq, lambda y, dy, v, x: (0.25 * x * x - numbers(v) - 0.5) * y)
register(sp.pbvv_seq, lambda y, dy, v, x: (0.25 * x * x - numbers(v) - 0.5) * y)
register(sp.pbdn_seq, lambda y, dy, n, z: (0.25 * z * z - numbers(n) - 0.5) * y)

# how many orders there are depends on a number
SHAPES.update(dict.fromkeys((sp.lmbda, sp.pbdv_seq, sp.pbvv_seq), lambda v, x: TupleT((Arr("float64", (ANY,)),) * 2)))

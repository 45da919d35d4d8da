"""`custom_root` on the tape: a solution that was found without being recorded gets the derivatives of its equation."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import tree
from ..autograd.functional import jacobian
from ..autograd.grad_mode import no_grad
from ..autograd.tensor import Tensor, wrap
from .array import TapedArray, inner, taped

__all__ = ["solved"]

#: Each step makes the derivatives of one more order exact: it multiplies the error by the change of the Jacobian.
_ORDERS = 4


def solved(equation: Callable[[Any], Any], search: Callable[[], Any]) -> Any:
    """The result of ``search()``, a root of ``equation``, with derivatives up to the fourth order.

    The equation is evaluated on the tape in as many Newton steps with one fixed Jacobian, which change the value only by
    its error, and its derivatives to those of the root.
    """
    with no_grad():
        found = search()
    leaves, form = tree.flatten(found)
    arrays = [np.asarray(inner(leaf)._array if isinstance(leaf, (Tensor, TapedArray)) else leaf) for leaf in leaves]
    residual = tree.flatten(equation(tree.unflatten(form, [a if a.ndim else a[()] for a in arrays])))[0]
    recorded = [r for r in residual if isinstance(r, (Tensor, TapedArray))]
    if not recorded:
        return found
    as_taped = any(isinstance(r, TapedArray) for r in recorded)
    ends = np.cumsum([0, *(a.size for a in arrays)])

    def parts(x: Tensor) -> Any:
        pieces = [np.reshape(x[int(i):int(j)], a.shape) for i, j, a in zip(ends, ends[1:], arrays)]
        return tree.unflatten(form, [taped(p, number=True) if as_taped else p for p in pieces])

    def flat(x: Tensor) -> Any:
        return np.concatenate([np.reshape(inner(r), (-1,)) for r in tree.flatten(equation(parts(x)))[0]])

    start = wrap(np.concatenate([np.reshape(a, -1) for a in arrays]).astype(np.result_type(*arrays, float)))
    slope = jacobian(flat, start).detach()._array
    if slope.shape[0] != slope.shape[1]:
        raise ValueError(f"the equation has {slope.shape[0]} results for {slope.shape[1]} unknowns: a root is differentiated by as many "
                         "equations as unknowns")
    x = start
    for _ in range(_ORDERS):
        x = x - np.linalg.solve(slope, flat(x))
    return parts(x)

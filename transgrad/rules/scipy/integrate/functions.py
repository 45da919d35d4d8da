"""Integrals of functions, differentiated by their limits and the variables captured by the integrand (Leibniz's rule)."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.integrate as si

from ....ir.infer_shapes import SHAPES
from ....ir.types import Num, TupleT, Type
from ...registry import rule
from ...static import ZERO, NoDerivative, lifted
from ..callables import apply, components, differentiable, grouped, lowered, pullback_of, tangent_of

quad, quad_vec = lifted(si.quad), lifted(si.quad_vec)


def _integral(f: Any, *rest: Any, **how: Any) -> Any:
    return quad_vec(f, *rest, **how)[0]


def of_args(f: Any, g: Any, a: Any, b: Any, args: Sequence[Any]) -> tuple[Any, ...]:
    """The cotangents of the captured variables of the integrand, which are integrals too."""
    places = differentiable(f, 1)

    def cotangent(k: int) -> Any:
        back = pullback_of(f, [k])
        return grouped(back.returns, [_integral(part, a, b, args=(*args, g)) for part in components(back)])

    return tuple(cotangent(k) if k in places else None for k in range(1, len(args) + 1))


def only_value(g: Any) -> None:
    if g[1] is not None:
        raise NoDerivative("the error that quad estimates has no derivative")


def at_limit(f: Any, limit: Any, args: Sequence[Any]) -> Any:
    """The integrand at a limit; 0 at an infinite one, which does not move."""
    return np.where(np.isinf(limit), 0.0, apply(f, [limit, *args]))


def by_limit(sign: float, at: int) -> Any:
    def jvp(t: Any, y: Any, f: Any, a: Any, b: Any, args: Any = (), **how: Any) -> Any:
        return sign * t * at_limit(lowered(f), (a, b)[at], args), None
    return jvp


def by_args(t: Any, y: Any, f: Any, a: Any, b: Any, args: Any = (), **how: Any) -> Any:
    places = differentiable(lowered(f), 1)
    return _integral(tangent_of(f, places), a, b, args=(*args, *(t[k - 1] for k in places))), None


@rule(si.quad, si.quad_vec, kind="general", lists=True, jvp=(None, by_limit(-1.0, 0), by_limit(1.0, 1), by_args))
def _(g, y, f, a, b, args=(), **how):
    """The integrand is assumed to be continuous at differentiated limits."""
    only_value(g)
    f = lowered(f)
    return (ZERO, -np.sum(g[0] * at_limit(f, a, args)), np.sum(g[0] * at_limit(f, b, args)), of_args(f, g[0], a, b, args))


def _pair(f: Any, *args: Any, **kwargs: Any) -> Type:
    return TupleT((f.value.body.yields[0].type, Num("float")))


SHAPES.update({si.quad: lambda *args, **kwargs: TupleT((Num("float"), Num("float"))), si.quad_vec: _pair})

"""scipy.optimize: solvers that return no object of their own, or search widely; the solution is what is differentiated, not the search."""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.optimize as so

from ....ir.infer_shapes import SHAPES
from ....ir.types import ANY, Arr, Num, Obj, TupleT, Type
from ...registry import rule
from ...static import ZERO
from ..callables import derived, gradient_of, lowered
from .solutions import root_pullback, root_pushforward

#: of an equation, where the others look for a minimum
ROOTS = (so.anderson, so.broyden1, so.broyden2, so.diagbroyden, so.excitingmixing, so.linearmixing, so.newton_krylov)
#: those that move one number
OF_ONE = (so.brent, so.golden, so.fminbound)
#: those that look within bounds, which say how many variables there are
WITHIN = (so.differential_evolution, so.direct, so.dual_annealing, so.shgo, so.brute)
#: those that return more than the place, the place first
WITH_MORE = (so.leastsq, so.fmin_l_bfgs_b, so.fmin_tnc)
#: those that return an object with the attribute x
WITH_OBJECT = (so.basinhopping, so.differential_evolution, so.direct, so.dual_annealing, so.shgo)


def condition(solve: Any, f: Any) -> Any:
    """The function that is 0 at what a solver finds."""
    f = lowered(f)
    if solve in ROOTS:
        return f
    return gradient_of(derived(f, "half_square", lambda params, y: 0.5 * np.sum(y * y)) if solve is so.leastsq else f)


def closed(f: Any, args: Any) -> Any:
    """The function of the variables alone."""
    return lambda *variables: f(*variables, *args)


def found(solve: Any, f: Any, start: Any = None, args: Any = (), **options: Any) -> Any:
    """A solution alone."""
    x = solve(closed(f, args), *(() if start is None else (start,)), **options)
    return x if solve not in OF_ONE or np.ndim(x) == 0 else x[0]


def between(solve: Any, f: Any, x1: Any, x2: Any, args: Any = (), **options: Any) -> Any:
    """A solution between two numbers."""
    return solve(closed(f, args), x1, x2, **options)


def found_with(solve: Any, f: Any, start: Any, args: Any = (), **options: Any) -> tuple[Any, Any]:
    """A solution, and what else the solver says."""
    result = solve(closed(f, args), start, **options)
    return (result.x, result) if hasattr(result, "x") else (result[0], result)


@rule(found, kind="general", lists=True, jvp=(
    None, None, None, lambda t, y, solve, f, start=None, args=(), **how: root_pushforward(t, y, condition(solve, f), args)))
def _(g, y, solve, f, start=None, args=(), **how):
    """The solution is taken to be regular, and a minimum to lie inside."""
    return ZERO, ZERO, ZERO, root_pullback(g, y, condition(solve, f), args)


@rule(between, kind="general", lists=True, jvp=(
    None, None, None, None, lambda t, y, solve, f, x1, x2, args=(), **how: root_pushforward(t, y, condition(solve, f), args)))
def _(g, y, solve, f, x1, x2, args=(), **how):
    """The minimum is taken to lie inside."""
    return ZERO, ZERO, ZERO, ZERO, root_pullback(g, y, condition(solve, f), args)


@rule(found_with, kind="general", lists=True, jvp=(
    None, None, None, lambda t, y, solve, f, start, args=(), **how: (root_pushforward(t, y[0], condition(solve, f), args), None)))
def _(g, y, solve, f, start, args=(), **how):
    """The solution is taken to be regular, and a minimum to lie inside."""
    return ZERO, ZERO, ZERO, root_pullback(g[0], y[0], condition(solve, f), args)


def _place(solve: Any, f: Any, start: Any = None, *args: Any, **kwargs: Any) -> Type | None:
    if solve.value in OF_ONE:
        return Num("float")
    if solve.value in WITHIN:
        return Arr("float64", (ANY,))
    t = getattr(start, "type", None)
    return Arr("float64", t.dims or (ANY,)) if isinstance(t, Arr) else Arr("float64", (ANY,))


def _place_with(solve: Any, f: Any, start: Any, *args: Any, **kwargs: Any) -> Type | None:
    x = _place(solve, f, start)
    return None if x is None else TupleT((x, Obj(so.OptimizeResult) if solve.value in WITH_OBJECT else Obj(object)))


SHAPES.update({found: _place, between: lambda *args, **kwargs: Num("float"), found_with: _place_with})

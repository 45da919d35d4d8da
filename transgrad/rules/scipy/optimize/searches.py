"""scipy.optimize: solvers without a result object, and global searches; the solution is differentiated, not the search."""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.optimize as so

from ....ir.infer_shapes import SHAPES
from ....ir.types import ANY, Arr, Num, Obj, TupleT, Type
from ...registry import constant, rule
from ...static import ZERO, lifted
from ..callables import apply, derived, gradient_of, lowered, pullback, pushforward
from .constrained import held_below, known_edges
from .solutions import jacobian, root_pullback, root_pushforward

#: of an equation, where the others look for a minimum
ROOTS = (so.anderson, so.broyden1, so.broyden2, so.diagbroyden, so.excitingmixing, so.linearmixing, so.newton_krylov)
#: those that move one number
OF_ONE = (so.brent, so.golden)
#: those that look within bounds, which say how many variables there are
WITHIN = (so.differential_evolution, so.direct, so.dual_annealing, so.shgo, so.brute)
#: those that return more than the place, the place first
WITH_MORE = (so.leastsq, so.fmin_l_bfgs_b, so.fmin_tnc)
#: those that return an object with the attribute x
WITH_OBJECT = (so.basinhopping, so.differential_evolution, so.direct, so.dual_annealing, so.shgo)


def condition(solve: Any, f: Any) -> Any:
    """The function that is 0 at the result of a solver."""
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


def found_with(solve: Any, f: Any, start: Any, args: Any = (), **options: Any) -> tuple[Any, Any]:
    """A solution, and the solver's other results."""
    result = solve(closed(f, args), start, **options)
    return (result.x, result) if hasattr(result, "x") else (result[0], result)


@rule(found, kind="general", lists=True, jvp=(
    None, None, None, lambda t, y, solve, f, start=None, args=(), **how: root_pushforward(t, y, condition(solve, f), args)))
def _(g, y, solve, f, start=None, args=(), **how):
    """The solution is taken to be regular, and a minimum to lie inside."""
    return ZERO, ZERO, ZERO, root_pullback(g, y, condition(solve, f), args)


def free_within(x: Any, slope: Any, bounds: Any) -> Any:
    """1 for each variable that is at none of its bounds."""
    low, high = known_edges(bounds, np.size(x), True)
    return np.where(held_below(x, low, slope) | held_below(-x, -high, -slope), 0.0, 1.0)


free_of_bounds = lifted(free_within)
constant(free_within)
SHAPES[free_within] = lambda x, *args: x.type


def free_part(x: Any, f: Any, args: Any, start: Any, solve: Any) -> tuple[Any, Any]:
    """The Jacobian of the optimality condition at the solution, by the variables that are not at a bound, and those variables."""
    free = free_of_bounds(x, apply(f, [x, *args]), start) if solve in WITHIN and solve is not so.brute else np.ones_like(x)
    return jacobian(f, x, args) * free[:, None] + np.diag(1.0 - free), free


def pulled(g: Any, x: Any, f: Any, args: Any, start: Any, solve: Any) -> tuple[Any, ...]:
    matrix, free = free_part(x, f, args, start, solve)
    return tuple(pullback(f, [x, *args], -np.linalg.solve(matrix.T, g) * free, 1))


def pushed(t: Any, x: Any, f: Any, args: Any, start: Any, solve: Any) -> Any:
    matrix, free = free_part(x, f, args, start, solve)
    return -np.linalg.solve(matrix, free * pushforward(f, [x, *args], [None, *t]))


@rule(found_with, kind="general", lists=True, jvp=(
    None, None, None, lambda t, y, solve, f, start, args=(), **how: (pushed(t, y[0], condition(solve, f), args, start, solve), None)))
def _(g, y, solve, f, start, args=(), **how):
    """The solution is taken to be regular; which variables are at a bound is constant."""
    return ZERO, ZERO, ZERO, pulled(g[0], y[0], condition(solve, f), args, start, solve)


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


SHAPES.update({found: _place, found_with: _place_with})

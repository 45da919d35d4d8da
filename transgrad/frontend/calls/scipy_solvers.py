"""SciPy's functions that take a function: of which variables that is a function."""
from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.integrate as si
import scipy.optimize as so

from ...ir.ops import Lit
from ...ir.types import ANY, Arr, Num, Type
from ...rules.scipy.callables import as_number
from ...rules.scipy.integrate import adaptive, initial_values
from ...rules.scipy.optimize import constrained, searches, solutions
from ..context import Lowering
from ..domain.abstract import SObj
from ..expressions.operations import call, get_attr, strip
from .dispatch import varied
from .hooks import register
from .outline import invoke
from .solvers import Solution, number, register_solver, solution


def like(name: str, scalar_too: bool = True) -> Any:
    """Something of the type of the argument ``name``, in double precision."""
    def variables(ctx: Lowering, bound: dict[str, Any]) -> Sequence[Type]:
        t = strip(ctx.operand(bound[name]).type)
        return [Arr("float64", t.dims) if isinstance(t, Arr) and not t.scalar and t.dims else Num("float")]
    return variables


def vector(name: str, make: Any = np.atleast_1d) -> Any:
    """The vector that the solver makes of the argument ``name``: of a number, one of length 1."""
    def variables(ctx: Lowering, bound: dict[str, Any]) -> Sequence[Type]:
        t = strip(ctx.operand(bound[name]).type)
        if isinstance(t, Num) or isinstance(t, Arr) and len(t.dims) != 1:
            bound[name] = call(ctx, make, [bound[name]])
        found: Sequence[Type] = like(name)(ctx, bound)
        return found
    return variables


for _fn in (so.brentq, so.brenth, so.bisect, so.ridder):
    register_solver(_fn, number, refused=("full_output",))
register_solver(so.toms748, number, refused=("full_output",))
register_solver(so.newton, like("x0"), function="func", refused=("full_output", "fprime", "fprime2"))
register_solver(so.fsolve, vector("x0", np.ravel), function="func", refused=("full_output", "fprime", "col_deriv"))
register_solver(so.fixed_point, like("x0"), function="func")
register_solver(si.quad, number, function="func", refused=("full_output", "weight", "wvar", "complex_func"))
register_solver(si.quad_vec, number, refused=("full_output",))


def _solver(fn: Any, variables: Any, refused: Sequence[str], function: str = "fun", value: str | None = None, name: str = "x",
            said: Sequence[str] = ("success", "message", "nfev"), elsewhere: Sequence[str] = (), prepared: Any = None) -> None:
    """A solver that returns an object."""
    register_solver(fn, variables, prepared=prepared, function=function, refused=refused, primitive=solutions.solved, named=True,
                    result=solution(name, said, value), elsewhere=elsewhere)


def _objective(ctx: Lowering, f: Any, bound: dict[str, Any]) -> Any:
    """An objective may return an array of one element."""
    return as_number(f)


_solver(so.root, vector("x0"), ("jac", "callback"))
_solver(so.root_scalar, number, ("fprime", "fprime2"), "f", name="root", said=("converged", "flag", "iterations"))
_solver(so.minimize, vector("x0"), ("hess", "hessp", "callback"), value="fun", elsewhere=("jac", "bounds", "constraints"),
        prepared=_objective)
_solver(so.minimize_scalar, number, (), value="fun", elsewhere=("bounds",), prepared=_objective)
_solver(so.least_squares, vector("x0"), ("kwargs",), value="fun", elsewhere=("jac", "bounds", "loss"))
register_solver(constrained.settled, like("x0"))
register_solver(constrained.searched, like("x0"), function="parts")
register_solver(constrained.searched_between, number)
register_solver(constrained.searched_residuals, like("x0"))


def _edges(ctx: Lowering, obj: Any, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    """Bounds that are not differentiated may be written in any way."""
    return NotImplemented if varied(ctx, args[0]) else call(ctx, constrained.known_edges, args, node=node)


register(constrained.edges, _edges)


def _with_value(ctx: Lowering, out: Any, function: Any, captured: list[Any]) -> Any:
    """The position of the optimum, the value there, and the solver's other results."""
    x, said = out.items
    return ctx.tuple([x, invoke(ctx, function, [x, *captured])[0], said])


def _some(ctx: Lowering, bound: dict[str, Any]) -> Sequence[Type]:
    """As many numbers as there are bounds."""
    return [Arr("float64", (ANY,))]


def _search(fn: Any, variables: Any, function: str = "func", primitive: Any = searches.found, result: Any = None,
            refused: Sequence[str] = ("full_output", "callback", "retall"), prepared: Any = None) -> None:
    """A solver that returns the place alone, or first."""
    register_solver(fn, variables, function=function, refused=[name for name in refused if name in inspect.signature(fn).parameters],
                    primitive=primitive, named=True, result=result, prepared=prepared,
                    fixed=("bounds", "ranges") if fn in searches.WITHIN else ())


for _fn in searches.ROOTS:
    _search(_fn, like("xin"), "F")
for _fn in (so.fmin, so.fmin_bfgs, so.fmin_cg, so.fmin_powell):
    _search(_fn, vector("x0"), "f" if _fn in (so.fmin_bfgs, so.fmin_cg) else "func",
            refused=("full_output", "callback", "retall", "fprime"), prepared=_objective)
_search(so.fmin_slsqp, vector("x0"), refused=("full_output", "callback", "fprime", "eqcons", "f_eqcons", "ieqcons", "f_ieqcons", "bounds",
                                            "fprime_eqcons", "fprime_ieqcons"))
_search(so.brent, number, refused=("full_output",), prepared=_objective)
_search(so.golden, number, refused=("full_output",), prepared=_objective)
_search(so.brute, _some, refused=("full_output", "finish", "workers"), prepared=_objective)
_search(so.leastsq, vector("x0", np.ravel), primitive=searches.found_with, refused=("full_output", "Dfun", "col_deriv"),
        result=lambda ctx, out, f, c: ctx.tuple([out.items[0], Lit(1)]))
for _fn in (so.fmin_l_bfgs_b, so.fmin_tnc):
    _search(_fn, vector("x0"), primitive=searches.found_with, refused=("fprime", "bounds", "callback"),
            result=_with_value if _fn is so.fmin_l_bfgs_b else lambda ctx, out, f, c: out)
for _fn in (so.basinhopping, so.differential_evolution, so.direct, so.dual_annealing, so.shgo):
    _search(_fn, vector("x0") if _fn is so.basinhopping else _some, primitive=searches.found_with,
            result=solution("x", ("success", "message"), "fun"), refused=(
                "callback", "constraints", "integrality", "vectorized", "workers", "minimizer_kwargs", "take_step", "accept_test"))


def _time_and_state(ctx: Lowering, bound: dict[str, Any]) -> Sequence[Type]:
    return [Num("float"), *like("y0")(ctx, bound)]


def _odeint_variables(ctx: Lowering, bound: dict[str, Any]) -> Sequence[Type]:
    both = [Num("float"), *vector("y0")(ctx, bound)]
    return both if _time_first(bound) else both[::-1]


def _time_first(bound: dict[str, Any]) -> bool:
    return bool(getattr(bound.get("tfirst"), "value", False))


def _odeint_function(ctx: Lowering, f: Any, bound: dict[str, Any]) -> Any:
    first = _time_first(bound)
    bound.pop("tfirst", None)
    f = initial_values.of_state(f, 1 if first else 0)
    return f if first else initial_values.swapped(f)


def _trajectory(ctx: Lowering, out: Any, function: Any, captured: list[Any]) -> Any:
    """The result of solve_ivp."""
    held = SObj(Solution)
    ctx.state[held, "y"], ctx.state[held, "t"], said = out.items
    for name in ("success", "message", "status", "nfev"):
        ctx.state[held, name] = get_attr(ctx, said, name)
    return held


register_solver(si.solve_ivp, _time_and_state, function="fun", refused=("events", "dense_output", "vectorized"),
                prepared=lambda ctx, f, bound: initial_values.of_state(f, 1),
                primitive=initial_values.states, result=_trajectory)


def _on_mesh(ctx: Lowering, bound: dict[str, Any]) -> Sequence[Type]:
    """Times, states and unknown numbers."""
    return [Arr("float64", (ANY,)), Arr("float64", (ANY, ANY)), Arr("float64", (ANY,))]


register_solver(adaptive.nodes_in_box, lambda ctx, bound: [Arr("float64", (ANY, ANY))])
register_solver(adaptive.solution_on_mesh, _on_mesh)
register_solver(adaptive.unknown_numbers, _on_mesh)
register_solver(si.odeint, _odeint_variables, function="func", refused=("Dfun", "full_output", "col_deriv"),
                prepared=_odeint_function, primitive=initial_values.rows)

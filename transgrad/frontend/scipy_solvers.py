"""SciPy's functions that take a function: of which variables that is a function."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import scipy.integrate as si
import scipy.optimize as so

from ..ir.types import Arr, Num, Type
from ..rules.scipy import optimize
from ..rules.scipy.integrate import initial_values
from .abstract import SObj
from .context import Lowering
from .operations import get_attr, strip
from .solvers import Solution, number, register_solver, solution


def like(name: str, scalar_too: bool = True) -> Any:
    """Something of the type of the argument ``name``, in double precision."""
    def variables(ctx: Lowering, bound: dict[str, Any]) -> Sequence[Type]:
        t = strip(ctx.operand(bound[name]).type)
        return [Arr("float64", t.dims) if isinstance(t, Arr) and not t.scalar and t.dims else Num("float")]
    return variables


for _fn in (so.brentq, so.brenth, so.bisect, so.ridder):
    register_solver(_fn, number, refused=("full_output",))
register_solver(so.toms748, number, refused=("full_output",))
register_solver(so.newton, like("x0"), function="func", refused=("full_output", "fprime", "fprime2"))
register_solver(so.fsolve, like("x0"), function="func", refused=("full_output", "fprime", "col_deriv"))
register_solver(so.fixed_point, like("x0"), function="func")
register_solver(si.quad, number, function="func", refused=("full_output", "weight", "wvar", "complex_func"))
register_solver(si.quad_vec, number, refused=("full_output",))


def _solver(fn: Any, variables: Any, refused: Sequence[str], function: str = "fun", value: str | None = None, name: str = "x",
            said: Sequence[str] = ("success", "message", "nfev")) -> None:
    """A solver that returns an object."""
    register_solver(fn, variables, function=function, refused=refused, primitive=optimize.solved, named=True,
                    result=solution(name, said, value))


_solver(so.root, like("x0"), ("jac", "callback"))
_solver(so.root_scalar, number, ("fprime", "fprime2"), "f", name="root", said=("converged", "flag", "iterations"))
_solver(so.minimize, like("x0"), ("jac", "hess", "hessp", "bounds", "constraints", "callback"), value="fun")
_solver(so.minimize_scalar, number, ("bounds",), value="fun")
_solver(so.least_squares, like("x0"), ("jac", "bounds", "loss", "kwargs"), value="fun")


def _time_and_state(ctx: Lowering, bound: dict[str, Any]) -> Sequence[Type]:
    return [Num("float"), *like("y0")(ctx, bound)]


def _odeint_variables(ctx: Lowering, bound: dict[str, Any]) -> Sequence[Type]:
    both = _time_and_state(ctx, bound)
    return both if _time_first(bound) else both[::-1]


def _time_first(bound: dict[str, Any]) -> bool:
    return bool(getattr(bound.get("tfirst"), "value", False))


def _odeint_function(ctx: Lowering, f: Any, bound: dict[str, Any]) -> Any:
    first = _time_first(bound)
    bound.pop("tfirst", None)
    return f if first else initial_values.swapped(f)


def _trajectory(ctx: Lowering, out: Any, function: Any, captured: list[Any]) -> Any:
    """What solve_ivp returns."""
    held = SObj(Solution)
    ctx.state[held, "y"], ctx.state[held, "t"], said = out.items
    for name in ("success", "message", "status", "nfev"):
        ctx.state[held, name] = get_attr(ctx, said, name)
    return held


register_solver(si.solve_ivp, _time_and_state, function="fun", refused=("events", "dense_output", "vectorized"),
                primitive=initial_values.states, result=_trajectory)
register_solver(si.odeint, _odeint_variables, function="func", refused=("Dfun", "full_output", "col_deriv"),
                prepared=_odeint_function, primitive=initial_values.rows)

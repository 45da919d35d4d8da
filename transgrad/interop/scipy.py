"""SciPy's solvers with derivatives from transgrad, for parameters of any structure.

Each function takes a NumPy function and parameters: a number, an array, or a list, tuple, dict, named tuple or dataclass of these.
It passes to the solver of the same name what that solver can use: the gradient, Hessian-vector products, the Jacobian, or the sparse
Jacobian with its pattern.
"""
from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from .. import progress as bars
from .. import tree
from ..transforms.arguments import name_of
from ..transforms.options import Numba, Options
from .missing import require
from .vectors import VectorFunction, as_floats, as_vector

__all__ = ["Constraint", "constraint", "least_squares", "minimize", "pattern", "root", "solve_ivp"]


def __dir__() -> list[str]:
    return sorted(__all__)


#: methods of `minimize` without a gradient
_WITHOUT_GRADIENT = frozenset(("nelder-mead", "powell", "cobyla", "cobyqa"))
_WITH_PRODUCT = frozenset(("newton-cg", "trust-ncg", "trust-krylov", "trust-constr"))
_WITH_HESSIAN = frozenset(("dogleg", "trust-exact"))
#: methods of `root` with a Jacobian
_ROOT_WITH_JACOBIAN = frozenset(("hybr", "lm"))
_IMPLICIT = frozenset(("Radau", "BDF", "LSODA"))


def _scipy(module: str) -> Any:
    return require(f"scipy.{module}", "scipy", "transgrad.interop.scipy")


@contextlib.contextmanager
def _counting(shown: bool, label: str, total: int | None = None) -> Iterator[Callable[[Callable[..., Any]], Callable[..., Any]]]:
    """Return a function that makes others advance a progress bar."""
    with contextlib.ExitStack() as stack:
        if not shown:
            yield lambda f: f
            return
        stack.enter_context(bars.shown())
        bar = stack.enter_context(bars.bar(label, total))

        def counted(f: Callable[..., Any]) -> Callable[..., Any]:
            def run(*args: Any) -> Any:
                found = f(*args)
                bar.advance()
                return found
            return run

        yield counted


def minimize(f: Callable[..., Any], params: Any, args: Sequence[Any] = (), *, method: str | None = None, bounds: Any = None,
             constraints: Any = (), callback: Callable[[Any], object] | None = None, kwargs: Mapping[str, Any] | None = None,
             progress: bool = False, backend: str | Numba = "numpy", fallback: str = "tape", **options: Any) -> Any:
    """Minimize a scalar function of parameters of any structure, with `scipy.optimize.minimize`.

    Parameters
    ----------
    f : callable
        The function ``f(params, *args, **kwargs)``. It returns one real number.
    params
        The parameters to start from. Floating-point leaves are optimized; other leaves are constants.
    args : sequence, optional
        Further arguments, which are constants.
    method : str, optional
        As for SciPy. The gradient is passed to all methods that use one, Hessian-vector products to ``'Newton-CG'``,
        ``'trust-ncg'``, ``'trust-krylov'`` and ``'trust-constr'``, and the Hessian to ``'dogleg'`` and ``'trust-exact'``.
    bounds : tuple, optional
        A pair ``(lower, upper)``. Each is None, a number for all parameters, or a structure like ``params`` of numbers and None.
        For one array, a sequence of a tuple ``(lower, upper)`` for each entry is accepted too, and ``scipy.optimize.Bounds`` is
        for all parameters, in the order of the vector.
    constraints : Constraint or sequence of Constraint, optional
        Made by `constraint`.
    callback : callable, optional
        Called after each iteration with the parameters. If it raises ``StopIteration``, the minimization stops.
    kwargs : mapping, optional
        Keyword arguments of ``f``.
    progress : bool, default False
        Whether a terminal shows a progress bar that counts evaluations.
    backend, fallback
        As for `transgrad.grad`.
    **options
        Further arguments of `scipy.optimize.minimize`, such as ``tol`` and ``options``.

    Returns
    -------
    scipy.optimize.OptimizeResult
        The result of SciPy. Its additional attribute ``params`` has the structure of the parameters.

    Raises
    ------
    TypeError
        If ``params`` contains no floating-point leaf, or ``f`` does not return one real number.

    Examples
    --------
    >>> import numpy as np
    >>> import transgrad as tg
    >>> def loss(p, x, y):
    ...     return np.sum((p["scale"] * np.exp(p["rate"] * x) - y) ** 2)
    >>> x = np.linspace(0.0, 1.0, 5)
    >>> fit = tg.interop.scipy.minimize(loss, {"scale": 1.0, "rate": 0.0}, (x, 2.0 * np.exp(-x)))
    >>> round(fit.params["scale"], 3), round(fit.params["rate"], 3)
    (2.0, -1.0)
    """
    optimize = _scipy("optimize")
    function = VectorFunction(f, params, args, kwargs or {}, Options(fallback, backend))
    space = function.space
    name = method.lower() if isinstance(method, str) else ""
    given: dict[str, Any] = {"method": method, "bounds": _bounds(optimize, space, params, bounds)}
    if constraints:
        listed = [constraints] if not isinstance(constraints, (list, tuple)) else constraints
        given["constraints"] = [c.on(params, hess=name == "trust-constr") if isinstance(c, Constraint) else c for c in listed]
    if callback is not None:
        given["callback"] = lambda x, *state: callback(space.unpack(x))
    with _counting(progress, f"minimize {name_of(f)}") as counted:
        if name in _WITHOUT_GRADIENT:
            objective = counted(lambda x: float(function.value(x)))
        else:
            objective = counted(function.value_and_grad)
            given["jac"] = True
            if name in _WITH_PRODUCT:
                given["hessp"] = function.product
            if name in _WITH_HESSIAN:
                given["hess"] = function.hessian
        result = optimize.minimize(objective, space.pack(as_floats(params)), **given, **options)
    result.params = space.unpack(result.x)
    return result


def _bounds(optimize: Any, space: Any, params: Any, bounds: Any, of_entries: bool = True) -> Any:
    """The bounds for SciPy; ``of_entries`` says that SciPy's own format has a pair for each entry of the vector."""
    if bounds is None or isinstance(bounds, optimize.Bounds):
        return bounds
    listed = list(bounds)
    if of_entries and not tree.is_node(params, objects=True):
        pairs = [isinstance(b, (list, tuple)) and len(b) == 2 for b in listed]
        if len(listed) == 2 and space.size == 2 and all(pairs) and not all(isinstance(b, tuple) for b in listed):
            raise ValueError(f"bounds={bounds!r} may be a pair (lower, upper) or a pair for each of the two parameters. "
                             "Hint: pass scipy.optimize.Bounds(lower, upper)")
        if len(listed) == space.size and all(pairs):
            return bounds
    if len(listed) != 2:
        raise ValueError(f"expected bounds to be a pair (lower, upper), got {len(listed)} entries")
    lower, upper = listed
    return optimize.Bounds(space.spread(lower, -np.inf), space.spread(upper, np.inf))


class Constraint:
    """Bounds on a function of the parameters; see `constraint`.

    Examples
    --------
    >>> isinstance(constraint(lambda p: p["x"] + p["y"], upper=1.0), Constraint)
    True
    """

    def __init__(self, g: Callable[..., Any], lower: Any, upper: Any, args: Sequence[Any], sparse: bool, options: Options,
                 more: Mapping[str, Any]):
        self.g, self.lower, self.upper, self.args = g, lower, upper, tuple(args)
        self.sparse, self.options, self.more = sparse, options, more

    def on(self, params: Any, hess: bool = True) -> Any:
        """Return the `scipy.optimize.NonlinearConstraint` on the vector of parameters with the structure of ``params``.

        With ``hess=False``, it has no Hessian, which only ``method='trust-constr'`` uses.
        """
        function = VectorFunction(self.g, params, self.args, {}, self.options)
        jac = function.sparse_jacobian if self.sparse else function.jacobian
        lower, upper = (as_vector(b) if not isinstance(b, (int, float)) else b for b in (self.lower, self.upper))
        more = {**self.more, "hess": function.weighted_hessian} if hess else self.more
        return _scipy("optimize").NonlinearConstraint(function.residuals, lower, upper, jac=jac, **more)


def constraint(g: Callable[..., Any], lower: Any = -np.inf, upper: Any = np.inf, args: Sequence[Any] = (), *, sparse: bool = False,
               backend: str | Numba = "numpy", fallback: str = "tape", **options: Any) -> Constraint:
    """Return the constraint ``lower <= g(params, *args) <= upper``, with the Jacobian and the Hessian of ``g``.

    Parameters
    ----------
    g : callable
        The function. It returns a number, an array, or a structure of these.
    lower, upper : float or array_like, optional
        Bounds of its result. Equal bounds make an equality.
    args : sequence, optional
        Further arguments of ``g``.
    sparse : bool, default False
        Whether the Jacobian is a sparse matrix, for ``method='trust-constr'``.
    backend, fallback
        As for `transgrad.grad`.
    **options
        Further arguments of `scipy.optimize.NonlinearConstraint`, such as ``keep_feasible``.

    Returns
    -------
    Constraint
        For `minimize`. Its method ``on(params)`` returns the ``NonlinearConstraint`` for SciPy.

    Examples
    --------
    >>> import transgrad as tg
    >>> circle = tg.interop.scipy.constraint(lambda p: p["x"] ** 2 + p["y"] ** 2, upper=1.0)
    >>> start = {"x": 0.5, "y": 0.1}
    >>> found = tg.interop.scipy.minimize(lambda p: -p["x"] - p["y"], start, constraints=circle, method="SLSQP")
    >>> round(found.params["x"], 3), round(found.params["y"], 3)
    (0.707, 0.707)
    """
    return Constraint(g, lower, upper, args, sparse, Options(fallback, backend), options)


def least_squares(residuals: Callable[..., Any], params: Any, args: Sequence[Any] = (), *, sparse: bool = False, bounds: Any = None,
                  kwargs: Mapping[str, Any] | None = None, progress: bool = False, backend: str | Numba = "numpy", fallback: str = "tape",
                  **options: Any) -> Any:
    """Minimize a sum of squares over parameters of any structure, with `scipy.optimize.least_squares`.

    Parameters
    ----------
    residuals : callable
        The function ``residuals(params, *args, **kwargs)``. It returns an array, or a structure of numbers and arrays.
    params, args, bounds, kwargs, progress, backend, fallback
        As for `minimize`.
    sparse : bool, default False
        Whether the Jacobian is computed as a sparse matrix, by one sweep for each color of its pattern.
    **options
        Further arguments of `scipy.optimize.least_squares`, such as ``loss`` and ``method``.

    Returns
    -------
    scipy.optimize.OptimizeResult
        The result of SciPy, with ``params``.

    Examples
    --------
    >>> import numpy as np
    >>> import transgrad as tg
    >>> t = np.linspace(0.0, 3.0, 9)
    >>> def residuals(p, y):
    ...     return p["scale"] * np.exp(-p["rate"] * t) - y
    >>> fit = tg.interop.scipy.least_squares(residuals, {"scale": 1.0, "rate": 1.0}, (2.0 * np.exp(-0.7 * t),))
    >>> round(fit.params["scale"], 6), round(fit.params["rate"], 6)
    (2.0, 0.7)
    """
    optimize = _scipy("optimize")
    function = VectorFunction(residuals, params, args, kwargs or {}, Options(fallback, backend))
    found = _bounds(optimize, function.space, params, bounds, of_entries=False)
    if found is not None:
        options["bounds"] = found
    with _counting(progress, f"least_squares {name_of(residuals)}") as counted:
        result = optimize.least_squares(counted(function.residuals), function.space.pack(as_floats(params)),
                                        jac=function.sparse_jacobian if sparse else function.jacobian, **options)
    result.params = function.space.unpack(result.x)
    return result


def root(f: Callable[..., Any], params: Any, args: Sequence[Any] = (), *, method: str = "hybr", kwargs: Mapping[str, Any] | None = None,
         progress: bool = False, backend: str | Numba = "numpy", fallback: str = "tape", **options: Any) -> Any:
    """Find a root of a function of parameters of any structure, with `scipy.optimize.root`.

    Parameters
    ----------
    f : callable
        The function ``f(params, *args, **kwargs)``. It returns as many numbers as the parameters contain, in any structure.
    params, args, kwargs, progress, backend, fallback
        As for `minimize`.
    method : str, default 'hybr'
        As for SciPy. The Jacobian is passed to ``'hybr'`` and ``'lm'``.
    **options
        Further arguments of `scipy.optimize.root`, such as ``tol``.

    Returns
    -------
    scipy.optimize.OptimizeResult
        The result of SciPy, with ``params``.

    Examples
    --------
    >>> import transgrad as tg
    >>> def equations(p):
    ...     return {"sum": p["x"] + p["y"] - 3.0, "product": p["x"] * p["y"] - 2.0}
    >>> found = tg.interop.scipy.root(equations, {"x": 0.0, "y": 5.0})
    >>> round(found.params["x"], 6), round(found.params["y"], 6)
    (1.0, 2.0)
    """
    function = VectorFunction(f, params, args, kwargs or {}, Options(fallback, backend))
    with _counting(progress, f"root of {name_of(f)}") as counted:
        jac = function.jacobian if method in _ROOT_WITH_JACOBIAN else None
        start = function.space.pack(as_floats(params))
        result = _scipy("optimize").root(counted(function.residuals), start, method=method, jac=jac, **options)
    result.params = function.space.unpack(result.x)
    return result


def solve_ivp(f: Callable[..., Any], t_span: Sequence[float], state: Any, args: Sequence[Any] = (), *, method: Any = "Radau",
              sparse: bool = False, progress: bool = False, backend: str | Numba = "numpy", fallback: str = "tape", **options: Any) -> Any:
    """Solve an initial value problem for a state of any structure, with `scipy.integrate.solve_ivp`.

    Implicit methods get the Jacobian of the right-hand side.

    Parameters
    ----------
    f : callable
        The right-hand side ``f(t, state, *args)``. It returns the derivative of the state, in the same structure or as an array.
    t_span : pair of float
        The interval of time.
    state
        The initial state.
    args : sequence, optional
        Further arguments.
    method : str or class, default 'Radau'
        As for SciPy. ``'Radau'``, ``'BDF'`` and ``'LSODA'`` are implicit.
    sparse : bool, default False
        Whether the Jacobian is computed as a sparse matrix, for ``'Radau'`` and ``'BDF'``.
    progress : bool, default False
        Whether a terminal shows how much of the interval is done, in percent.
    backend, fallback
        As for `transgrad.grad`.
    **options
        Further arguments of `scipy.integrate.solve_ivp`, such as ``t_eval`` and ``rtol``.

    Returns
    -------
    scipy.integrate.OdeResult
        The result of SciPy. Its additional attribute ``states`` has the structure of the state; time is the last axis of its arrays.

    Examples
    --------
    >>> import transgrad as tg
    >>> def decay(t, s, rate):
    ...     return {"a": -rate * s["a"], "b": rate * s["a"]}
    >>> solution = tg.interop.scipy.solve_ivp(decay, (0.0, 1.0), {"a": 1.0, "b": 0.0}, (2.0,), rtol=1e-8)
    >>> solution.states["b"][-1].round(4)
    np.float64(0.8647)
    """
    start, end = map(float, t_span)
    function = VectorFunction(f, state, (start, *args), {}, Options(fallback, backend), number=1)
    space = function.space

    def at(t: float) -> VectorFunction:
        function.with_constant(0, float(t))
        return function

    if (method if isinstance(method, str) else getattr(method, "__name__", "")) in _IMPLICIT:
        options["jac"] = lambda t, y: at(t).sparse_jacobian(y) if sparse else at(t).jacobian(y)
    with contextlib.ExitStack() as stack:
        if progress:
            stack.enter_context(bars.shown())
            bar = stack.enter_context(bars.bar(f"solve_ivp {name_of(f)}, percent of the interval", 100))
            done = 0

        def right_hand_side(t: float, y: Any) -> Any:
            nonlocal done
            if progress:
                while done < 100.0 * (t - start) / ((end - start) or 1.0) and done < 100:
                    done += 1
                    bar.advance()
            return at(t).residuals(y)

        solution = _scipy("integrate").solve_ivp(right_hand_side, (start, end), space.pack(as_floats(state)), method=method, **options)
    steps = [space.unpack(y) for y in solution.y.T] if solution.y.size else []
    solution.states = _stacked(steps)
    return solution


def _stacked(steps: Sequence[Any]) -> Any:
    """One structure of arrays, with time along the last axis, from one structure for each time."""
    if not steps:
        return None
    return tree.map_leaves(lambda *xs: np.stack([np.asarray(x) for x in xs], axis=-1) if isinstance(xs[0], (float, np.ndarray, np.generic))
                           else xs[0], *steps)


def pattern(f: Callable[..., Any], params: Any, args: Sequence[Any] = (), *, fallback: str = "tape") -> Any:
    """Return where the Jacobian of a function of parameters may differ from zero.

    Parameters
    ----------
    f, params, args, fallback
        As for `least_squares`.

    Returns
    -------
    scipy.sparse.csr_array of bool
        One row for each entry of the result and one column for each entry of the parameters, leaf by leaf.

    Examples
    --------
    >>> import numpy as np
    >>> import transgrad as tg
    >>> tg.interop.scipy.pattern(lambda p: p["x"] * p["y"], {"x": np.ones(2), "y": 1.0}).toarray()
    array([[ True, False,  True],
           [False,  True,  True]])
    """
    function = VectorFunction(f, params, args, {}, Options(fallback))
    return function.pattern(function.space.pack(as_floats(params)))

"""Optimization from several starting points, one task each."""
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .. import tree
from ..transforms.memoized import derive
from ..transforms.options import Options
from ..transforms.transformations import Reverse
from .engine import Task, called, collect, require, shared

__all__ = ["minimize_from"]


class _Search:
    """A minimization from one starting point."""

    def __init__(self, derivative: Any, method: str, settings: Mapping[str, Any]):
        self.derivative, self.method, self.settings = derivative, method, dict(settings)
        self.__name__ = f"minimize_{derivative.primal.__name__}" if hasattr(derivative.primal, "__name__") else "minimize"

    def __call__(self, start: Any, args: tuple[Any, ...]) -> Any:
        from scipy.optimize import OptimizeResult, minimize
        leaves, form = tree.flatten(start)
        shapes = [np.shape(leaf) for leaf in leaves]
        ends = np.cumsum([int(np.prod(shape)) for shape in shapes])

        def params(x: Any) -> Any:
            parts = np.split(x, ends[:-1])
            return tree.unflatten(form, [part.reshape(shape) if shape else float(part[0]) for part, shape in zip(parts, shapes)])

        def fun(x: Any) -> Any:
            value, gradient = self.derivative(params(x), *args)
            return float(value), np.concatenate([np.ravel(g) for g in tree.flatten(gradient)[0]]).astype(float)

        x0 = np.concatenate([np.ravel(np.asarray(leaf, dtype=float)) for leaf in leaves])
        try:
            found = minimize(fun, x0, jac=True, method=self.method, **self.settings)
        except ArithmeticError as error:        # this start leads where the function is not defined
            found = OptimizeResult(x=x0, fun=np.inf, success=False, message=f"{type(error).__name__}: {error}")
        found.params = params(found.x)
        return found


def minimize_from(starts: Sequence[Any], loss: Callable[..., Any], args: Sequence[Any] = (), *, method: str = "L-BFGS-B",
                  client: Any = None, options: Mapping[str, Any] | None = None, **settings: Any) -> list[Any]:
    """Minimize a function from several starting points, one task for each, and return the results, the best first.

    Parameters
    ----------
    starts : sequence
        Parameters: numbers, arrays, or containers of these.
    loss : callable
        ``loss(params, *args)`` returns a number. Each worker compiles its gradient once.
    args : tuple
        Further arguments, which each worker receives once.
    method : str
        A method of `scipy.optimize.minimize` that uses gradients.
    client : distributed.Client, optional
        The cluster, as for `value_and_grad`.
    options : dict, optional
        ``fallback``, ``backend`` and ``optimize``, as for `transgrad.grad`.
    **settings
        Passed to `scipy.optimize.minimize`: ``tol``, ``bounds``, ``options``, ….

    Returns
    -------
    list of OptimizeResult
        In increasing order of ``fun``; ``params`` is the solution in the structure of the start. NaN comes last.

    Examples
    --------
    >>> import numpy as np
    >>> import transgrad as tg
    >>> def waves(p):
    ...     return np.sin(3.0 * p["x"]) + 0.1 * p["x"] ** 2
    >>> found = tg.distributed.minimize_from([{"x": float(k)} for k in range(-4, 5)], waves)
    >>> len(found), round(found[0].params["x"], 3)
    (9, -0.512)
    """
    require("dask")
    if not starts:
        raise ValueError("there are no starting points")
    search = _Search(derive(Reverse(True), loss, 0, None, Options(**(options or {}))), method, settings)
    task, rest = shared(Task(search), "derivative"), shared(tuple(args), "arguments")
    found = collect([called(task, search.__name__, shared(start, "start"), rest) for start in starts], client)
    return sorted(found, key=lambda r: (not np.isfinite(r.fun), r.fun if np.isfinite(r.fun) else 0.0))

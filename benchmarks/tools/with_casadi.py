"""CasADi: the graph is made once (loops unrolled), differentiated, and run by its virtual machine.

Its nodes are numbers, or matrices where the function says so by an attribute ``matrices``.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..workload import Workload
from .twins import function_for

__all__ = ["prepare"]


def prepare(workload: Workload, args: tuple[Any, ...]) -> Callable[[], Any]:
    """The call of a function with the arguments as its matrices; results come back in the shapes of the arguments."""
    import casadi
    f = function_for(workload, "casadi", casadi)
    is_array = [isinstance(a, (np.ndarray, float)) for a in args]
    if workload.transform == "blocks":
        sizes = [int(np.prod(np.shape(a)[1:])) for a in args]
        symbols = [casadi.SX.sym(f"x{k}", n) for k, n in enumerate(sizes)]
        out = f(*symbols)
        blocks = casadi.Function("blocks", symbols, [casadi.jacobian(out, symbols[k]) for k in workload.wrt]).map(len(args[0]))
        given = [casadi.DM(np.asarray(a).reshape(len(a), -1).T) for a in args]
        count = len(args[0])

        def run_blocks() -> Any:
            found = [np.asarray(part) for part in blocks(*given)]
            return [p.reshape(2, count, -1).swapaxes(0, 1).reshape(count, 2, *np.shape(args[k])[1:]) for k, p in zip(workload.wrt, found)]
        return run_blocks

    kind = casadi.MX if getattr(f, "matrices", False) else casadi.SX
    symbols = [kind.sym(f"x{k}", *np.shape(a)) if given else a for k, (a, given) in enumerate(zip(args, is_array))]
    inputs = [s for s, given in zip(symbols, is_array) if given]
    if workload.transform == "hvp":
        x, v = symbols
        outputs = [casadi.jtimes(casadi.gradient(f(x), x), x, v)]
    elif workload.transform == "hessian":
        outputs = [casadi.hessian(f(*symbols), symbols[0])[0]]
    else:
        value = f(*symbols)
        outputs = [casadi.gradient(value, symbols[k]) for k in workload.wrt]
    compiled = casadi.Function("derivative", inputs, outputs)
    given = [casadi.DM(a) for a, array in zip(args, is_array) if array]

    def run() -> Any:
        found = compiled(*given)
        found = found if isinstance(found, (tuple, list)) else [found]
        if workload.transform == "hessian":
            return np.asarray(found[0])
        shaped = [np.asarray(x).reshape(np.shape(args[k])) for k, x in zip(workload.wrt, found)]
        return shaped if len(shaped) > 1 else shaped[0]
    return run

"""The functions of the corpus at arguments that three numbers scale and shift: their derivatives by these numbers."""
from __future__ import annotations

import copy
import linecache
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from .registry import Case

__all__ = ["scaled"]

_POINT = np.array([1.0, 0.03, 0.01])


def scaled(case: Case) -> tuple[Callable[..., Any], Callable[[], tuple[Any, ...]]] | None:
    """A function of a vector of three numbers, and what makes its arguments; None where the case cannot be scaled."""
    places = [k for k in case.wrt if isinstance(case.args[k], (float, np.ndarray)) and np.asarray(case.args[k]).dtype == np.float64]
    if not places or case.kwargs:
        return None
    names = [f"x{k}" for k in range(len(case.args))]
    given = ", ".join(f"{name} * p[0] + p[1] * along{k} + p[2] * 0.25" if k in places else name for k, name in enumerate(names))
    text = (f"def {case.name}_scaled(p, {', '.join([*names, *(f'along{k}' for k in places)])}):\n"
            f"    return WEIGHTS * f({given}) + p[0]\n")
    file = f"<{case.row} {case.name}, scaled>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    space: dict[str, Any] = {"f": case.f, "WEIGHTS": np.array([1.0, -2.0, 0.5])}
    exec(compile(text, file, "exec"), space)

    def arguments() -> tuple[Any, ...]:
        along = [np.cos(np.arange(np.size(case.args[k]), dtype=float)).reshape(np.shape(case.args[k])) if np.ndim(case.args[k]) else 0.3
                 for k in places]
        return _POINT.copy(), *copy.deepcopy(case.args), *along

    f: Callable[..., Any] = space[f"{case.name}_scaled"]
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            f(*arguments())
    except Exception:       # what it returns has another shape, or it is no number
        return None
    return f, arguments

"""Operations on Tensors do not warn of divisions by zero, overflow and the like, as torch's do not; NumPy's own functions still do.

NumPy keeps its error settings in a context variable. `np.errstate` makes its value anew each time, which takes longer than a small
operation; here it is set to one that is kept.
"""
from __future__ import annotations

import functools
from collections.abc import Callable
from contextvars import ContextVar, copy_context
from typing import Any

import numpy as np

__all__ = ["SILENCE", "WARNINGS", "quiet", "quieten"]


def _switch() -> tuple[ContextVar[Any], Any]:
    """The variable that `np.errstate` sets, and its value where nothing is warned of."""
    before = copy_context()
    with np.errstate(all="ignore"):
        changed = [(variable, value) for variable, value in copy_context().items() if before.get(variable) is not value]
    assert len(changed) == 1, "NumPy keeps the settings of its warnings in one context variable"
    return changed[0]


WARNINGS, SILENCE = _switch()


def quiet(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function without NumPy's warnings."""
    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if WARNINGS.get(None) is SILENCE:
            return function(*args, **kwargs)
        before = WARNINGS.set(SILENCE)
        try:
            return function(*args, **kwargs)
        finally:
            WARNINGS.reset(before)
    call.silent = True      # type: ignore[attr-defined]
    return call


def quieten(*tables: dict[str, Any]) -> None:
    """Has the functions in the tables run without NumPy's warnings."""
    for table in tables:
        for name, function in table.items():
            if callable(function) and not isinstance(function, type) and not hasattr(function, "silent"):
                table[name] = quiet(function)

"""The limits: the primal and the derivative written by hand, in NumPy and under Numba."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..workload import Workload
from .twins import Left, twin

__all__ = ["primal", "with_numba", "with_numba_primal", "with_numpy"]


def _primal_args(workload: Workload, args: tuple[Any, ...]) -> tuple[Any, ...]:
    if workload.transform == "blocks":
        raise Left("the function is of one example, its derivatives are of all")
    return args[:1] if workload.transform == "hvp" else args


def primal(workload: Workload, args: tuple[Any, ...]) -> Callable[[], Any]:
    """The function, as its user wrote it."""
    given = _primal_args(workload, args)
    return lambda: workload.primal(*given)


def with_numpy(workload: Workload, args: tuple[Any, ...]) -> Callable[[], Any]:
    """The derivative written for NumPy."""
    return lambda: workload.by_hand(*args)


def with_numba(workload: Workload, args: tuple[Any, ...]) -> Callable[[], Any]:
    """The derivative written for Numba."""
    import numba
    compiled = twin(workload.numba or workload.by_hand, wrap=numba.njit)
    return lambda: compiled(*args)


def with_numba_primal(workload: Workload, args: tuple[Any, ...]) -> Callable[[], Any]:
    """The function under Numba."""
    import numba
    given = _primal_args(workload, args)
    compiled = twin(workload.numba_primal or workload.primal, wrap=numba.njit)
    return lambda: compiled(*given)

"""What a workload is: a function as its user writes it, its derivative as an expert writes it, and the same for the other tools."""
from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

__all__ = ["Cannot", "Rewritten", "Workload", "load", "names"]


@dataclass(frozen=True)
class Rewritten:
    """The function in another tool's terms; ``make`` imports the tool and returns it."""

    make: Callable[[], Callable[..., Any]]


@dataclass(frozen=True)
class Cannot:
    """Why another tool is left out."""

    reason: str


@dataclass(frozen=True)
class Workload:
    """One function, its derivative written by hand, and how the others are given the same problem.

    Attributes
    ----------
    primal : callable
        Plain NumPy, as a user writes it.
    by_hand : callable
        What ``transform`` of it returns, written with NumPy by somebody who wants it fast.
    arguments : callable
        From a random generator and one of ``sizes`` to the arguments.
    sizes : mapping of str to size
        What is measured, by the label of its row.
    tiny : size
        What the tests use.
    wrt : tuple of int
        The arguments to differentiate with respect to.
    transform : str
        ``"grad"``, or what else of ``benchmarks.tools`` the derivative is.
    limit : {'loop', 'dense', 'in-place', None}
        Which limit on gradient over primal holds.
    numba : callable, optional
        The derivative written by hand for ``numba.njit``; ``by_hand`` itself where it is left out.
    numba_primal : callable, optional
        The primal where Numba does not take it as it is.
    peers : mapping of str to str, Rewritten or Cannot
        ``"as written"`` where the text of the primal runs with another module called ``np``.
    reasons : mapping of str to str
        Why a row of the table is over its limit, and what would change it; by the name of the row.
    """

    primal: Callable[..., Any]
    by_hand: Callable[..., Any]
    arguments: Callable[[np.random.Generator, Any], tuple[Any, ...]]
    sizes: Mapping[str, Any]
    tiny: Any
    wrt: tuple[int, ...] = (0,)
    transform: str = "grad"
    limit: str | None = None
    numba: Callable[..., Any] | None = None
    numba_primal: Callable[..., Any] | None = None
    peers: Mapping[str, str | Rewritten | Cannot] = field(default_factory=dict)
    reasons: Mapping[str, str] = field(default_factory=dict)

    def args(self, size: Any) -> tuple[Any, ...]:
        """The arguments of one size, the same each time."""
        return self.arguments(np.random.default_rng(0), size)

    @property
    def argnums(self) -> int | tuple[int, ...]:
        """``wrt`` as the transformations take it: a single one gives a single gradient."""
        return self.wrt if len(self.wrt) > 1 else self.wrt[0]


def names() -> list[str]:
    """The workloads there are."""
    package = importlib.import_module("benchmarks.workloads")
    return sorted(module.name for module in pkgutil.iter_modules(package.__path__))


def load(name: str) -> Workload:
    """One of them."""
    found: Workload = importlib.import_module(f"benchmarks.workloads.{name}").workload
    return found

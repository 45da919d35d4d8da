"""A workload: one function in several spellings, each written from the mathematics, and its gradient written by hand."""
from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

__all__ = ["Spellings", "load", "names"]


@dataclass(frozen=True)
class Spellings:
    """One function, as several people write it.

    Attributes
    ----------
    arguments : callable
        From a random generator to the arguments.
    by_hand : callable
        The gradient, written with NumPy by somebody who wants it fast, for the same arguments.
    spellings : mapping of str to callable
        The function in several spellings.
    wrt : tuple of int
        The arguments to differentiate with respect to.
    adapted : mapping of str to callable
        For spellings that take other arguments, for example lists of arrays: from the arguments to theirs.
    """

    arguments: Callable[[np.random.Generator], tuple[Any, ...]]
    by_hand: Callable[..., Any]
    spellings: Mapping[str, Callable[..., Any]]
    wrt: tuple[int, ...] = (0,)
    adapted: Mapping[str, Callable[..., tuple[Any, ...]]] = field(default_factory=dict)

    @property
    def argnums(self) -> int | tuple[int, ...]:
        """The differentiated arguments, as the transformations take them."""
        return self.wrt[0] if len(self.wrt) == 1 else self.wrt

    def args(self, spelling: str | None = None) -> tuple[Any, ...]:
        """The arguments of a spelling, or of the gradient by hand; the same each time."""
        args = self.arguments(np.random.default_rng(0))
        return self.adapted[spelling](*args) if spelling in self.adapted else args


def names(package: str) -> list[str]:
    """The workloads of a package, ``"workloads"`` or ``"held_out"``."""
    module = importlib.import_module(f"{__package__}.{package}")
    return sorted(info.name for info in pkgutil.iter_modules(module.__path__))


def load(package: str, name: str) -> Spellings:
    """A workload by its name."""
    found: Spellings = importlib.import_module(f"{__package__}.{package}.{name}").WORKLOAD
    return found

"""The options every transformation takes."""
from __future__ import annotations

import functools
import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass

from ..passes.switches import NAMES

__all__ = ["Numba", "Optimize", "Options", "has_numba"]

#: Whether to optimize, as a whole or by the names of optimizations.
Optimize = bool | Mapping[str, bool]


@dataclass(frozen=True, slots=True)
class Numba:
    """Options of the back end that compiles to machine code; ``backend="numba"`` uses the defaults.

    Parameters
    ----------
    parallel : bool, default False
        Whether loops over large arrays run on several threads.
    fastmath : bool, default False
        Whether floating-point arithmetic may be reordered, on the assumption that NaN and infinity do not occur.
    boundscheck : bool, default True
        Whether an index out of range raises IndexError. Without it, such an index accesses arbitrary memory.
    cache : bool, default True
        Whether machine code is stored on disk for other processes.

    Examples
    --------
    >>> import transgrad as tg
    >>> def cube(x):
    ...     return x ** 3
    >>> tg.grad(cube, backend=tg.Numba(fastmath=True))
    <grad_cube(x)>
    """

    parallel: bool = False
    fastmath: bool = False
    boundscheck: bool = True
    cache: bool = True


def has_numba() -> bool:
    """Whether Numba is installed."""
    return importlib.util.find_spec("numba") is not None


@functools.cache
def _require_numba() -> None:
    if not has_numba():
        raise ModuleNotFoundError("backend='numba' needs numba, which is not installed: pip install 'transgrad[numba]'", name="numba")


@dataclass(frozen=True, slots=True)
class Options:
    """How a derivative is compiled.

    Attributes
    ----------
    fallback : {'tape', 'error'}
        The treatment of unsupported code.
    backend : {'numpy', 'numba', 'auto'} or Numba
        The back end; 'auto' starts on NumPy and chooses by measurement (see `transgrad.transforms.tiers`).
    optimize : bool or mapping of str to bool
        Whether generated code is optimized; a mapping disables single optimizations, by their names in `transgrad.passes.switches`
        (stored as the tuple of those that are off).
    checkpoint : bool or int
        Whether loops keep only some of their states for the reverse sweep, as with `checkpointed`; a number is that of the states.
    nan : {'ignore', 'raise'}
        Whether the first NaN or infinity that is computed is an error.  The checks run on the NumPy back end.
    progress : bool
        Whether long work shows its progress on a terminal.
    """

    fallback: str = "tape"
    backend: str | Numba = "numpy"
    optimize: Optimize | tuple[str, ...] = True
    checkpoint: bool | int = False
    nan: str = "ignore"
    progress: bool = False

    def __post_init__(self) -> None:
        if self.checkpoint < 0:
            raise ValueError(f"checkpoint is True, or the number of states that are kept, not {self.checkpoint!r}")
        if self.fallback not in ("tape", "error"):
            raise ValueError(f"fallback is 'tape' or 'error', not {self.fallback!r}")
        if self.nan not in ("ignore", "raise"):
            raise ValueError(f"nan is 'ignore' or 'raise', not {self.nan!r}")
        if self.nan == "raise":
            object.__setattr__(self, "backend", "numpy")
        if self.backend == "numba":
            object.__setattr__(self, "backend", Numba())
        if isinstance(self.backend, Numba):
            _require_numba()
        elif self.backend not in ("numpy", "auto"):
            raise ValueError(f"backend is 'numpy', 'numba', 'auto' or tg.Numba(…), not {self.backend!r}")
        off = self._off()
        object.__setattr__(self, "optimize", off or True)

    def _off(self) -> tuple[str, ...]:
        if isinstance(self.optimize, bool):
            return () if self.optimize else tuple(NAMES)
        if isinstance(self.optimize, tuple):
            return self.optimize
        unknown = [name for name in self.optimize if name not in NAMES]
        if unknown:
            raise ValueError(f"optimize: there is no optimization {unknown[0]!r}: there are {', '.join(NAMES)}")
        return tuple(name for name, on in self.optimize.items() if not on)

    @property
    def is_plain(self) -> bool:
        """Whether functions with these options share variants (see `transgrad.transforms.closures`)."""
        return self.backend == "numpy" and self.nan == "ignore" and not self.progress

    @property
    def off(self) -> tuple[str, ...]:
        """The optimizations that are switched off."""
        off = self.optimize if isinstance(self.optimize, tuple) else ()
        if self.nan == "raise":     # Python's floats raise exceptions where NumPy computes NaN
            off = (*off, "scalars", "lists")
        # machine code loops for nothing, and computes in the time in which it reads
        own = ("recompute",) if isinstance(self.backend, str) else ("directions", "pack", "vectorize", "distribute", "turns")
        return tuple(dict.fromkeys((*off, *own)))

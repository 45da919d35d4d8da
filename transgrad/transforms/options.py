"""The options every transformation takes."""
from __future__ import annotations

import functools
import importlib.util
from dataclasses import dataclass

__all__ = ["Numba", "Options"]


@dataclass(frozen=True, slots=True)
class Numba:
    """The back end that compiles the text to machine code: ``backend="numba"``, with its settings.

    Parameters
    ----------
    parallel : bool
        Whether loops over large arrays run on several threads.
    fastmath : bool
        Whether floating-point arithmetic may be reordered, and NaN and infinity taken for impossible.
    boundscheck : bool
        Whether an index outside of an array raises IndexError; without it, such an index reads or writes anywhere.
    cache : bool
        Whether machine code is kept on disk for other processes.

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


@functools.cache
def _require_numba() -> None:
    if importlib.util.find_spec("numba") is None:
        raise ModuleNotFoundError("backend='numba' needs numba, which is not installed: pip install 'transgrad[numba]'", name="numba")


@dataclass(frozen=True, slots=True)
class Options:
    """How a derivative is compiled.

    Attributes
    ----------
    fallback : {'tape', 'error'}
        What happens to what cannot be compiled.
    backend : {'numpy', 'numba'} or Numba
        What the text is written for.
    optimize : bool
        Whether the text is simplified.
    checkpoint : bool or int
        Whether loops keep only some of their states for the reverse sweep, as with `checkpointed`; a number is that of the states.
    """

    fallback: str = "tape"
    backend: str | Numba = "numpy"
    optimize: bool = True
    checkpoint: bool | int = False

    def __post_init__(self) -> None:
        if self.checkpoint < 0:
            raise ValueError(f"checkpoint is True, or the number of states that are kept, not {self.checkpoint!r}")
        if self.fallback not in ("tape", "error"):
            raise ValueError(f"fallback is 'tape' or 'error', not {self.fallback!r}")
        if self.backend == "numba":
            object.__setattr__(self, "backend", Numba())
        if isinstance(self.backend, Numba):
            _require_numba()
        elif self.backend != "numpy":
            raise ValueError(f"backend is 'numpy', 'numba' or tg.Numba(…), not {self.backend!r}")

"""A function of a GradBench module, and the choice of the back end."""
from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import transgrad as tg

__all__ = ["BACKENDS", "Entry", "array", "chosen_backend", "compiled", "encoded"]

BACKENDS = ("numpy", "numba", "auto")


def array(values: Any) -> np.ndarray:
    """The array of float64 of a number or of nested lists in a message."""
    return np.asarray(values, dtype=np.float64)


def encoded(result: Any) -> Any:
    """A result as JSON: arrays are nested lists, in row-major order."""
    return np.asarray(result).tolist()


@dataclass(frozen=True, slots=True)
class Entry:
    """A function that an eval may ask for.

    Attributes
    ----------
    prepare : callable
        From the ``input`` of a message to the arguments of `run`; not part of the measured time.
    run : callable
        The measured function.
    encode : callable
        From the result to a value that can be written as JSON; not part of the measured time.
    """

    prepare: Callable[[Any], tuple[Any, ...]]
    run: Callable[..., Any]
    encode: Callable[[Any], Any] = encoded


def chosen_backend() -> str:
    """The back end that ``TRANSGRAD_BACKEND`` names."""
    backend = os.environ.get("TRANSGRAD_BACKEND", "numpy")
    if backend not in BACKENDS:
        raise ValueError(f"TRANSGRAD_BACKEND is one of {', '.join(BACKENDS)}, not {backend!r}")
    return backend


def compiled(f: Callable[..., Any], backend: str) -> Callable[..., Any]:
    """The primal for a back end: the function itself on NumPy, which runs it as it is."""
    return f if backend == "numpy" else tg.compile(f, backend=backend)

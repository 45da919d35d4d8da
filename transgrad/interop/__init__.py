"""NumPy functions with derivatives inside PyTorch, JAX, PyTensor, SciPy and scikit-learn.

There is one module for each framework. Each is imported on first access, and imports its framework.

Examples
--------
>>> import transgrad as tg
>>> fit = tg.interop.scipy.minimize(lambda p: (p["x"] - 1.0) ** 2, {"x": 4.0})
>>> round(fit.params["x"], 6)
1.0
"""
from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from . import jax, pytensor, scipy, sklearn, torch

__all__ = ["jax", "pytensor", "scipy", "sklearn", "torch"]


def __getattr__(name: str) -> object:
    """Import the module of a framework on first access."""
    if name in __all__:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}; it has {', '.join(__all__)}")


def __dir__() -> list[str]:
    return sorted(__all__)

"""The options every transformation takes."""
from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Options"]


@dataclass(frozen=True, slots=True)
class Options:
    """How a derivative is compiled.

    Attributes
    ----------
    fallback : {'tape', 'error'}
        What happens to what cannot be compiled.
    backend : {'numpy'}
        What the text is written for.
    optimize : bool
        Whether the text is simplified.
    """

    fallback: str = "tape"
    backend: str = "numpy"
    optimize: bool = True

    def __post_init__(self) -> None:
        if self.fallback not in ("tape", "error"):
            raise ValueError(f"fallback is 'tape' or 'error', not {self.fallback!r}")
        if self.backend == "numba":
            raise NotImplementedError("backend='numba' is not there yet: leave it out, and the text runs on NumPy")
        if self.backend != "numpy":
            raise ValueError(f"backend is 'numpy', not {self.backend!r}")

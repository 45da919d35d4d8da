"""Where the tape takes over what the compiler refuses.  Until it is there, this is where the refusal is raised."""
from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from ..errors import TransgradError
    from .derivative import Derivative

__all__ = ["take_over"]


def take_over(derivative: Derivative, refusal: TransgradError) -> NoReturn:
    """Handles a function that was refused although ``fallback='tape'`` was asked for: raises the located error."""
    raise refusal

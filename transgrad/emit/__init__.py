"""Generate Python source from the IR, readable, deterministic and with the user's names, and load it."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .load import load
from .text import Module

if TYPE_CHECKING:
    from .module import emit

__all__ = ["Module", "emit", "load"]


def __getattr__(name: str) -> Any:
    """The emitter, which source that is read from a file does not need."""
    if name != "emit":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from .module import emit
    return emit

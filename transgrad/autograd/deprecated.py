"""Names of older PyTorch that still work, with a warning that tells today's."""
from __future__ import annotations

import warnings

from .callers import stacklevel

__all__ = ["OldNameWarning", "warn_old_name"]


class OldNameWarning(DeprecationWarning, FutureWarning, UserWarning):
    """A name of older PyTorch was used; of all the categories in which PyTorch's versions warned of theirs."""


def warn_old_name(name: str, today: str) -> None:
    """Warns, at the user's line, that `name` is deprecated and what to write today."""
    warnings.warn(f"`{name}` is deprecated. {today}", OldNameWarning, stacklevel=stacklevel())

"""Source for arrays of other libraries: the same operations, written as calls of the library's namespace."""
from __future__ import annotations

from .dialect import Dialect, dialect_for

__all__ = ["Dialect", "dialect_for"]

"""Calls that Numba does not take, or takes to mean something else, as calls that it takes."""
from __future__ import annotations

from ...ir.ops import Function

__all__ = ["rewrite_calls"]


def rewrite_calls(fn: Function) -> None:
    """Rewrites the calls of a function in place."""

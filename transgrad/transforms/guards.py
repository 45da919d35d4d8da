"""Whether a variant still holds: the facts from outside of its arguments that were compiled in, checked at each call.

The front end notes them in ``Function.attrs['guards']`` as (kind, container, key, expected), and lengths it took for granted
in ``Function.attrs['assumed']``.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..ir.ops import Function

__all__ = ["holds_of"]

Holds = Callable[[Any, Any], bool]


def holds_of(fn: Function) -> Holds | None:
    """A test of a variant's assumptions, given the arguments of a call; None where there are none."""
    return None

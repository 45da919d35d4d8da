"""Derivatives of the helpers that emitted text calls, so that derivatives can be differentiated again."""
from __future__ import annotations

from typing import Any

import numpy as np

from ..runtime import add, fit, object_shadow, unbroadcast, zeros_of
from .registry import constant, rule
from .static import ZERO

constant(zeros_of, object_shadow)


@rule(unbroadcast, fit, kind="linear")
def _(g: Any, y: Any, x: Any, like: Any) -> Any:
    return np.broadcast_to(g, np.shape(x)), ZERO


@rule(add, kind="linear", linear_in=(0, 1))
def _(g: Any, y: Any, a: Any, b: Any) -> Any:
    return g, g

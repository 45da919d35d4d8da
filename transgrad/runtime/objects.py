"""Shadows of objects: plain namespaces with the attributes that hold cotangents."""
from __future__ import annotations

import types
from typing import Any

from .accumulate import zeros_of

__all__ = ["attribute_of", "clear_attribute", "object_shadow"]


def object_shadow() -> types.SimpleNamespace:
    """The shadow of an object none of whose attributes has a cotangent yet."""
    return types.SimpleNamespace()


def attribute_of(shadow: Any, name: str, like: Any = 0.0) -> Any:
    """The cotangent of an attribute; zeros like ``like`` where it has none."""
    found = getattr(shadow, name, None)
    return zeros_of(like) if found is None else found


def clear_attribute(shadow: Any, name: str) -> None:
    """Make the cotangent of an attribute zero."""
    vars(shadow).pop(name, None)

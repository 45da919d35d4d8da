"""Which helpers of generated source have a version for arrays of any library."""
from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from ...runtime import portable
from ...runtime.portable import scatter_add

__all__ = ["PORTABLE", "scatter_add"]

_HELPERS = {
    "broadcast": ("unbroadcast", "fit"), "masks": ("kept_where", "share_of_larger", "share_of_smaller"),
    "scatter": ("place_diagonal", "scatter", "scatter_along"), "weights": ("others_product", "cumprod_pullback", "cumprod_pushforward"),
}
#: Helpers for NumPy arrays, and those that take the namespace of the library as a further first argument.
PORTABLE: dict[Any, Callable[..., Any]] = {
    getattr(import_module(f"transgrad.runtime.{module}"), name): getattr(portable, name)
    for module, names in _HELPERS.items() for name in names
}

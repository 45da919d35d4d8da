"""Which helpers of generated source have a version for arrays of any library."""
from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from ...runtime import portable, portable_containers
from ...runtime.portable import scatter_add

__all__ = ["PORTABLE", "UNIVERSAL", "scatter_add"]

_HELPERS = {
    "broadcast": ("unbroadcast", "fit"), "masks": ("kept_where", "share_of_larger", "share_of_smaller"),
    "scatter": ("place_diagonal", "scatter", "scatter_along"), "weights": ("others_product", "cumprod_pullback", "cumprod_pushforward"),
    "accumulate": ("zeros_of", "gradient_like"), "numbers": ("conjugated", "in_dtype_of"), "one_number": ("one_number",),
    "containers": ("items_like", "split_like", "shares_of_sum", "sum_repeats", "stacked",
                   "own_items"),
    "examples": ("axis_moved", "repeated"),
}
#: Helpers that work on arrays of every library as they are: they look at containers and shapes only.
UNIVERSAL = frozenset((
    "add", "containers_of", "inserted_at", "put_back", "unsorted", "sorted_like", "binomial_stretch", "binomial_middle", "taken",
    "check_broadcast", "check_product", "unchanged", "object_shadow", "attribute_of", "clear_attribute", "flatten", "unflatten",
    "map_leaves", "of_fields", "instance", "divisor"))
#: Helpers for NumPy arrays, and those that take the namespace of the library as a further first argument.
PORTABLE: dict[Any, Callable[..., Any]] = {
    getattr(import_module(f"transgrad.runtime.{module}"), name): getattr(portable if hasattr(portable, name) else portable_containers, name)
    for module, names in _HELPERS.items() for name in names
}

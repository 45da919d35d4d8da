"""Shadows of what is a view or a copy depending on how an array lies in memory."""
from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["give_back", "shadow_of_view"]


def shadow_of_view(bar: Any, base_bar: Any, view: Any, base: Any) -> Any:
    """The shadow of ``view``, which was made of ``base``: ``bar``, made in the same way of the shadow of ``base``, where ``view``
    shares memory with ``base``; zeros where it is a copy."""
    if not np.may_share_memory(view, base):
        return np.zeros_like(view)
    if not np.may_share_memory(bar, base_bar) and np.size(bar):
        raise ValueError("the shadow of an array lies in memory in another way than the array itself, which a view of it is written to")
    return bar


def give_back(base_bar: Any, bar: Any) -> None:
    """Adds the cotangent of a copy to that of the array it was made of; of a view there is nothing to add."""
    if not np.may_share_memory(base_bar, bar):
        base_bar += np.reshape(bar, np.shape(base_bar)) if np.size(bar) == np.size(base_bar) else bar

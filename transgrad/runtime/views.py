"""Shadows of what is a view or a copy depending on how an array lies in memory."""
from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["give_back", "lying_as", "shadow_of_view", "tangent_of_view"]

_APART = ("{} has another memory layout than the array itself, and a view of it is written to; copy the array before creating the view"
          ": b = a.copy()")


def shadow_of_view(bar: Any, base_bar: Any, view: Any, base: Any) -> Any:
    """The shadow of ``view``, which was made of ``base``: ``bar``, made in the same way of the shadow of ``base``, where ``view``
    shares memory with ``base``; zeros where it is a copy."""
    if not np.may_share_memory(view, base):
        return np.zeros_like(view)
    if not np.may_share_memory(bar, base_bar) and np.size(bar):
        raise ValueError(_APART.format("the derivative by an array"))
    return bar


def tangent_of_view(dot: Any, base_dot: Any, view: Any, base: Any) -> Any:
    """The tangent of ``view``, which was made of ``base``: ``dot``, made in the same way of the tangent of ``base``; of a copy, a copy."""
    shared = np.may_share_memory(dot, base_dot)
    if not np.may_share_memory(view, base):
        return np.copy(dot) if shared else dot
    if not shared and np.size(dot):
        raise ValueError(_APART.format("the tangent of an array"))
    return dot


def give_back(base_bar: Any, bar: Any) -> None:
    """Add the cotangent of a copy to that of the array it was made of; of a view there is nothing to add."""
    if not np.may_share_memory(base_bar, bar):
        base_bar += np.reshape(bar, np.shape(base_bar)) if np.size(bar) == np.size(base_bar) else bar


def lying_as(x: Any, like: Any) -> Any:
    """A copy of ``x`` that lies in memory as ``like`` does, an array of its shape: with gaps, where that is a part of a larger one."""
    steps = [(n - 1) * s // like.itemsize for n, s in zip(like.shape, like.strides)]
    first = -sum(min(s, 0) for s in steps)
    memory = np.empty(first + sum(max(s, 0) for s in steps) + 1, x.dtype)
    strides = [s // like.itemsize * x.itemsize for s in like.strides]
    out = np.lib.stride_tricks.as_strided(memory[first:], x.shape, strides)
    out[...] = x
    return out

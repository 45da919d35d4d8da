"""How the functions of scipy.ndimage take their settings: one for every axis, or a sequence of them."""
from __future__ import annotations

from typing import Any

import numpy as np

from ...static import NoDerivative

__all__ = ["each", "over", "plain", "whole"]


def plain(output: Any) -> None:
    """Refuse ``output=``, because a write or cast to it could not be followed."""
    if output is not None:
        raise NoDerivative("no derivative of a function of scipy.ndimage with output=: assign its result instead")


def each(setting: Any, count: int) -> tuple[Any, ...]:
    """A setting for each axis."""
    if setting is None or isinstance(setting, str) or not isinstance(setting, (tuple, list)) and np.ndim(setting) == 0:
        return (setting,) * count
    return tuple([setting[k] for k in range(count)])


def over(axes: Any, dims: int) -> tuple[int, ...]:
    """The axes that are filtered."""
    if axes is None:
        return tuple(range(dims))
    return (axes % dims,) if isinstance(axes, int) else tuple([k % dims for k in axes])


def whole(origin: Any, axes: Any, dims: int) -> tuple[int, ...]:
    """An origin for each axis, 0 along those that are not filtered."""
    chosen = over(axes, dims)
    given = each(origin, len(chosen))
    return tuple([given[chosen.index(k)] if k in chosen else 0 for k in range(dims)])

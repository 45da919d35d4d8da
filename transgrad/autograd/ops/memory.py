"""Another size of a tensor's memory, which NumPy cannot make longer in place: what else looks at it would lose sight of it."""
from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np

from ..functions.windows import following, resized
from ..tensor import Tensor

__all__ = ["resize"]


def _references(held: Any) -> int:
    return sys.getrefcount(held)


#: the references to an object that one other holds
_OF_ONE = _references(object()) + 2


def _alone(x: Tensor) -> bool:
    """Return whether nothing else looks at the memory of a tensor, told by counts of references as NumPy's own ``ndarray.resize`` does."""
    array: Any = x._array
    while isinstance(array, np.ndarray):
        if _references(array) > _OF_ONE:
            return False
        array = array.base
    return array is None


def resize(x: Tensor, shape: tuple[int, ...]) -> None:
    """Resize a tensor: keep the elements in memory order, and append zeros.

    Raises
    ------
    RuntimeError
        If there is not enough memory, and another tensor or array looks at it.
    """
    has = following(x._array).size
    if math.prod(shape) > has > 0 and not _alone(x):
        raise RuntimeError(f"Trying to resize storage that is not resizable: it has {has} elements for the {math.prod(shape)} of the shape "
                           f"{list(shape)}, and another tensor or array looks at it. Resize a clone() of the tensor.")
    x._array = resized(x._array, shape)

"""Writes into a Tensor: assignment through a subscript, copies and fills."""
from __future__ import annotations

from typing import Any

import numpy as np

from .dtypes import held
from .functions.slabs import index_put, index_put_accumulate
from .functions.writes import copied, filled, filled_tensor, zeroed
from .inplace import CASTS, check_history, inplace
from .nodes import first_reason
from .ops.subscripts import check_places, matching, places_of, resolved
from .tensor import Tensor
from .warned import warn_of_imaginary_parts

__all__ = ["copy_", "fill_", "index_put_", "setitem", "zero_"]

CASTS.update((copied, filled, filled_tensor))


def setitem(x: Tensor, key: Any, value: Any) -> None:
    """``x[key] = value``."""
    if value is None or isinstance(value, (str, bytes, dict, set)):
        raise TypeError(f"can't assign a {type(value).__name__} to a {x.type()}")
    if isinstance(value, (int, float, complex)):
        value = held(value, x.dtype)
    found, arrays = resolved(x, key, full=False)
    if arrays is not None:
        try:
            check_places(found, arrays)
        except IndexError as error:
            raise first_reason(error, (found,), check_history) from None
        if isinstance(value, Tensor) and value._array.shape[:1] == (1,):
            value = value.view(_without_ones(value._array.shape))
        inplace(index_put, found, arrays, _fitting(found, value))
    elif type(value) is Tensor and value._array.shape == found._array.shape:
        copy_(found, value)
    elif np.ndim(value._array if isinstance(value, Tensor) else value):
        copy_(found, _spread(found, value) if isinstance(value, Tensor) else np.asarray(value))
    elif isinstance(value, Tensor) and found._array.ndim == 0:
        copy_(found, value)
    else:
        inplace(filled_tensor, found, value if isinstance(value, Tensor) else np.asarray(value))


def _spread(x: Tensor, value: Tensor) -> Tensor:
    """The assigned value in the shape of the destination: without leading sizes of 1, and expanded."""
    have, wanted = value._array.shape, x._array.shape
    if have == wanted:
        return value
    inner: Tensor = value.view(_without_ones(have))
    return inner if inner._array.shape == wanted else inner.expand(wanted)


def _without_ones(shape: tuple[int, ...]) -> tuple[int, ...]:
    """A shape without the leading sizes of 1."""
    return shape[next((k for k, n in enumerate(shape) if n != 1), len(shape)):]


def _fitting(x: Tensor, value: Any) -> Any:
    """The value to be put: a plain number or array in the dtype of ``x``."""
    return value if isinstance(value, Tensor) else np.asarray(value).astype(x._array.dtype)


def index_put_(x: Tensor, indices: Any, values: Any, accumulate: bool = False) -> Tensor:
    """Put ``values`` (or adds them) at index tensors."""
    matching(x, values)
    arrays = tuple(slice(None) if part is None else places_of(part) for part in indices)
    return inplace(index_put_accumulate if accumulate else index_put, x, arrays, _fitting(x, values))


def copy_(x: Tensor, src: Any, non_blocking: bool = False) -> Tensor:
    """Write ``src``, broadcast and cast, into ``x``."""
    have, shape = x._array.shape, np.shape(src._array if isinstance(src, Tensor) else src)
    if shape == have and type(src) is Tensor and src._array.dtype is x._array.dtype:
        return inplace(copied, x, src)
    for k, (n, m) in enumerate(zip(reversed(have), reversed(shape))):
        if m not in (1, n):
            raise RuntimeError(f"The size of tensor a ({n}) must match the size of tensor b ({m}) at non-singleton dimension "
                               f"{len(have) - 1 - k}")
    if len(shape) > len(have):
        raise RuntimeError(f"output with shape {list(have)} doesn't match the broadcast shape {list(shape)}")
    if isinstance(src, Tensor):
        warn_of_imaginary_parts(src._array.dtype, x._array.dtype)
    return inplace(copied, x, src)


def fill_(x: Tensor, value: Any) -> Tensor:
    """Write one number, or a tensor without dimensions, into every place of ``x``."""
    if not isinstance(value, (Tensor, int, float, complex, np.generic)):
        raise TypeError(f"fill_() received an invalid combination of arguments - got ({type(value).__name__}), but expected a number or a "
                        "Tensor without dimensions")
    if isinstance(value, Tensor) and value.ndim:
        raise RuntimeError(f"fill_ only supports 0-dimension value tensor but got tensor with {value.ndim} dimensions.")
    if isinstance(value, Tensor):
        warn_of_imaginary_parts(value._array.dtype, x._array.dtype)
        return inplace(filled_tensor, x, value)
    return inplace(filled, x, held(value, x._array.dtype))


def zero_(x: Tensor) -> Tensor:
    """Write zeros into ``x``."""
    return inplace(zeroed, x)

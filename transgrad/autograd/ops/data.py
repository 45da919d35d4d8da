"""Convert a user's data for a tensor to an array: numbers, nested sequences, arrays and tensors."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import dtypes
from ..size import Size
from ..state import STATE
from ..tensor import Tensor, to_number_warning, wrap
from ..warned import warn_of_imaginary_parts, warn_once

__all__ = ["array_of", "bounded", "constructed", "numeric"]

Array = np.ndarray[Any, Any]
#: the dtypes of Python's numbers, the floating ones left to the default dtype
_PYTHON: dict[type, Any] = {bool: dtypes.bool_, int: dtypes.int64}


def array_of(data: Any, dtype: Any) -> Array:
    """A new array of data: Python's floats become the default dtype, its complex numbers that one's complex dtype.

    Raises
    ------
    TypeError, ValueError
        If a leaf is not a number, or sequences have different lengths.
    RuntimeError
        For a number that the dtype cannot hold.
    """
    wanted = None if dtype is None else dtypes.numpy_dtype(dtype)
    if isinstance(data, (Tensor, np.ndarray)):
        array = data._array if isinstance(data, Tensor) else numeric(data)
        if wanted is not None:
            warn_of_imaginary_parts(array.dtype, wanted)
            array = dtypes.as_real(array, wanted)
        return np.array(array, wanted)
    kinds: set[Any] = set()
    numbers = _plain(data, kinds)
    if wanted is None:
        wanted = _inferred(data, kinds)
    return _array(data, numbers, wanted)


def _plain(data: Any, kinds: set[Any]) -> Any:
    """Convert nested sequences of arrays and tensors to nested lists of numbers and arrays; ``kinds`` are the kinds of the numbers."""
    kind = type(data)
    if kind in (float, int, bool, complex):
        kinds.add(kind)
        return data
    if isinstance(data, (list, tuple, range, bytearray, memoryview)):
        return [_plain(d, kinds) for d in data]
    if isinstance(data, Tensor):
        kinds.add(data._array.dtype)
        return _one(data)
    kinds.add(data.dtype if isinstance(data, (np.ndarray, np.generic)) else kind)
    return data


def _one(x: Tensor) -> Any:
    """The one element of a tensor in a sequence."""
    if x._array.size != 1:
        raise ValueError("only one element tensors can be converted to Python scalars: torch.stack makes one tensor of several")
    if x.requires_grad and STATE.grad:
        warn_once(to_number_warning)
    return x._array.reshape(())[()]


def _inferred(data: Any, kinds: set[Any]) -> Any:
    """The dtype that the numbers of a sequence meet in."""
    found: Any = None
    if kinds == {str} and not isinstance(data, str):
        raise ValueError("too many dimensions 'str'")
    for kind in kinds:
        if isinstance(kind, np.dtype):
            dtypes.category(kind)       # TypeError for text and objects
            dtype = kind
        elif kind in _PYTHON:
            dtype = _PYTHON[kind]
        elif issubclass(kind, (float, complex)):
            dtype = dtypes.default_complex() if issubclass(kind, complex) else dtypes.get_default_dtype()
        else:
            raise _no_number(kind)
        found = dtype if found is None else dtypes.promote_types(found, dtype)
    return dtypes.get_default_dtype() if found is None else found


def _no_number(kind: type) -> Exception:
    """The error for an element that is none."""
    if kind in (str, bytes):
        return TypeError(f"new(): invalid data type '{kind.__name__}'")
    return RuntimeError(f"Could not infer dtype of {kind.__name__}")


def _array(data: Any, numbers: Any, dtype: Any) -> Array:
    """Numbers as an array of a dtype."""
    try:
        with np.errstate(over="ignore"):
            return np.array(numbers, dtype)
    except OverflowError:
        return _wrapped(numbers, dtype)
    except ValueError as error:
        if "NaN" in str(error):
            raise dtypes.overflow(dtype) from None
        raise _ragged(data, 1) from None


def _wrapped(numbers: Any, dtype: Any) -> Array:
    """Integers below 0 as unsigned ones, which count round; RuntimeError where they do not fit."""
    wide = np.array(numbers)
    if wide.dtype.kind not in "iuf":
        raise ValueError("Overflow when unpacking long long") from None
    if dtype.kind != "u" or wide.dtype.kind == "f" or wide.size and (wide.min() < -np.iinfo(dtype).max or wide.max() > np.iinfo(dtype).max):
        if wide.dtype == np.uint64:
            raise ValueError("Overflow when unpacking long long") from None
        raise dtypes.overflow(dtype) from None
    return wide.astype(dtype)


def _ragged(data: Any, dim: int) -> Exception:
    """The error for sequences of different lengths at one level."""
    if not isinstance(data, (list, tuple)):
        return ValueError("could not determine the shape of the data")
    if len({isinstance(d, (list, tuple)) for d in data}) > 1:
        return TypeError("not a sequence")
    for d in data:
        if isinstance(d, (list, tuple)) and len(d) != len(data[0]):
            return ValueError(f"expected sequence of length {len(data[0])} at dim {dim} (got {len(d)})")
    return _ragged(next((d for d in data if _uneven(d)), None), dim + 1)


def _uneven(data: Any) -> bool:
    try:
        np.array(data)
    except ValueError:
        return True
    return False


def constructed(data: tuple[Any, ...], dtype: Any) -> Tensor:
    """What torch's old constructors make: a tensor of a shape, of the elements of a sequence, or a view of a tensor.

    ``dtype`` is that of the constructor; None for the one of all dtypes, which makes tensors of the default one.
    """
    from ..dispatch import apply
    from ..functions.shape import alias_of
    kind = dtypes.get_default_dtype() if dtype is None else dtype
    if data and isinstance(data[0], Size):
        data = tuple(data[0])
    elif not data or len(data) == 1 and isinstance(data[0], (Tensor, np.ndarray, Sequence)) and not isinstance(data[0], (str, bytes)):
        given = data[0] if data else []
        if not isinstance(given, Tensor):
            return wrap(array_of(given, kind))
        if dtype is not None and given.dtype != dtype:
            raise TypeError(f"expected a tensor of dtype {dtype}, got {given.dtype}; tensor.to({dtype}) converts it")
        return apply(alias_of, given)       # type: ignore[no-any-return]
    if not all(isinstance(n, int) for n in data):
        raise TypeError(f"new(): data must be a sequence (got {type(data[0]).__name__}); tensor(data) takes a number, too")
    return wrap(np.zeros(data, kind))


def numeric(array: Array) -> Array:
    """An array whose elements a tensor can have; TypeError for text, objects and the like, ValueError for another order of bytes."""
    if array.dtype.char in "gG" or array.dtype.kind in "USOMm":
        raise TypeError(f"can't convert np.ndarray of type {array.dtype.type.__module__}.{array.dtype.type.__name__}. The supported types "
                        "are: floating, complex, integer and bool.")
    dtypes.category(array.dtype)
    if not array.dtype.isnative:
        raise ValueError("given numpy array has byte order different from the native byte order. Conversion between byte orders is "
                         "currently not supported: array.astype(array.dtype.newbyteorder('=')) has the native one.")
    return array


class _Boundary:
    """Where the memory of a tensor begins that was made of a part of an array."""

    def __init__(self, array: Array):
        self.array = array      # kept, and not called `base`: nothing looks beyond
        self.__array_interface__ = dict(array.__array_interface__)


def bounded(array: Array) -> Array:
    """An array on the same memory, without access to the memory around it."""
    if array.base is None:
        return array.view()
    found: Any = np.asarray(_Boundary(array))
    if found.dtype != array.dtype:      # ml_dtypes' are not told by the interface
        found.dtype = array.dtype
    return found     # type: ignore[no-any-return]

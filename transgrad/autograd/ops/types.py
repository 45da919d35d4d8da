"""Typed constructors, ``FloatTensor`` and its kin, and what is said of dtypes."""
from __future__ import annotations

from typing import Any

import numpy as np

from .. import dtypes
from ..tensor import Tensor, wrap
from .creation import array_of

__all__ = ["TYPED", "Tensors", "can_cast", "finfo", "iinfo", "promote_types", "result_type"]

finfo, iinfo = np.finfo, np.iinfo


class Tensors(type):
    """The class of `FloatTensor` and its kin: a call makes a Tensor, and a Tensor of the dtype is an instance."""

    dtype: np.dtype[Any]

    def __call__(cls, *data: Any) -> Tensor:
        if data and all(isinstance(n, int) for n in data):
            return wrap(np.zeros(data, cls.dtype))
        return wrap(array_of(data[0], cls.dtype) if data else np.zeros(0, cls.dtype))

    def __instancecheck__(cls, x: Any) -> bool:
        return isinstance(x, Tensor) and x.dtype == cls.dtype

    def __repr__(cls) -> str:
        return f"<class 'torch.{cls.__name__}'>"


TYPED: dict[str, Any] = {
    name: Tensors(name, (), {"dtype": np.dtype(kind), "__doc__": f"Makes a tensor of {np.dtype(kind).name}, of sizes or of elements."})
    for name, kind in {"FloatTensor": np.float32, "DoubleTensor": np.float64, "HalfTensor": np.float16, "LongTensor": np.int64,
                       "IntTensor": np.int32, "ShortTensor": np.int16, "CharTensor": np.int8, "ByteTensor": np.uint8,
                       "BoolTensor": np.bool_, "ComplexFloatTensor": np.complex64, "ComplexDoubleTensor": np.complex128}.items()}


def promote_types(type1: Any, type2: Any) -> np.dtype[Any]:
    """The dtype that two dtypes meet in."""
    return dtypes.promote_types(dtypes.numpy_dtype(type1), dtypes.numpy_dtype(type2))


def result_type(tensor1: Any, tensor2: Any) -> np.dtype[Any]:
    """The dtype of an operation of two tensors or numbers."""
    return dtypes.result_type(tensor1, tensor2)


def can_cast(from_: Any, to: Any) -> bool:
    """Whether a result may be written where the dtype is another: not to a lesser category."""
    return dtypes.category(dtypes.numpy_dtype(from_)) <= dtypes.category(dtypes.numpy_dtype(to))

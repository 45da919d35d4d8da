"""Typed constructors, ``FloatTensor`` and its kin, and queries on dtypes."""
from __future__ import annotations

from typing import Any

import numpy as np

from .. import dtypes
from ..dtype_objects import TorchDtype, shown
from ..tensor import Tensor
from .data import constructed

__all__ = ["TYPED", "Tensors", "can_cast", "finfo", "iinfo", "promote_types", "result_type", "typed"]

class finfo:
    """The limits of a floating or complex dtype, as Python numbers.

    Examples
    --------
    >>> finfo(np.dtype(np.float32)).eps
    1.1920928955078125e-07
    """

    def __init__(self, type: Any = None):
        kind = dtypes.get_default_dtype() if type is None else dtypes.numpy_dtype(type)
        if dtypes.category(kind) < dtypes.FLOATING:
            raise TypeError(f"torch.finfo() requires a floating point input type. Use torch.iinfo to handle '{kind.name}'")
        found: Any = np.finfo(kind) if kind.kind in "fc" else _ml_finfo(kind)
        self.bits, self.dtype = int(found.bits), str(np.dtype(found.dtype).name)
        self.eps, self.max, self.min, self.tiny, self.smallest_normal = (
            float(getattr(found, name)) for name in ("eps", "max", "min", "tiny", "smallest_normal"))
        self.resolution = 10.0 ** -int(found.precision)

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={getattr(self, name):g}" for name in ("resolution", "min", "max", "eps", "smallest_normal", "tiny"))
        return f"finfo({shown}, dtype={self.dtype})"


class iinfo:
    """The limits of an integer dtype."""

    def __init__(self, type: Any):
        kind = dtypes.numpy_dtype(type)
        if kind.kind not in "iu":
            raise TypeError(f"torch.iinfo() requires an integer input type. Use torch.finfo to handle '{kind.name}'")
        found = np.iinfo(kind)
        self.bits, self.max, self.min, self.dtype = int(found.bits), int(found.max), int(found.min), kind.name

    def __repr__(self) -> str:
        return f"iinfo(min={self.min:g}, max={self.max:g}, dtype={self.dtype})"


def _ml_finfo(kind: np.dtype[Any]) -> Any:
    import ml_dtypes
    limits: Any = ml_dtypes.finfo
    return limits(kind)


class Tensors(type):
    """The class of `FloatTensor` and its kin: a call makes a Tensor, and a Tensor of the dtype is an instance."""

    dtype: np.dtype[Any]

    def __call__(cls, *data: Any) -> Tensor:
        return constructed(data, cls.dtype)

    def __instancecheck__(cls, x: Any) -> bool:
        return isinstance(x, Tensor) and x.dtype == cls.dtype

    def __repr__(cls) -> str:
        return f"<class 'torch.{cls.__name__}'>"


def typed(name: str, kind: Any) -> Any:
    """The class of tensors of a dtype."""
    dtype = np.dtype(kind)
    return Tensors(name, (), {"dtype": dtype, "__doc__": f"Makes a tensor of {dtype.name}, of sizes or of elements."})


TYPED: dict[str, Any] = {
    name: typed(name, kind)
    for name, kind in {"FloatTensor": np.float32, "DoubleTensor": np.float64, "HalfTensor": np.float16, "LongTensor": np.int64,
                       "IntTensor": np.int32, "ShortTensor": np.int16, "CharTensor": np.int8, "ByteTensor": np.uint8,
                       "BoolTensor": np.bool_, "ComplexFloatTensor": np.complex64, "ComplexDoubleTensor": np.complex128}.items()}


def promote_types(type1: Any, type2: Any) -> TorchDtype:
    """The dtype that two dtypes meet in."""
    return shown(dtypes.promote_types(dtypes.numpy_dtype(type1), dtypes.numpy_dtype(type2)))


def result_type(tensor1: Any, tensor2: Any) -> TorchDtype:
    """The dtype of an operation of two tensors or numbers."""
    return shown(dtypes.result_type(tensor1, tensor2))


def can_cast(from_: Any, to: Any) -> bool:
    """Return whether a result may be written where the dtype is another: not to a lesser category."""
    return dtypes.category(dtypes.numpy_dtype(from_)) <= dtypes.category(dtypes.numpy_dtype(to))

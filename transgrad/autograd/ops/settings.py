"""Settings of torch's that programs make when they start: default types and devices, and what is always so with NumPy."""
from __future__ import annotations

import os
import warnings
from typing import Any

import numpy as np

from .. import dtypes
from ..device import device as device_of
from ..device import refuse_others
from ..tensor import Tensor
from .creation import arange, maker
from .types import TYPED

_SET: dict[str, Any] = {"deterministic": False, "threads": os.cpu_count() or 1, "precision": "highest"}


@maker
def set_default_tensor_type(t: Any) -> None:
    """The dtype of a class or name like ``torch.DoubleTensor`` for new floating tensors."""
    name = t.rpartition(".")[2] if isinstance(t, str) else getattr(t, "__name__", "")
    found = TYPED.get(name)
    if found is None:
        raise TypeError(f"invalid type object: {t!r}: only floating-point types are supported as the default type")
    dtypes.set_default_dtype(found.dtype)


@maker
def set_default_device(device: Any) -> None:
    """Accepts the CPU, the one device there is."""
    refuse_others(device)


@maker
def get_default_device() -> Any:
    """The CPU."""
    return device_of("cpu")


@maker
def set_num_threads(n: int) -> None:
    """Remembered for `get_num_threads`; how many threads NumPy's linear algebra has is the environment's matter (OMP_NUM_THREADS)."""
    if not isinstance(n, int):
        raise RuntimeError(f"set_num_threads expects an int, but got {type(n).__name__}")
    if n <= 0:
        raise RuntimeError("set_num_threads expects a positive integer")
    _SET["threads"] = n


@maker
def get_num_threads() -> int:
    """What `set_num_threads` was given, or the number of processors."""
    return int(_SET["threads"])


@maker
def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Remembered; NumPy's operations are deterministic."""
    _SET["deterministic"] = bool(mode)


@maker
def are_deterministic_algorithms_enabled() -> bool:
    """What `use_deterministic_algorithms` was given."""
    return bool(_SET["deterministic"])


@maker
def set_float32_matmul_precision(precision: str) -> None:
    """Remembered; products of float32 are always computed in float32."""
    _SET["precision"] = precision


@maker
def get_float32_matmul_precision() -> str:
    """What `set_float32_matmul_precision` was given."""
    return str(_SET["precision"])


@maker
def typename(obj: Any) -> str:
    """The name of the type of a tensor, ``torch.FloatTensor``, or of any object."""
    if isinstance(obj, Tensor):
        return str(obj.type())
    if isinstance(obj, np.dtype):
        return "torch.dtype"
    kind = obj if hasattr(obj, "__qualname__") else type(obj)
    module = getattr(kind, "__module__", "")
    return kind.__qualname__ if module in ("", "builtins", None) else f"{module}.{kind.__qualname__}"


@maker
def is_storage(obj: Any) -> bool:
    """False: the memory of a tensor is an array here."""
    return False


@maker
def is_same_size(input: Tensor, other: Tensor) -> bool:
    """Whether both have the same shape."""
    return bool(input.shape == other.shape)


@maker
def range(start: Any = 0, end: Any = None, step: Any = 1, *, dtype: Any = None, requires_grad: bool = False, **how: Any) -> Any:
    """Numbers ``step`` apart, the end among them; `arange` leaves it out."""
    warnings.warn("torch.range is deprecated and will be removed in a future release because its behavior is inconsistent with Python's "
                  "range builtin. Instead, use torch.arange, which produces values in [start, end).", UserWarning, stacklevel=2)
    start, end = (0, start) if end is None else (start, end)
    count = int(np.floor((end - start) / step)) + 1
    places = arange(count, dtype=dtypes.get_default_dtype() if dtype is None else dtype, **how)
    return (start + step * places).requires_grad_(requires_grad)

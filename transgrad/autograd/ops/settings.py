"""torch settings that programs make at startup: default types and devices, and constant settings of NumPy."""
from __future__ import annotations

import os
import warnings
from typing import Any

import numpy as np

from .. import dtypes
from ..anomaly_mode import set_detect_anomaly
from ..device import device as device_of
from ..device import refuse_others
from ..dtype_objects import TorchDtype
from ..tensor import Tensor
from ..warned import set_always, warn_once
from .creation import arange, maker
from .types import TYPED

_SET: dict[str, Any] = {"deterministic": False, "warn_only": False, "threads": os.cpu_count() or 1, "interop": os.cpu_count() or 1,
                        "precision": "highest", "warn_always": False}


@maker
def set_default_tensor_type(t: Any) -> None:
    """The dtype of a class or name like ``torch.DoubleTensor`` for new floating tensors."""
    warn_once("torch.set_default_tensor_type() is deprecated as of PyTorch 2.1: use torch.set_default_dtype().")
    name = t.rpartition(".")[2] if isinstance(t, str) else getattr(t, "__name__", "")
    found = TYPED.get(name)
    if found is None:
        raise TypeError(f"invalid type object: {t!r}: only floating-point types are supported as the default type")
    dtypes.set_default_dtype(found.dtype)


@maker
def set_default_device(device: Any) -> None:
    """Accept the CPU, the one device there is."""
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
    _SET["deterministic"], _SET["warn_only"] = bool(mode), bool(mode and warn_only)


@maker
def are_deterministic_algorithms_enabled() -> bool:
    """What `use_deterministic_algorithms` was given."""
    return bool(_SET["deterministic"])


@maker
def is_deterministic_algorithms_warn_only_enabled() -> bool:
    """What `use_deterministic_algorithms` was given as ``warn_only``."""
    return bool(_SET["warn_only"])


@maker
def set_deterministic_debug_mode(debug_mode: int | str) -> None:
    """Remembered: ``"default"`` or 0, ``"warn"`` or 1, ``"error"`` or 2."""
    modes = ("default", "warn", "error")
    if isinstance(debug_mode, str):
        if debug_mode not in modes:
            raise RuntimeError(f"invalid value of debug_mode, expected one of `default`, `warn`, `error`, but got {debug_mode}")
        debug_mode = modes.index(debug_mode)
    if debug_mode not in (0, 1, 2):
        raise RuntimeError(f"invalid value of debug_mode, expected 0, 1, or 2, but got {debug_mode}")
    use_deterministic_algorithms(debug_mode > 0, warn_only=debug_mode == 1)


@maker
def get_deterministic_debug_mode() -> int:
    """0, 1 or 2; see `set_deterministic_debug_mode`."""
    return (1 if _SET["warn_only"] else 2) if _SET["deterministic"] else 0


@maker
def set_warn_always(b: bool) -> None:
    """Remembered; how often a warning is shown is for Python's filters."""
    _SET["warn_always"] = bool(b)
    set_always(bool(b))


@maker
def is_warn_always_enabled() -> bool:
    """What `set_warn_always` was given."""
    return bool(_SET["warn_always"])


@maker
def set_flush_denormal(mode: bool) -> bool:
    """False: NumPy keeps subnormal numbers as they are."""
    return False


@maker
def set_num_interop_threads(n: int) -> None:
    """Remembered for `get_num_interop_threads`."""
    if not isinstance(n, int):
        raise RuntimeError(f"set_num_interop_threads expects an int, but got {type(n).__name__}")
    if n <= 0:
        raise RuntimeError("set_num_interop_threads expects a positive integer")
    _SET["interop"] = n


@maker
def get_num_interop_threads() -> int:
    """What `set_num_interop_threads` was given, or the number of processors."""
    return int(_SET["interop"])


@maker
def set_anomaly_enabled(enabled: bool, check_nan: bool = True) -> None:
    """`transgrad.autograd.set_detect_anomaly`, as a plain call."""
    set_detect_anomaly(enabled, check_nan)


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
    if isinstance(obj, (np.dtype, TorchDtype)):
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
    """Return whether both have the same shape."""
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

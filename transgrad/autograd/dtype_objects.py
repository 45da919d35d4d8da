"""The objects that stand for dtypes, ``transgrad.float32`` and its kin; NumPy takes them wherever it takes a dtype."""
from __future__ import annotations

import contextlib
from typing import Any

import numpy as np

from . import dtypes

__all__ = [
    "TorchDtype",
    "bool_", "cdouble", "cfloat", "complex128", "complex64", "double", "dtype", "float16", "float32", "float64", "get_default_dtype",
    "half",
    "int16", "int32", "int64", "int8", "long", "shown", "short", "uint16", "uint32", "uint64", "uint8",
]

_OBJECTS: dict[Any, "TorchDtype"] = {}
_PYTHON = frozenset((bool, int, float, complex))
_REAL = {"complex64": "float32", "complex128": "float64"}
_COMPLEX = {"float32": "complex64", "float64": "complex128", "bfloat16": "complex64"}


class TorchDtype:
    """The type of the elements of a Tensor.

    It is equal to NumPy's dtype of the same name, and has that dtype's attributes (``kind``, ``name``, ``itemsize``, …) beside torch's.

    Examples
    --------
    >>> float32, float32.is_floating_point, float32.to_complex(), np.zeros(2, float32).dtype
    (torch.float32, True, torch.complex64, dtype('float32'))
    """

    __slots__ = ("__weakref__", "dtype", "kind")
    dtype: "np.dtype[Any]"
    kind: str

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        raise TypeError("cannot create 'torch.dtype' instances. Hint: use torch.float32 and its kin, or tensor.dtype.")

    @property
    def is_floating_point(self) -> bool:
        """Whether numbers of this type are real floating-point numbers."""
        return dtypes.category(self.dtype) == dtypes.FLOATING

    @property
    def is_complex(self) -> bool:
        """Whether numbers of this type are complex."""
        return self.dtype.kind == "c"

    @property
    def is_signed(self) -> bool:
        """Whether numbers of this type may be negative."""
        return self.dtype.kind not in "bu"

    @property
    def itemsize(self) -> int:
        """The number of bytes of an element."""
        return self.dtype.itemsize

    def to_complex(self) -> "TorchDtype":
        """The complex dtype of this precision."""
        return self if self.is_complex else self._related(_COMPLEX, "Complex")

    def to_real(self) -> "TorchDtype":
        """The dtype of the real and imaginary parts."""
        return self._related(_REAL, "Real") if self.is_complex else self

    def _related(self, table: dict[str, str], kind: str) -> "TorchDtype":
        name = self.dtype.name
        if name not in table:
            raise RuntimeError(f"Unknown {kind} ScalarType for {dtypes.title(self.dtype)}")
        return shown(np.dtype(table[name]))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self.dtype, name)

    def __eq__(self, other: Any) -> Any:
        if isinstance(other, TorchDtype):
            return self.dtype == other.dtype
        if isinstance(other, np.dtype) or isinstance(other, type) and (issubclass(other, np.generic) or other in _PYTHON):
            return self.dtype == other
        return NotImplemented

    def __hash__(self) -> int:
        return hash(self.dtype)

    def __repr__(self) -> str:
        return f"torch.{self.dtype.name}"

    def __copy__(self) -> "TorchDtype":
        return self

    def __deepcopy__(self, memo: Any) -> "TorchDtype":
        return self

    def __reduce__(self) -> Any:
        return shown, (self.dtype,)


TorchDtype.__name__ = TorchDtype.__qualname__ = "dtype"
dtype = TorchDtype


def shown(of: Any) -> TorchDtype:
    """The object that stands for a NumPy dtype: always the same one."""
    found = _OBJECTS.get(of)
    if found is None:
        found = object.__new__(TorchDtype)
        found.dtype = np.dtype(of)
        found.kind = found.dtype.kind
        found = _OBJECTS.setdefault(found.dtype, found)
    return found


def get_default_dtype() -> TorchDtype:
    """The dtype of tensors made of Python floats (float32 at first)."""
    return shown(dtypes.get_default_dtype())


float16 = half = shown(dtypes.float16)
float32 = shown(dtypes.float32)
float64 = double = shown(dtypes.float64)
complex64 = cfloat = shown(dtypes.complex64)
complex128 = cdouble = shown(dtypes.complex128)
uint8, int8, int16, int32, int64 = map(shown, (dtypes.uint8, dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64))
uint16, uint32, uint64 = map(shown, (dtypes.uint16, dtypes.uint32, dtypes.uint64))
short, long = int16, int64
bool_ = shown(dtypes.bool_)


def __getattr__(name: str) -> Any:
    if not name.startswith("_"):
        with contextlib.suppress(AttributeError):
            return shown(dtypes.__getattr__(name))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

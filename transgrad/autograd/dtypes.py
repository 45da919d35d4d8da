"""torch's names of dtypes, over NumPy's; the default dtype; and torch's type promotion."""
from __future__ import annotations

import functools
from typing import Any

import numpy as np

__all__ = [
    "bool_", "category", "cdouble", "cfloat", "complex128", "complex64", "default_complex", "double", "float16", "float32", "float64",
    "get_default_dtype", "half", "held", "int16", "int32", "int64", "int8", "is_differentiable", "long", "numpy_dtype", "promote_types",
    "result_type", "set_default_dtype", "short", "uint16", "uint32", "uint64", "uint8",
]

DType = np.dtype[Any]

float16 = half = np.dtype(np.float16)
float32 = np.dtype(np.float32)
float64 = double = np.dtype(np.float64)
complex64 = cfloat = np.dtype(np.complex64)
complex128 = cdouble = np.dtype(np.complex128)
uint8, int8, int16, int32, int64 = (np.dtype(name) for name in ("uint8", "int8", "int16", "int32", "int64"))
uint16, uint32, uint64 = (np.dtype(name) for name in ("uint16", "uint32", "uint64"))
short, long = int16, int64
bool_ = np.dtype(np.bool_)

BOOL, INTEGER, FLOATING, COMPLEX = range(4)
_CATEGORY = {"b": BOOL, "i": INTEGER, "u": INTEGER, "f": FLOATING, "c": COMPLEX}
_EIGHT_BITS = ("float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu")
_OF_ML_DTYPES = frozenset(("bfloat16", *_EIGHT_BITS))
_default = float32


def __getattr__(name: str) -> Any:
    if name in _OF_ML_DTYPES:
        try:
            import ml_dtypes
        except ImportError:
            raise ImportError(f"{name} is ml_dtypes' dtype: pip install ml_dtypes") from None
        return np.dtype(getattr(ml_dtypes, name))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def category(dtype: DType) -> int:
    """Bool, integer, floating or complex, in the order of promotion; floating for bfloat16 (whose kind is ``V``)."""
    found = _CATEGORY.get(dtype.kind)
    if found is None:
        if dtype.name in _OF_ML_DTYPES:
            return FLOATING
        raise TypeError(f"can't convert np.ndarray of type {dtype}. The supported types are: floating, complex, integer and bool.")
    return found


def is_differentiable(dtype: DType) -> bool:
    """Return whether a tensor of this dtype may require grad."""
    kind = dtype.kind
    return kind in "fc" or kind not in "biu" and category(dtype) >= FLOATING


def get_default_dtype() -> DType:
    """The dtype of tensors made of Python floats (float32 at first)."""
    return _default


def set_default_dtype(d: Any) -> None:
    """Set the dtype of tensors made of Python floats; TypeError for one that is not floating."""
    global _default
    dtype = numpy_dtype(d)
    if category(dtype) != FLOATING:
        raise TypeError(f"only floating-point types are supported as the default type, not {dtype}")
    _default = dtype


def default_complex() -> DType:
    """The complex dtype of the default dtype's precision."""
    return complex128 if _default is float64 else complex64


def numpy_dtype(dtype: Any) -> DType:
    """Convert a dtype, a NumPy scalar type, ``float``, ``int``, ``bool`` or ``complex`` to a NumPy dtype."""
    if isinstance(dtype, np.dtype):
        return np.dtype(dtype)
    found: DType = np.dtype(dtype)
    return found


def promote_types(a: DType, b: DType) -> DType:
    """The dtype that two tensors with dimensions meet in: an integer one takes on the other's floating or complex one."""
    if a is b:
        return a
    ca, cb = category(a), category(b)
    if ca != cb and min(ca, cb) <= INTEGER and max(ca, cb) >= FLOATING:
        return a if ca > cb else b
    if {a.name, b.name} == {"float16", "bfloat16"}:
        return float32
    if "bfloat16" in (a.name, b.name):
        return a if b.name == "bfloat16" else b     # the floating one of more bits, or complex
    return np.promote_types(a, b)


def scalar_dtype(x: Any) -> DType:
    """The dtype of a Python number (or a NumPy scalar, which counts as one)."""
    if isinstance(x, (bool, np.bool_)):
        return bool_
    if isinstance(x, (int, np.integer)):
        return int64
    if isinstance(x, (complex, np.complexfloating)):
        return default_complex()
    return _default


def result_type(*operands: Any) -> DType:
    """torch's promotion: tensors with dimensions decide, then those without, then numbers, within one category.

    ``operands`` are tensors, arrays or numbers; None is none of them.

    Examples
    --------
    >>> result_type(np.ones(2, np.float32), np.float64(1.0)), result_type(np.ones(2, np.int64), 1.5)
    (dtype('float32'), dtype('float32'))
    """
    found: list[DType | None] = [None, None, None]
    for x in operands:
        array = getattr(x, "_array", x)
        if isinstance(array, np.ndarray):
            rank, dtype = (0 if array.ndim else 1), array.dtype
        elif x is None:
            continue
        else:
            rank, dtype = 2, scalar_dtype(x)
        have = found[rank]
        found[rank] = dtype if have is None else promote_types(have, dtype)
    result: DType | None = None
    for dtype_ in found:
        if dtype_ is not None:
            result = dtype_ if result is None else result if category(result) >= category(dtype_) else _raised(result, dtype_)
    if result is None:
        raise TypeError("result_type needs at least one operand")
    return result


def _raised(strong: DType, weak: DType) -> DType:
    """``strong`` lifted to the category of ``weak``."""
    if category(weak) == COMPLEX and category(strong) == FLOATING:
        return complex128 if strong == float64 else complex64
    return promote_types(strong, weak)


_TITLES = {"float16": "Half", "float32": "Float", "float64": "Double", "bfloat16": "BFloat16", "complex64": "ComplexFloat",
           "complex128": "ComplexDouble", "uint8": "Byte", "int8": "Char", "int16": "Short", "int32": "Int", "int64": "Long",
           "bool": "Bool", "uint16": "UInt16", "uint32": "UInt32", "uint64": "UInt64",
           **{name: name.capitalize() for name in _EIGHT_BITS}}


_C_NAMES = {"float64": "double", "float32": "float", "float16": "c10::Half", "bfloat16": "c10::BFloat16", "int64": "long int",
            "int32": "int", "int16": "short int", "int8": "signed char", "uint8": "unsigned char", "complex64": "c10::complex<float>",
            "complex128": "c10::complex<double>"}


def c_name(dtype: DType) -> str:
    """The C++ name of a dtype, for one of torch's messages: ``double`` for float64."""
    return _C_NAMES.get(dtype.name, dtype.name)


_WIDTHS = {name: f"{name}_t" for name in ("int64", "int16", "int8", "uint8")}


def overflow(dtype: DType) -> RuntimeError:
    """The error of a number that the dtype does not hold."""
    return RuntimeError(f"value cannot be converted to type {_WIDTHS.get(dtype.name) or c_name(dtype)} without overflow")


def held(number: Any, dtype: DType) -> Any:
    """A number as an array of the dtype holds it.

    Raises
    ------
    RuntimeError
        If it does not: an imaginary part in a real dtype, a number beyond the largest. A negative one in an unsigned dtype wraps round.
    """
    if category(dtype) in (BOOL, COMPLEX):
        return number
    real = number.real if isinstance(number, (complex, np.complexfloating)) and number.imag == 0 else number
    if isinstance(real, (complex, np.complexfloating)) or _beyond(real, dtype):
        raise overflow(dtype)
    return int(real) % (1 << 8 * dtype.itemsize) if dtype.kind == "u" else real


def discards(source: DType, target: DType) -> bool:
    """Return whether a cast loses imaginary parts: to a real dtype, other than bool, from a complex one."""
    return source.kind == "c" and target.kind not in "cb"


def as_real(x: Any, dtype: DType) -> Any:
    """An array that can be cast to the dtype: its real part where the imaginary one is lost."""
    return x.real if discards(x.dtype, dtype) else x


def turned_round(x: Any, dtype: DType) -> Any:
    """Wrap an integer to the range of an integer tensor; other values are unchanged."""
    if type(x) is not int or dtype.kind not in "iu" or not -1 << 63 <= x < 1 << 64:
        return x
    bits = 8 * dtype.itemsize
    low = x & ((1 << bits) - 1)
    return low - (1 << bits) if dtype.kind == "i" and low >> (bits - 1) else low


def _beyond(number: Any, dtype: DType) -> bool:
    if category(dtype) == INTEGER:
        limits = np.iinfo(dtype)
        return not limits.min <= (abs(number) if dtype.kind == "u" else number) <= limits.max      # which NaN is not
    return bool(_largest(dtype) < abs(number) < float("inf"))


@functools.lru_cache(16)
def _largest(dtype: DType) -> float:
    if dtype.kind == "f":
        return float(np.finfo(dtype).max)
    import ml_dtypes
    limits: Any = ml_dtypes.finfo
    return float(limits(dtype).max)


def title(dtype: DType) -> str:
    """torch's other name of a dtype, as its messages have it: ``Float`` for float32."""
    return _TITLES.get(dtype.name, dtype.name)

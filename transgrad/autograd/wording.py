"""NumPy's errors about operands, as the errors that torch raises in their place."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .dtypes import title
from .nodes import first_reason
from .tensor import unwrap

__all__ = ["DIVISIONS", "SUBTRACTIONS", "misfit", "refuse_booleans", "refuse_zero", "worded"]

_CALLED = {"gammaln": "lgamma", "arctan2": "atan2", "floor_divide": "div_floor"}
#: types that are never operands
_NO_OPERANDS = (str, bytes, dict, set)
_SIGNS: dict[Any, str] = {
    np.add: "+", np.subtract: "-", np.multiply: "*", np.divide: "/", np.floor_divide: "//", np.bitwise_and: "&", np.bitwise_or: "|",
    np.bitwise_xor: "^", np.power: "** or pow()", np.mod: "%", np.left_shift: "<<", np.right_shift: ">>",
}
_BY_NAME = {"pow": "** or pow()", "remainder": "%", "number_minus": "-"}
_INVERT = "If you are trying to invert a mask, use the `~` or `logical_not()` operator instead."
_BOOLEANS = {
    "boolean negative": "Negation, the `-` operator, on a bool tensor is not supported. " + _INVERT,
}


#: functions that do not subtract booleans, unlike NumPy's `subtract`, which takes one beside a number
SUBTRACTIONS: set[Any] = {np.subtract}


def refuse_booleans(*operands: Any) -> None:
    """RuntimeError where an operand of a subtraction is boolean."""
    count = sum(isinstance(x, bool) or getattr(x, "dtype", None) == np.bool_ for x in operands)
    if count > 1:
        raise RuntimeError("Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` operator "
                           "instead.")
    if count:
        raise RuntimeError("Subtraction, the `-` operator, with a bool tensor is not supported. " + _INVERT)


#: functions that divide, of which NumPy makes 0 where integers are divided by zero
DIVISIONS: set[Any] = {np.floor_divide, np.mod, np.fmod}


def refuse_zero(operands: Sequence[Any]) -> None:
    """RuntimeError where integers are divided by zero."""
    if all(np.asarray(x).dtype.kind in "biu" for x in operands[:2]) and np.any(np.equal(operands[1], 0)):
        raise RuntimeError("ZeroDivisionError")


def misfit(error: Exception, args: Sequence[Any]) -> Exception:
    """The error for operands that do not broadcast; any other error as it is."""
    return _in_words(error, args) if isinstance(error, ValueError) and "broadcast" in str(error) else error


def worded(fn: Any, error: Exception, args: Sequence[Any]) -> Exception:
    """The error to be raised for one that NumPy raised on element-wise operands; the same where torch has no words of its own."""
    if any(isinstance(x, _NO_OPERANDS) for x in args) or len(args) == 2 and type(None) in map(type, args):
        sign = _SIGNS.get(fn) or next((s for name, s in _BY_NAME.items() if getattr(fn, "__name__", "").startswith(name)), fn)
        kinds = " and ".join(repr(type(x).__name__) for x in args)
        return TypeError(f"unsupported operand type(s) for {sign}: {kinds}")
    return first_reason(_in_words(error, args), args)


def _in_words(error: Exception, args: Sequence[Any]) -> Exception:
    text = str(error)
    for words, message in _BOOLEANS.items():
        if words in text:
            return RuntimeError(message)
    for name in ("bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift"):
        if f"ufunc '{name}' not supported" in text:
            return NotImplementedError(f'"{name}_cpu" not implemented for floating and complex tensors')
    if "ufunc 'invert' not supported" in text:
        return TypeError("~ (operator.invert) is only implemented on integer and Boolean-type tensors")
    complexes = [array for array in map(unwrap, args) if getattr(array, "dtype", np.dtype(bool)).kind == "c"]
    if complexes and "not supported for the input types" in text:
        name = text.split("'")[1]
        return NotImplementedError(f'"{_CALLED.get(name, name)}_cpu" not implemented for \'{title(complexes[0].dtype)}\'')
    if "negative integer powers" in text:
        return RuntimeError("Integers to negative integer powers are not allowed.")
    shapes = [array.shape for array in map(unwrap, args) if hasattr(array, "shape")]
    for other in shapes[1:]:
        for k, (n, m) in enumerate(zip(reversed(shapes[0]), reversed(other))):
            if n != m and 1 not in (n, m):
                place = max(len(shapes[0]), len(other)) - 1 - k
                return RuntimeError(f"The size of tensor a ({n}) must match the size of tensor b ({m}) at non-singleton dimension {place}")
    return error

"""Python's operators on Tensors, and all else that `Tensor` gets from other modules."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import assignment, methods
from .dispatch import binary, inplace, unary
from .functions import arithmetic
from .ops import FUNCTIONS, METHODS
from .ops.arguments import refuse
from .ops.subscripts import subscript
from .ops.table import beside
from .protocols import array_function, array_ufunc
from .quiet import quiet
from .tensor import Tensor, wrap

__all__ = ["OPERATORS"]

Operator = Callable[[Any, Any], Any]


def _swapped(op: Operator) -> Operator:
    def reflected(a: Any, b: Any) -> Any:
        return op(b, a)
    return reflected


def _into(fn: Any, name: str) -> Operator:
    @quiet
    def augmented(a: Any, b: Any) -> Any:
        try:
            return inplace(fn, a, b)
        except NotImplementedError as error:
            if (own := beside(error, name + "_", (b,))) is None:
                raise
            return own(a, b)
    return augmented


def _comparing(name: str, op: Operator) -> Operator:
    """Apply the operator; NotImplemented unless the operand is a number, array or Tensor. Complex numbers have no order."""
    ordered = name not in ("eq", "ne")

    def compared(a: Any, b: Any) -> Any:
        if ordered:
            refuse(name, a, "c")
            if isinstance(b, Tensor):
                refuse(name, b, "c")
        return op(a, b) if isinstance(b, (Tensor, np.ndarray, np.generic, int, float, complex)) else NotImplemented
    return compared


def _matmul(a: Any, b: Any) -> Any:
    if not all(isinstance(x, (Tensor, np.ndarray)) for x in (a, b)):
        return NotImplemented
    return FUNCTIONS["matmul"](*(wrap(x) if isinstance(x, np.ndarray) else x for x in (a, b)))


def _divided_by(x: Any, number: Any) -> Any:
    if isinstance(number, (int, float, complex)):
        return number * FUNCTIONS["reciprocal"](x)
    return wrap(np.asarray(number)) / x if isinstance(number, (np.ndarray, np.generic)) else NotImplemented


_ARITHMETIC: dict[str, tuple[Any, bool]] = {
    "add": (np.add, False), "sub": (np.subtract, False), "mul": (np.multiply, False), "truediv": (np.divide, True),
    "pow": (np.power, False), "mod": (np.mod, False), "floordiv": (np.floor_divide, False), "and": (np.bitwise_and, False),
    "or": (np.bitwise_or, False), "xor": (np.bitwise_xor, False), "lshift": (np.left_shift, False), "rshift": (np.right_shift, False),
}
#: the recorded operations with a number as operand, whose nodes have other names
_NAMED: dict[str, dict[str, Any]] = {
    "pow": {"tensor": arithmetic.pow_tensor, "scalar": arithmetic.pow_scalar, "reflected": arithmetic.pow_self_scalar},
    "sub": {"reflected": arithmetic.number_minus},
    "mod": {"tensor": arithmetic.remainder, "scalar": arithmetic.remainder_scalar, "reflected": arithmetic.remainder},
}
_COMPARISONS: dict[str, Any] = {
    "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
}
OPERATORS: dict[str, Any] = {
    "__neg__": unary(np.negative, floating=False), "__abs__": METHODS["abs"],
    "__invert__": unary(np.invert, floating=False), "__pos__": lambda x: x, "__matmul__": _matmul, "__rmatmul__": _swapped(_matmul),
    "__getitem__": subscript, "__array_ufunc__": array_ufunc, "__array_function__": array_function,
}
for _name, (_fn, _floating) in _ARITHMETIC.items():
    _op = binary(_fn, _floating, **_NAMED.get(_name, {}), operator=True)
    OPERATORS |= {f"__{_name}__": _op, f"__r{_name}__": _op if _name in ("add", "mul") else _swapped(_op)}
    OPERATORS[f"__i{_name}__"] = _into(_fn, _name)
OPERATORS["__rtruediv__"] = _divided_by
OPERATORS |= {f"__{name}__": _comparing(name, binary(fn)) for name, fn in _COMPARISONS.items()}
OPERATORS |= {name: quiet(getattr(assignment, name)) for name in ("copy_", "fill_", "index_put_", "zero_")}
OPERATORS["__setitem__"] = quiet(assignment.setitem)
OPERATORS |= {name: getattr(methods, name) for name in methods.__all__}
for _name, _member in OPERATORS.items():
    setattr(Tensor, _name, _member)

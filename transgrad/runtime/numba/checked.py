"""Arithmetic of Python's numbers that raises where Python raises: NumPy's does not, and machine code does not by itself."""
from __future__ import annotations

import math

from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

__all__ = ["add", "divide", "floor_divide", "int_power", "library", "modulo", "multiply", "power", "subtract"]

_compiled = njit(error_model="python", no_cpython_wrapper=True, no_cfunc_wrapper=True)

_TOO_LARGE = "an integer exceeds 64 bits, the limit of Numba: remove backend='numba'"


@_compiled
def divide(x, y):
    """``x / y`` of Python's numbers."""
    if y == 0:
        raise ZeroDivisionError("division by zero")
    return x / y


@_compiled
def floor_divide(x, y):
    """``x // y`` of Python's numbers."""
    if y == 0:
        raise ZeroDivisionError("integer division or modulo by zero")
    return x // y


@_compiled
def modulo(x, y):
    """``x % y`` of Python's numbers."""
    if y == 0:
        raise ZeroDivisionError("integer modulo by zero")
    return x % y


@_compiled
def power(x, y):
    """``x ** y`` of Python's numbers, one of which is a float."""
    if x == 0.0 and y < 0.0:
        raise ZeroDivisionError("0.0 cannot be raised to a negative power")
    if x < 0.0 and y != math.floor(y) and abs(y) != math.inf:
        raise ValueError("a negative number has a complex power, but Numba compiled the function for real results: remove backend='numba'")
    return x ** y


def _limited(name):
    """Integer arithmetic that raises where the result does not fit."""
    def typed(typingctx, x, y):
        def codegen(context, builder, signature, args):
            given = [context.cast(builder, a, t, types.int64) for a, t in zip(args, signature.args)]
            pair = getattr(builder, f"s{name}_with_overflow")(*given)
            with cgutils.if_unlikely(builder, builder.extract_value(pair, 1)):
                context.call_conv.return_user_exc(builder, OverflowError, (_TOO_LARGE,))
            return builder.extract_value(pair, 0)
        return types.int64(x, y), codegen
    typed.__name__ = typed.__qualname__ = {"add": "add", "sub": "subtract", "mul": "multiply"}[name]
    return intrinsic(typed)


add, subtract, multiply = _limited("add"), _limited("sub"), _limited("mul")


@_compiled
def int_power(x, y):
    """``x ** y`` of integers."""
    if y < 0:
        raise ValueError("a negative power of an integer is a float, which is not what Numba was told to expect: make it one")
    out = 1
    for _ in range(y):
        out = multiply(out, x)
        if out == 0 or out == 1 and x == 1:
            break
    return out


def _domain(name, allowed):
    """A function of the math module that raises outside of its domain."""
    f = getattr(math, name)

    def checked(x):
        if not allowed(x):
            raise ValueError("math domain error")
        return f(x)
    checked.__name__ = checked.__qualname__ = name
    return _compiled(checked)


@_compiled
def _not_negative(x):
    return not x < 0.0


@_compiled
def _positive(x):
    return not x <= 0.0


@_compiled
def _above_minus_one(x):
    return not x <= -1.0


@_compiled
def _up_to_one(x):
    return not abs(x) > 1.0


@_compiled
def _below_one(x):
    return not abs(x) >= 1.0


@_compiled
def _from_one(x):
    return not x < 1.0


@_compiled
def exp(x):
    """``math.exp``."""
    out = math.exp(x)
    if out == math.inf and x != math.inf:
        raise OverflowError("math range error")
    return out


sqrt, log, log2, log10 = _domain("sqrt", _not_negative), _domain("log", _positive), _domain("log2", _positive), _domain("log10", _positive)
log1p, asin, acos = _domain("log1p", _above_minus_one), _domain("asin", _up_to_one), _domain("acos", _up_to_one)
atanh, acosh = _domain("atanh", _below_one), _domain("acosh", _from_one)

#: A function of the math module to the one here that raises where it does.
library = {getattr(math, f.__name__): f for f in (sqrt, log, log2, log10, log1p, asin, acos, atanh, acosh, exp)}

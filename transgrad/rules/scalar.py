"""Functions of Python numbers that stand for NumPy's where a derivative computes with Python numbers.

Each returns the value that NumPy's returns, for infinities, NaN and signed zeros too, or raises; generated code that raises runs again
with NumPy's functions (see `transgrad.passes.canonicalize.numpy_arithmetic`).
"""
from __future__ import annotations

import cmath
import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..ir.build import current
from ..ir.ops import Block, If, Lit, Value
from ..ir.types import Num, Type, join

__all__ = ["scalar_expression", "scalar_form", "scalar_functions"]

#: NumPy function to the function of Python numbers with the same value
_OPERATORS: dict[Any, Callable[..., Any]] = {
    np.add: operator.add, np.subtract: operator.sub, np.multiply: operator.mul, np.divide: operator.truediv, np.negative: operator.neg,
    np.positive: operator.pos, np.absolute: operator.abs, np.mod: operator.mod, np.floor_divide: operator.floordiv,
    np.equal: operator.eq, np.not_equal: operator.ne, np.less: operator.lt, np.less_equal: operator.le, np.greater: operator.gt,
    np.greater_equal: operator.ge,
}
_BOTH: dict[Any, str] = {
    np.exp: "exp", np.log: "log", np.log10: "log10", np.sqrt: "sqrt", np.sin: "sin", np.cos: "cos", np.tan: "tan", np.arcsin: "asin",
    np.arccos: "acos", np.arctan: "atan", np.sinh: "sinh", np.cosh: "cosh", np.tanh: "tanh", np.arcsinh: "asinh", np.arccosh: "acosh",
    np.arctanh: "atanh", np.isnan: "isnan", np.isinf: "isinf", np.isfinite: "isfinite",
}
_REAL: dict[Any, str] = {
    np.log1p: "log1p", np.log2: "log2", np.expm1: "expm1", np.exp2: "exp2", np.cbrt: "cbrt", np.hypot: "hypot", np.arctan2: "atan2",
    np.fabs: "fabs", np.copysign: "copysign", np.deg2rad: "radians", np.radians: "radians", np.rad2deg: "degrees", np.degrees: "degrees",
    np.fmod: "fmod", np.power: "pow",
}
_FORMS_REAL: dict[Any, Callable[..., Any]] = {**_OPERATORS, **{k: getattr(math, v) for k, v in [*_BOTH.items(), *_REAL.items()]}}
_FORMS_COMPLEX: dict[Any, Callable[..., Any]] = {
    **_OPERATORS, np.power: operator.pow, **{k: getattr(cmath, v) for k, v in _BOTH.items()}}


def scalar_functions() -> list[tuple[Callable[..., Any], Callable[..., Any]]]:
    """Pairs of a NumPy function and the function of `math` or `cmath` that stands for it."""
    return [(k, getattr(math, v)) for k, v in (*_BOTH.items(), *_REAL.items())] + [(k, getattr(cmath, v)) for k, v in _BOTH.items()]


def scalar_form(fn: Callable[..., Any], arg_types: Sequence[Type]) -> Callable[..., Any]:
    """The cheapest function equivalent to ``fn`` for arguments of these types; ``fn`` itself if there is none.

    Examples
    --------
    >>> scalar_form(np.cos, [Num("float")])
    <built-in function cos>
    """
    if not arg_types or not all(isinstance(t, Num) for t in arg_types):
        return fn
    forms = _FORMS_COMPLEX if any(t.kind == "complex" for t in arg_types if isinstance(t, Num)) else _FORMS_REAL
    try:
        return forms.get(fn, fn)
    except TypeError:
        return fn


def _is_real(x: Any) -> bool:
    t = x.type if isinstance(x, (Value, Lit)) else None
    return t.kind != "complex" if isinstance(t, Num) else isinstance(x, (int, float))


def _choice(condition: Any, x: Any, y: Any) -> Any:
    """``x if condition else y``."""
    if not isinstance(condition, (Value, Lit)) or isinstance(condition, Lit):
        return x if getattr(condition, "value", condition) else y
    a, b = (v if isinstance(v, (Value, Lit)) else Lit(v) for v in (x, y))
    result = Value(join(a.type, b.type), None, condition.varied or a.varied or b.varied)
    current().emit(If(condition, Block(yields=[a]), Block(yields=[b]), results=[result]))
    return result


def _sign(x: Any) -> Any:
    """The sign; a number passed by a solver may be a NumPy scalar, and comparisons of those cannot be subtracted."""
    return _choice(_equal(x, x), current().call(float, x > 0.0) - (x < 0.0), x)


def _extremum(compare: Callable[..., Any], a: Any, b: Any) -> Any:
    """The maximum or minimum; NaN where either operand is NaN."""
    return _choice(compare(a, b), a, _choice(_equal(a, a), b, a))


def _equal(x: Any, y: Any) -> Any:
    return current().call(operator.eq, x, y)


#: NumPy function to an expression in Python numbers
_EXPRESSIONS: dict[Any, Callable[..., Any]] = {
    np.sign: _sign,
    np.where: _choice,
    np.maximum: lambda a, b: _extremum(operator.gt, a, b),
    np.minimum: lambda a, b: _extremum(operator.lt, a, b),
    np.square: lambda x: x * x,
    np.conjugate: lambda x: x,
    np.real: lambda x: x,
    np.imag: lambda x: 0.0,
    np.zeros_like: lambda x: Lit(0.0),
    np.ones_like: lambda x: Lit(1.0),
}


def scalar_expression(fn: Callable[..., Any], args: Sequence[Any]) -> Any:
    """``fn`` of Python numbers as operations on them; NotImplemented if there is no such expression."""
    if fn is np.where:
        if len(args) == 3 and all(_is_scalar(a) for a in args):
            return _choice(*args)
        return NotImplemented
    if fn in _EXPRESSIONS and all(isinstance(a, (int, float)) or isinstance(getattr(a, "type", None), Num) and _is_real(a) for a in args):
        return _EXPRESSIONS[fn](*args)
    return NotImplemented


def _is_scalar(x: Any) -> bool:
    if isinstance(x, (Value, Lit)):
        return isinstance(x.type, Num) or bool(getattr(x.type, "scalar", False))
    return isinstance(x, (int, float, complex))

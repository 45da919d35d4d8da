"""Element-wise operations of one tensor."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import dispatch, dtypes
from ..fast import unary
from ..functions import activations, combined, complexes, rounding, shape, writes
from ..tensor import Tensor
from .arguments import refuse
from .direct import guarded, put
from .extrema import pair
from .table import call, mixed, op

Frexp = pair("frexp", "mantissa", "exponent")
#: functions whose result is a float even for integers
FLOATING: dict[str, Callable[..., Any]] = {
    "exp": np.exp, "exp2": np.exp2, "expm1": np.expm1, "log": np.log, "log2": np.log2, "log10": np.log10, "log1p": np.log1p,
    "sqrt": np.sqrt, "rsqrt": combined.rsqrt, "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos,
    "atan": np.arctan, "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh, "asinh": np.arcsinh, "acosh": np.arccosh, "atanh": np.arctanh,
    "sinc": np.sinc, "reciprocal": np.reciprocal, "sigmoid": activations.sigmoid, "deg2rad": np.deg2rad, "rad2deg": np.rad2deg,
}
#: functions that keep the dtype
KEEPING: dict[str, Callable[..., Any]] = {
    "neg": np.negative, "sgn": complexes.sgn, "frac": rounding.frac,
}
#: functions that keep the dtype, and the kinds of dtypes that have none
REFUSING: dict[str, tuple[Callable[..., Any], str]] = {"abs": (rounding.magnitude, "b")}
ALIASES = {
    "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arcsinh": "asinh", "arccosh": "acosh", "arctanh": "atanh", "negative": "neg",
    "absolute": "abs",
}


def names_of(name: str) -> list[str]:
    """A name, and others of the same operation."""
    return [name, *(a for a, of in ALIASES.items() if of == name)]


for _name, _fn in FLOATING.items():
    put(names_of(_name), _fn, unary(_fn, floating=True), 1)
for _name, _fn in KEEPING.items():
    put(names_of(_name), _fn, unary(_fn, floating=False), 1)
for _name, (_fn, _kinds) in REFUSING.items():
    put(names_of(_name), _fn, guarded(_name, unary(_fn, floating=False), _kinds), 1)


rectified = unary(activations.relu, floating=False)


def relu(self: Tensor) -> Any:
    """The positive part."""
    if self._array.dtype.kind == "b":
        raise RuntimeError("Boolean inputs not supported for relu")
    return rectified(self)


put(["relu"], activations.relu, relu, 1)


conjugate = unary(complexes.conj_physical, floating=False)


def conj_physical(self: Tensor) -> Tensor:
    """The conjugate, in new memory; a real tensor itself."""
    return conjugate(self) if self._array.dtype.kind == "c" else self


put(["conj_physical"], complexes.conj_physical, conj_physical, 1, writes=complexes.conj_physical_)


def whole(self: Tensor, fn: Callable[..., Any]) -> Any:
    """A rounding, which leaves integers as they are."""
    refuse(fn.__name__.removesuffix("_"), self, "bc")
    return call(fn, self) if self.is_floating_point() else call(shape.clone, self)


@op(inplace=True)
def floor(self: Tensor) -> Any:
    """The largest integer not above each element."""
    return whole(self, rounding.floor)


@op(inplace=True)
def ceil(self: Tensor) -> Any:
    """The smallest integer not below each element."""
    return whole(self, rounding.ceil)


@op("fix", inplace=True)
def trunc(self: Tensor) -> Any:
    """Each element without its fraction."""
    return whole(self, rounding.trunc)


@op(inplace=True)
def round_(self: Tensor, *, decimals: int = 0) -> Any:
    """Each element rounded to the nearest number of so many decimals, the even one of two."""
    return call(rounding.round_decimals, self, decimals) if decimals else whole(self, rounding.round_)


@op(inplace=True)
def sign(self: Tensor) -> Any:
    """-1, 0 or 1; RuntimeError for complex numbers, whose direction is `sgn`."""
    if self.is_complex():
        raise NotImplementedError("Unlike NumPy, torch.sign doesn't support complex numbers, use torch.sgn instead")
    return call(rounding.sign if self.is_floating_point() else np.sign, self) if self.dtype.kind != "b" else call(shape.clone, self)


@op()
def positive(self: Tensor) -> Tensor:
    """The tensor itself; RuntimeError for booleans."""
    if self.dtype.kind == "b":
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return self


@op(inplace=True)
def square(self: Tensor) -> Any:
    """The square of each element."""
    return mixed(np.power, self, 2)


@op(method=False)
def fill(self: Tensor, value: Any) -> Any:
    """A tensor of one value, in the shape and dtype of another."""
    if isinstance(value, Tensor) and value.ndim:
        raise RuntimeError(f"fill_ only supports 0-dimension value tensor but got tensor with {value.ndim} dimensions.")
    return call(writes.fill_tensor if isinstance(value, Tensor) else writes.fill, self, value)


@op(inplace=True)
def nan_to_num(self: Tensor, nan: float | None = None, posinf: float | None = None, neginf: float | None = None) -> Any:
    """NaN and infinities replaced, by 0 and the largest numbers unless said otherwise."""
    return call(np.nan_to_num, self, copy=True, nan=0.0 if nan is None else nan, posinf=posinf, neginf=neginf)


@op(inplace=True)
def logit(self: Tensor, eps: float | None = None) -> Any:
    """``log(x / (1 - x))``, of x clamped to ``[eps, 1 - eps]``."""
    x = self if self.is_floating_point() else self.to(dtypes.get_default_dtype())
    return call(combined.logit, x, eps)


@op()
def angle(self: Tensor) -> Any:
    """The angle of each number with the positive real axis."""
    return call(complexes.angle, self if dtypes.is_differentiable(self.dtype) else self.to(dtypes.get_default_dtype()))


@op()
def frexp(self: Tensor) -> Any:
    """Mantissa and exponent."""
    return Frexp(*dispatch.apply(np.frexp, self))

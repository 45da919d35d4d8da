"""Element-wise operations of two tensors, or of a tensor and a number."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import dtypes
from ..fast import binary
from ..functions import arithmetic, combined, complexes, rounding
from ..inference import with_tensors
from ..tensor import Tensor
from ..wording import refuse_booleans
from .arguments import refuse
from .direct import put
from .table import Call, mixed, op

PLAIN: dict[str, tuple[Callable[..., Any], bool]] = {
    "mul": (np.multiply, False), "maximum": (np.maximum, False), "minimum": (np.minimum, False), "fmax": (combined.fmax, False),
    "fmin": (combined.fmin, False), "atan2": (combined.atan2, True), "hypot": (combined.hypot, False),
    "logaddexp": (combined.logaddexp, True),
    "logaddexp2": (np.logaddexp2, True), "ldexp": (combined.ldexp, True),
    "nextafter": (np.nextafter, False), "gcd": (np.gcd, False), "lcm": (np.lcm, False),
}
ALIASES = {"multiply": "mul", "arctan2": "atan2"}
NOT_INPLACE = frozenset(("maximum", "minimum", "fmax", "fmin", "logaddexp", "logaddexp2"))
Operand = Tensor | float


for _name, (_fn, _floating) in PLAIN.items():
    put([_name, *(a for a, of in ALIASES.items() if of == _name)], _fn, binary(_fn, floating=_floating), 2, _name not in NOT_INPLACE)


@op(inplace=True, numbers=True, older=("alpha",))
def add(self: Operand, other: Operand, *, alpha: float = 1) -> Any:
    """``self + alpha * other``."""
    return mixed(np.add, self, other) if alpha == 1 else mixed(arithmetic.add_scaled, self, other, alpha)


@op("subtract", inplace=True, numbers=True, older=("alpha",))
def sub(self: Operand, other: Operand, *, alpha: float = 1) -> Any:
    """``self - alpha * other``."""
    return mixed(np.subtract, self, other) if alpha == 1 else mixed(arithmetic.sub_scaled, self, other, alpha)


@op(method=False)
def rsub(self: Tensor, other: Operand, *, alpha: float = 1) -> Any:
    """``other - alpha * self``."""
    refuse_booleans(self, other)
    self, other = with_tensors(self, other)
    fn = combined.rsub if isinstance(other, Tensor) else combined.rsub_scalar
    return mixed(fn, self, other, alpha) if alpha != 1 else mixed(fn, self, other)


@op("divide", inplace=True, numbers=True)
def div(self: Operand, other: Operand, *, rounding_mode: str | None = None) -> Any:
    """The quotient; ``rounding_mode`` is None, ``"trunc"`` or ``"floor"``."""
    if rounding_mode is None:
        return mixed(np.true_divide, self, other, floating=True)
    if rounding_mode not in ("trunc", "floor"):
        raise RuntimeError(f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{rounding_mode}'")
    integral = all(dtypes.category(dtypes.result_type(x)) < dtypes.FLOATING for x in (self, other))
    if integral and not np.all(getattr(other, "_array", other)):
        raise RuntimeError("ZeroDivisionError")
    return Call(rounding.div_rounded, (*same_dtype(*with_tensors(self, other)), rounding_mode), {}, None)


@op(inplace=True, lists=True)
def xlogy(self: Any, other: Any) -> Any:
    """``self * log(other)``, 0 where ``self`` is; one of them may be a number."""
    self, other = with_tensors(self, other)
    fn = combined.xlogy if isinstance(self, Tensor) and isinstance(other, Tensor) else \
        combined.xlogy_scalar if isinstance(self, Tensor) else combined.scalar_xlogy
    return mixed(fn, self, other, floating=True)


def same_dtype(*operands: Any) -> tuple[Any, ...]:
    """Tensors of the dtype that they meet in, numbers as they are."""
    dtype = dtypes.result_type(*operands)
    return tuple(x.to(dtype) if isinstance(x, Tensor) and x.dtype != dtype else x for x in operands)


@op(inplace=True, numbers=True)
def true_divide(self: Operand, other: Operand) -> Any:
    """The quotient, a float."""
    return mixed(np.true_divide, self, other, floating=True)


@op(inplace=True, numbers=True)
def floor_divide(self: Operand, other: Operand) -> Any:
    """The quotient rounded down, without a derivative."""
    return mixed(np.floor_divide, self, other)


@op(inplace=True, numbers=True)
def remainder(self: Any, other: Operand) -> Any:
    """The remainder, with the sign of the divisor."""
    self, other = with_tensors(self, other)
    return mixed(arithmetic.remainder if isinstance(other, Tensor) else arithmetic.remainder_scalar, self, other)


@op(inplace=True)
def fmod(self: Tensor, other: Operand) -> Any:
    """The remainder, with the sign of the dividend."""
    self, other = with_tensors(self, other)
    return mixed(arithmetic.fmod if isinstance(other, Tensor) else arithmetic.fmod_scalar, self, other)


def power(self: Any, exponent: Any) -> Call:
    """A power under the name of its node."""
    if not isinstance(self, Tensor):
        return mixed(arithmetic.pow_self_scalar, self, exponent)
    if isinstance(exponent, Tensor):
        return mixed(arithmetic.pow_tensor, self, exponent)
    if self.dtype.kind in "iu" and isinstance(exponent, int):
        if exponent < 0:
            raise RuntimeError("Integers to negative integer powers are not allowed.")
        exponent = dtypes.held(exponent, self.dtype)
    return mixed(arithmetic.pow_scalar, self, exponent)


@op(inplace=True, lists=True)
def pow_(self: Any, exponent: Any) -> Any:
    """``self ** exponent``, of which one may be a number."""
    return power(self, exponent)


@op(inplace=True, lists=True)
def float_power(self: Any, exponent: Any) -> Any:
    """``self ** exponent`` in double precision."""
    def wide(x: Any) -> Any:
        return x.to(np.dtype(np.complex128 if x.is_complex() else np.float64)) if isinstance(x, Tensor) else x
    return power(wide(self), wide(exponent))


@op(inplace=True)
def heaviside(self: Tensor, values: Tensor) -> Any:
    """0 for negative elements, 1 for positive ones, and ``values`` at 0; RuntimeError for different dtypes."""
    if self.dtype != values.dtype:
        raise RuntimeError("heaviside is not yet implemented for tensors with different dtypes.")
    found = mixed(np.heaviside, self, values)
    return found if dtypes.is_differentiable(self.dtype) else found.run().to(self.dtype)       # of which NumPy makes floats


@op(inplace=True)
def copysign(self: Tensor, other: Operand) -> Any:
    """The absolute values of the first with the signs of the second."""
    self, other = with_tensors(self, other)
    return mixed(np.copysign if isinstance(other, Tensor) else arithmetic.copysign_scalar, self, other, floating=True)


_USUAL = frozenset((np.dtype(np.float32), np.dtype(np.float64)))
_NUMBERS = frozenset((int, float, type(None)))


def clamped(self: Tensor, min: Any, max: Any) -> Call:
    """A clamp, under the name of its node."""
    if self._array.dtype in _USUAL and type(min) in _NUMBERS and type(max) in _NUMBERS and (min is not None or max is not None):
        return Call(combined.clamp_scalars, (self, min, max), {}, None)
    for x in (self, min, max):
        if isinstance(x, Tensor):
            refuse("clamp", x, "c")
    if min is None and max is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    tensors = isinstance(min, Tensor) or isinstance(max, Tensor)
    if tensors:
        return mixed(np.clip, self, min, max)
    dtype = dtypes.result_type(*(x for x in (self, min, max) if x is not None))
    operands = [x.to(dtype) if isinstance(x, Tensor) and x.dtype != dtype else x for x in (self, min, max)]
    if dtype.name == "bfloat16":        # NumPy does not see that its numbers are weak beside it
        operands[1:] = [x if x is None or isinstance(x, Tensor) else dtype.type(x) for x in operands[1:]]
    return Call(combined.clamp_scalars, tuple(operands), {}, None)


@op("clip", inplace=True)
def clamp(self: Tensor, min: Any = None, max: Any = None) -> Any:
    """Limit each element to the range from ``min`` to ``max``."""
    return clamped(self, min, max)


@op(inplace=True)
def clamp_min(self: Tensor, min: Any) -> Any:
    """The maximum of each element and ``min``."""
    return mixed(combined.clamp_min_tensor if isinstance(min, Tensor) else combined.clamp_min, self, min)


@op(inplace=True)
def clamp_max(self: Tensor, max: Any) -> Any:
    """The minimum of each element and ``max``."""
    return mixed(combined.clamp_max_tensor if isinstance(max, Tensor) else combined.clamp_max, self, max)


@op(inplace=True, older=("value",))
def addcmul(self: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: float = 1) -> Any:
    """``self + value * tensor1 * tensor2``."""
    return mixed(combined.addcmul, self, tensor1, tensor2, value) if value != 1 else mixed(combined.addcmul, self, tensor1, tensor2)


@op(inplace=True, older=("value",))
def addcdiv(self: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: float = 1) -> Any:
    """``self + value * tensor1 / tensor2``."""
    return mixed(combined.addcdiv, self, tensor1, tensor2, value) if value != 1 else mixed(combined.addcdiv, self, tensor1, tensor2)


@op(inplace=True)
def lerp(self: Tensor, end: Tensor, weight: Any) -> Any:
    """The point between two, at the share ``weight`` of the way."""
    refuse("lerp", self, "iub")
    for name, x in (("end", end), ("weight", weight)):
        if isinstance(x, Tensor) and x.dtype != self.dtype and (x.ndim or name == "end"):
            raise RuntimeError(f"expected dtype {dtypes.c_name(self.dtype)} for `{name}` but got dtype {dtypes.c_name(x.dtype)}")
    if isinstance(weight, Tensor) and weight.dtype != self.dtype:
        return mixed(combined.lerp_tensor, self, end, weight)
    return Call(combined.lerp_tensor if isinstance(weight, Tensor) else combined.lerp, (self, end, weight), {}, None)


@op(method=False, function=True)
def complex_(real: Tensor, imag: Tensor) -> Any:
    """``real + 1j * imag``."""
    both_real(real, imag)
    if real.dtype != imag.dtype:
        raise RuntimeError(f"Expected object of scalar type {dtypes.title(real.dtype)} but got scalar type {dtypes.title(imag.dtype)} for "
                           "second argument")
    return Call(complexes.complex_, (real, imag), {}, None)


def both_real(*parts: Tensor) -> None:
    """RuntimeError where a part of a complex number is no real float."""
    if not all(x.is_floating_point() and x.dtype.name != "bfloat16" for x in parts):
        got = " and ".join(dtypes.title(x.dtype) for x in parts)
        raise RuntimeError(f"Expected both inputs to be Half, Float or Double tensors but got {got}")


@op(method=False)
def polar(abs: Tensor, angle: Tensor) -> Any:
    """``abs * exp(1j * angle)``."""
    both_real(abs, angle)
    return Call(complexes.polar, (abs, angle), {}, None)

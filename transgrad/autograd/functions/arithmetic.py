"""Arithmetic under the names that torch's nodes have for a tensor or a number as the second operand."""
from __future__ import annotations

import cmath
import math
from typing import Any

import numpy as np

from ...rules.registry import alias, lookup, rule
from ...rules.static import ZERO, is_complex, lifted
from ..facts import one, shows
from ..graph_rules import graph_rule
from ..layouts import ROWS
from ..names import ARITHMETIC, RECOMPUTED, keeps, node_name
from ..wording import DIVISIONS, SUBTRACTIONS
from .rounding import div_rounded

__all__ = [
    "copysign_scalar", "fmod", "fmod_scalar", "number_minus", "pow_scalar", "pow_self_scalar", "pow_tensor", "remainder",
    "remainder_scalar",
]


#: the exponents that torch has no logarithm taken for: a root of -inf is no number then, and a complex one exact on the axes
_EXACT: dict[float, Any] = {1: np.positive, 2: np.square, 3: lambda x: x * x * x, -1: lambda x: 1 / x, -2: lambda x: 1 / np.square(x),
                            0.5: np.sqrt, -0.5: lambda x: 1 / np.sqrt(x)}


def pow_scalar(self: Any, exponent: Any) -> Any:
    """A power with a number as exponent."""
    exact = _EXACT.get(float(exponent)) if self.dtype.kind in "fcV" and not isinstance(exponent, complex) else None
    return np.power(self, exponent) if exact is None else exact(self)


def pow_tensor(self: Any, exponent: Any) -> Any:
    """A power of tensors."""
    return np.power(self, exponent)


def pow_self_scalar(self: Any, exponent: Any) -> Any:
    """A power of a number."""
    return np.power(self, exponent)


def log_of(x: Any) -> Any:
    """The logarithm of a number as a Python number, which does not promote single precision."""
    if isinstance(x, complex):
        return cmath.log(x)
    return math.log(x) if x > 0 else -math.inf if x == 0 else math.nan


ROWS.add(pow_self_scalar)
times: Any = lifted(div_rounded)


@rule(pow_self_scalar)
def _(g, y, self, exponent):
    if self == 0:       # y times the logarithm of 0, unless it is 0 times infinity
        return None, g * np.where(np.real(exponent) >= 0, 0.0, -math.inf)
    return None, g * y * log_of(self + 0j if is_complex(exponent) and not isinstance(self, complex) else self)


alias(np.power, pow_scalar, pow_tensor)
RECOMPUTED.add(pow_scalar)
keeps("x", pow_scalar)
keeps("n", pow_tensor, pow_self_scalar)
keeps("exponent", pow_self_scalar)
node_name(pow_scalar, "PowBackward0", x="self", n="exponent")
node_name(pow_tensor, "PowBackward1", x="self", n="exponent")
node_name(pow_self_scalar, "PowBackward2")


@graph_rule(pow_scalar, np.power)
def _(g, y, self, exponent):
    if not isinstance(exponent, (int, float, complex)):
        vjp: Any = lookup(np.power).vjp     # type: ignore[union-attr]
        return vjp(g, y, self, exponent)
    return ZERO if exponent == 0 else g * (exponent * self ** (exponent - 1))


@graph_rule(np.square)
def _(g, y, self):
    return g * (2 * self ** 1)


def number_minus(self: Any, other: Any) -> Any:
    """A number minus a tensor."""
    return np.subtract(self, other)


alias(np.subtract, number_minus)
node_name(number_minus, "RsubBackward1", a="other", b="self")


def add_scaled(self: Any, other: Any, alpha: Any) -> Any:
    """``self + alpha * other``."""
    return self + alpha * other


def sub_scaled(self: Any, other: Any, alpha: Any) -> Any:
    """``self - alpha * other``."""
    return self - alpha * other


ARITHMETIC.update((add_scaled, sub_scaled))
SUBTRACTIONS.update((sub_scaled, number_minus))
shows(number_minus, alpha=one)
node_name(add_scaled, "AddBackward0")
node_name(sub_scaled, "SubBackward0")


@rule(add_scaled)
def _(g, y, self, other, alpha):
    return g, alpha * g


@rule(sub_scaled)
def _(g, y, self, other, alpha):
    return g, -alpha * g


def remainder(self: Any, other: Any) -> Any:
    """The remainder with the sign of the divisor."""
    return np.remainder(self, other)


def remainder_scalar(self: Any, other: Any) -> Any:
    """`remainder` of a division by a number."""
    return np.remainder(self, other)


alias(np.mod, remainder, remainder_scalar)
DIVISIONS.update((remainder, remainder_scalar))
node_name(remainder, "RemainderBackward1")
node_name(remainder_scalar, "RemainderBackward0")


def fmod(self: Any, other: Any) -> Any:
    """The remainder with the sign of the dividend."""
    return np.fmod(self, other)


def fmod_scalar(self: Any, other: Any) -> Any:
    """`fmod` of a division by a number."""
    return np.fmod(self, other)


@rule(fmod, fmod_scalar)
def _(g, y, self, other):
    """The integer quotient is locally constant."""
    return g, -g * times(self, other, "trunc")


DIVISIONS.update((fmod, fmod_scalar))
node_name(fmod, "FmodBackward1")
node_name(fmod_scalar, "FmodBackward0")


def copysign_scalar(self: Any, other: Any) -> Any:
    """The absolute values with the sign of a number."""
    return np.copysign(self, other)


alias(np.copysign, copysign_scalar)
keeps("y", np.copysign, copysign_scalar)
node_name(copysign_scalar, "CopysignBackward1")

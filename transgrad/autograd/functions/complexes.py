"""Complex numbers and the pairs of real numbers they are made of."""
from __future__ import annotations

from typing import Any

import numpy as np

from ...rules.arithmetic import sign_jvp
from ...rules.registry import lookup, rule
from ...rules.static import is_complex, same
from ..names import keeps, node_name

__all__ = ["angle", "complex_", "conj_physical", "polar", "sgn", "view_as_complex", "view_as_real"]


def view_as_real(self: Any) -> Any:
    """Real and imaginary parts along a last dimension, sharing memory."""
    return np.expand_dims(self, -1).view(self.real.dtype)


def view_as_complex(self: Any) -> Any:
    """Complex numbers of the pairs along the last dimension, sharing memory where they lie side by side."""
    return self.view(np.result_type(self.dtype, np.complex64))[..., 0]


@rule(view_as_real, kind="linear")
def _(g, y, self):
    return np.conj(g[..., 0] + 1j * g[..., 1])


@rule(view_as_complex, kind="linear")
def _(g, y, self):
    return np.stack([np.real(g), -np.imag(g)], axis=-1)


def complex_(real: Any, imag: Any) -> Any:
    """``real + 1j * imag``."""
    out = np.empty(np.broadcast_shapes(real.shape, imag.shape), dtype=np.result_type(real, imag, np.complex64))
    out.real, out.imag = real, imag
    return out


@rule(complex_)
def _(g, y, real, imag):
    return g, 1j * g


node_name(complex_, "ComplexBackward0")


def polar(abs: Any, angle: Any) -> Any:
    """``abs * exp(1j * angle)``."""
    return abs * (np.cos(angle) + 1j * np.sin(angle))


@rule(polar)
def _(g, y, abs, angle):
    return g * (np.cos(angle) + 1j * np.sin(angle)), 1j * g * y


def sgn(self: Any) -> Any:
    """The number of size 1 in the direction of each, 0 for 0."""
    if self.dtype.kind == "b":
        return np.array(self)
    return np.sign(self) if np.iscomplexobj(self) or self.dtype.kind in "iu" else np.nan_to_num(np.sign(self))


keeps("y", sgn)
keeps("real", complex_)
keeps("imag", complex_)
sign_entry: Any = lookup(np.sign).vjp       # type: ignore[union-attr]
angle_entry: Any = lookup(np.angle).vjp     # type: ignore[union-attr]


@rule(sgn, kind="general", jvp=sign_jvp)
def _(g, y, self):
    return np.where(same(self, 0), 0.0, sign_entry(g, y, self)) if is_complex(self) else np.zeros_like(g)


def conj_physical(self: Any) -> Any:
    """The conjugate, in new memory."""
    return np.conjugate(self)


def angle(self: Any) -> Any:
    """The angle of each number: 0 or pi for a real one, NaN for NaN."""
    if np.iscomplexobj(self):
        return np.angle(self)
    return np.where(np.isnan(self), self, np.where(self < 0, np.pi, 0.0)).astype(self.dtype, copy=False)


def conj_physical_(self: Any) -> Any:
    """`conj_physical`, written into its argument."""
    return np.conjugate(self)


node_name(conj_physical_, "ConjPhysicalBackward1")


@rule(conj_physical, conj_physical_, linear_in=(0,))
def _(g, y, self):
    return np.conj(g) if is_complex(self) else g


@rule(angle)
def _(g, y, self):
    return np.where(same(self, 0), 0.0, angle_entry(g, y, self + same(self, 0))) if is_complex(self) else np.zeros_like(g)

"""Complex tensors and the pairs of real ones they are made of."""
from __future__ import annotations

from typing import Any

import numpy as np

from .. import dispatch, dtypes
from ..functions import complexes, shape
from ..tensor import Tensor
from .table import PROPERTIES, call, op, prop


@op(method=False)
def view_as_real(self: Tensor) -> Any:
    """Real and imaginary parts along a last dimension, as a view."""
    if not self.is_complex():
        raise RuntimeError("view_as_real is only supported for complex tensors")
    return call(complexes.view_as_real, self)


@op(method=False)
def view_as_complex(self: Tensor) -> Any:
    """Complex numbers of the pairs along the last dimension, as a view."""
    if not self.is_floating_point():
        raise RuntimeError("view_as_complex is only supported for half, float and double tensors, but got a tensor of scalar type: "
                           f"{dtypes.title(self.dtype)}")
    if not self.ndim or self.shape[-1] != 2:
        raise RuntimeError("Tensor must have a last dimension of size 2")
    if self._array.strides[-1] != self._array.itemsize:
        raise RuntimeError("Tensor must have a last dimension with stride 1")
    return call(complexes.view_as_complex, self)


def part_of(self: Tensor, k: int) -> Tensor:
    """The real or imaginary part, as a view."""
    both = dispatch.apply(complexes.view_as_real, self)
    return dispatch.apply(shape.select, both, self.ndim, k)     # type: ignore[no-any-return]


@prop
def real(self: Tensor) -> Tensor:
    """The real part, as a view; a real tensor itself. Assignment writes into the tensor."""
    return part_of(self, 0) if self.is_complex() else self


@prop
def imag(self: Tensor) -> Tensor:
    """The imaginary part, as a view. Assignment writes into the tensor."""
    if not self.is_complex():
        raise RuntimeError("imag is not implemented for tensors with non-complex dtypes.")
    return part_of(self, 1)


for _name in ("real", "imag"):
    def write(self: Tensor, value: Any, name: str = _name) -> None:
        part = getattr(self, name)
        part.copy_(value) if isinstance(value, Tensor) else part.fill_(value)
    PROPERTIES[_name] = PROPERTIES[_name].setter(write)


@op(name="real", method=False)
def real_of(self: Tensor) -> Any:
    """The real part, as a view; a real tensor itself."""
    return self.real


@op(name="imag", method=False)
def imag_of(self: Tensor) -> Any:
    """The imaginary part, as a view."""
    return self.imag


@op()
def conj(self: Tensor) -> Any:
    """The conjugate; a real tensor itself."""
    return call(np.conjugate, self) if self.is_complex() else self


@op("resolve_neg", name="resolve_conj")
def resolved(self: Tensor) -> Tensor:
    """The tensor itself: no conjugation is ever put off here."""
    return self


def is_lazy(self: Tensor) -> bool:
    """False: no conjugation or sign is ever put off here."""
    return False


op(name="is_conj")(is_lazy)
op(name="is_neg")(is_lazy)


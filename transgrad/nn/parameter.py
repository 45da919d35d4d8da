"""Parameters and buffers: Tensors that a module registers when they are assigned to its attributes."""
from __future__ import annotations

from typing import Any

from ..autograd.ops import FUNCTIONS
from ..autograd.tensor import Tensor

__all__ = ["Buffer", "Parameter", "is_parameter"]


class _Marked(type):
    """The class of a class whose instances are Tensors with a mark: operations on them are as fast as on other Tensors."""

    _mark: str

    def __instancecheck__(cls, x: Any) -> bool:
        return isinstance(x, Tensor) and cls._mark in x.__dict__

    def __subclasscheck__(cls, other: Any) -> bool:
        return other is cls or issubclass(cls, Tensor) and type.__subclasscheck__(cls, other)


def is_parameter(x: Any) -> bool:
    """Return whether an object is a `Parameter`."""
    return isinstance(x, Tensor) and "_is_param" in x.__dict__


class Parameter(Tensor, metaclass=_Marked):
    """A Tensor that is a parameter of the module that it is assigned to.

    Parameters
    ----------
    data : Tensor, optional
        The initial values, whose memory it shares; an empty Tensor by default.
    requires_grad : bool
        Whether gradients go to it.

    Notes
    -----
    The class of the object is `Tensor`; ``isinstance(p, Parameter)`` is True for it.
    """

    __slots__ = ()
    _mark = "_is_param"

    def __new__(cls, data: Any = None, requires_grad: bool = True) -> Any:
        made = _shared(data).requires_grad_(requires_grad)
        made.__dict__["_is_param"] = True
        return made

    def __init__(self, data: Any = None, requires_grad: bool = True) -> None:
        pass


class Buffer(Tensor, metaclass=_Marked):
    """A Tensor that is a buffer of the module that it is assigned to, saved in its state unless it is not ``persistent``."""

    __slots__ = ()
    _mark = "_is_buffer"

    def __new__(cls, data: Any = None, *, persistent: bool = True) -> Any:
        made = _shared(data)
        made.__dict__.update(_is_buffer=True, persistent=persistent)
        return made

    def __init__(self, data: Any = None, *, persistent: bool = True) -> None:
        pass


def _shared(data: Any) -> Any:
    """A leaf on the memory of a Tensor."""
    if data is None:
        return FUNCTIONS["empty"](0)
    if not isinstance(data, Tensor):
        raise TypeError(f"expected a Tensor, but got {type(data).__name__}. Hint: use transgrad.tensor(data).")
    return data.detach()

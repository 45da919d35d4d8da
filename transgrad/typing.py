"""Types of transformations, for annotations and type checkers.

>>> import transgrad as tg
>>> from transgrad.typing import DerivativeOf
>>> def loss(w: float) -> float:
...     return w * w
>>> gradient: "DerivativeOf[[float], float]" = tg.grad(loss)
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar

from .transforms.derivative import Derivative

__all__ = ["DerivativeOf"]

P = ParamSpec("P")
R = TypeVar("R", covariant=True)


class DerivativeOf(Derivative, Generic[P, R]):
    """A `Derivative` with the parameters of its function, for type checkers; at run time there are instances of `Derivative` only.

    The second parameter is the type of its result.  It is ``Any`` for gradients, whose type is that of an argument.
    """

    if TYPE_CHECKING:
        def __call__(self, /, *args: P.args, **kwargs: P.kwargs) -> R: ...

        def __get__(self, instance: Any, owner: type | None = None) -> Any: ...

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
    """A `Derivative` with the parameters and the result of its function, for annotations and type checkers.

    At run time all derivatives are instances of `Derivative`.

    The first type parameter is the parameter list of the function, and the second is the type of the result. The result of a
    gradient is ``Any``, because its type is that of an argument.

    Examples
    --------
    >>> import transgrad as tg
    >>> def square(x: float) -> float:
    ...     return x * x
    >>> gradient: "DerivativeOf[[float], float]" = tg.grad(square)
    """

    if TYPE_CHECKING:
        def __call__(self, /, *args: P.args, **kwargs: P.kwargs) -> R: ...

        def __get__(self, instance: Any, owner: type | None = None) -> Any: ...

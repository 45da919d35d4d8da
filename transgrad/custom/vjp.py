"""`custom_vjp`: a function with its own reverse derivative."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..services import custom_vjp_on_tape
from .function import Custom
from .opaque.primitive import opaque_function

__all__ = ["custom_vjp"]


class custom_vjp(Custom):
    """Give a function its own reverse derivative.

    Parameters
    ----------
    fun : callable
        The function.
    nondiff_argnums : sequence of int
        Positions of arguments that are not differentiated. ``bwd`` receives them first.
    opaque : bool, optional
        Whether the function and its derivative run at run time, on numbers, and are not compiled. By default that is so for functions that
        have no Python source and no derivative rule.
    result, example : optional
        The type of the result of an opaque function, as for `primitive`.

    Examples
    --------
    >>> import numpy as np
    >>> import transgrad as tg
    >>> @tg.custom_vjp
    ... def clipped(x):
    ...     return np.clip(x, -1.0, 1.0)
    >>> def forward(x):
    ...     return np.clip(x, -1.0, 1.0), x
    >>> def backward(x, g):
    ...     return (np.where(np.abs(x) < 2.0, g, 0.0),)
    >>> clipped.defvjp(forward, backward)
    >>> tg.grad(lambda x: np.sum(clipped(x)))(np.array([0.5, 1.5, 2.5]))
    array([1., 1., 0.])
    """

    fwd: Callable[..., Any] | None = None
    bwd: Callable[..., Any] | None = None

    def __init__(self, fun: Callable[..., Any], nondiff_argnums: Sequence[int] = (), opaque: bool | None = None, result: Any = None,
                 example: Sequence[Any] | None = None):
        self.primitive = opaque_function(fun, nondiff_argnums, opaque, result, example)
        super().__init__(fun, nondiff_argnums, self.primitive)

    def defvjp(self, fwd: Callable[..., Any], bwd: Callable[..., Any]) -> None:
        """Set the derivative.

        Parameters
        ----------
        fwd : callable
            A function of the arguments that returns the result and the residuals that ``bwd`` needs.
        bwd : callable
            A function of the arguments that are not differentiated, the residuals and the cotangent of the result. It returns
            a tuple with the cotangent of each differentiated argument, or None for zero.
        """
        self.fwd, self.bwd = fwd, bwd
        if self.primitive is not None:
            self.primitive.fwd, self.primitive.bwd = fwd, bwd

    def rules(self) -> tuple[Callable[..., Any], Callable[..., Any]]:
        """Return the two functions, or raise AttributeError if they are not defined."""
        if self.fwd is None or self.bwd is None:
            raise AttributeError(f"no derivative of the custom_vjp function {self.__name__}: call {self.__name__}.defvjp(fwd, bwd)")  # type: ignore[attr-defined]
        return self.fwd, self.bwd

    def on_tape(self, args: list[Any]) -> Any:
        return custom_vjp_on_tape(self, args)

"""`custom_jvp`: a function with its own forward derivative, from which reverse mode follows."""
from __future__ import annotations

import linecache
from collections.abc import Callable, Sequence
from typing import Any

from ..services import custom_jvp_on_tape
from .function import Custom
from .opaque.primitive import opaque_function, tangent_of

__all__ = ["custom_jvp"]


class custom_jvp(Custom):
    """Give a function its own forward derivative. Reverse mode is its transpose.

    Parameters
    ----------
    fun : callable
        The function.
    nondiff_argnums : sequence of int
        Positions of arguments that are not differentiated. The rule receives them first.
    opaque : bool, optional
        Whether the function and its derivative run at run time, on numbers, and are not compiled. By default that is so for functions that
        have no Python source and no derivative rule. Reverse mode needs a derivative that the compiler can read.
    result, example : optional
        The type of the result of an opaque function, as for `primitive`.

    Examples
    --------
    >>> import numpy as np
    >>> import transgrad as tg
    >>> @tg.custom_jvp
    ... def softplus(x):
    ...     return np.log(1.0 + np.exp(x))
    >>> @softplus.defjvp
    ... def _(primals, tangents):
    ...     x, = primals
    ...     x_dot, = tangents
    ...     return softplus(x), x_dot / (1.0 + np.exp(-x))
    >>> tg.grad(softplus)(0.0)
    np.float64(0.5)
    """

    jvp: Callable[..., Any] | None = None

    def __init__(self, fun: Callable[..., Any], nondiff_argnums: Sequence[int] = (), opaque: bool | None = None, result: Any = None,
                 example: Sequence[Any] | None = None):
        self.primitive = opaque_function(fun, nondiff_argnums, opaque, result, example)
        super().__init__(fun, nondiff_argnums, self.primitive)

    def defjvp(self, jvp: Callable[..., Any]) -> Callable[..., Any]:
        """Set the derivative: ``jvp(primals, tangents)`` returns the result and its tangent, which is linear in ``tangents``."""
        self.jvp = jvp
        if self.primitive is not None:
            self.primitive.jvp = tangent_of(jvp, self.nondiff_argnums)
        return jvp

    def defjvps(self, *jvps: Callable[..., Any] | None) -> None:
        """Set the derivative for each argument: ``jvp(tangent, result, *primals)`` returns its contribution, or None."""
        if self.signature is None:
            raise TypeError(f"the signature of {self.fun.__name__} is not known. Hint: use defjvp")
        names = [f"x{k}" for k in range(len(self.signature.parameters))]
        primals = [n for k, n in enumerate(names) if k not in self.nondiff_argnums]
        if len(jvps) != len(primals):
            raise TypeError(f"{self.fun.__name__} has {len(primals)} differentiated arguments, not {len(jvps)}")
        shares = [f"share{k}(t{k}, y, {', '.join(primals)})" for k, share in enumerate(jvps) if share is not None]
        given = [*(names[k] for k in self.nondiff_argnums), "primals", "tangents"]
        own = self.fun.__name__ if self.fun.__name__.isidentifier() else "function"
        text = (f"def {own}_tangent({', '.join(given)}):\n"
                f"    {', '.join(primals)}, = primals\n"
                f"    {', '.join(f't{k}' for k in range(len(primals)))}, = tangents\n"
                f"    y = function({', '.join(names)})\n"
                f"    return y, {' + '.join(shares)}\n")
        file = f"<derivative of {self.fun.__qualname__} at {id(self)}>"
        linecache.cache[file] = len(text), None, text.splitlines(True), file
        space: dict[str, Any] = {"function": self, "__name__": self.fun.__module__, **{f"share{k}": share for k, share in enumerate(jvps)}}
        exec(compile(text, file, "exec"), space)
        self.defjvp(space[f"{own}_tangent"])

    def rule(self) -> Callable[..., Any]:
        """Return the derivative, or raise AttributeError if it is not defined."""
        if self.jvp is None:
            raise AttributeError(f"no derivative of the custom_jvp function {self.__name__}: call {self.__name__}.defjvp(jvp)")  # type: ignore[attr-defined]
        return self.jvp

    def on_tape(self, args: list[Any]) -> Any:
        return custom_jvp_on_tape(self, args)

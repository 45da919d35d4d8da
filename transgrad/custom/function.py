"""The common part of `custom_vjp` and `custom_jvp`: a function and its non-differentiated arguments."""
from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Sequence
from typing import Any

from ..pickling import Rebuilt

__all__ = ["Custom"]


class Custom(Rebuilt):
    """A function with a user-defined derivative."""

    def __init__(self, fun: Callable[..., Any], nondiff_argnums: Sequence[int] = ()):
        if not callable(fun):
            raise TypeError(f"{type(self).__name__} takes a function, not {type(fun).__name__}")
        functools.update_wrapper(self, fun)
        self.fun = fun
        self.signature = inspect.signature(fun)
        count = len(self.signature.parameters)
        self.nondiff_argnums = tuple(sorted(n + count if n < 0 else n for n in nondiff_argnums))
        if any(not 0 <= n < count for n in self.nondiff_argnums):
            raise ValueError(f"nondiff_argnums {tuple(nondiff_argnums)} of {fun.__name__}{self.signature}: there are {count} arguments")

    def _recipe(self) -> tuple[Any, ...]:
        return self.fun, self.nondiff_argnums

    def _extras(self) -> dict[str, Any]:
        return {name: rule for name, rule in vars(self).items() if name in ("fwd", "bwd", "jvp")}

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.fun!r}>"

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        """Bind the function to an instance."""
        return self if instance is None else functools.partial(self, instance)

    def positional(self, args: Sequence[Any], kwargs: dict[str, Any]) -> list[Any]:
        """Return the arguments of a call in order, with defaults."""
        bound = self.signature.bind(*args, **kwargs)
        bound.apply_defaults()
        if bound.kwargs:
            raise TypeError(f"{self.__name__} has keyword-only arguments, which {type(self).__name__} does not take")  # type: ignore[attr-defined]
        return list(bound.args)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        given = self.positional(args, kwargs)
        if _on_tape(given):
            return self.on_tape(given)
        return self.fun(*given)

    def on_tape(self, args: list[Any]) -> Any:
        """Record a call with Tensors as one node."""
        raise NotImplementedError

    def parts(self, args: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """Return the non-differentiated and the differentiated arguments."""
        rest = [a for k, a in enumerate(args) if k in self.nondiff_argnums]
        return rest, [a for k, a in enumerate(args) if k not in self.nondiff_argnums]

    def joined(self, rest: Sequence[Any], primals: Sequence[Any]) -> list[Any]:
        """Return the arguments in their original order."""
        left, right = list(rest), list(primals)
        return [left.pop(0) if k in self.nondiff_argnums else right.pop(0) for k in range(len(rest) + len(primals))]


def _on_tape(args: Sequence[Any]) -> bool:
    tensor = sys.modules.get("transgrad.autograd.tensor")
    return tensor is not None and any(isinstance(a, tensor.Tensor) for a in args)

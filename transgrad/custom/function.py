"""The common part of `custom_vjp` and `custom_jvp`: a function and its non-differentiated arguments."""
from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import tree
from ..errors import NoDerivative
from ..pickling import Rebuilt
from ..services import custom_through_tape

__all__ = ["Custom", "NoForwardDerivative", "is_recorded"]


class NoForwardDerivative(NoDerivative):
    """A function has only a reverse derivative."""

    @classmethod
    def of(cls, name: str) -> NoForwardDerivative:
        """Return the refusal for a function."""
        return cls(f"{name} has no forward derivative: custom_vjp defines only the reverse one", None, "define both with custom_jvp")


class Custom(Rebuilt):
    """A function with a user-defined derivative."""

    def __init__(self, fun: Callable[..., Any], nondiff_argnums: Sequence[int] = (), primitive: Any = None):
        if not callable(fun):
            raise TypeError(f"{type(self).__name__} takes a function, not {type(fun).__name__}")
        functools.update_wrapper(self, fun)
        self.fun, self.primitive = fun, primitive
        self.signature = signature_of(fun, required=primitive is None)
        self.nondiff_argnums = places_of(nondiff_argnums, self.signature, getattr(fun, "__name__", type(fun).__name__))

    def _recipe(self) -> tuple[Any, ...]:
        return ()

    def _extras(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in ("signature", "_example_form")}

    def _build(self) -> None:
        self.signature = signature_of(self.fun, required=self.primitive is None)

    def declared(self, describe: Callable[[Any], Any]) -> Any:
        """See `Rebuilt.declared`."""
        return None if self.primitive is None else self.primitive.declared(describe)

    def is_declared(self, known: Any, resolve: Callable[[Any], Any]) -> bool:
        """See `Rebuilt.is_declared`."""
        return self.primitive is not None and self.primitive.is_declared(known, resolve)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.fun!r}>"

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        """Bind the function to an instance."""
        return self if instance is None else functools.partial(self, instance)

    def positional(self, args: Sequence[Any], kwargs: dict[str, Any]) -> list[Any]:
        """Return the arguments of a call in order, with defaults."""
        if self.signature is None:
            if kwargs:
                raise TypeError(f"the names of the arguments of {self.__name__} are not known: pass them by position")  # type: ignore[attr-defined]
            return list(args)
        bound = self.signature.bind(*args, **kwargs)
        bound.apply_defaults()
        if bound.kwargs:
            raise TypeError(f"{self.__name__} has keyword-only arguments, which {type(self).__name__} does not take")  # type: ignore[attr-defined]
        return list(bound.args)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        given = self.positional(args, kwargs)
        if is_recorded(given):
            return custom_through_tape(self.on_tape, given)
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


def signature_of(fun: Callable[..., Any], required: bool = False) -> inspect.Signature | None:
    """Return the signature of a function; None if Python does not know it.

    Universal functions have one from NumPy 2.4 on. It is ignored: its options are not arguments of the function.
    """
    if isinstance(fun, np.ufunc) and not required:
        return None
    try:
        return inspect.signature(fun)
    except (ValueError, TypeError):
        if required:
            raise
        return None


def places_of(nondiff_argnums: Sequence[int], signature: inspect.Signature | None, name: str) -> tuple[int, ...]:
    """Return positions of arguments, counted from the first one."""
    count = None if signature is None else len(signature.parameters)
    places = [n + count if n < 0 and count is not None else n for n in nondiff_argnums]
    if any(n < 0 or count is not None and n >= count for n in places):
        many = "whose signature is not known" if count is None else f"which has {count} arguments"
        raise ValueError(f"nondiff_argnums={tuple(nondiff_argnums)} of {name}, {many}")
    return tuple(sorted(places))


def is_recorded(args: Sequence[Any]) -> bool:
    """Return whether a Tensor, or an array of a function that runs on the tape, is among some arguments."""
    tensor = sys.modules.get("transgrad.autograd.tensor")
    if tensor is None:
        return False
    bridge = sys.modules.get("transgrad.bridge.array")
    kinds = (tensor.Tensor,) if bridge is None else (tensor.Tensor, bridge.TapedArray)
    return any(isinstance(leaf, kinds) for a in args for leaf in (tree.flatten(a)[0] if tree.is_node(a) else (a,)))

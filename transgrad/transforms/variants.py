"""A variant: the derivative compiled for one combination of argument types."""
from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ..ir.ops import Function
from .guards import holds_of

if TYPE_CHECKING:
    from ..emit import Module

__all__ = ["Plan", "Variant"]


class Variant:
    """The derivative for one combination of argument types.

    Attributes
    ----------
    types : dict of str to str
        The types of the arguments, by name.
    source : str
        The text.
    function : callable
        The text, loaded.
    ir : Function
        The IR the text was written from.
    backward : Variant or None
        The second half of a derivative that comes in two.
    """

    __slots__ = ("backward", "function", "holds", "ir", "module", "types")

    def __init__(self, ir: Function, module: Module, function: Callable[..., Any], types: Mapping[str, str]):
        self.ir, self.module, self.function, self.types = ir, module, function, dict(types)
        self.holds = holds_of(ir)
        self.backward: Variant | None = None

    def call_with(self, values: Mapping[str, Any]) -> Any:
        """Runs the text with arguments given by name."""
        args: list[Any] = []
        kwargs: dict[str, Any] = {}
        for p in self.ir.signature:
            value = values[p.name]
            if p.kind == "varargs":
                args.extend(value)
            elif p.kind == "varkwargs":
                kwargs.update(value)
            elif p.kind == "keyword" or any(q.kind == "varargs" for q in self.ir.signature[:self.ir.signature.index(p)]):
                kwargs[p.name] = value
            else:
                args.append(value)
        return self.function(*args, **kwargs)

    @property
    def source(self) -> str:
        return self.module.text

    def __repr__(self) -> str:
        return f"<{self.ir.name} for {', '.join(f'{name}: {t}' for name, t in self.types.items())}>"


class Plan:
    """How one way of calling a derivative (so many positional arguments, these keywords, of these types) runs a variant."""

    __slots__ = ("holds", "missing", "run", "variant")

    def __init__(self, variant: Variant, signature: inspect.Signature, args: tuple[Any, ...], kwargs: dict[str, Any]):
        self.variant = variant
        self.holds = variant.holds
        given = signature.bind(*args, **kwargs).arguments
        self.missing: dict[str, Any] = {}
        self.run = variant.function
        for p in signature.parameters.values():
            if p.name in given or p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
                continue
            if p.kind is p.POSITIONAL_ONLY or any(q.kind is p.VAR_POSITIONAL for q in signature.parameters.values()) and p.kind is not p.KEYWORD_ONLY:
                self.run, self.missing = _rebinding(variant.function, signature), {}
                return
            self.missing[p.name] = p.default


def _rebinding(function: Callable[..., Any], signature: inspect.Signature) -> Callable[..., Any]:
    """The function, with defaults filled in by position."""
    def run(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return function(*bound.args, **bound.kwargs)
    return run

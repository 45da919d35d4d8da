"""Names things for error messages."""
from __future__ import annotations

from typing import Any

from ..ir.ops import Lit, Value
from .domain.abstract import SBound, SChoice, SClass, SDict, SFunc, SIter, SList, SObj, SPartial, SSlice, STuple

__all__ = ["describe"]


def describe(x: Any) -> str:
    """A short English name of an abstract value."""
    if isinstance(x, Value):
        return x.name or f"a value of type {x.type}"
    if isinstance(x, Lit):
        return x.text or getattr(x.value, "__qualname__", None) or repr(x.value)
    if isinstance(x, SFunc):
        return f"the function {x.name}()" if x.name != "<lambda>" else "a lambda"
    if isinstance(x, SBound):
        return f"the method {describe(x.func)}"
    if isinstance(x, SPartial):
        return f"functools.partial of {describe(x.func)}"
    if isinstance(x, SClass):
        return f"the class {x.name}"
    if isinstance(x, SObj):
        return f"an instance of {getattr(x.cls, '__name__', None) or getattr(x.cls, 'name', '?')}"
    if isinstance(x, SChoice):
        then, orelse = describe(x.then), describe(x.orelse)
        return then if then == orelse else f"{then} or {orelse}"
    if isinstance(x, SIter):
        return {"generator": "a generator", "genexp": "a generator expression"}.get(x.kind, f"{x.kind}(…)")
    return {STuple: "a tuple", SList: "a list", SDict: "a dict", SSlice: "a slice"}.get(type(x), type(x).__name__)

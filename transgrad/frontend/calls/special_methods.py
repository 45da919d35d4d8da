"""Methods of built-in types that stand for an operator or a function, called by their names: ``b.__setitem__(k, v)``."""
from __future__ import annotations

import operator
import types
from typing import Any

import numpy as np

from ...ir.ops import Lit, Value
from ...ir.types import Arr, DictT, ListT, Num, TupleT
from ..context import Lowering
from ..domain.abstract import SDict, SList, STuple
from ..expressions.operations import strip

__all__ = ["by_name"]

_FUNCTIONS: dict[str, Any] = {
    "__len__": len, "__abs__": abs, "__float__": float, "__int__": int, "__complex__": complex, "__bool__": bool, "__divmod__": divmod,
    "__round__": round, "__iter__": iter, "__next__": next, "__reversed__": reversed, "__repr__": repr, "__str__": str,
}


def by_name(ctx: Lowering, descriptor: Any, self_: Any, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    """The operation that a method of an array, number, list, tuple or dict is; NotImplemented for other methods."""
    kinds = types.WrapperDescriptorType, types.MethodDescriptorType
    if not isinstance(descriptor, kinds) or descriptor.__objclass__ is object or kwargs or not _is_builtin(self_):
        return NotImplemented
    name = descriptor.__name__
    if not name.startswith("__") or name == "__call__":
        return NotImplemented
    from .dispatch import call_object
    if name in ("__copy__", "__deepcopy__") and isinstance(self_, Value) and isinstance(strip(self_.type), Arr):
        return call_object(ctx, Lit(np.copy, f"{ctx.bind('np', np)}.copy"), [self_], {}, node)
    if name in _FUNCTIONS:
        return call_object(ctx, Lit(_FUNCTIONS[name], _FUNCTIONS[name].__name__), [self_, *args], {}, node)
    fn = getattr(operator, name, None)
    given = [self_, *args]
    if fn is None and len(args) == 1 and name.startswith("__r"):
        fn, given = getattr(operator, f"__{name[3:]}", None), [*args, self_]
    if fn is None:
        return NotImplemented
    return call_object(ctx, Lit(fn, f"{ctx.bind('operator', operator)}.{fn.__name__}"), given, {}, node)


def _is_builtin(x: Any) -> bool:
    """Whether the operators of something are those of Python's or NumPy's own types."""
    if isinstance(x, Lit):
        return type(x.value) in _TYPES
    return isinstance(x, (SList, SDict)) or isinstance(x, STuple) and x.cls is None or (
        isinstance(x, Value) and isinstance(strip(x.type), (Arr, Num, ListT, DictT, TupleT)))


_TYPES = frozenset((int, float, complex, bool, str, list, tuple, dict, np.ndarray, np.float64, np.float32, np.complex128))

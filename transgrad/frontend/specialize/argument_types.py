"""Reads of the caller's own objects: the object itself determines the type of the value, and settings of the program
(None, a string, a function, a class) are assumed constant, with a guard."""
from __future__ import annotations

import collections
import operator
from typing import Any

import numpy as np

from ...errors import UnsupportedSyntax
from ...ir.infer import type_of
from ...ir.ops import Lit, Value
from ...ir.types import UNKNOWN, Arr, DictT, ListT, RecordT, TupleT, Type, holds_instance
from ...runtime.fields import fields_of, is_node
from ..context import Lowering, join_all
from ..domain.abstract import ANYTHING
from ..domain.external_state import look_again
from ..expressions.operations import call
from .static_arguments import is_setting

__all__ = ["argument_type", "child", "is_static", "item", "remember"]

#: so many items of a list have types of their own
_FEW = 16
#: so many instances in a list are split into their fields
_MANY = 64


def is_static(value: Any) -> bool:
    """Whether an object is known at compile time: a setting, not a number."""
    if value is None or value is Ellipsis or isinstance(value, (bool, str, bytes, type, np.dtype, slice)):
        return True
    import types
    return isinstance(value, (types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.ModuleType, np.ufunc,
                              types.MethodWrapperType)) or callable(value) and _function_like(value)


def _function_like(value: Any) -> bool:
    """Whether calling is all there is to an object: partials, cached functions, NumPy's dispatched functions, derivatives."""
    import functools
    return isinstance(value, functools.partial) or hasattr(value, "__wrapped__") or type(value).__module__.split(".")[0] in (
        "functools", "numpy", "transgrad", "operator", "_operator", "builtins")


def argument_type(value: Any, sym: Any, wrt: bool = False, changed: bool = False,
                  apart: bool = False, constant: bool = False) -> Type:
    """The type of an argument: tuples, lists and dicts item by item where the items differ.  ``changed`` says that dicts are
    written to: then only the common type of their values is known; ``apart`` that the items of lists of instances are kept apart;
    ``constant`` that an instance is split into its fields (``wrt``) though it is not differentiated: a container that cannot be split
    stays an object."""
    if isinstance(value, Lit):
        return value.type
    if value is ANYTHING:
        return UNKNOWN
    if type(value) is list:
        elems = [argument_type(v, (sym, k), wrt, changed, apart, constant) for k, v in enumerate(value)]
        joined = join_all(type_of(v) for v in value) if all(isinstance(v, (int, float, complex, np.ndarray, np.generic)) for v in value) \
            else join_all(argument_type(v, None, wrt, changed, apart, constant) for v in value)
        if (not value or _uniform(joined, value)) and not (apart and wrt and holds_instance(joined) and len(value) <= _MANY):
            return ListT(joined)
        return TupleT(tuple(elems), list)
    if isinstance(value, tuple) and (type(value) is tuple or hasattr(type(value), "_fields")):
        return TupleT(
            tuple(argument_type(v, (sym, k), wrt, changed, apart, constant) for k, v in enumerate(value)),
            None if type(value) is tuple else type(value)
        )
    if type(value) in (dict, collections.OrderedDict) and value and all(isinstance(k, str) for k in value) and not (
            changed and _uniform(join_all(map(type_of, value.values())), list(value.values()))):
        return RecordT(tuple(value), tuple(argument_type(v, (sym, k), wrt, changed, apart, constant) for k, v in value.items()),
                       form=None if type(value) is dict else type(value))
    if type(value) in (dict, collections.OrderedDict) and not (wrt and type(value) is not dict and value):
        return DictT(join_all(map(type_of, value)), join_all(argument_type(v, None, wrt, changed, apart, constant) for v in value.values()))
    if wrt and is_node(value):
        held = fields_of(value)
        return RecordT(tuple(held), tuple(argument_type(v, (sym, n), wrt, changed, apart, constant) for n, v in held.items()), type(value))
    if wrt and not constant and isinstance(value, (dict, collections.deque)):
        raise UnsupportedSyntax(f"a {type(value).__name__} among the differentiated arguments is not compiled", None,
                                "pass a dict with strings as keys, or a list")
    return type_of(value, sym)


def _uniform(joined: Type | None, value: list[Any]) -> bool:
    """Whether a list is one of items of a type, and not as many items of types of their own as there are."""
    if joined is None or joined == UNKNOWN or len(value) <= _FEW and len({_is_complex(v) for v in value}) > 1:
        return False
    if isinstance(joined, Arr) and any(d.one is None for d in joined.dims) or _holds_arrays(joined):
        return len(value) > _FEW
    return True


def _is_complex(x: Any) -> bool:
    """Whether a number or an array is complex; among real ones, its derivative has another type."""
    return isinstance(x, complex) or getattr(getattr(x, "dtype", None), "kind", "") == "c"


def _holds_arrays(t: Any) -> bool:
    """Whether it is a tuple or dict of arrays, as the parameters of a layer are."""
    return isinstance(t, (TupleT, RecordT)) and any(isinstance(e, Arr) and e.dims or _holds_arrays(e) for e in t.elems)


def remember(ctx: Lowering, value: Any, example: Any, path: Any) -> None:
    """Record the run-time object that a value stands for."""
    if isinstance(value, Value) and example is not ANYTHING:
        ctx.examples[value] = (example, path)


def child(ctx: Lowering, container: Value, item: Any, key: Any) -> Any:
    """An item of a known object: the literal if it is a setting, else ``item`` with its own object recorded."""
    example, path = ctx.examples[container]
    if id(example) in ctx.program.stale:
        return item
    try:
        found = example[key]
    except (KeyError, IndexError, TypeError):
        return item
    if is_static(found) or is_setting(ctx, _path(path, key), found):
        ctx.program.guard("argattr", _path(path, key), None, found)
        look_again(ctx, found, lambda: _read(ctx, container, key))
        return Lit(found)
    remember(ctx, item, found, _path(path, key))
    return item


def _read(ctx: Lowering, container: Value, key: Any) -> Any:
    return call(ctx, operator.getitem, [container, Lit(key)], type=UNKNOWN)


def _path(path: Any, key: Any) -> Any:
    return (*path, key) if isinstance(path, tuple) else (path, key)


def item(ctx: Lowering, held: Value, index: Any, node: Any) -> Any:
    """``held[index]`` for an argument whose object is known; None if that says nothing."""
    if held not in ctx.examples or not isinstance(index, Lit):
        return None
    example, path = ctx.examples[held]
    if id(example) in ctx.program.stale:
        return None
    if type(example) not in (dict, list, tuple, collections.OrderedDict) and not hasattr(type(example), "_fields"):
        return None
    if isinstance(index.value, slice):
        return None
    try:
        found = example[index.value]
    except KeyError:
        from ..expressions.subscripts import _missing
        return _missing(ctx, index, node)
    except (IndexError, TypeError):
        return None
    if is_static(found) or is_setting(ctx, _path(path, index.value), found):
        ctx.program.guard("argattr", _path(path, index.value), None, found)
        look_again(ctx, found, lambda: _read(ctx, held, index.value))
        return Lit(found)
    out = call(ctx, operator.getitem, [held, index], node=node)
    remember(ctx, out, found, _path(path, index.value))
    return out

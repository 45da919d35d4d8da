"""Attributes: of arrays and numbers, of the caller's objects, of modules and classes, of instances made inside."""
from __future__ import annotations

import collections
import types
from typing import Any

import numpy as np

from ...ir.infer import PLAIN_ARRAYS
from ...ir.libraries import is_array
from ...ir.ops import UNDEF, Lit, Value
from ...ir.types import Arr, DictT, ListT, Num, Obj, RecordT, SetT, TupleT
from ...rules.stand_ins import is_stand_in
from ..calls.rule_source_errors import in_definition
from ..context import Lowering
from ..domain.abstract import (
    UNBOUND,
    SBound,
    SChoice,
    SClass,
    SDict,
    SFunc,
    SIter,
    SList,
    SNamespace,
    SObj,
    SPartial,
    SSlice,
    SSuper,
    STuple,
)
from ..domain.external_state import known_outside, known_to_have
from ..library.labelled import missing_attribute
from ..library.namespaces import NOT_IN_NUMPY, counterpart, is_of_library, refuse_attribute
from ..objects.instance_dicts import namespace_of
from ..refusals import refuse
from ..statements.control_flow import choose
from ..statements.dispatch import raised
from .dispatch import expr
from .operations import call, get_attr, set_attr, strip
from .subscripts import read_item

__all__ = ["read", "read_attribute", "write"]

#: What every function has, besides what is written to it.
_OF_FUNCTIONS = frozenset(dir(types.FunctionType))
_QUIET = (
    "numpy",
    "scipy",
    "math",
    "cmath",
    "functools",
    "itertools",
    "operator",
    "builtins",
    "transgrad",
    "typing",
    "collections",
    "dataclasses",
)


def read(ctx: Lowering, node: Any) -> Any:
    """``value.attr``."""
    return read_attribute(ctx, expr(ctx, node.value), node.attr, node)


def read_attribute(ctx: Lowering, obj: Any, name: str, node: Any) -> Any:
    """What ``obj.name`` is."""
    if name == "__dict__" and (space := namespace_of(ctx, obj)) is not None:
        return space
    if isinstance(obj, SNamespace):
        return SBound(obj, name)
    if isinstance(obj, (Value, SObj)) and (found := missing_attribute(ctx, obj, name, node)) is not NotImplemented:
        return found
    if isinstance(obj, Lit):
        return UNDEF if obj is UNDEF else _of_literal(ctx, obj, name, node)
    if name == "__class__" and not isinstance(obj, (SObj, SSuper, SClass, SFunc)):
        from ..calls.builtins import class_of_value
        found = class_of_value(ctx, [obj], {}, node)
        if found is not NotImplemented:
            return found
    if isinstance(obj, Value):
        return _of_value(ctx, obj, name, node)
    if isinstance(obj, (SObj, SSuper, SClass)):
        from ..objects.access import attribute
        return attribute(ctx, obj, name, node)
    if isinstance(obj, STuple):
        if obj.cls is not None:
            if name in obj.cls._fields:     # type: ignore[attr-defined]
                return obj.items[obj.cls._fields.index(name)]       # type: ignore[attr-defined]
            if is_stand_in(obj.cls) and not hasattr(obj.cls, name):
                refuse("stand_in_attribute", ctx.at(node), f"the attribute {name!r} of a {obj.cls.__name__}")
            from ..objects.access import class_attribute
            return class_attribute(ctx, obj.cls, obj, name, node)
        return SBound(obj, getattr(tuple, name)) if hasattr(tuple, name) else _missing(ctx, "tuple", name, node)
    if isinstance(obj, (SList, SDict)):
        cls: type = list if isinstance(obj, SList) else dict
        return SBound(obj, getattr(cls, name)) if hasattr(cls, name) else _missing(ctx, cls.__name__, name, node)
    if isinstance(obj, SFunc):
        held = ctx.state.get((obj, name))
        if held is not None:
            return held
        if name in ("__name__", "__qualname__"):
            return Lit(obj.name)
        return Lit(None) if name in ("__doc__", "__wrapped__") else _missing(ctx, "function", name, node)
    if isinstance(obj, SBound):
        target = obj.func.func if isinstance(obj.func, SBound) else obj.func
        return read_attribute(ctx, target if isinstance(target, SFunc) else Lit(target), name, node)
    if isinstance(obj, SPartial):
        return {"func": obj.func, "args": ctx.tuple(obj.args)}.get(name) or _missing(ctx, "partial", name, node)
    if isinstance(obj, SSlice):
        return getattr(obj, name)
    if isinstance(obj, SChoice):
        return choose(ctx, obj.cond, lambda: read_attribute(ctx, obj.then, name, node), lambda: read_attribute(ctx, obj.orelse, name, node))
    if isinstance(obj, SIter):
        if obj.kind == "range" and name in ("start", "stop", "step"):
            parts = {1: (Lit(0), *obj.data, Lit(1)), 2: (*obj.data, Lit(1)), 3: obj.data}[len(obj.data)]
            return parts[("start", "stop", "step").index(name)]
        if obj.kind in ("generator", "genexp"):
            from ..objects.generator_records import take_item_by_item
            take_item_by_item(ctx, obj)
        refuse("generator_send", ctx.at(node), f"its attribute '{name}' is read")
    return get_attr(ctx, obj, name, node=node)


def _missing(ctx: Lowering, what: str, name: str, node: Any) -> Any:
    """Reading an attribute that is not there raises when the code runs."""
    if what == "dict" and hasattr(collections.OrderedDict, name):       # which is compiled as a dict
        refuse("internal", ctx.at(node), f"OrderedDict.{name}")
    ctx.bind("AttributeError", AttributeError)
    raised(ctx, call(ctx, AttributeError, [Lit(f"'{what}' object has no attribute '{name}'")], spelling="AttributeError", node=node))
    return UNDEF


def _of_literal(ctx: Lowering, obj: Lit, name: str, node: Any) -> Any:
    value = obj.value
    text = f"{obj.text}.{name}" if obj.text else None
    if isinstance(value, types.ModuleType):
        if ctx.program.writes_variables:
            from ..objects.access import own_variable
            held = own_variable(ctx, value, name)
            if held is not UNBOUND:
                return held
        try:
            found = getattr(value, name)
        except AttributeError:
            known_to_have(ctx, obj, name, False)
            return _missing(ctx, f"module {value.__name__}", name, node)
        same = counterpart(found) if is_of_library(value) else None
        if same is not None and same is not NOT_IN_NUMPY:
            return Lit(same)
        if value.__name__.split(".")[0] not in _QUIET:
            if callable(found) or isinstance(found, types.ModuleType):      # functions of modules stay what they are
                ctx.program.guard("attr", value, name, found)
            else:
                known_outside(ctx, "attr", value, name, found)
        if isinstance(found, (bool, str, type(None))):
            return Lit(found)
        if ctx.program.implicit:
            from ..domain.implicit_arguments import held as implicit_argument
            if (argument := implicit_argument(ctx, found)) is not None:
                return argument
        return Lit(found, text or ctx.bind(name, found))
    if isinstance(value, (bool, int, float, complex)):
        return _of_number(ctx, obj, name, node)
    if isinstance(value, (str, bytes, list, dict, set, frozenset, tuple, range)) and type(value).__module__ == "builtins":
        method = getattr(type(value), name, None)
        return SBound(obj, method) if method is not None else _missing(ctx, type(value).__name__, name, node)
    if type(value) in PLAIN_ARRAYS or is_array(value):
        return _of_array(ctx, obj, obj.type, name, node)
    if isinstance(value, (np.generic,)):
        return _of_array(ctx, obj, obj.type, name, node)
    if isinstance(value, (np.dtype, np.finfo, np.iinfo)):
        return Lit(getattr(value, name))
    if isinstance(value, slice):
        return Lit(getattr(value, name))
    if value is None:
        return _missing(ctx, "NoneType", name, node)
    if isinstance(value, type):
        from ..objects.access import attribute_of_class
        return attribute_of_class(ctx, obj, name, node)
    own = isinstance(value, types.FunctionType) and name not in _OF_FUNCTIONS and name != "__wrapped__"
    if not own and isinstance(value, (types.FunctionType, types.BuiltinFunctionType, types.MethodType, np.ufunc)) or name in (
        "__name__",
        "__wrapped__",
    ):
        found = getattr(value, name, UNDEF)
        if found is UNDEF:
            return _missing(ctx, type(value).__name__, name, node)
        return Lit(found) if isinstance(found, (bool, str, type(None), int, float)) else Lit(found, text or ctx.bind(name, found))
    from ..objects.access import attribute_of_instance
    return attribute_of_instance(ctx, obj, value, name, node)


def _of_number(ctx: Lowering, obj: Any, name: str, node: Any) -> Any:
    kind = obj.type.kind
    cls = {"bool": bool, "int": int, "float": float, "complex": complex}[kind]
    if name in ("real", "imag", "numerator", "denominator"):
        if name == "real" and kind != "complex":
            return obj
        return get_attr(ctx, obj, name, node=node)
    method = getattr(cls, name, None)
    if method is None and in_definition(ctx) and hasattr(np.generic, name):     # which is written for what NumPy makes of its arguments
        made = {"bool": np.bool_, "int": np.int64, "float": np.float64, "complex": np.complex128}[kind]
        number = call(ctx, made, [obj], spelling=f"{ctx.bind('np', np)}.{made.__name__}", node=node)
        return _of_array(ctx, number, number.type, name, node)
    return SBound(obj, method) if method is not None else _missing(ctx, kind, name, node)


def _of_array(ctx: Lowering, obj: Any, t: Any, name: str, node: Any) -> Any:
    if name == "ndim":
        return Lit(len(t.dims))
    if name == "dtype":
        return Lit(np.dtype(t.dtype), ctx_dtype(ctx, t.dtype))
    if name == "device":
        return Lit("cpu")
    if name == "itemsize":
        return Lit(np.dtype(t.dtype).itemsize)
    if name in ("T", "real") and (name == "T" and not t.dims or name == "real" and t.dtype[0] != "c"):
        return obj
    if name == "shape" and not t.dims:
        return Lit(())
    if name == "flat" and not getattr(node, "is_target", False):
        return call(ctx, np.ravel, [obj], spelling=f"{ctx.bind('np', np)}.ravel", node=node)
    if name in ("shape", "T", "mT", "real", "imag", "size", "flat", "strides", "nbytes", "base", "flags"):
        return get_attr(ctx, obj, name, node=node)
    method = getattr(np.ndarray, name, None)
    if method is None and t.scalar and t.dtype == "float64" and hasattr(float, name):     # np.float64 is a float
        return _of_number(ctx, call(ctx, float, [obj], node=node), name, node)
    if method is None and t.scalar and hasattr(np.dtype(t.dtype).type, name):
        refuse("static", ctx.at(node), f"the attribute {name} of a NumPy scalar")
    if method is None:
        refuse_attribute(ctx, obj, name, node)
        return _missing(ctx, "numpy.ndarray", name, node)
    return SBound(obj, method)


def ctx_dtype(ctx: Lowering, name: str) -> str:
    """The spelling of a dtype in the emitted text."""
    return f"{ctx.bind('np', np)}.{np.dtype(name).type.__name__}"


def _of_value(ctx: Lowering, obj: Value, name: str, node: Any) -> Any:
    t = strip(obj.type)
    if isinstance(t, Num):
        return _of_number(ctx, obj, name, node) if obj.type is t else get_attr(ctx, obj, name, node=node)
    if isinstance(t, Arr):
        return _of_array(ctx, obj, t, name, node)
    for kind, cls in ((ListT, list), (SetT, set), (DictT, dict)):
        if isinstance(t, kind):
            method = getattr(cls, name, None)
            if method is None and cls is dict and ctx.program.ordered:
                method = getattr(collections.OrderedDict, name, None)
            return SBound(obj, method) if method is not None else _missing(ctx, cls.__name__, name, node)
    if isinstance(t, RecordT) and t.cls is dict:
        return SBound(obj, getattr(dict, name)) if hasattr(dict, name) else _missing(ctx, "dict", name, node)
    if isinstance(t, TupleT):
        if t.cls is list:
            return SBound(obj, getattr(list, name))
        if t.cls is not None and name in t.cls._fields:     # type: ignore[attr-defined]
            return read_item(ctx, obj, Lit(t.cls._fields.index(name)), node)       # type: ignore[attr-defined]
        return SBound(obj, getattr(t.cls or tuple, name))
    if isinstance(t, Obj) and t.cls is str:
        return SBound(obj, getattr(str, name))
    from ..objects.access import attribute_of_value
    return attribute_of_value(ctx, obj, t, name, node)


def write(ctx: Lowering, obj: Any, name: str, value: Any, node: Any) -> None:
    """``obj.name = value``."""
    from ..statements.attribute_writes import write_attribute
    if isinstance(obj, SFunc):
        ctx.keep(value)
        ctx.state[obj, name] = value
        return
    if isinstance(obj, (SObj, SClass, SSuper)) or isinstance(obj, (Value, Lit)) and not isinstance(strip(obj.type), Arr):
        write_attribute(ctx, obj, name, value, node)
        return
    if isinstance(obj, SChoice):
        refuse("conflict", ctx.at(node), "the object that is written to differs between paths")
    if name == "shape":
        refuse("syntax", ctx.at(node), "assigning the shape of an array (write x = x.reshape(shape))")
    if name in ("dtype", "strides", "data"):
        refuse("syntax", ctx.at(node), f"assigning the {name} of an array")
    if name in ("real", "imag", "flat"):
        import operator
        if name == "imag" and obj.type.dtype[0] == "c":     # the adjoint of a.imag is no view of that of a
            real = get_attr(ctx, obj, "real", node=node)
            value = call(ctx, operator.add, [real, call(ctx, operator.mul, [Lit(1j), value], node=node)], node=node)
            call(ctx, operator.setitem, [obj, Lit(Ellipsis), value], node=node)
            return
        view = get_attr(ctx, obj, name, node=node)
        call(ctx, operator.setitem, [view, Lit(Ellipsis), value], node=node)
        return
    set_attr(ctx, obj, name, value, node)

"""Built-in functions that are answered when compiling, or rewritten to what the IR has."""
from __future__ import annotations

import collections
import types
from typing import Any, NoReturn

import numpy as np

from ...ir.ops import Lit, Star, Value
from ...ir.types import UNKNOWN, Arr, DictT, ListT, Num, Obj, OptT, RecordT, TupleT, classes_of, is_mixed
from ..containers.iterables import collect, resolve
from ..context import Attribute, Lowering
from ..domain import heap
from ..domain.abstract import UNBOUND, SBound, SClass, SDict, SFunc, SIter, SList, SObj, SPartial, SSlice, SSuper, STuple, is_lit
from ..domain.contents import Contents
from ..domain.external_state import known_to_have
from ..expressions.attributes import read_attribute, write
from ..expressions.dispatch import _printable
from ..expressions.operations import call, strip
from ..library.standard_containers import columns
from ..objects.access import instance_dict, looks_up, own_variable
from ..objects.builtin_bases import plain_data
from ..objects.instance_dicts import namespace_of, on_heap_if_undecided
from ..objects.members import class_of, find, has_special, lookup_order, special
from ..refusals import refuse
from ..statements.control_flow import choose
from .functions import call_function

__all__ = ["HANDLERS", "class_of_value", "python_class"]


def _len(ctx: Lowering, args: list[Any], kwargs: Any, node: Any) -> Any:
    x = args[0]
    if isinstance(x, STuple):
        return Lit(len(x.items))
    if isinstance(x, (SList, SDict)) and isinstance(ctx.contents(x), Contents):
        return Lit(len(ctx.contents(x).items))
    if isinstance(x, Lit) and isinstance(x.value, (str, bytes, tuple, range)):
        return Lit(len(x.value))
    if isinstance(x, SIter):
        x = collect(ctx, x, node)
        return _len(ctx, [x], {}, node)
    if (data := plain_data(ctx, x, node, "__len__")) is not None:
        return _len(ctx, [data], {}, node)
    t = strip(x.type) if isinstance(x, Value) else None
    if isinstance(t, TupleT) and t.cls is not list:
        return Lit(len(t.elems))
    if (isinstance(t, TupleT) or isinstance(t, RecordT) and t.cls is dict) and (
            x in ctx.examples and id(ctx.examples[x][0]) not in ctx.program.stale):
        return Lit(len(t.elems))
    if isinstance(t, Arr) and t.dims and t.dims[0].one:
        return Lit(1)
    found = special(ctx, x, "__len__", [], node)
    return found if found is not None else call(ctx, len, [x], spelling="len", type=None if isinstance(x, Value) else Num("int"), node=node)


def python_class(ctx: Lowering, x: Any) -> Any:
    """The class of an abstract value, None where it is not known (an `SClass` for instances of a class defined inside)."""
    if isinstance(x, Lit):
        return type(x.value)
    if isinstance(x, SObj):
        return x.cls
    if isinstance(x, STuple):
        return x.cls or tuple
    if isinstance(x, (SList, SDict)):
        return list if isinstance(x, SList) else x.cls or dict
    if isinstance(x, (SFunc, SBound)):
        return type(lambda: 0)
    if isinstance(x, SClass):
        return type
    if isinstance(x, SIter):
        return {"range": range, "zip": zip, "enumerate": enumerate, "map": map, "filter": filter}.get(x.kind)
    if isinstance(x, Value):
        t = x.type
        if (ref := heap.reference_type(ctx, x)) is not None:
            return None if isinstance(t, OptT) and x not in ctx.classes_of or len(ref.classes) != 1 else ref.cls
        if x in ctx.examples and not isinstance(t, (Num, Arr)):
            return class_of(ctx, x)
        match t:
            case Num() | Arr():
                found = classes_of(t)
                return found[0] if len(found) == 1 else None
            case TupleT(_, cls):
                return cls or tuple
            case ListT():
                return list
            case DictT():
                return dict
            case RecordT(_, _, cls):
                return cls
            case Obj(cls):
                return cls
    return None


def _isinstance(ctx: Lowering, args: list[Any], kwargs: Any, node: Any) -> Any:
    classes = _classes(ctx, args[1])
    if classes is not None and heap.reference_type(ctx, args[0]) is not None:
        return heap.is_instance(ctx, args[0], classes, node)
    if isinstance(args[0], Value) and args[0] in ctx.error_classes and (known := _of_error(ctx, args[0], classes)) is not None:
        return Lit(known)
    cls = python_class(ctx, args[0])
    t = args[0].type if isinstance(args[0], Value) else None
    if cls is None and classes is not None and isinstance(t, (Num, Arr)):
        answers = [any(isinstance(c, type) and issubclass(one, c) for c in classes) for one in classes_of(t)]
        return Lit(answers[0]) if len(set(answers)) == 1 else NotImplemented
    if classes is None or cls is None:
        return NotImplemented
    if isinstance(cls, SClass):
        return Lit(any(c in lookup_order(cls) for c in classes))
    if cls is dict and ctx.program.ordered and dict not in classes and any(
            isinstance(c, type) and issubclass(collections.OrderedDict, c) is not issubclass(dict, c) for c in classes):
        _refuse_ordered(ctx, node)
    return Lit(any(isinstance(c, type) and issubclass(cls, c) for c in classes))


def _of_error(ctx: Lowering, error: Value, classes: list[Any] | None) -> bool | None:
    """Whether the exception of an operation is one of some classes; None where that is not known when compiling."""
    raised = ctx.error_classes[error]
    if classes is None or not all(isinstance(c, type) for c in classes):
        return None
    if all(any(issubclass(r, c) for c in classes) for r in raised):
        return True
    return None if any(issubclass(r, c) or issubclass(c, r) for r in raised for c in classes) else False


def _refuse_ordered(ctx: Lowering, node: Any) -> NoReturn:
    """Refuses the function as a whole (a statement of it would be given a dict): an OrderedDict is lowered as a dict."""
    refuse("undecided", None, f"whether a dict is an OrderedDict (line {ctx.at(node).line}) is not known when compiling")


def _classes(ctx: Lowering, x: Any) -> list[Any] | None:
    if isinstance(x, SClass):
        return [x]
    if isinstance(x, Lit):
        value = x.value
        if isinstance(value, tuple):
            return list(value)
        if isinstance(value, type):
            return [value]
        args = getattr(value, "__args__", None)
        return list(args) if args and all(isinstance(a, type) for a in args) else None
    if isinstance(x, STuple):
        parts = [_classes(ctx, i) for i in x.items]
        return None if any(p is None for p in parts) else [c for p in parts if p for c in p]
    return None


def _issubclass(ctx: Lowering, args: list[Any], kwargs: Any, node: Any) -> Any:
    classes, cls = _classes(ctx, args[1]), args[0]
    if isinstance(cls, Value) and cls in ctx.error_classes and (known := _of_error(ctx, cls, classes)) is not None:
        return Lit(known)
    if classes is None or not is_lit(cls, type):
        return NotImplemented
    return Lit(any(isinstance(c, type) and issubclass(cls.value, c) for c in classes))


def _zip(ctx: Lowering, args: list[Any], kwargs: Any, node: Any) -> Any:
    """zip(*rows) of a list of which it is not known how many rows it has hands out its columns."""
    if not any(isinstance(a, Star) for a in args):
        from ..containers.iterables import resolve
        from ..objects.generator_records import is_iterator
        instances = [isinstance(a, (SObj, Value)) and not is_iterator(ctx, a) and has_special(ctx, a, "__iter__") for a in args]
        resolved = [resolve(ctx, a, node) if made else a for a, made in zip(args, instances)]
        return SIter("zip", *(a if isinstance(r, SIter) and r.kind == "generator" else r for a, r in zip(args, resolved)))
    rows = args[0].value if len(args) == 1 else None
    t = strip(rows.type) if isinstance(rows, (Value, Lit)) else None
    if not isinstance(t, ListT) or t.elem is None or not isinstance(strip(t.elem), (ListT, TupleT)):
        refuse("unpack", ctx.at(node), "an argument passed with *")
    return call_function(ctx, columns, [rows], {}, node)


def class_of_value(ctx: Lowering, args: list[Any], kwargs: Any, node: Any) -> Any:
    if len(args) != 1:
        refuse("class_body", ctx.at(node), "type() with three arguments makes a class inside the function")
    cls = python_class(ctx, args[0])
    if cls is None:
        return NotImplemented
    if isinstance(cls, SClass):
        return cls
    if cls is dict and ctx.program.ordered:
        _refuse_ordered(ctx, node)
    name = cls.__name__
    if cls.__module__ == "builtins":
        return Lit(cls, name)
    if cls.__module__ == "numpy":
        return Lit(cls, f"{ctx.bind('np', np)}.{name}")
    return Lit(cls, ctx.bind(name, cls))


def _hasattr(ctx: Lowering, args: list[Any], kwargs: Any, node: Any) -> Any:
    x, name = args
    if not is_lit(name, str):
        return NotImplemented
    if isinstance(x, SSuper):
        return Lit(find(class_of(ctx, x.self) if not is_lit(x.self, type) else x.self.value, name.value, x.owner)[1] is not UNBOUND)
    if heap.reference_type(ctx, x) is not None:
        return heap.has(ctx, x, name.value, node)
    if isinstance(x, SObj):
        if not isinstance(find(x.cls, name.value)[1], (types.MemberDescriptorType, type(UNBOUND))):      # a slot may be empty
            return Lit(True)
        on_heap_if_undecided(ctx, x, name.value)
        return Lit(_made(ctx, (x, name.value), ctx.state.get((x, name.value), UNBOUND), node))
    if isinstance(x, Lit) and not _instance(x.value):
        if isinstance(x.value, types.FunctionType) and name.value not in dir(types.FunctionType):
            return _instance_has(ctx, x, x.value, name.value, node)
        known = hasattr(x.value, name.value)
        if isinstance(x.value, (type, types.ModuleType)):
            known_to_have(ctx, x, name.value, known)
        return Lit(known)
    value = x.value if isinstance(x, Lit) else ctx.examples[x][0] if isinstance(x, Value) and x in ctx.examples else None
    if _instance(value):
        return _instance_has(ctx, x, value, name.value, node)
    cls = python_class(ctx, x)
    if cls is None:
        return NotImplemented
    if isinstance(x, Value) and isinstance(x.type, RecordT) and name.value in x.type.keys and x.type.cls is not dict:
        return Lit(True)
    return Lit(find(cls, name.value)[1] is not UNBOUND if isinstance(cls, SClass) else hasattr(cls, name.value))


def _instance_has(ctx: Lowering, x: Any, value: Any, name: str, node: Any) -> Any:
    """Whether an instance has an attribute, without asking it: that might run code of its own."""
    found = find(type(value), name)[1]
    of_class = found is not UNBOUND and not isinstance(found, types.MemberDescriptorType)       # a slot may be empty
    known = of_class or instance_dict(value, name, found) is not UNBOUND
    if not known and looks_up(type(value)):
        return NotImplemented
    if not known and isinstance(x, Lit) and (Attribute(value), name) in ctx.program.sites:
        known = _made(ctx, (Attribute(value), name), own_variable(ctx, value, name), node)
    elif not known and isinstance(x, Value) and (id(value), name) in ctx.program.fields:
        refuse("conflict", ctx.at(node), f"whether there is a '{name}' depends on the path taken")
    elif isinstance(x, Value) or not of_class:
        known_to_have(ctx, x, name, known)
    return Lit(known)


def _made(ctx: Lowering, variable: tuple[Any, str], held: Any, node: Any) -> bool:
    """Whether an attribute that the function itself makes has been made."""
    if variable in ctx.partial or held is UNBOUND and ctx.repeats:
        refuse("conflict", ctx.at(node), f"whether there is a '{variable[1]}' depends on the path taken")
    return held is not UNBOUND


def _instance(value: Any) -> bool:
    """Whether a value is an object of a class of the user's or a library's, of which the type does not say all."""
    return type(value).__module__ != "builtins" and not isinstance(value, (type, np.ndarray, np.generic, np.ufunc))


def _getattr(ctx: Lowering, args: list[Any], kwargs: Any, node: Any) -> Any:
    if not is_lit(args[1], str):
        return NotImplemented
    if len(args) == 3:
        has = _hasattr(ctx, args[:2], {}, node)
        if isinstance(has, Lit) and not has.value:
            return args[2]
        if isinstance(has, Value):
            return choose(ctx, has, lambda: _getattr(ctx, args[:2], kwargs, node), lambda: args[2])
        if has is NotImplemented and is_mixed(getattr(args[0], "type", None)):
            return call(ctx, getattr, args, spelling="getattr", type=UNKNOWN, node=node)
        if has is NotImplemented and isinstance(args[0], Lit):      # only asking tells
            return NotImplemented
    return read_attribute(ctx, args[0], args[1].value, node)


def _setattr(ctx: Lowering, args: list[Any], kwargs: Any, node: Any) -> Any:
    if not is_lit(args[1], str):
        refuse("attribute_write", ctx.at(node), "an attribute whose name is not known when compiling")
    write(ctx, args[0], args[1].value, args[2], node)
    return Lit(None)


def _object_setattr(ctx: Lowering, args: list[Any], kwargs: Any, node: Any) -> Any:
    if is_lit(args[1], str) and (isinstance(args[0], SObj) or heap.reference_type(ctx, args[0]) is not None or args[0] in ctx.examples):
        from ..statements.attribute_writes import write_attribute
        write_attribute(ctx, args[0], args[1].value, args[2], node, raw=True)
        return Lit(None)
    return NotImplemented


def _callable(ctx: Lowering, args: list[Any], kwargs: Any, node: Any) -> Any:
    x = args[0]
    if isinstance(x, (SFunc, SBound, SPartial, SClass)):
        return Lit(True)
    if isinstance(x, Lit):
        return Lit(callable(x.value))
    cls = python_class(ctx, x)
    if cls is None:
        return NotImplemented
    return Lit(find(cls, "__call__")[1] is not UNBOUND)


def _iterator(kind: str) -> Any:
    def handler(ctx: Lowering, args: list[Any], kwargs: Any, node: Any) -> Any:
        return SIter(kind, *args)
    return handler


def _enumerate(ctx: Lowering, args: list[Any], kwargs: Any, node: Any) -> Any:
    return SIter("enumerate", args[0], args[1] if len(args) > 1 else kwargs.get("start", Lit(0)))


def _reversed(ctx: Lowering, args: list[Any], kwargs: Any, node: Any) -> Any:
    x = resolve(ctx, args[0], node)
    if isinstance(x, SIter) and x.kind in ("enumerate", "zip", "map", "generator", "genexp"):
        x = collect(ctx, x, node)
    return SIter("reversed", x)


def _super(ctx: Lowering, args: list[Any], kwargs: Any, node: Any) -> Any:
    cls = args[0] if isinstance(args[0], SClass) else args[0].value
    return SSuper(cls, args[1])


def _refused(key: str, detail: str) -> Any:
    def handler(ctx: Lowering, args: list[Any], kwargs: Any, node: Any) -> Any:
        refuse(key, ctx.at(node), detail)
    return handler


def _slice(ctx: Lowering, args: list[Any], kwargs: Any, node: Any) -> Any:
    parts = [Lit(None), args[0], Lit(None)] if len(args) == 1 else [*args, Lit(None)][:3]
    if all(isinstance(p, Lit) and p.text is None for p in parts):
        return Lit(slice(*(p.value for p in parts)))
    return SSlice(*parts)


def _print(ctx: Lowering, args: list[Any], kwargs: Any, node: Any) -> Any:
    call(ctx, print, [_printable(ctx, a, node) for a in args], kwargs, spelling="print", node=node)
    return Lit(None)


def _text(fn: Any) -> Any:
    def handler(ctx: Lowering, args: list[Any], kwargs: Any, node: Any) -> Any:
        if not args:
            return Lit(fn())
        if isinstance(args[0], Lit) and isinstance(args[0].value, (str, int, bool, type(None))) and args[0].text is None and len(args) == 1:
            return Lit(fn(args[0].value))
        return call(ctx, fn, [_printable(ctx, args[0], node), *args[1:]], kwargs, spelling=fn.__name__, type=Obj(str), node=node)
    return handler


def _vars(ctx: Lowering, args: list[Any], kwargs: Any, node: Any) -> Any:
    if args and (space := namespace_of(ctx, args[0])) is not None:
        return space
    refuse("namespace", ctx.at(node), "vars")


HANDLERS: dict[Any, Any] = {
    len: _len, isinstance: _isinstance, issubclass: _issubclass, type: class_of_value,
    hasattr: _hasattr, getattr: _getattr, setattr: _setattr,
    callable: _callable, range: _iterator("range"), zip: _zip, enumerate: _enumerate,
    reversed: _reversed, map: _iterator("map"), filter: _iterator("filter"), super: _super, slice: _slice,
    print: _print, str: _text(str), repr: _text(repr), object.__setattr__: _object_setattr, vars: _vars,
    eval: _refused("eval", "eval"), exec: _refused("eval", "exec"), compile: _refused("eval", "compile"),
    locals: _refused("namespace", "locals"), globals: _refused("namespace", "globals"), __import__: _refused("import", "a module"),
}

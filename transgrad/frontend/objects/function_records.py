"""Functions as values at run time: a closure, a bound method or a partial in a container is a record on the heap.

A function that exists only in the compiler is inlined where it is called. Where it must be a value (in a list of unknown length, in a
queue of events, as one of several by the path taken), lowering starts again with its ``def``, method or partial as a class on the heap
(see `heap`): an instance holds the captured variables, and a call of a reference selects the body by a test of its class.

    handlers.append(lambda v: gain * v)       n = len(instances); instances.append(0); function_gain[n] = gain; handlers.append(n)
    handlers[k](x)                            function_gain[handlers[k]] * x

A captured variable that is assigned once, before the function is made, is copied into the record. Others live in a cell: a list whose last
item is the present value, which the function around and all records share (`boxed`).
"""
from __future__ import annotations

import operator
import types
from typing import Any

import gast
import numpy as np

from ...ir.ops import Lit, Operand, Value
from ...ir.types import Num
from ..context import Lowering, Restart
from ..domain import heap
from ..domain.abstract import UNBOUND, SBound, SCell, SFunc, SPartial
from ..expressions.operations import call
from ..frames import Frame, scope_of
from ..refusals import refuse

__all__ = ["FunctionRecord", "begin_cells", "beside_records", "call_record", "check_identity", "of_closure", "read_cell", "record",
           "set_cell"]

#: a name that is bound to the function itself
_OWN = "itself"


class FunctionRecord:
    """Base of the classes of functions on the heap."""


class _Method(FunctionRecord):
    """Base of the classes of bound methods, which are equal where instance and function are the same."""


class _Object(FunctionRecord):
    """Base of the classes of functions of some module, of which each place where one is stored makes a record."""

    __eq__ = None       # type: ignore[assignment]
    __hash__ = None     # type: ignore[assignment]


def _class(ctx: Lowering, key: Any, name: str, base: type = FunctionRecord) -> type:
    """The class of the records of a function; the same in each attempt."""
    found = ctx.program.function_classes.get(key)
    if found is None:
        name = name if name.isidentifier() else "function"
        found = ctx.program.function_classes[key] = type(name, (base,), {})
    return found


def _wanted(ctx: Lowering, cls: type) -> None:
    """Lower again with a class on the heap, where it is not there yet."""
    site = heap.heap_site(cls)
    if site not in ctx.program.sites:
        raise Restart([site])


def record(ctx: Lowering, x: Any, node: Any) -> Operand:
    """A function of the compiler as a value at run time."""
    if isinstance(x, SFunc):
        _wanted(ctx, _class(ctx, x.node, x.name))       # from the next attempt on, its definition makes a record
        return refuse("static", _at(ctx, node), f"the function {x.name}() cannot be a value at run time")
    if isinstance(x, SBound):
        return _method(ctx, x, node)
    assert isinstance(x, SPartial)
    parts = {"func": x.func, **{f"argument_{k}": a for k, a in enumerate(x.args)}, **{f"keyword_{k}": v for k, v in x.kwargs.items()}}
    inner = x.func.value if isinstance(x.func, Lit) else None
    cls = _class(ctx, ("partial", id(inner), node, tuple(parts)), "partial")
    _wanted(ctx, cls)
    made = heap.new_instance(ctx, cls, node)
    for name, value in parts.items():
        heap.store(ctx, made, name, value, node)
    ctx.program.records[cls] = (SPartial, len(x.args), tuple(x.kwargs))
    return made


def beside_records(ctx: Lowering, x: Any, node: Any) -> Any:
    """A function of some module that goes into a container, as a record where other functions of the program are records."""
    if not isinstance(x, Lit) or not isinstance(x.value, (types.FunctionType, types.BuiltinFunctionType, np.ufunc)):
        return x
    cls = _class(ctx, ("object", id(x.value)), getattr(x.value, "__name__", "function"), _Object)
    _wanted(ctx, cls)
    ctx.program.records[cls] = (Lit, x.value)
    return heap.new_instance(ctx, cls, node)


def _at(ctx: Lowering, node: Any) -> Any:
    return ctx.at(node) if hasattr(node, "lineno") else ctx.loc


def _method(ctx: Lowering, x: SBound, node: Any) -> Operand:
    """A bound method: one record for each instance and function, so that equal methods are the same record."""
    from ..statements.control_flow import choose
    function = x.func.node if isinstance(x.func, SFunc) else x.func
    if not isinstance(x.func, (types.FunctionType, SFunc)) or isinstance(x.self, Lit) and isinstance(x.self.value, type):
        refuse("static", _at(ctx, node), "the method of a built-in class or of a class cannot be a value at run time")
    name: str = x.func.name if isinstance(x.func, SFunc) else x.func.__name__
    cls = _class(ctx, ("method", function), name, _Method)
    _wanted(ctx, cls)
    self_ = ctx.escape(x.self, node)
    if not isinstance(self_, Value) or heap.reference_type(ctx, self_) is None:
        refuse("static", _at(ctx, node), f"the method {name}() of an object from outside cannot be a value at run time")
    ctx.program.records[cls] = (SBound, x.func, x.owner)
    known = heap.table(ctx, (cls, "record"))

    def new() -> Any:
        made = heap.new_instance(ctx, cls, node)
        heap.store(ctx, made, "self", self_, node)
        call(ctx, operator.setitem, [known, self_, made], node=node)
        return made
    made_before = call(ctx, operator.contains, [known, self_], type=Num("bool"), node=node)
    return ctx.operand(choose(ctx, made_before, lambda: call(ctx, operator.getitem, [known, self_], node=node), new), node)


def of_closure(ctx: Lowering, x: SFunc, node: Any) -> Any:
    """A function just made: itself, or its record where functions of this definition are on the heap."""
    cls = ctx.program.function_classes.get(x.node)
    if cls is None or heap.heap_site(cls) not in ctx.program.sites:
        return x
    captured = {}
    for name in _free_names(x):
        home = ctx.frame.home_of(name)
        if home is None:
            continue
        held = ctx.state.get(home, UNBOUND)
        if held is UNBOUND and ctx.capture is not None:
            held = ctx.capture(home, name)
        captured[name] = _captured(ctx, x, home, name, held, node)
    made = heap.new_instance(ctx, cls, node)
    for name, value in captured.items():
        if value is not _OWN:
            heap.store(ctx, made, name, value.value if isinstance(value, SCell) else value, node)
    for k, default in enumerate(x.defaults):
        heap.store(ctx, made, f"default_{k}", default, node)
    for k, default in enumerate(x.kwdefaults):
        if default is not None:
            heap.store(ctx, made, f"kwdefault_{k}", default, node)
    kinds = {name: _OWN if value is _OWN else isinstance(value, SCell) for name, value in captured.items()}
    ctx.program.records[cls] = (SFunc, x, kinds)
    return made


def _captured(ctx: Lowering, x: SFunc, home: Any, name: str, held: Any, node: Any) -> Any:
    """A captured variable: its value, its cell, or a mark for the function itself."""
    if isinstance(held, SCell):
        return held
    frame = home[0]
    if not isinstance(frame, Frame):
        refuse("static", _at(ctx, node), f"the function {x.name}(), which reads the variable '{name}' of a comprehension, cannot be a "
               "value at run time")
    if frame is ctx.frame and name == x.name and not _stores(frame.node, name):
        return _OWN
    if held is UNBOUND or _rebound(frame.node, name, x.node):
        site = "#cell", frame.node, name
        if site not in ctx.program.sites:
            raise Restart([site])
        refuse("static", _at(ctx, node), f"the function {x.name}(), which reads '{name}' of a function around it, cannot be a value at run "
               "time")
    return held


def _free_names(x: SFunc) -> list[str]:
    """The names of variables of functions around a function that it, or a function in it, mentions."""
    found = x.source.notes.get((x.node, "free names"))
    if found is None:
        own = scope_of(x.source, x.node).locals
        body = x.node.body if isinstance(x.node.body, list) else [x.node.body]
        nodes = [n for statement in body for n in gast.walk(statement)]
        names = [n.id for n in nodes if isinstance(n, gast.Name)] + [m for n in nodes if isinstance(n, gast.Nonlocal) for m in n.names]
        found = x.source.notes[x.node, "free names"] = [n for n in dict.fromkeys(names) if n not in own]
    result: list[str] = found
    return result


def _stores(function: Any, name: str) -> list[Any]:
    """The nodes in the body of a function that assign a variable of it."""
    out = []
    for n in gast.walk(function):
        if isinstance(n, gast.Name) and n.id == name and isinstance(n.ctx, (gast.Store, gast.Del)):
            out.append(n)
        elif isinstance(n, gast.Nonlocal) and name in n.names:
            out.append(n)
        elif isinstance(n, gast.ExceptHandler) and getattr(n.name, "id", n.name) == name:
            out.append(n)
        elif isinstance(n, (gast.Import, gast.ImportFrom)) and any((a.asname or a.name.split(".")[0]) == name for a in n.names):
            out.append(n)
    return out


def _rebound(function: Any, name: str, made: Any) -> bool:
    """Whether a variable of a function may be assigned after the nested function ``made`` has come to be."""
    inner = {id(n) for n in gast.walk(made)}
    definitions = [n for n in gast.walk(function)
                   if isinstance(n, (gast.FunctionDef, gast.ClassDef)) and n.name == name and n is not function]
    loops = [{id(n) for n in gast.walk(loop)} for loop in gast.walk(function) if isinstance(loop, (gast.For, gast.While))]
    for store in [*_stores(function, name), *definitions]:
        after = (store.lineno, store.col_offset) > (made.lineno, made.col_offset) and id(store) not in inner
        if after or isinstance(store, gast.Nonlocal) or any(id(store) in loop and id(made) in loop for loop in loops):
            return True
    return False


def call_record(ctx: Lowering, x: Value, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    """A call of a function on the heap."""
    return heap.by_class(ctx, x, node, lambda cls: _call(ctx, x, cls, args, kwargs, node))


def _call(ctx: Lowering, x: Value, cls: type, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    from ..calls.dispatch import call_abstract
    from ..calls.functions import call_sfunc
    if not issubclass(cls, FunctionRecord):
        return call_abstract(ctx, x, args, kwargs, node)
    kind, *rest = ctx.program.records[cls]

    def field(name: str) -> Any:
        return heap.read_stored(ctx, x, name, node)
    if kind is SBound:
        func, owner = rest
        return call_abstract(ctx, SBound(field("self"), func, owner), args, kwargs, node)
    if kind is SPartial:
        count, names = rest
        fixed = [field(f"argument_{k}") for k in range(count)]
        return call_abstract(ctx, field("func"), [*fixed, *args], {**{n: field(f"keyword_{n}") for n in names}, **kwargs}, node)
    if kind is Lit:
        return call_abstract(ctx, Lit(rest[0], ctx.bind(cls.__name__, rest[0])), args, kwargs, node)
    made, kinds = rest
    scope = object()
    layer = {}
    for name, captured in kinds.items():
        held = x if captured is _OWN else field(name)
        ctx.state[scope, name] = SCell(held) if captured is True else held
        layer[name] = scope
    func = SFunc(made.node, made.source, made.frame, [field(f"default_{k}") for k in range(len(made.defaults))],
                 [None if d is None else field(f"kwdefault_{k}") for k, d in enumerate(made.kwdefaults)], made.name)
    func.owner = made.owner
    func.hidden, func.is_record = [layer], True
    try:
        return call_sfunc(ctx, func, args, kwargs, node)
    finally:
        for name in kinds:
            ctx.state.pop((scope, name), None)


def begin_cells(ctx: Lowering, frame: Frame, node: Any) -> None:
    """At the entry of a function: makes the cells of its variables that functions on the heap share with it."""
    for site in ctx.program.sites:
        if isinstance(site, tuple) and site[0] == "#cell" and site[1] is frame.node:
            held = ctx.state.get((frame, site[2]), UNBOUND)
            ctx.state[frame, site[2]] = cell = SCell(ctx.runtime_display("list", []))
            if held is not UNBOUND:
                set_cell(ctx, cell, held, node)


def read_cell(ctx: Lowering, cell: SCell, node: Any) -> Any:
    """The present value of a variable in a cell."""
    return call(ctx, operator.getitem, [cell.value, Lit(-1)], node=node)


def set_cell(ctx: Lowering, cell: SCell, value: Any, node: Any) -> None:
    """Assigns a variable in a cell."""
    call(ctx, list.append, [cell.value, value], node=node)


def check_identity(ctx: Lowering, a: Any, b: Any, node: Any, equality: bool) -> None:
    """Refuse to compare records whose identity is not that of the functions: of functions of some module, and ``is`` of bound methods."""
    for x, other in ((a, b), (b, a)):
        t = heap.reference_type(ctx, x)
        classes = t.classes if t is not None else ()
        against = isinstance(other, Lit) and callable(other.value) and any(issubclass(c, FunctionRecord) for c in classes)
        if against or any(issubclass(c, _Object) or issubclass(c, _Method) and not equality for c in classes):
            if not (isinstance(other, Lit) and other.value is None):
                refuse("static", _at(ctx, node), "a function in a container, whose identity is asked for,")

"""Lowers a function for the types of its arguments: the entrance of the front end."""
from __future__ import annotations

import inspect
import operator
import types
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from ..errors import InternalError, NoSourceError, TransgradError, is_strict
from ..ir.attributes import Guard
from ..ir.infer import excluded_length, type_of
from ..ir.keys import fields_key
from ..ir.numpy_signatures import library_signature
from ..ir.observed import ReadDerivative
from ..ir.ops import Block, Call, Function, Lit, Param, Star, Value, blocks_of, functions_of, walk
from ..ir.optional import name_present
from ..ir.types import UNKNOWN, Arr, DictT, ListT, Num, Obj, OptT, RecordT, SetT, TupleT, as_numbers, holds_instance, unmixed
from ..rules import definition_of
from ..runtime.fields import is_tree_of_records
from ..services import check_meanwhile, check_untracked
from .calls.binding import mapping_items
from .calls.dispatch import call_abstract, call_object
from .calls.functions import _owner
from .calls.hooks import handler_of
from .calls.invocation import finish, lower_body, parameter_kinds, parameter_names
from .containers.iterables import static_items
from .context import CHANGED_DICTS, FIELDS, OBJECTS, Attribute, Lowering, Program, Restart
from .domain.abstract import ANYTHING, UNBOUND
from .domain.alias_sets import element
from .domain.external_state import LIVE, changes_outside, known_to_have, write_out
from .domain.implicit_arguments import begin as begin_implicit
from .domain.implicit_arguments import held as implicit_argument
from .domain.join import BOTTOM
from .domain.shape_assumptions import checked, nonempty_lengths, with_known_lengths
from .domain.written_arguments import split
from .expressions.attributes import read_attribute
from .expressions.operations import get_attr, rule_kind
from .frames import Frame, cells_of, scope_of
from .free_variables import read_free_variables
from .objects.access import _outside_attribute, class_constant, instance_dict
from .objects.attribute_rereads import check_rereads
from .objects.members import find
from .refusals import REFUSALS, refuse
from .source.find import FunctionSource, functions_read, may_change, source_of
from .specialize.argument_types import argument_type, is_static, remember
from .specialize.static_arguments import is_setting
from .statements.statement_outlining import version

__all__ = ["lower", "settle"]

_RESTARTS = 48
#: operations that take an item out of a container
_TAKES = frozenset((operator.getitem, list.pop, dict.pop))


def lower(f: Any, args: Mapping[str, Any], wrt: Collection[str] = ()) -> Function:
    """Lower a Python function to IR.

    Parameters
    ----------
    f : function or bound method
        A function with Python source, a method, or an instance with ``__call__``.
    args : mapping
        An example of each argument, by parameter name (a tuple for ``*args``, a dict for ``**kwargs``), or `ANYTHING`.
        Of numbers and arrays only the type is used; None, strings, bools, functions, classes and the like are assumed constant.
    wrt : collection of str
        The differentiated parameters.

    Returns
    -------
    Function
        ``attrs.guards`` lists the assumptions about other objects, as (kind, container, key, expected);
        ``attrs.assumed`` the lengths that dimensions are assumed not to have, as (dimension, length).
    """
    func, self_ = _function_of(f)
    original = func
    if func is not None:
        func = version(func)
    program = Program()
    program.root = func
    read_free_variables(program)
    for attempt in range(_RESTARTS * 4):
        if attempt >= _RESTARTS and not program.heap.fields:
            break
        program.heap.begin()
        try:
            with functions_read() as functions:
                out = _lower(program, func, self_, args, frozenset(wrt), f)
            if not program.heap.settled():
                _again(program)
                continue
            out.attrs.guards += [Guard("code", g, None, None) for g in {id(original): original, **functions}.values() if may_change(g)]
            return out
        except Restart as restart:
            program.sites.update(dict.fromkeys(restart.sites))
            program.heap.settled()
            program.heap.relearn(restart.sites)
            _again(program)
        except ReadDerivative:
            _again(program)
        except TransgradError:
            if program.heap.settled():
                raise
            _again(program)     # it was refused for types of attributes that were not known yet
        except RecursionError:
            refuse("nesting", program.loc)
        except Exception as exc:        # refuse unexpected errors of the front end, with the location and the cause
            if _is_for_user(exc) or is_strict():
                raise
            raise unforeseen(program, exc) from exc
    unsettled = RuntimeError("what is known when compiling does not settle")
    if is_strict():
        raise unsettled
    raise unforeseen(program, unsettled)


def _again(program: Program) -> None:
    """Discard the operations of an attempt, but not the facts that it has learned."""
    program.memo.clear()
    program.disturbed = False
    program.guards.clear()
    program.taped.clear()
    program.recordings.clear()
    program.implicit.clear()
    program.local_classes.clear()
    program.outside.clear()


def _is_for_user(exc: Exception) -> bool:
    """Whether an error is an answer of a transformation that the function calls, rather than a defect of the front end."""
    frame = exc.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    name = frame.tb_frame.f_globals.get("__name__", "") if frame is not None else ""
    answers = tuple(f"{__package__.rpartition('.')[0]}.{part}" for part in ("transforms", "custom"))
    return isinstance(exc, (TypeError, ValueError, AttributeError)) and name.startswith(answers)


def unforeseen(program: Program, exc: Exception) -> InternalError:
    """The refusal of a statement that broke the front end."""
    entry = REFUSALS["internal"]
    return InternalError(entry.reason.format(detail=f"{type(exc).__name__}: {exc}"), program.loc, entry.remedy)


def _function_of(f: Any) -> tuple[Any, Any]:
    """The Python function behind a callable, and the instance to which it is bound; neither for functions in the rule table."""
    if _is_in_table(f):
        return None, None
    if isinstance(f, types.MethodType):
        func, _ = _function_of(f.__func__)
        return func, f.__self__
    if isinstance(f, types.FunctionType):
        return f, None
    for cls in type(f).__mro__:
        method = cls.__dict__.get("__call__")
        if isinstance(method, types.FunctionType) and not hasattr(f, "__wrapped__"):
            return method, f
    wrapped = getattr(f, "__wrapped__", None)
    if wrapped is not None:
        return _function_of(wrapped)
    return None, None


def _is_in_table(f: Any) -> bool:
    """Whether a call of something is compiled by a rule, a definition or a handler (of functions with derivatives of their own)."""
    if isinstance(f, types.MethodType):
        return type(f.__self__).__module__.startswith("scipy.")
    return rule_kind(f) is not None or definition_of(f) is not None or handler_of(f) is not None


def _lower(program: Program, func: Any, self_: Any, args: Mapping[str, Any], wrt: frozenset[str], f: Any) -> Function:
    import gast
    if func is None or set(parameter_names(source_of(func).node.args)[self_ is not None:]) - set(args):
        return _lower_call(program, f, args, wrt)
    source = source_of(func)
    if isinstance(source.node, gast.AsyncFunctionDef):
        refuse("async", source.loc(source.node, statement=True))
    if scope_of(source, source.node).is_generator:
        refuse("generator_send", source.loc(source.node, statement=True), "it is the function itself")
    name = func.__name__ if func.__name__ != "<lambda>" else "function"
    function = Function(name, Block(), origin=f)
    function.loc = source.loc(source.node, statement=True)
    function.doc = func.__doc__
    frame = Frame(source, source.node, func.__globals__, None, cells_of(func), func, func.__name__)
    frame.owner = _owner(func)
    ctx = Lowering(program, function, frame)
    spec = source.node.args
    kinds = parameter_kinds(spec)
    for k, p in enumerate(parameter_names(spec)):
        if k == 0 and self_ is not None and p not in args:
            held: Any = Lit(self_, ctx.bind(p, self_))
            frame.self = held
            ctx.state[frame, p] = held
            continue
        held = _parameter(ctx, p, args[p], p in wrt, kinds[p])
        function.signature.append(Param(p, held, kinds[p]))
        held = split(ctx, held, args[p])
        if k == 0 and frame.owner is not None:
            frame.self = held
        ctx.state[frame, p] = held
    begin_implicit(ctx)
    if isinstance(frame.self, Lit) and (held := implicit_argument(ctx, self_)) is not None:
        frame.self = ctx.state[frame, parameter_names(spec)[0]] = held
    known_attributes(ctx)
    lower_body(ctx)
    # whether reshaping an argument makes a view of it
    function.attrs.contiguous = {name for name, value in args.items() if isinstance(value, np.ndarray) and value.flags.c_contiguous}
    return _finished(program, function, args)


def known_attributes(ctx: Lowering) -> None:
    """Bind the attributes that the function writes, of instances known at compile time, to their initial values."""
    ctx.loc = ctx.function.loc
    for site in ctx.program.sites:
        if isinstance(site, tuple) and isinstance(site[0], Attribute):
            obj, name = site[0].obj, site[1]
            if id(obj) in ctx.program.implicit:
                continue
            named = isinstance(obj, (types.FunctionType, types.ModuleType, type))
            called = obj.__name__.rpartition(".")[2] if named else type(obj).__name__.lower()
            if id(obj) in ctx.program.free:
                called = f"{ctx.program.free[id(obj)]}_cell"
            root = next((n for n, held in ctx.function.names.items() if held is obj), None) or ctx.bind(called, obj)
            ctx.state[site] = UNBOUND
            if isinstance(obj, types.CellType):
                _known_of_cell(ctx, Lit(obj, root), obj)
                continue
            if isinstance(obj, type):
                _known_of_class(ctx, Lit(obj, root), obj, name)
                continue
            default = find(type(obj), name)[1]
            if instance_dict(obj, name, default) is not UNBOUND or default is not UNBOUND and not hasattr(default, "__get__"):
                ctx.state[site] = _outside_attribute(ctx, Lit(obj, root), obj, name, None)
            elif default is UNBOUND:
                known_to_have(ctx, Lit(obj, root), name, False)


def _known_of_cell(ctx: Lowering, held: Lit, cell: types.CellType) -> None:
    """Bind a closure variable that the function assigns to its initial value."""
    value = cell.cell_contents
    if isinstance(value, (int, float, complex, np.ndarray)):
        ctx.program.guard("cell", cell, None, type_of(value))
        read = ctx.state[Attribute(cell), "cell_contents"] = get_attr(ctx, held, "cell_contents", type_of(value))
        read.name = ctx.program.free.get(id(cell))
    else:
        ctx.program.guard("cell", cell, None, value)
        ctx.state[Attribute(cell), "cell_contents"] = Lit(None) if value is None else Lit(value, ctx.bind("contents", value))


def _known_of_class(ctx: Lowering, held: Lit, cls: type, name: str) -> None:
    """Bind an attribute of a class that the function writes to, where the class itself has it."""
    site = (Attribute(cls), name)
    value = vars(cls).get(name, UNBOUND)
    if value is UNBOUND:
        ctx.program.guard("uncached", cls, name, True)      # a base has it
        return
    if isinstance(value, (bool, int, float, complex, np.ndarray)):     # of any value, for it changes from call to call
        ctx.program.guard("attr", cls, name, type_of(value))
        ctx.state[site] = get_attr(ctx, held, name, type_of(value))
    else:
        ctx.state[site] = class_constant(ctx, held, cls, name, value)


def settle(function: Function) -> list[Function]:
    """Give values of a type that remained unknown the type of any object; return the function and its callees."""
    todo, seen, found = [function], {id(function)}, []
    while todo:
        inner = todo.pop()
        found.append(inner)
        for op in walk(inner.body):     # an item of a container that was empty when it was read first
            if type(op) is Call and op.fn in _TAKES and op.results and op.result.type == BOTTOM:
                op.result.type = element(op.args[0].type) or BOTTOM
        for value in _values(inner.body):
            if type(value.type) is Obj and value.type == BOTTOM:    # it comes out of an empty list, or of a function that does not return
                value.type = UNKNOWN
            elif (t := as_numbers(unmixed(value.type))) is not value.type:
                value.type = t
        for variant, _ in inner.attrs.calls:
            if id(variant.function) not in seen:
                seen.add(id(variant.function))
                todo.append(variant.function)
    return found


def _finished(program: Program, function: Function, args: Mapping[str, Any]) -> Function:
    """Record the assumptions."""
    program.heap.settled()      # while the types of attributes say which are instances
    functions = settle(function)
    for inner in functions:
        if any(type(v.type) is OptT for v in _values(inner.body)):
            name_present(inner)
    every = {id(inner): inner for inner in (*functions, *functions_of(function))}       # those of derivatives inside of it, too
    if LIVE not in program.sites and changes_outside(every.values()):
        raise Restart([LIVE])
    if program.disturbed or program.writes_outside:
        for inner in every.values():
            write_out(inner)
    check_meanwhile(program, functions_of(function))
    check_untracked(function)
    check_rereads(every.values())
    function.attrs.assumed = assumed(function) | nonempty_lengths(function)
    function.attrs.guards = [*program.guards.values(), *checked(program, function.attrs.assumed, {**args, **function.attrs.implicit})]
    function.attrs.taped = list(program.taped.values())
    return function


_KINDS = {
    inspect.Parameter.POSITIONAL_ONLY: "positional",
    inspect.Parameter.POSITIONAL_OR_KEYWORD: "ordinary",
    inspect.Parameter.VAR_POSITIONAL: "varargs",
    inspect.Parameter.KEYWORD_ONLY: "keyword",
    inspect.Parameter.VAR_KEYWORD: "varkwargs",
}


def _lower_call(program: Program, f: Any, args: Mapping[str, Any], wrt: frozenset[str]) -> Function:
    """A callable whose signature is not that of one def (decorated, partial): a call of it is lowered."""
    import gast

    inner = f
    while not (known := _is_in_table(inner)) and not isinstance(inner, types.FunctionType):
        found = getattr(inner, "func", None) or getattr(inner, "__wrapped__", None) or getattr(inner, "__func__", None)
        if found is None:
            break
        inner = found
    if known:
        source, module = FunctionSource(gast.parse("lambda: 0", mode="eval").body, f"<{getattr(f, '__name__', f)}>"), {}
    elif isinstance(inner, types.FunctionType):
        source, module = source_of(inner), inner.__globals__
    elif rule_kind(inner) is not None:      # np.sin itself
        source, module = FunctionSource(gast.parse("lambda: 0", mode="eval").body, f"<{inner.__name__}>"), {}
    else:
        raise NoSourceError(f"{f!r} is not a Python function", None, "wrap it in a def that calls it")
    name = getattr(f, "__name__", inner.__name__)
    function = Function(name if name.isidentifier() else "function", Block(), origin=f)
    function.loc = source.loc(source.node, statement=True)
    function.doc = getattr(f, "__doc__", None)
    frame = Frame(source, source.node, module, None, {}, None, name)
    ctx = Lowering(program, function, frame)
    ctx.loc = function.loc
    positional: list[Any] = []
    keywords: dict[str, Any] = {}
    for p in _parameters(f):
        kind = _KINDS[p.kind]
        left_out = args[p.name] is p.default and (known or not isinstance(inner, types.FunctionType))   # options of a function of NumPy
        held = Lit(p.default) if left_out else _parameter(ctx, p.name, args[p.name], p.name in wrt, kind)
        function.signature.append(Param(p.name, held, kind))
        if left_out:
            continue
        held = split(ctx, held, args[p.name])
        if kind == "varargs":
            items = static_items(ctx, held)
            positional.extend(items if items is not None else [Star(held)])
        elif kind == "varkwargs":
            keywords.update(mapping_items(ctx, held, source.node))
        elif kind == "keyword":
            keywords[p.name] = held
        else:
            positional.append(held)
    begin_implicit(ctx)
    known_attributes(ctx)
    if isinstance(f, types.MethodType):
        owner = implicit_argument(ctx, f.__self__) or Lit(f.__self__, ctx.bind("owner", f.__self__))
        result = call_abstract(ctx, read_attribute(ctx, owner, f.__name__, source.node), positional, keywords, source.node)
    else:
        result = call_object(ctx, Lit(f, ctx.bind(function.name, f)), positional, keywords, source.node)
    finish(ctx, result)
    return _finished(program, function, args)


def _parameters(f: Any) -> list[inspect.Parameter]:
    """The parameters of a callable; those of ``(*args, **kwargs)`` where Python knows no signature of it."""
    try:
        return list(library_signature(f).parameters.values())
    except ValueError:
        return [inspect.Parameter("args", inspect.Parameter.VAR_POSITIONAL), inspect.Parameter("kwargs", inspect.Parameter.VAR_KEYWORD)]


def _parameter(ctx: Lowering, name: str, example: Any, wrt: bool, kind: str) -> Any:
    """The parameter's value, or a literal where the argument is a setting of the program."""
    if isinstance(example, Lit):
        return example
    if is_setting(ctx, name, example):
        ctx.program.guard("argattr", name, None, example)
        return Lit(example)
    if (
        example is not ANYTHING
        and is_static(example)
        and not isinstance(example, slice)
        or type(example) is tuple
        and not example
        or type(example) is dict
        and not example
        and kind == "varkwargs"
    ):
        if example is None or isinstance(example, (bool, str, bytes, tuple, dict)) or example is Ellipsis:
            return Lit(example)
        return Lit(example, ctx.bind(name, example))
    if not wrt and example is not ANYTHING and is_tree_of_records(example):
        ctx.program.objects.add(name)
    by_fields = wrt or OBJECTS in ctx.program.sites and name in ctx.program.objects
    t = argument_type(example, name, by_fields, CHANGED_DICTS in ctx.program.sites, FIELDS in ctx.program.sites, not wrt)
    t = with_known_lengths(ctx.program, t, example)
    value = Value(t, name, wrt)
    remember(ctx, value, example, name)
    if by_fields and holds_instance(t):
        ctx.program.guard("fields", name, None, fields_key(example))
    ctx.function.body.params.append(value)
    return value


def assumed(function: Function) -> set[tuple[Any, int]]:
    """The lengths that arguments' dimensions are taken not to have, in the function and in those it calls."""
    found = {(sym, length) for sym, length in _excluded(function.body)
             if sym is not None and not (isinstance(sym, tuple) and sym[:1] in (("<const>",), ("<arg>",)))}
    for variant, lengths in function.attrs.calls:
        inner = variant.function
        if inner.attrs.assumed is None and not inner.attrs.visiting:
            inner.attrs.visiting = True
            inner.attrs.assumed = _assumed_in_callee(inner)
            inner.attrs.visiting = False
        for sym, length in inner.attrs.assumed or ():
            origin, off = lengths.back.get(sym[1], (None, 0))
            if origin is not None:
                found.add((origin, length - off))
    return found


def _assumed_in_callee(function: Function) -> set[tuple[Any, int]]:
    found = {(sym, length) for sym, length in _excluded(function.body) if isinstance(sym, tuple) and sym[:1] == ("<arg>",)}
    for variant, lengths in function.attrs.calls:
        inner = variant.function
        if inner.attrs.assumed is None and not inner.attrs.visiting:
            inner.attrs.visiting = True
            inner.attrs.assumed = _assumed_in_callee(inner)
            inner.attrs.visiting = False
        for sym, length in inner.attrs.assumed or ():
            origin, off = lengths.back.get(sym[1], (None, 0))
            if isinstance(origin, tuple) and origin[:1] == ("<arg>",):
                found.add((origin, length - off))
    return found


def _values(block: Block) -> list[Value]:
    found = [*block.params]
    for op in walk(block):
        found += op.results
        if type(op) is not Call:
            for inner in blocks_of(op):
                found += inner.params
    return found


def _excluded(block: Block) -> set[tuple[Any, int]]:
    """The lengths that dimensions of values are assumed not to have, by the name of the dimension."""
    types = {id(t): t for v in _values(block) if type(t := v.type) is not Num or t.dim is not None}       # many have the same
    dims = [dim for t in types.values() for dim in (t.dims if type(t) is Arr else _dims_of(t))]
    return {(dim.sym, length) for dim in dims if (length := excluded_length(dim)) is not None}


def _dims_of(t: Any) -> Any:
    match t:
        case Num(_, dim) if dim is not None:
            yield dim
        case Arr(_, dims):
            yield from dims
        case TupleT(elems) | RecordT(_, elems):
            for e in elems:
                yield from _dims_of(e)
        case ListT(elem) | SetT(elem) | OptT(elem):
            yield from _dims_of(elem)
        case DictT(_, value):
            yield from _dims_of(value)



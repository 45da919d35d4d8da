"""Calls: finds out what is called, and hands on to inlining, invoking, a handler for what Python and NumPy bring, or an operation."""
from __future__ import annotations

import collections
import contextlib
import functools
import operator
import sys
import types
from collections.abc import Sequence
from typing import Any

import gast
import numpy as np

from ...ir.infer_calls import is_random
from ...ir.ops import UNDEF, Lit, Star, Value
from ...ir.types import BOTTOM, DictT, ListT, RecordT
from ...rules import definition_of, lookup
from ...rules.classes import classify
from ..containers import iterables
from ..containers.displays import method_of_display, new_list
from ..context import Lowering
from ..domain import heap
from ..domain.abstract import SBound, SChoice, SClass, SDict, SFunc, SIter, SList, SNamespace, SObj, SPartial, STuple, is_none
from ..domain.contents import Contents
from ..domain.heap_checks import KEEPS_ITEM, TAKES
from ..expressions import dispatch as expressions
from ..expressions.arraylike import as_own_array, with_arrays
from ..expressions.attributes import read_attribute
from ..expressions.operations import call, call_value, rule_kind, strip
from ..library.foreign import is_sparse
from ..library.iterators import Delegating
from ..library.labelled import call_on_labels
from ..library.namespaces import at_update, call_of_library, is_of_library, property_of_library, without_device
from ..library.scipy_objects import makes_object, remember, stand_in
from ..library.standard_containers import first_item, move_to_end
from ..objects import instance_dicts
from ..objects.builtin_bases import method_of_base
from ..objects.function_records import FunctionRecord, call_record
from ..objects.generator_records import is_iterator
from ..objects.members import class_of, special
from ..refusals import refuse, refuse_function
from ..specialize.random_types import random_type
from ..statements.assignments import unpacked
from ..statements.control_flow import choose
from . import special_methods, ufuncs, unknown_calls
from .binding import SPREAD, call_arguments, in_places
from .higher_order import getter
from .hooks import handler_of
from .library_wrappers import context_manager, dispatched
from .tape_calls import attempt, known_result
from .ufuncs import ufunc_call

__all__ = ["call_abstract", "call_object", "lower_call", "varied"]


def lower_call(ctx: Lowering, node: Any) -> Any:
    """A call expression."""
    if isinstance(node.func, gast.Name) and node.func.id == "super" and not node.args and ctx.frame.home_of("super") is None:
        from ..objects.access import make_super
        return make_super(ctx, node)
    if (found := at_update(ctx, node)) is not NotImplemented:
        return found
    node.func.is_callee = True      # of an unknown object a method is called, not an attribute read
    func = expressions.expr(ctx, node.func)
    args, kwargs = call_arguments(ctx, node)
    if ctx.dead:
        return UNDEF
    direct = isinstance(func, SFunc) or isinstance(func, SBound) and isinstance(func.func, (types.FunctionType, SFunc)) or isinstance(
        func, Lit) and isinstance(func.value, (types.FunctionType, type)) or isinstance(func, SObj) or (
        isinstance(func, Lit) and func.value is next and len(args) == 1)       # the method __next__ of an instance
    node.is_whole = direct and getattr(node, "is_whole", False)
    return call_abstract(ctx, func, args, kwargs, node)


def call_abstract(ctx: Lowering, func: Any, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    """The value of a call of anything."""
    if func is UNDEF:       # of what is computed by a function that always raises
        return UNDEF
    if isinstance(func, (SBound, Lit, Value)) and varied(ctx, *args, *kwargs.values()):
        func = stand_in(ctx, func, node) or func
    if isinstance(func, Lit):
        return call_object(ctx, func, args, kwargs, node)
    if isinstance(func, SFunc):
        from .functions import call_sfunc
        return call_sfunc(ctx, func, args, kwargs, node)
    if isinstance(func, SBound):
        return remember(ctx, call_bound(ctx, func, args, kwargs, node), func, args, kwargs)
    if isinstance(func, SPartial):
        return call_abstract(ctx, func.func, [*func.args, *args], {**func.kwargs, **kwargs}, node)
    if isinstance(func, SClass):
        from ..objects.classes import construct_local
        return construct_local(ctx, func, args, kwargs, node)
    if isinstance(func, SChoice):
        return choose(ctx, func.cond, lambda: call_abstract(ctx, func.then, args, kwargs, node),
                      lambda: call_abstract(ctx, func.orelse, args, kwargs, node))
    if isinstance(func, Value) and (ref := heap.reference_type(ctx, func)) is not None and any(
            issubclass(c, FunctionRecord) for c in ref.classes):
        return call_record(ctx, func, args, kwargs, node)
    if isinstance(func, (SObj, Value)):
        found = special(ctx, func, "__call__", args, node, kwargs)
        if found is not None:
            return found
    return call_value(ctx, func, args, kwargs, node=node)


def call_bound(ctx: Lowering, func: SBound, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    """A call of a method."""
    if func.cls is not None and ctx.classes_of.get(func.self) is not func.cls:
        with heap.narrowed(ctx, func.self, func.cls):
            return call_bound(ctx, func, args, kwargs, node)
    target: Any = func.func
    if isinstance(func.self, SNamespace):
        return instance_dicts.method(ctx, func.self, target, args, kwargs, node)
    if isinstance(target, SFunc):
        from .functions import call_sfunc
        return call_sfunc(ctx, target, [func.self, *args], kwargs, node, func.self)
    if isinstance(target, types.FunctionType):
        from ..objects.classes import inherited_init
        if target.__code__.co_filename == contextlib.__file__ and isinstance(getattr(target, "__wrapped__", None), types.FunctionType):
            return context_manager(ctx, vars(target)["__wrapped__"], [func.self, *args], kwargs, node)
        if target is Delegating.send and not (args and is_none(args[0])):
            refuse("generator_send", ctx.at(node), "send() to a generator that yields from another iterable")
        if is_of_library(target) and isinstance(func.self, (Value, Lit)):       # whose source is not compiled
            if getattr(class_of(ctx, func.self), target.__name__, None) is not target:      # a property
                return property_of_library(ctx, func.self, target.__name__, node)
            of_library: Any = target
            if varied(ctx, func.self, *args, *kwargs.values()):
                refuse("library_function", ctx.at(node), f"{of_library.__qualname__}()")
            return call_value(ctx, func.self, args, kwargs, of_library.__name__, node)
        from .functions import call_function, is_stdlib, try_function
        if inherited_init(ctx, target, [func.self, *args], kwargs, node):
            return Lit(None)
        of_object = getattr(func.self.value, target.__name__, None) if isinstance(func.self, Lit) else None
        if isinstance(of_object, types.MethodType) and (rule_kind(of_object) is not None or definition_of(of_object) is not None):
            return call_object(ctx, Lit(of_object, func.self.text and f"{func.self.text}.{target.__name__}"), args, kwargs, node)
        entry = classify(of_object) if isinstance(of_object, types.MethodType) else None
        # SciPy's own source would say less
        if entry is not None and (entry.reason or entry.kind == "random") and varied(ctx, *args, *kwargs.values()):
            refuse_function(of_object, ctx.at(node), f"{entry.path}()")
        if target.__name__ in ("_replace", "_asdict"):
            from ..objects.records import named_tuple_method
            found = named_tuple_method(ctx, func.self, target.__name__, kwargs, node)
            if found is not NotImplemented:
                return found
        if heap.reference_type(ctx, func.self) is not None:
            return call_function(ctx, target, [func.self, *args], kwargs, node, None, func.self)
        if is_stdlib(target) and target.__module__ != "__main__" and isinstance(func.self, (Value, Lit)):
            out: Any = call_value(ctx, func.self, args, kwargs, target.__name__, node)
            t = random_type(target, [], {}, class_of(ctx, func.self))
            if t is not None:
                out.type = t
            return out
        if target.__name__ in ("multiply", "power") and is_sparse(ctx, func.self) and varied(ctx, *args):
            from ...rules.scipy.sparse.matrix import as_matrix
            elements = call_function(ctx, as_matrix, [func.self], {}, node)
            return call_abstract(ctx, read_attribute(ctx, elements, target.__name__, node), args, kwargs, node)
        if not isinstance(func.self, (Value, Lit)) or not _inactive(ctx, func, args, kwargs):
            return call_function(ctx, target, [func.self, *args], kwargs, node, None, func.self)
        out = NotImplemented
        if not str(target.__module__).startswith("scipy."):     # whose functions stay calls, too
            out = try_function(ctx, target, [func.self, *args], kwargs, node, None, False, func.self)
        return out if out is not NotImplemented else call_value(ctx, func.self, args, kwargs, target.__name__, node)
    if isinstance(target, Lit) and isinstance(target.value, functools.singledispatchmethod):
        chosen = dispatched(ctx, target.value.dispatcher, args[0]) if args else None
        if chosen is None:
            refuse("undecided", ctx.at(node), "the class of the argument that selects the method is not known when compiling")
        from ..objects.access import bound
        name = getattr(target.value.func, "__name__", "method")
        return call_abstract(ctx, bound(ctx, func.self, func.owner, chosen, name, node), args, kwargs, node)
    if isinstance(target, Lit):
        return call_object(ctx, target, [func.self, *args], kwargs, node)
    if isinstance(target, str):
        return _unknown_method(ctx, func.self, target, args, kwargs, node)
    return method(ctx, func.self, target, args, kwargs, node)


def _inactive(ctx: Lowering, func: SBound, args: list[Any], kwargs: dict[str, Any]) -> bool:
    """Whether a method is called with nothing that is differentiated, by its own name: it may stay a call."""
    target = func.func
    named = getattr(class_of(ctx, func.self), target.__name__, None) is target      # no property
    return named and not varied(ctx, func.self, *args, *kwargs.values())


def _unknown_method(ctx: Lowering, self_: Any, name: str, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    """A method of a run-time object: nothing is known of it, but for NumPy's random generators."""
    if isinstance(self_, Value) and self_.type == BOTTOM:
        return call(ctx, operator.getitem, [self_, Lit(0)], type=BOTTOM, node=node)      # an item of a list that is still empty
    from .builtins import python_class
    cls = python_class(ctx, self_)
    fn = getattr(cls, name, None) if cls is not None else None
    if cls in (np.random.Generator, np.random.RandomState) and fn is not None and varied(ctx, *args, *kwargs.values()):
        if rule_kind(fn) is None:
            refuse_function(fn, ctx.at(node), f"Generator.{name}()")
        return call(ctx, fn, [self_, *args], kwargs, node=node)
    out = call_value(ctx, self_, args, kwargs, name, node)
    t = random_type(fn, [None, *map(ctx.operand, args)], {k: ctx.operand(v) for k, v in kwargs.items()}, cls) if fn is not None else None
    if t is not None:
        out.type = t
    return out


def method(ctx: Lowering, self_: Any, descriptor: Any, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    """A method of a built-in type, by its descriptor (``list.append``, ``np.ndarray.sum``)."""
    from .methods import HANDLERS
    if descriptor is object.__init__:
        return Lit(None)
    if descriptor not in KEEPS_ITEM:
        args = [iterables.as_list(ctx, a, node) if is_iterator(ctx, a) else a for a in args]
    last = kwargs.get("last", args[-1] if args else Lit(True))
    if descriptor is collections.OrderedDict.move_to_end and len(args) == 1 and not kwargs:
        return call_abstract(ctx, Lit(move_to_end), [self_, *args], {}, node)
    if descriptor in (collections.OrderedDict.popitem, dict.popitem) and isinstance(last, Lit) and len(args) + len(kwargs) == 1:
        if last.value:
            descriptor, args, kwargs = dict.popitem, [], {}
        else:
            return call_abstract(ctx, Lit(first_item), [self_], {}, node)
    if (found := method_of_base(ctx, self_, descriptor, args, kwargs, node)) is not NotImplemented:
        return found
    if getattr(descriptor, "__name__", "") == "__init__" and issubclass(getattr(descriptor, "__objclass__", int), BaseException):
        from ..statements.raises import set_args
        return set_args(ctx, self_, args)
    if descriptor is object.__setattr__:        # by super()
        return call_object(ctx, Lit(descriptor, "object.__setattr__"), [self_, *args], kwargs, node)
    found = special_methods.by_name(ctx, descriptor, self_, args, kwargs, node)
    if found is not NotImplemented:
        return found
    if isinstance(self_, (SList, SDict)):
        found = method_of_display(ctx, self_, descriptor.__name__, args, kwargs, node)
        if found is not None:
            return found
        self_ = ctx.escape(self_, node)
    handler = HANDLERS.get(descriptor)
    (self_, *args), kwargs = ufuncs.by_name(ctx, descriptor, [self_, *args], kwargs)
    if handler is not None:
        found = handler(ctx, [self_, *args], kwargs, node)
        if found is not NotImplemented:
            return found
    if isinstance(self_, Lit) and isinstance(self_.value, (str, bytes)) and all(isinstance(a, Lit) for a in (*args, *kwargs.values())):
        try:
            out = descriptor(self_.value, *(a.value for a in args), **{k: v.value for k, v in kwargs.items()})
        except Exception:
            out = NotImplemented
        if isinstance(out, (str, bytes, bool, int)):
            return Lit(out)
        if isinstance(out, (list, tuple)):
            return new_list(ctx, [Lit(v) for v in out], node) if isinstance(out, list) else ctx.tuple([Lit(v) for v in out])
    args, kwargs = with_arrays(ctx, descriptor, [self_, *args], kwargs, node)
    return operation(ctx, descriptor, args, kwargs, node, None)


def varied(ctx: Lowering, *xs: Any) -> bool:
    """Whether any of some abstract values may depend on a differentiated input."""
    left, met = list(xs), set()
    while left:
        x = left.pop()
        if isinstance(x, Value):
            if x.varied:
                return True
        elif isinstance(x, STuple):
            left += x.items
        elif isinstance(x, (SList, SDict, SObj)):
            if id(x) in met:        # it holds itself
                continue
            met.add(id(x))
            if isinstance(x, SObj):
                left += [v for k, v in ctx.state.items() if k[0] is x]
                continue
            held = ctx.contents(x)
            left += [i[1] if isinstance(i, tuple) else i for i in held.items] if isinstance(held, Contents) else [held]
        elif isinstance(x, Star):
            left.append(x.value)
        elif isinstance(x, SBound):
            left.append(x.self)
        elif isinstance(x, (SFunc, SPartial, SIter, SChoice)):
            return True
    return False


def call_object(ctx: Lowering, func: Lit, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    """A call of an object that is known when compiling."""
    obj = func.value
    if (found := call_of_library(ctx, func, args, kwargs, node)) is not NotImplemented:
        return found
    kwargs = without_device(obj, kwargs)
    if (found := call_on_labels(ctx, obj, args, kwargs, node)) is not NotImplemented:
        return found
    if SPREAD in kwargs and not isinstance(obj, (types.FunctionType, types.MethodType, functools.partial)):
        refuse("unpack", ctx.at(node) if hasattr(node, "lineno") else ctx.loc, "the mapping after **")
    args, kwargs = ufuncs.by_name(ctx, obj, args, kwargs)
    handler = _handlers().get(obj) if hashable(obj) else None
    if kwargs and (not args or handler is not None):
        args, kwargs = in_places(obj, args, kwargs)
    if getattr(obj, "__module__", None) and str(obj.__module__).startswith(("scipy.integrate", "scipy.optimize")):
        from . import scipy_solvers  # noqa: F401  registers
    hook = handler_of(obj)
    if hook is not None:
        found = hook(ctx, obj, args, kwargs, node)
        if found is not NotImplemented:
            return found
    # the handlers of operators read their arguments by place
    if handler is not None and not (getattr(obj, "__module__", "") == "_operator" and any(isinstance(a, Star) for a in args)):
        found = handler(ctx, args, kwargs, node)
        if found is not NotImplemented:
            return found
    if any(isinstance(a, SObj) or heap.reference_type(ctx, a) is not None for a in args):
        args = [as_own_array(ctx, obj, a, node) for a in args]
    if args and (found := special_methods.by_name(ctx, obj, args[0], args[1:], kwargs, node)) is not NotImplemented:
        return found
    if isinstance(obj, types.MethodType) and not is_random(obj) and lookup(obj) is None and definition_of(obj) is None:
        owner = obj.__self__
        held = Lit(owner, ctx.bind(name_of(owner), owner)) if not isinstance(owner, type) else Lit(owner, owner.__name__)
        return call_abstract(ctx, SBound(held, obj.__func__), args, kwargs, node)
    if isinstance(obj, functools.partial):
        inner = Lit(obj.func, func.text and f"{func.text}.func")
        fixed = [object_value(ctx, a, "argument") for a in obj.args]
        named = {k: object_value(ctx, v, k) for k, v in obj.keywords.items()}
        return call_object(ctx, inner, [*fixed, *args], {**named, **kwargs}, node)
    if (picked := getter(ctx, obj)) is not None:
        return call_abstract(ctx, picked, args, kwargs, node)
    if hashable(obj):
        args, kwargs = with_arrays(ctx, obj, args, kwargs, node)
    kind = rule_kind(obj)
    text = definition_of(obj)
    if text is not None and varied(ctx, *args, *kwargs.values()) and not _rule_accepts(obj, args, kwargs):
        from .functions import call_function
        return call_function(ctx, text, args, kwargs, node)
    if kind is not None:
        return operation(ctx, obj, args, kwargs, node, func.text)
    if isinstance(obj, type):
        from ..objects.classes import construct_class
        found = construct_class(ctx, func, args, kwargs, node)
        if found is not NotImplemented:
            return found
        return remember(ctx, unknown_calls.opaque(ctx, func, args, kwargs, node), obj, args, kwargs)
    if isinstance(obj, np.ufunc) or _ufunc_method(obj):
        return ufunc_call(ctx, func, args, kwargs, node)
    if isinstance(obj, types.FunctionType) and args and (chosen := dispatched(ctx, obj, args[0])) is not None:
        return call_object(ctx, Lit(chosen, ctx.bind(name_of(chosen), chosen)), args, kwargs, node)
    if isinstance(obj, types.FunctionType):
        from ..objects.classes import inherited_init
        return Lit(None) if inherited_init(ctx, obj, args, kwargs, node) else _python(ctx, func, obj, args, kwargs, node)
    wrapped = getattr(obj, "__wrapped__", None)
    if isinstance(wrapped, types.FunctionType) and _wraps_by_itself(obj):
        found = _callable_instance(ctx, func, args, kwargs, node) if varied(ctx, *args, *kwargs.values()) else None
        return found if found is not None else unknown_calls.opaque(ctx, func, args, kwargs, node)
    if isinstance(wrapped, types.FunctionType):
        return _python(ctx, func, wrapped, args, kwargs, node, original=obj)
    if not varied(ctx, *args, *kwargs.values()) and makes_object(obj):
        return remember(ctx, unknown_calls.opaque(ctx, func, args, kwargs, node), obj, args, kwargs)
    found = _callable_instance(ctx, func, args, kwargs, node)
    if found is not None:
        return found
    return unknown_calls.opaque(ctx, func, args, kwargs, node)


def _wraps_by_itself(obj: Any) -> bool:
    """Whether an object that wraps a function is of a class of the user's: what it does in a call is in its ``__call__``."""
    root = type(obj).__module__.split(".")[0]
    libraries = ("transgrad", "numpy", "scipy", "numba", "jax", "torch")
    return root == "__main__" or root not in sys.stdlib_module_names and root not in libraries


def _rule_accepts(obj: Any, args: list[Any], kwargs: dict[str, Any]) -> bool:
    """Whether the rule of a function is there for a call; its definition takes the rest."""
    rule = lookup(obj)
    known = [a.value if isinstance(a, Lit) else a for a in args]
    return rule is not None and rule.accepts(known, {k: v.value if isinstance(v, Lit) else v for k, v in kwargs.items()})


def _ufunc_method(obj: Any) -> bool:
    return isinstance(getattr(obj, "__self__", None), np.ufunc)


def object_value(ctx: Lowering, value: Any, name: str) -> Any:
    """An object reached through another one known when compiling."""
    if isinstance(value, (int, float, complex, str, bytes, type(None), type(Ellipsis))):
        return Lit(value)
    return Lit(value, ctx.bind(getattr(value, "__name__", None) or name, value))


def name_of(obj: Any) -> str:
    name = getattr(obj, "__name__", None) or type(obj).__name__.lower()
    return name if isinstance(name, str) and name.isidentifier() else "obj"


def hashable(obj: Any) -> bool:
    try:
        hash(obj)
    except Exception:
        return False
    return True


def _python(
    ctx: Lowering, func: Lit, obj: types.FunctionType, args: list[Any], kwargs: dict[str, Any], node: Any, original: Any = None
) -> Any:
    """A function with a Python body: the user's own are compiled; those of Python and NumPy only where they must be."""
    from .functions import call_function, is_stdlib, try_function
    active = varied(ctx, *args, *kwargs.values())
    root = (obj.__module__ or "").split(".")[0]
    if obj.__code__.co_filename == contextlib.__file__ and isinstance(getattr(obj, "__wrapped__", None), types.FunctionType):
        return context_manager(ctx, vars(obj)["__wrapped__"], args, kwargs, node)
    # whose settings are decided when compiling
    of_definition = (obj.__module__ or "").startswith(("transgrad.rules.", "transgrad.custom.", "transgrad.frontend.library."))
    if not active and (is_stdlib(obj) and obj.__module__ not in ("__main__",)
                       or root in ("numpy", "scipy", "transgrad") and not of_definition):
        return unknown_calls.opaque(ctx, func, args, kwargs, node)
    if root == "transgrad" and not of_definition:
        refuse("opaque", ctx.at(node), f"{func.text or obj.__qualname__}()")
    if active:
        entry = classify(obj)
        if entry is not None and entry.reason:      # NumPy's own source would say less
            refuse_function(obj, ctx.at(node), f"{func.text or entry.path}()")
        return attempt(ctx, func, obj, args, kwargs, node, lambda: call_function(ctx, obj, args, kwargs, node, func.text))
    found = try_function(ctx, obj, args, kwargs, node, func.text, active)
    if found is NotImplemented:
        found = known_result(ctx, func, obj, args, kwargs, node) if original is None else NotImplemented
    if found is NotImplemented:
        return unknown_calls.opaque(ctx, Lit(original, func.text) if original is not None else func, args, kwargs, node)
    return found


def _callable_instance(ctx: Lowering, func: Lit, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    """An instance of a user's class with ``__call__``; a pullback runs as it is, and is not differentiated."""
    if hasattr(type(func.value), "__transgrad_opaque__"):
        if varied(ctx, *args, *kwargs.values()):
            refuse("opaque", ctx.at(node), f"{func.text or 'the pullback'}()")
        return unknown_calls.opaque(ctx, func, args, kwargs, node)
    for cls in type(func.value).__mro__:
        method_ = cls.__dict__.get("__call__")
        if isinstance(method_, types.FunctionType):
            return call_abstract(ctx, SBound(func, method_, cls), args, kwargs, node)
        if method_ is not None:
            return None
    return None


def operation(ctx: Lowering, fn: Any, args: Sequence[Any], kwargs: dict[str, Any], node: Any, spelling: str | None) -> Any:
    """A call that has a rule or is part of Python's structure, as one operation."""
    if fn not in TAKES and any(isinstance(a, (SFunc, SBound)) for a in (*args, *kwargs.values())):
        refuse("static", ctx.at(node) if hasattr(node, "lineno") else ctx.loc, "a function cannot be an argument of a call at run time")
    found = ufuncs.normalise(ctx, fn, list(args), kwargs, node, spelling)
    if found is not NotImplemented:
        return found
    as_list = iterables.as_list
    args = [
        Star(as_list(ctx, a.value, node)) if isinstance(a, Star) else as_list(ctx, a, node) if isinstance(a, SIter) else a for a in args
    ]
    kwargs = {k: as_list(ctx, v, node) if isinstance(v, SIter) else v for k, v in kwargs.items()}
    if getattr(fn, "__module__", None) in ("builtins", "math"):     # to Python, the items of a dict are its keys
        args = [call(ctx, list, [a], spelling="list", node=node) if isinstance(a, Value) and isinstance(strip(a.type), (DictT, RecordT))
                and getattr(strip(a.type), "cls", dict) is dict else a for a in args]
    if any(isinstance(a, Star) for a in args):
        args = _counted(ctx, fn, args, node, spelling)
    return call(ctx, fn, args, kwargs, spelling=spelling, node=node)


def _counted(ctx: Lowering, fn: Any, args: list[Any], node: Any, spelling: str | None) -> list[Any]:
    """Arguments without ``*xs`` of a list of unknown length: a ufunc takes a known number of them."""
    *front, last = args
    if isinstance(fn, np.ufunc) and isinstance(last, Star) and not any(isinstance(a, Star) for a in front) and fn.nin > len(front):
        held, count = last.value, fn.nin - len(front)
        if isinstance(held, Value) and isinstance(strip(held.type), ListT):
            return [*front, *unpacked(ctx, held, count, node)]
    kind = rule_kind(fn)
    if kind not in (None, "structural", "constant") and any(isinstance(a, Star) and varied(ctx, a.value) for a in args):
        refuse("undecided", ctx.at(node) if hasattr(node, "lineno") else ctx.loc,
               f"how many arguments {spelling or name_of(fn)}() is given by * is not known when compiling")
    return args


_HANDLERS: dict[Any, Any] = {}


def _handlers() -> dict[Any, Any]:
    if not _HANDLERS:
        from ..containers import iter_next, iterators
        from ..expressions import conversions
        from ..library import standard_heaps
        from ..objects import copies, generator_records, records
        from ..statements import imports
        from . import builtins, higher_order, numpy_calls
        for module in (builtins, conversions, copies, generator_records, higher_order, imports, iterators, standard_heaps, numpy_calls,
                       records, iter_next):
            _HANDLERS.update(module.HANDLERS)
    return _HANDLERS



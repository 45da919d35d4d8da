"""Instances on a heap: an instance that is a value at run time is a number, and each attribute of a class a dict by these numbers.

An instance made inside the function is split into its attributes (`SObj`), scalar replacement of aggregates. Where it escapes (into a
list of unknown length, as one of several by the path taken, into a recursive call), lowering starts again with its class on the heap:

    p = Particle(x, v)          n = len(instances); instances.append(0); particle_x[n] = x; particle_v[n] = v
    p.x += dt * p.v             particle_x[n] += dt * particle_v[n]

so that references are integers, which have no derivative, and attributes are entries of dicts, whose shadows the passes know. Aliases need
no analysis: two names of one instance hold the same number.

The types of attributes are a fixpoint over attempts (`Heap.settled`): each attempt starts with the types that the one before it has found.
An instance is only stored, compared by identity and handed on; any other use of the number is refused (`check`). It never leaves the
function: containers from outside, results and calls of unknown functions are refused.
"""
from __future__ import annotations

import contextlib
import operator
import types
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from ...ir.ops import Build, Lit, Op, Value
from ...ir.types import UNKNOWN, DictT, ListT, Num, OptT, RecordT, RefT, SetT, TupleT, Type, reference
from ..objects.builtin_bases import DATA
from ..refusals import refuse
from .abstract import UNBOUND, SBound, SClass, SIter, SObj, STuple

if TYPE_CHECKING:
    from ..context import Lowering

__all__ = ["Heap", "by_class", "heap_site", "is_on_heap", "new_instance", "read", "reference_type", "same_instance", "truth",
           "write"]

#: the table of the classes of all instances
_CLASSES = (None, "instances")
#: what one class holds under a name: the class, or None, and the name
Key = tuple[Any, str]


class Field:
    """The type of an attribute, whether it may depend on a differentiated input, and its value where that is always the same."""

    __slots__ = ("constant", "type", "varied")

    def __init__(self) -> None:
        self.type: Type | None = None
        self.varied = False
        #: a literal; None before anything is stored; UNBOUND where the values differ
        self.constant: Any = None


class Heap:
    """The attributes of all heap classes of a program, from attempt to attempt."""

    def __init__(self) -> None:
        self.fields: dict[Key, Field] = {}
        #: the tables of the present attempt, and the operations that make them
        self.tables: dict[Key, Value] = {}
        self.prologue: list[Op] = []
        self.changed = False

    def begin(self) -> None:
        """Start an attempt."""
        self.tables, self.prologue, self.changed = {}, [], False

    def settled(self) -> bool:
        """Whether the attempt has found nothing new; what it has found is kept for the next one."""
        from .join import join_types
        for key, table in self.tables.items():
            if key == _CLASSES:
                continue
            field = self.fields[key]
            assert isinstance(table.type, DictT)
            found = table.type.value
            if isinstance(found, ListT) and found.length is not None:
                found = ListT(found.elem)
            t = found if field.type is None else join_types(field.type, found)
            if t != field.type or table.varied and not field.varied:
                field.type, field.varied, self.changed = t, field.varied or table.varied, True
        self.tables = {}
        return not self.changed

    def relearn(self, sites: Any) -> None:
        """Forget the types of attributes that held what is made otherwise from the next attempt on."""
        classes = {site[1] for site in sites if isinstance(site, tuple) and site[0] == "#heap"}
        keys = {site[1:] for site in sites if isinstance(site, tuple) and site[0] == "#tuples"}
        for key, field in self.fields.items():
            if key in keys or field.type is not None and _holds_record(field.type, classes):
                field.type = None


def _holds_record(t: Any, classes: set[Any]) -> bool:
    """Whether a type holds dataclasses of one of some classes as they are, or what they were joined with."""
    match t:
        case RecordT(_, elems, cls):
            return cls in classes or any(_holds_record(e, classes) for e in elems)
        case TupleT(elems):
            return any(_holds_record(e, classes) for e in elems)
        case ListT(elem) | SetT(elem) | OptT(elem):
            return _holds_record(elem, classes)
        case DictT(key, value):
            return _holds_record(key, classes) or _holds_record(value, classes)
        case RefT():
            return not t.classes
    return bool(t == UNKNOWN)       # found while other types were not known yet, perhaps


def heap_site(cls: Any) -> tuple[str, Any] | None:
    """What stands among the sites of a program where the instances of a class are on the heap; None for classes that cannot be."""
    if isinstance(cls, SClass) and cls.dataclass is None:
        return "#class", cls.node       # a class of Python first
    return ("#heap", cls) if isinstance(cls, type) and not issubclass(cls, BaseException) else None


def is_on_heap(ctx: Lowering, cls: Any) -> bool:
    """Whether instances of a class are on the heap."""
    return isinstance(cls, type) and ("#heap", cls) in ctx.program.sites


def reference_type(ctx: Lowering, x: Any) -> RefT | None:
    """The type of an instance on the heap, by what is known of it here; None for anything else."""
    if not isinstance(x, Value):
        return None
    narrow = ctx.classes_of.get(x)
    if narrow is not None:
        return reference(narrow)
    from ..expressions.operations import strip
    t = strip(x.type)
    return t if isinstance(t, RefT) else None


def attribute_names(ctx: Lowering, x: Value, node: Any) -> list[str]:
    """The names of the attributes of an instance, where all of its class have the same."""
    t = reference_type(ctx, x)
    if t is None or len(t.classes) != 1:
        refuse("static", ctx.at(node) if hasattr(node, "lineno") else ctx.loc, "the __dict__ of an instance of one of several classes")
    return [name for cls, name in ctx.program.heap.fields if cls is t.classes[0] and name != DATA]


def by_class(ctx: Lowering, x: Value, node: Any, lower: Callable[[type], Any]) -> Any:
    """Lowers something for each class that an instance may have, by a test of its class."""
    from ..expressions.operations import call
    from ..statements.control_flow import choose
    t = reference_type(ctx, x)
    assert t is not None
    if not t.classes:
        refuse("conflict", ctx.at(node) if hasattr(node, "lineno") else ctx.loc,
               "a value is an instance on one path and something else on another")

    def within(cls: type) -> Any:
        with narrowed(ctx, x, cls):
            found = lower(cls)
        if isinstance(found, SBound) and found.self is x:
            found.cls = cls
        return found
    if len(t.classes) == 1:
        return within(t.classes[0])
    tag = call(ctx, operator.getitem, [_table(ctx, _CLASSES), x], node=node)

    def among(classes: tuple[type, ...]) -> Any:
        if len(classes) == 1:
            return within(classes[0])
        cond = call(ctx, operator.eq, [tag, Lit(_tag(ctx, classes[0]))], node=node)
        return choose(ctx, cond, lambda: within(classes[0]), lambda: among(classes[1:]))
    return among(t.classes)


@contextlib.contextmanager
def narrowed(ctx: Lowering, x: Value, cls: type) -> Iterator[None]:
    """Lowers something where the class of an instance is known."""
    outer = ctx.classes_of.get(x)
    ctx.classes_of[x] = cls
    try:
        yield
    finally:
        if outer is None:
            del ctx.classes_of[x]
        else:
            ctx.classes_of[x] = outer


def _tag(ctx: Lowering, cls: type) -> int:
    return [site[1] for site in ctx.program.sites if isinstance(site, tuple) and site[0] == "#heap"].index(cls)


def _table(ctx: Lowering, key: Key) -> Value:
    """The dict of an attribute; in a function that is lowered by itself, a parameter."""
    heap = ctx.program.heap
    if ctx.variant is not None:
        found = ctx.tables.get(key)
        if found is None:
            found = ctx.tables_of(key)
        return found
    if key not in heap.tables:
        field = heap.fields.get(key)
        if key == _CLASSES:
            made, kind = Value(ListT(Num("int")), "instances"), "list"
        else:
            if field is None:
                field, heap.changed = heap.fields.setdefault(key, Field()), True
            made, kind = Value(DictT(Num("int"), field.type), f"{key[0].__name__.lower()}_{key[1].lstrip('_')}", field.varied), "dict"
        heap.tables[key] = made
        op = Build(kind, [], results=[made])
        op.loc = ctx.function.loc
        heap.prologue.append(op)
    return heap.tables[key]


def table(ctx: Lowering, key: Key) -> Value:
    """The dict of an attribute (for captures)."""
    return _table(ctx, key)


def new_instance(ctx: Lowering, cls: type, node: Any) -> Value:
    """A new instance, which has the attributes that are constants of its class and are assigned to instances as well."""
    from ..expressions.operations import call
    from ..objects.access import _is_constant, class_constant
    from ..objects.members import find
    tags = _table(ctx, _CLASSES)
    made: Value = call(ctx, len, [tags], spelling="len", type=reference(cls), node=node)
    call(ctx, list.append, [tags, Lit(_tag(ctx, cls))], node=node)
    for owner, name in list(ctx.program.heap.fields):
        found = find(cls, name) if owner is cls else (None, UNBOUND)
        if _is_constant(found[1]):
            _store(ctx, made, cls, name, class_constant(ctx, Lit(cls), found[0], name, found[1]), node)
    return made


def read(ctx: Lowering, x: Value, name: str, node: Any) -> Any:
    """``x.name``."""
    return by_class(ctx, x, node, lambda cls: _read(ctx, x, cls, name, node))


def _read(ctx: Lowering, x: Value, cls: type, name: str, node: Any) -> Any:
    import functools

    from ..calls.dispatch import call_abstract
    from ..expressions.attributes import _missing
    from ..expressions.operations import call
    from ..objects.access import _is_constant, bound
    from ..objects.descriptors import is_data_descriptor
    from ..objects.members import find, special
    from ..statements.control_flow import choose
    owner, found = find(cls, name)
    if name == "__class__":
        return Lit(cls, ctx.bind(cls.__name__, cls))
    field = ctx.program.heap.fields.get((cls, name))
    if name == DATA:
        found = UNBOUND
    if isinstance(found, functools.cached_property):
        method = SBound(x, found.func, owner)

        def first() -> Any:
            value = call_abstract(ctx, method, [], {}, node)
            _store(ctx, x, cls, name, value, node, constant=False)
            return ctx.operand(value, node)
        held = _table(ctx, (cls, name))
        has = call(ctx, operator.contains, [held, x], type=Num("bool"), node=node)
        return choose(ctx, has, lambda: call(ctx, operator.getitem, [held, x], node=node), first)
    if field is None or is_data_descriptor(found) or found is not UNBOUND and hasattr(type(found), "__set__") and not isinstance(
            found, types.MemberDescriptorType):
        if found is UNBOUND or isinstance(found, types.MemberDescriptorType):
            if name == "__dict__":
                refuse("static", ctx.at(node), f"the __dict__ of an instance of {cls.__name__}")
            hook = special(ctx, x, "__getattr__", [Lit(name)], node) if not name.startswith("__") else None
            return hook if hook is not None else _missing(ctx, cls.__name__, name, node)
        return bound(ctx, x, owner, found, name, node)
    if found is not UNBOUND and not isinstance(found, types.MemberDescriptorType) and not _is_constant(found):
        refuse("conflict", ctx.at(node), f"'{name}' is a method of {cls.__name__} and an attribute of its instances")
    if ctx.program.asks and field.constant is not UNBOUND:      # whether it is there is to be seen
        field.constant, ctx.program.heap.changed = UNBOUND, True
    if field.constant is not None and field.constant is not UNBOUND:
        return _spelled(ctx, field.constant)
    held = _table(ctx, (cls, name))
    if not ctx.program.asks:
        return call(ctx, operator.getitem, [held, x], node=node)
    there = call(ctx, operator.contains, [held, x], type=Num("bool"), node=node)
    return choose(ctx, there, lambda: call(ctx, operator.getitem, [held, x], node=node), lambda: _missing(ctx, cls.__name__, name, node))


def read_stored(ctx: Lowering, x: Value, name: str, node: Any) -> Any:
    """An attribute of an instance of one class, past its properties."""
    from ..expressions.operations import call

    def one(cls: type) -> Any:
        constant = ctx.program.heap.fields[cls, name].constant
        if constant is not None and constant is not UNBOUND:
            return _spelled(ctx, constant)
        return call(ctx, operator.getitem, [_table(ctx, (cls, name)), x], node=node)
    return by_class(ctx, x, node, one)


def _spelled(ctx: Lowering, x: Lit) -> Lit:
    """A literal under a name of the text of this function."""
    if x.text is None:
        return Lit(x.value)
    return Lit(x.value, ctx.bind(getattr(x.value, "__name__", "constant"), x.value))


def write(ctx: Lowering, x: Value, name: str, value: Any, node: Any, raw: bool = False) -> None:
    """``x.name = value``; with ``raw`` as ``object.__setattr__`` does it."""
    from ..calls.dispatch import call_abstract
    from ..objects.descriptors import set_by_descriptor
    from ..objects.members import find
    from ..statements.attribute_writes import set_by_hook

    def one(cls: type) -> Any:
        owner, found = find(cls, name)
        if not raw and set_by_hook(ctx, x, cls, name, value, node):
            return Lit(None)
        if isinstance(found, property) and isinstance(found.fset, types.FunctionType):
            call_abstract(ctx, SBound(x, found.fset, owner), [value], {}, node)
            return Lit(None)
        if set_by_descriptor(ctx, x, found, name, value, node):
            return Lit(None)
        if found is not UNBOUND and hasattr(type(found), "__set__") and not isinstance(found, types.MemberDescriptorType):
            refuse("metaclass", ctx.at(node), f"the attribute '{name}' is a descriptor")
        _store(ctx, x, cls, name, value, node)
        return Lit(None)
    by_class(ctx, x, node, one)


def store(ctx: Lowering, x: Value, name: str, value: Any, node: Any) -> None:
    """Sets an attribute as ``object.__setattr__`` does."""
    def one(cls: type) -> Any:
        _store(ctx, x, cls, name, value, node)
        return Lit(None)
    by_class(ctx, x, node, one)


def _store(ctx: Lowering, x: Value, cls: type, name: str, value: Any, node: Any, constant: bool = True) -> None:
    from ..expressions.operations import call
    heap, key = ctx.program.heap, (cls, name)
    field = heap.fields.get(key)
    if field is None:
        field, heap.changed = heap.fields.setdefault(key, Field()), True
    if field.constant is not UNBOUND:
        if constant and _is_setting(value) and (field.constant is None or _same(field.constant, value)):
            if field.constant is None:
                field.constant, heap.changed = value, True
            return
        differs = field.constant is not None
        field.constant, heap.changed = UNBOUND, True
        if differs:
            heap.changed = True
    table = _table(ctx, key)
    if isinstance(value, SIter) and value.one_pass:
        from ..objects.generator_records import NO_RECORDS, start
        value = start(ctx, value, node) if value.kind not in NO_RECORDS else value
    held = ctx.escape(_of_any_length(ctx, table, key, value, node), node)
    call(ctx, operator.setitem, [table, x, held], node=node)
    if isinstance(held, Value) and isinstance(held.type, (ListT, DictT, SetT)) and isinstance(table.type, DictT):
        # appends through the instance add nothing to the type of the table, which an earlier attempt has found
        if type(table.type.value) is type(held.type) and _items_of(table.type.value) != _items_of(held.type):
            ctx.sharing.widen(held, table.type.value)
        if table.varied:
            ctx.sharing.vary(held)


def _items_of(t: Any) -> Any:
    """The type of a container without its length."""
    return ListT(t.elem) if isinstance(t, ListT) else t


def _of_any_length(ctx: Lowering, table: Value, key: Key, value: Any, node: Any) -> Any:
    """A tuple as a list, where the attribute holds tuples of different lengths."""
    site, held = ("#tuples", *key), table.type.value if isinstance(table.type, DictT) else None
    if isinstance(value, Lit) and isinstance(value.value, tuple) and (site in ctx.program.sites or isinstance(held, (TupleT, ListT))):
        value = ctx.tuple([Lit(v) for v in value.value])
    if not isinstance(value, STuple) or value.cls is not None:
        return value
    if site in ctx.program.sites:
        made = ctx.runtime_display("list", [ctx.escape(i, node) for i in value.items])
        ctx.program.tuples.add(made)
        return made
    if isinstance(held, TupleT) and held.cls is None and len(held.elems) != len(value.items):
        from ..context import Restart
        raise Restart([site])
    return value


def _is_setting(x: Any) -> bool:
    """Whether a value is worth knowing when compiling: a function, a string, None."""
    return isinstance(x, Lit) and (callable(x.value) or x.text is None and isinstance(x.value, (str, bool, type(None), int)))


def _same(a: Lit, b: Any) -> bool:
    if not isinstance(b, Lit) or type(a.value) is not type(b.value):
        return False
    return a.value is b.value or isinstance(a.value, (str, int)) and bool(a.value == b.value)


def has(ctx: Lowering, x: Value, name: str, node: Any, of_class: bool = True) -> Any:
    """``hasattr(x, name)``; without ``of_class``, whether the instance itself has it."""
    from ..expressions.operations import call
    from ..objects.members import find

    def one(cls: type) -> Any:
        found = find(cls, name)[1]
        if of_class and found is not UNBOUND and not isinstance(found, types.MemberDescriptorType):
            return Lit(True)
        heap = ctx.program.heap
        if (cls, name) not in heap.fields:
            return Lit(False)
        field = heap.fields[cls, name]
        if field.constant is not UNBOUND:
            field.constant, heap.changed = UNBOUND, True
        return call(ctx, operator.contains, [_table(ctx, (cls, name)), x], type=Num("bool"), node=node)
    return by_class(ctx, x, node, one)


def is_instance(ctx: Lowering, x: Value, classes: list[Any], node: Any) -> Any:
    """``isinstance(x, classes)``."""
    from ..expressions.operations import call
    from ..statements.control_flow import choose

    def test() -> Any:
        t = reference_type(ctx, x)
        assert t is not None
        answers = {cls: any(isinstance(c, type) and issubclass(cls, c) for c in classes) for cls in t.classes}
        if len(set(answers.values())) == 1:
            return Lit(next(iter(answers.values())))
        return by_class(ctx, x, node, lambda cls: Lit(answers[cls]))
    if isinstance(x.type, OptT) and x not in ctx.classes_of:
        return choose(ctx, call(ctx, operator.is_not, [x, Lit(None)], node=node), test, lambda: Lit(type(None) in classes))
    return test()


def truth(ctx: Lowering, x: Value, node: Any) -> Any:
    """Whether an instance, or None in its place, is true."""
    from ..expressions.operations import call
    from ..expressions.operators import truth as truth_of
    from ..objects.members import find, special
    from ..statements.control_flow import choose

    def one(cls: type) -> Any:
        for name in ("__bool__", "__len__"):
            if find(cls, name)[1] is not UNBOUND:
                return truth_of(ctx, special(ctx, x, name, [], node), node)
        return Lit(True)

    def test() -> Any:
        t = reference_type(ctx, x)
        assert t is not None
        if t.classes and not any(hasattr(c, "__bool__") or hasattr(c, "__len__") for c in t.classes):
            return Lit(True)
        return by_class(ctx, x, node, one)
    if not isinstance(x.type, OptT) or x in ctx.classes_of:
        return test()
    there = call(ctx, operator.is_not, [x, Lit(None)], node=node)
    t = reference_type(ctx, x)
    if t is not None and t.classes and not any(hasattr(c, "__bool__") or hasattr(c, "__len__") for c in t.classes):
        return there
    return choose(ctx, there, test, lambda: Lit(False))


def same_instance(ctx: Lowering, fn: Any, a: Any, b: Any, node: Any) -> Any:
    """``a is b``, ``a == b`` of classes without an ``__eq__``: whether the numbers are the same."""
    from ..expressions.operations import call
    from ..objects.function_records import check_identity
    check_identity(ctx, a, b, node, fn in (operator.eq, operator.ne))
    same: dict[Any, Any] = {operator.is_: operator.eq, operator.is_not: operator.ne}
    fn = same.get(fn, fn)
    for x in (a, b):
        if isinstance(x, Lit) and x.value is None:
            return call(ctx, operator.is_ if fn is operator.eq else operator.is_not, [a, b], node=node)
        if not isinstance(x, Value) or reference_type(ctx, x) is None:
            return Lit(fn is operator.ne)
    return call(ctx, fn, [a, b], type=Num("bool"), node=node)


def escaped(ctx: Lowering, x: SObj) -> tuple[str, Any] | None:
    """The site that puts the class of an instance on the heap, where it is not there yet."""
    site = heap_site(x.cls)
    return site if site is not None and site not in ctx.program.sites else None

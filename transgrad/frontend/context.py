"""The state of a lowering: the current block, the values of names, and the assumptions."""
from __future__ import annotations

import contextlib
import operator
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ..ir.attributes import Guard
from ..ir.effects import holds_mutable, is_unknown, only_computes
from ..ir.infer_shapes import _length
from ..ir.ops import UNDEF, Block, Build, Call, Function, If, Lit, Loc, Op, Operand, Star, Value
from ..ir.types import UNKNOWN, Arr, DictT, ListT, Num, Obj, OptT, RecordT, SetT, TupleT, Type, is_differentiable, join
from .describe import describe
from .domain.abstract import UNBOUND, SBound, SConflict, SDict, SFunc, SIter, SList, SNamespace, SObj, SPartial, SSlice, STuple
from .domain.alias_sets import Sharing
from .domain.contents import Contents
from .domain.heap import Heap
from .domain.heap_checks import check
from .frames import Frame
from .refusals import refuse
from .specialize.budget import Budget

__all__ = ["Attribute", "CHANGED_DICTS", "FIELDS", "InlineInstead", "KEPT", "Lowering", "OBJECTS", "Program", "Restart"]

#: Stands among the sites where dict arguments are written to.
CHANGED_DICTS = "dict arguments"
#: Stands among the sites where fields of instances in differentiated arguments are assigned.
FIELDS = "fields of arguments"
#: Stands among the sites where arrays in fields of other arguments are written to: the instances in these are split into their fields, too.
OBJECTS = "arrays in objects that are arguments"


class Attribute:
    """A state key: an attribute of an instance known at compile time, which the function writes to."""

    __slots__ = ("obj",)

    def __init__(self, obj: Any):
        self.obj = obj

    def __hash__(self) -> int:
        return id(self.obj)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Attribute) and other.obj is self.obj


#: A site of a `Restart`: pullbacks save their operands, because these are overwritten before the pullback is called.
KEPT = "what pullbacks read"


class Restart(Exception):
    """Lower again from the start: the displays made at ``sites`` must be values at run time."""

    def __init__(self, sites: Any):
        self.sites = tuple(sites)
        super().__init__(self.sites)


class InlineInstead(Exception):
    """A function returns something that exists only in the compiler: its calls must be inlined."""

    def __init__(self, func: Any):
        self.func = func
        super().__init__(func)


class Program:
    """The state that the lowerings of a function and its callees share."""

    def __init__(self) -> None:
        self.memo: dict[Any, Any] = {}
        self.guards: dict[Any, Guard] = {}
        self.budget = Budget()
        #: Facts from earlier attempts that change the lowering, in the order of their discovery.
        self.sites: dict[Any, None] = {}
        #: Ids of the caller's containers that were written to: their present contents are not known.
        self.stale: set[int] = set()
        #: Types that attributes of the caller's objects were given.
        self.fields: dict[Any, Type] = {}
        #: Counts the facts learned about the caller's objects: callees lowered before have to be lowered again.
        self.revision = 0
        #: The attributes of instances that are values at run time.
        self.heap = Heap()
        #: The classes of functions that are values at run time, by their definition, and what their records consist of.
        self.function_classes: dict[Any, type] = {}
        self.records: dict[type, tuple[Any, ...]] = {}
        self.local_classes: set[type] = set()       # those defined in this attempt whose instances are on the heap
        #: The parameters for objects from outside, by the id of the object, and the objects that values are parts of.
        self.implicit: dict[int, Any] = {}
        self.outside: dict[Value, tuple[Any, str | None]] = {}
        self.inlined_generators = False     # independent of the facts found about them: a context manager's runs around the body
        #: Whether a clause tells the exception of an attribute that is not there from others.
        self.asks = False
        #: Lists from outside that differentiated numbers were appended to, as constants.
        self.recordings: list[Operand] = []
        #: The arguments that are not differentiated and hold instances.
        self.objects: set[str] = set()
        #: Whether a global is assigned.
        self.writes_outside = False
        #: Whether a global or closure variable is assigned.
        self.writes_variables = False
        #: The names of closure variables that are read at run time, by the id of their cell.
        self.free: dict[int, str] = {}
        #: Whether an OrderedDict was made, which is lowered as a dict.
        self.ordered = False
        #: Whether something was called of which nothing is known.
        self.disturbed = False
        #: The function that is lowered.
        self.root: Any = None
        #: The statement being lowered.
        self.loc: Loc | None = None
        #: How many blocks the one being written lies in.
        self.depth = 0
        #: Where the user's call stands whose text in the table of rules is being lowered, and its depth; None in the user's own code.
        self.of_table: tuple[Loc | None, int] | None = None
        #: the user's call into SciPy, NumPy or the table, while their source is lowered
        self.library: Loc | None = None
        #: Whether a body of `insert_grad_of` is being lowered, which may store numbers outside: they are not differentiated.
        self.logging = False
        #: Functions whose calls are inlined because of the type of their results.
        self.inlined: set[Any] = set()
        #: Calls that run on the tape (see `transgrad.frontend.calls.tape_calls`).
        self.taped: dict[Any, Any] = {}
        #: Lists that stand for tuples whose length is not known.
        self.tuples: set[Operand] = set()

    def guard(self, kind: str, container: Any, key: Any, expected: Any) -> None:
        """Record that a fact from outside of the arguments was baked in."""
        self.guards.setdefault(
            (kind, id(container) if not isinstance(container, str) else container, key), Guard(kind, container, key, expected)
        )


class Lowering:
    """Writes one `Function`."""

    def __init__(self, program: Program, function: Function, frame: Frame):
        self.program = program
        self.function = function
        self.frame = frame
        self.block = function.body
        self.loc: Loc | None = None
        self.state: dict[Any, Any] = {}
        self.sharing = Sharing()
        #: Variables that some path left without a value, where another gave them one.
        self.partial: set[Any] = set()
        #: Variables that a path which does not go on (it raises, it returns) has assigned: a handler finds them changed.
        self.left_behind: set[Any] = set()
        #: How many statements around have a finally clause, which reads names after a return.
        self.guarded = 0
        #: How many try clauses around catch that a name or an attribute is not there.
        self.asking = 0
        #: Values of lowerings of loop bodies that were thrown away.
        self.discarded: set[Value] = set()
        #: How many displays became values because they met one where paths join.
        self.pinned = 0
        self.meeting: set[tuple[SObj, SObj]] = set()        # pairs of instances that are being joined
        #: The blocks of the paths that are joined, by their states.
        self.ends: dict[int, Block] = {}
        #: Run-time objects seen while lowering, by the value that stands for them.
        self.examples: dict[Value, tuple[Any, Any]] = {}
        #: The classes of instances on the heap, where a test has told them, and the tables that are parameters of a function.
        self.classes_of: dict[Value, type] = {}
        self.tables: dict[Any, Value] = {}
        self.tables_of: Any = None
        #: Try clauses around that a raise may jump out of (None: one that it may not), the exceptions that are being handled, those that
        #: are objects of the compiler, and the frames that are a whole statement of another one.
        self.catchers: list[Any] = []
        self.handling: list[Any] = []
        self.raised: dict[SObj, tuple[Any, list[Any], dict[str, Any]]] = {}
        self.whole: dict[Frame, Frame] = {}
        #: The frames that inlined functions are called from, with the statement of the call.
        self.callers: dict[Frame, tuple[Frame, Any]] = {}
        #: The states in which operations of the present statement may raise (see `shielding`).
        self.watch: Any = None
        #: The classes that the exceptions of operations may have, and the values that stand for their classes.
        self.error_classes: dict[Value, frozenset[type]] = {}
        self.inlining: list[Any] = []
        #: The arguments of SciPy objects that exist only at run time.
        self.made: dict[Value, tuple[Any, list[Any], dict[str, Any]]] = {}
        #: State keys of the flags that say that the rest of the current statements is skipped.
        self.exits: list[Any] = []
        #: Lists of one item that mirror variables which an exception handler reads after an interrupted assignment.
        self.cells: dict[Any, tuple[Value, ...]] = {}
        #: Iterators that have a name, with the loops around the place where they got it.
        self.kept: dict[SIter, tuple[Any, ...]] = {}
        self.repeats: tuple[Any, ...] = ()
        #: Loops around the current statement that break and continue may leave, innermost last.
        self.loops: list[Any] = []
        #: The loop body to lower at the yields of an inlined generator, by its frame.
        self.consumers: dict[Frame, Any] = {}
        self.extra_assigned: list[list[Any]] = []
        self.tuples: dict[STuple, Contents] = {}
        #: The variant of a helper that is being lowered; None for the function itself.
        self.variant: Any = None
        #: Lowers captured names of enclosing functions, if this is the separate lowering of a nested function.
        self.capture: Any = None

    # -- blocks and places

    @contextlib.contextmanager
    def inside(self, block: Block) -> Iterator[Block]:
        """Write to another block for a while."""
        outer, self.block = self.block, block
        self.program.depth += 1
        try:
            yield block
        finally:
            self.block = outer
            self.program.depth -= 1

    def at(self, node: Any) -> Loc:
        """The place of a node of the current frame's source, for errors."""
        return self.in_library(self.frame.source.loc(node))

    def in_library(self, loc: Loc) -> Loc:
        """A location, with the user's call if it is in library source compiled for that call."""
        caller = self.program.library
        return loc if caller is None or loc.caller is not None else replace(loc, caller=caller)

    @property
    def dead(self) -> Any:
        """Why control cannot reach this point ('raise', 'return', 'break', 'continue'), or None."""
        return self.state.get("#dead")

    def emit(self, op: Op) -> Op:
        self.program.budget.use()
        op.loc = self.loc if self.loc is None or self.program.library is None else self.in_library(self.loc)
        if self.program.heap.tables or self.tables:
            check(self, op)
        self.block.ops.append(op)
        if self.watch is not None:
            self.watch.note(self, op)
        if only_computes(op):       # most operations
            return op
        if is_unknown(op):
            from .domain.external_state import disturb
            disturb(self, op)
        return op

    # -- names

    def bind(self, root: str, obj: Any) -> str:
        """Bind an object to a global name of the generated code; if the name is used, add a number."""
        name, k = root, 1
        names = self.function.names
        while name in names and names[name] is not obj:
            k += 1
            name = f"{root}_{k}"
        names[name] = obj
        return name

    # -- operands

    def contents(self, display: Any) -> Any:
        """The items of a list or dict display (a `Contents`), or the run-time value it has become."""
        return self.state.get((display, "items"), UNBOUND)

    def make_contents(self, items: Any) -> Contents:
        held = Contents(tuple(items), self.block, self.loc)
        for i in held.items:
            self.keep(i[1] if type(i) is tuple else i)
        values = [i[1] if type(i) is tuple else i for i in held.items]
        held.inner = tuple((v, self._held(v)) for v in values if type(v) in (SList, SDict, STuple))
        return held

    def _held(self, x: Any) -> Any:
        return self.tuples.get(x) if isinstance(x, STuple) else self.contents(x)

    def _as_made(self, held: Contents) -> bool:
        """Whether the displays among some items have the same contents as at the creation of the items."""
        for x, was in held.inner:
            now = self._held(x)
            if now is was:
                if isinstance(was, Contents) and not self._as_made(was):
                    return False
            elif not isinstance(was, Contents) or now is not was.value:
                return False
        return True

    def keep(self, x: Any) -> None:
        """Record that an iterator is stored: it can be consumed once, in the loop iteration in which it was created."""
        if isinstance(x, SIter) and x.one_pass:
            self.kept.setdefault(x, self.repeats)

    def operand(self, x: Any, node: Any = None) -> Operand:
        """``x`` as something an operation can take; builds the displays that existed only in the compiler."""
        if isinstance(x, (Value, Lit)):
            return x
        if isinstance(x, STuple):
            return self._tuple(x, node)
        if isinstance(x, (SList, SDict)):
            held = self.contents(x)
            if isinstance(held, (Value, Lit)):
                return held
            if isinstance(held, Contents):
                return self._value(x, held, node)
            x = held
        if isinstance(x, SSlice):
            parts = [self.operand(p, node) for p in (x.start, x.stop, x.step)]
            if all(isinstance(p, Lit) and p.text is None for p in parts):
                return Lit(slice(*(p.value for p in parts)))        # type: ignore[union-attr]
            result = Value(Obj(slice))
            self.emit(Build("slice", parts, results=[result]))
            return result
        if isinstance(x, SIter):
            from .containers.iterables import collect
            return self.operand(collect(self, x, node), node)
        if isinstance(x, SObj):
            from .objects.instances import build_object
            return build_object(self, x, node)
        if isinstance(x, SNamespace):
            from .objects.instance_dicts import as_dict
            return self.operand(as_dict(self, x, node), node)
        if isinstance(x, (SFunc, SBound, SPartial)):
            from .objects.function_records import record
            return record(self, x, node)
        if isinstance(x, SConflict):
            self.conflict(x, node)
        if x is UNBOUND:
            return UNDEF
        return refuse("static", self.at(node) if node is not None else self.loc, f"{describe(x)} cannot be a value at run time")

    def looked_for(self, key: tuple[Any, str], node: Any) -> None:
        """Refuse to look up a name that only some paths define, if a surrounding try asks whether it exists."""
        if self.asking and key in self.partial:
            refuse("conflict", self.at(node), f"whether there is a '{key[1]}' depends on the path taken")

    def conflict(self, x: SConflict, node: Any = None) -> Any:
        """Refuse the use of something that differs between paths, unless making it a run-time value helps."""
        if x.sites and not all(s in self.program.sites for s in x.sites):
            raise Restart(x.sites)
        return refuse(x.key, self.at(node) if node is not None else self.loc, x.detail)

    def _tuple(self, x: STuple, node: Any) -> Operand:
        held = self.tuples.get(x)
        return self._value(x, self.make_contents(x.items) if held is None else held, node)

    def _value(self, x: Any, held: Contents, node: Any) -> Operand:
        """The value of a display, built where its items came to be, or, if that cannot be, here."""
        if held.late or not self._as_made(held):
            held = self.make_contents(held.items)
        if held.value is None:
            held.value = self._display(x, held, node)
        return held.value

    def tuple(self, items: Any, cls: type | None = None) -> STuple:
        """A compile-time tuple, which records the block of its creation."""
        made = STuple(items, cls)
        self.tuples[made] = self.make_contents(made.items)
        return made

    def _display(self, x: Any, held: Contents, node: Any) -> Operand:
        """Build a display where its items came to be."""
        outer, scratch, loc = self.block, Block(), self.loc
        # materialize displays among the items at the site of their creation; only conversions made here lie in between
        self.block = scratch
        self.loc = held.loc or loc
        try:
            if isinstance(x, SDict):
                ops = [o for key, value in held.items for o in (self.operand(key, node), self.operand(_item(self, value, node), node))]
            else:
                items = held.items
                if self.program.function_classes and not isinstance(x, STuple):
                    from .objects.function_records import beside_records
                    items = tuple(beside_records(self, i, node) for i in items)
                ops = [self.operand(_item(self, i, node), node) for i in items]
        finally:
            self.block = outer
        try:
            for inner in scratch.ops:
                held.insert(inner)
                held.after = inner
            kind = {STuple: "tuple", SList: "list", SDict: "dict"}[type(x)]
            cls = getattr(x, "cls", None)
            if kind == "tuple" and cls is None and all(isinstance(o, Lit) and o.text is None for o in ops):
                return Lit(tuple(o.value for o in ops))     # type: ignore[union-attr]
            result = self._built(kind, ops, cls)
            op = Build("namedtuple" if cls and kind == "tuple" else kind, ops, cls, results=[result])
            if any(holds_mutable(o.value) if isinstance(o, Lit) else self.sharing.is_foreign(o) or self.sharing.is_holding(o) for o in ops):
                self.sharing.holds_outside(result)
            op.loc = self.loc
            if held.left:
                return self._unless_left(held, op)
            held.insert(op)
            return result
        finally:
            self.loc = loc

    def _unless_left(self, held: Contents, op: Build) -> Value:
        """Materialize a display only on the paths that created its items."""
        flag = held.left[0]
        for other in held.left[1:]:
            either = Call(operator.or_, [flag, other], results=[Value(Num("bool"))])
            held.insert(either)
            held.after, flag = either, either.result
        result = Value(op.result.type, None, op.result.varied)
        held.insert(If(flag, Block([], [], [UNDEF]), Block([], [op], [op.result]), results=[result], loc=op.loc))
        self.sharing.unite(result, op.result)
        return result

    def _built(self, kind: str, ops: list[Operand], cls: type | None) -> Value:
        types = [o.type for o in ops]
        if kind == "tuple":     # lengths given as numbers, as in a shape
            types = [Num("int", _length(o)) if isinstance(o, Lit) and type(o.value) is int and o.value >= 0 else o.type for o in ops]
        t: Type
        if kind == "tuple":
            t = TupleT(tuple(types), cls)
        elif kind == "list":
            t = ListT(join_all(types), len(types))
        elif kind == "dict":
            keys = [o.value if isinstance(o, Lit) else None for o in ops[::2]]
            values = types[1::2]
            if keys and all(isinstance(k, str) for k in keys) and join_all(values) == UNKNOWN:
                t = RecordT(tuple(keys), tuple(values))
            else:
                t = DictT(join_all(types[::2]), join_all(values))
        else:
            t = UNKNOWN
        result = Value(t, None, any(o.varied for o in ops) and is_differentiable(t))
        for k, o in enumerate(ops):
            at = ops[k - 1] if kind == "dict" else None
            self.sharing.contain(result, o, k if kind == "tuple" else at.value if isinstance(at, Lit) else None)
        return result

    def runtime_display(self, kind: str, ops: list[Any], cls: type | None = None, is_cell: bool = False) -> Value:
        """Build a display here and now."""
        flat = [o.value if isinstance(o, Star) else o for o in ops]
        if any(isinstance(o, Star) for o in ops):
            elem = join_all([elem_of(o.value.type) if isinstance(o, Star) else o.type for o in ops])
            t: Type = ListT(elem)
            result = Value(t if kind == "list" else UNKNOWN, None, any(o.varied for o in flat))
            for o in flat:
                self.sharing.link(result, o)
        else:
            result = self._built(kind, ops, cls)
        self.emit(Build(kind, ops, cls, is_cell, results=[result]))
        return result

    def escape(self, x: Any, node: Any = None) -> Operand:
        """Like `operand`, for uses that store or change their operand: the display becomes a run-time value."""
        inner = self._inner(x)
        value = self.operand(x, node)
        if isinstance(x, (SList, SDict)) and isinstance(self.contents(x), Contents):
            self.state[x, "items"] = value
        for item in inner:
            self.escape(item, node)
        return value

    def shared(self, x: Any, node: Any = None) -> Operand:
        """Like `operand`, for uses that return items of their operand: displays among them become run-time values."""
        if isinstance(x, (Value, Lit)):
            return x
        return self.escape(x, node) if self._inner(x) else self.operand(x, node)

    def _inner(self, x: Any) -> list[Any]:
        """The displays among the items of a display."""
        held = x if isinstance(x, STuple) else self.contents(x) if isinstance(x, (SList, SDict)) else None
        if not isinstance(held, (STuple, Contents)):
            return []
        return [i[1] if isinstance(x, SDict) else i for i in held.items
                if isinstance(i[1] if isinstance(x, SDict) else i, (SList, SDict, STuple))]


def _item(ctx: Lowering, x: Any, node: Any) -> Any:
    """An item of a display that becomes a value."""
    if not isinstance(x, SIter):
        return x
    from .objects.generator_records import held_in_container
    return held_in_container(ctx, x, node)


def join_all(types: Any) -> Type | None:
    out: Type | None = None
    for t in types:
        out = t if out is None else join(out, t)
    return out


def elem_of(t: Type | None) -> Type:
    """The element type of an iterable type."""
    match t:
        case ListT(elem) | SetT(elem):
            return elem if elem is not None else UNKNOWN
        case TupleT(elems):
            return join_all(elems) or UNKNOWN
        case DictT(key, _):
            return key or UNKNOWN
        case RecordT(keys, _):
            return Obj(str) if all(isinstance(k, str) for k in keys) else UNKNOWN
        case Arr(dtype, dims) if dims:
            return Arr(dtype, dims[1:], scalar=len(dims) == 1)
        case OptT(inner):
            return elem_of(inner)
        case Obj(cls) if cls is str:
            return Obj(str)
        case Obj(cls) if cls is range:
            return Num("int")
    return UNKNOWN

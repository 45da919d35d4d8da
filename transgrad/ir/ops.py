"""The IR: structured SSA with regions.

A `Function` owns a `Block`; a block is a list of operations that ends in its ``yields``.  `If`, `For`, `While`, `Try` and
`With` own blocks: loop-carried values are parameters of the body, results of a branch are the yields of its block.  An
operand is a `Value` (defined once, by an operation or as a parameter) or a `Lit` (known at compile time).

Arrays, lists, dicts and sets are references: operations such as ``operator.setitem`` or ``list.append`` change the objects they
refer to, in program order.  Everything else is a value.
"""
from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Union

from .attributes import Attributes
from .prims import unguarded
from .types import UNKNOWN, Num, Type

__all__ = [
    "UNDEF", "Block", "Build", "Call", "CallValue", "For", "Function", "GetAttr", "Handler", "If", "Invoke", "Lit", "Loc", "Op", "Operand",
    "Param", "Raise", "SetAttr", "Source", "Star", "Tree", "Try", "Value", "While", "With", "blocks_of", "calls", "calls_of", "count_reads",
    "functions_of", "operands_of", "walk",
]


@dataclass(frozen=True, slots=True)
class Loc:
    """A statement of a source: file, line, column (1-based) and its source on one line; in a library, ``caller`` is the user's call."""

    file: str
    line: int
    col: int = 1
    text: str = ""
    end_col: int | None = None
    caller: Loc | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class Value:
    """A value that is computed at run time.  ``name`` is the name the user gave it, or a hint for one, or None."""

    __slots__ = ("name", "type", "varied")

    def __init__(self, type: Type = UNKNOWN, name: str | None = None, varied: bool = False):
        self.type = type
        self.name = name
        #: Whether it may depend on a differentiated input (kept by the front end).
        self.varied = varied

    def __repr__(self) -> str:
        return f"%{self.name or ''}:{self.type}"


class Lit:
    """A literal operand; ``text`` is its spelling (default: its repr).

    A ``filler`` stands for a value of any type on a path on which the value is not computed, and is never read.
    """

    __slots__ = ("filler", "text", "value")
    varied = False

    def __init__(self, value: Any, text: str | None = None, filler: bool = False):
        self.value = value
        self.text = text
        self.filler = filler

    @property
    def type(self) -> Type:
        found = _NUMBERS.get(type(self.value))
        return _type_of(self.value) if found is None else found

    def __repr__(self) -> str:
        return self.text or repr(self.value)


_NUMBERS: dict[type, Num] = {kind: Num(kind.__name__) for kind in (bool, int, float, complex)}


def _type_of(value: Any) -> Type:
    from .infer import type_of
    return type_of(value, ("literal", id(value)))


class _Undef:
    """The yield of a branch for a result that is only read after the other branch."""

    def __repr__(self) -> str:
        return "undef"


UNDEF = Lit(_Undef(), "undef")
Operand = Union[Value, Lit]


@dataclass(eq=False, slots=True)
class Star:
    """``*xs`` among the arguments of a call or the items of a display."""

    value: Operand


@dataclass(eq=False, slots=True)
class Block:
    """Operations in order; ``params`` are bound on entry, ``yields`` are passed to the owner at the end."""

    params: list[Value] = field(default_factory=list)
    ops: list["Op"] = field(default_factory=list)
    yields: list[Operand] = field(default_factory=list)


@dataclass(eq=False, slots=True, kw_only=True)
class _Op:
    results: list[Value] = field(default_factory=list)
    loc: Loc | None = None
    #: 'primal', 'adjoint' or 'tangent': the part of the generated code that the operation belongs to.
    part: str = "primal"
    #: Whether it is an operation of the differentiated function, not of a rule or a pass.
    written: bool = False

    @property
    def result(self) -> Value:
        return self.results[0]


@dataclass(eq=False, slots=True)
class Call(_Op):
    """A call of a callable known at compile time: an operator (``operator.add``), a NumPy function, a method descriptor
    (``np.ndarray.sum``, ``list.append``) or any Python callable.  Several results: the callable returns a tuple.

    ``spelling`` is the callee as the user wrote it (``sin``, ``np.sin``), if it was a name or dotted name.
    """

    fn: Callable[..., Any]
    args: list[Any]
    kwargs: dict[str, Operand] = field(default_factory=dict)
    spelling: str | None = None


@dataclass(eq=False, slots=True)
class Invoke(_Op):
    """A call of a function that was lowered for these argument types.  ``args`` match ``func.params``.

    ``again`` says that its reverse repeats the call instead of saving its results.
    """

    func: "Function"
    args: list[Operand]
    again: bool = False


@dataclass(eq=False, slots=True)
class CallValue(_Op):
    """A call of a value (or, with ``method``, of its method of that name): its effects are unknown."""

    callee: Operand
    args: list[Any]
    kwargs: dict[str, Operand] = field(default_factory=dict)
    method: str | None = None


@dataclass(eq=False, slots=True)
class Build(_Op):
    """A display: ``kind`` is 'tuple', 'list', 'dict' (items alternate key, value), 'set', 'slice' (three items),
    'namedtuple' (``cls``) or 'str' (an f-string whose items are joined). With ``is_cell`` a list stands for a variable of
    the user's, which may be unassigned: the item is None then."""

    kind: str
    items: list[Any]
    cls: type | None = None
    is_cell: bool = False


@dataclass(eq=False, slots=True)
class GetAttr(_Op):
    """``obj.name``, for arrays (shape, T, real…) and for the user's objects."""

    obj: Operand
    name: str


@dataclass(eq=False, slots=True)
class SetAttr(_Op):
    """``obj.name = value``."""

    obj: Operand
    name: str
    value: Operand


@dataclass(eq=False, slots=True)
class If(_Op):
    """``results`` are the yields of the block that ran."""

    cond: Operand
    then: Block
    orelse: Block


@dataclass(eq=False, slots=True)
class Source:
    """What one loop variable runs over.

    ``kind`` is 'range' (operands start, stop, step), 'count' (start: endless, as in enumerate), 'seq' (one array, list or
    tuple), 'items' / 'keys' / 'values' (one dict) or 'iter' (any iterable).  ``reverse`` walks it backwards.  Of a range,
    ``snapshots`` says how many states of a loop over it are kept for the reverse sweep (0: the square root of its length).
    With ``frees``, nothing reads a list afterwards, and each item is removed when it is read; of a range, this is said of
    the lists that the loop over it keeps for the reverse sweep.
    """

    kind: str
    operands: list[Operand]
    reverse: bool = False
    snapshots: int | None = None
    frees: bool = False


@dataclass(eq=False, slots=True)
class For(_Op):
    """A loop over one or more sources in step, ended by the shortest (as ``zip``).

    ``body.params`` are one item a source ('items' has two), then the carried values; ``body.yields`` are the carried values
    of the next iteration, preceded by a stop flag where ``stops``.  ``results`` are the carried values at the end.
    """

    sources: list[Source]
    inits: list[Operand]
    body: Block
    stops: bool = False


@dataclass(eq=False, slots=True)
class While(_Op):
    """``cond`` and ``body`` both take the carried values; ``cond.yields`` is one truth value, ``body.yields`` as in `For`."""

    inits: list[Operand]
    cond: Block
    body: Block
    stops: bool = False


@dataclass(eq=False, slots=True)
class Handler:
    """``except classes as name``; ``body.params`` is the exception where ``name`` is set.  ``classes`` is None for a bare
    except."""

    classes: Operand | None
    body: Block
    name: str | None = None


@dataclass(eq=False, slots=True)
class Try(_Op):
    """``results`` are the yields of ``body`` (which includes a source ``else``), or of the handler that ran.

    ``final`` yields nothing.
    """

    body: Block
    handlers: list[Handler]
    final: Block | None = None

    def clauses(self) -> tuple[list[Op], list[Op]]:
        """The operations of the try clause, which are guarded, and those of the else clause."""
        ops = self.body.ops
        at = next((k for k, op in enumerate(ops) if type(op) is Call and op.fn is unguarded), len(ops))
        return ops[:at], ops[at + 1:]


@dataclass(eq=False, slots=True)
class With(_Op):
    """``with ctx as item``; ``body.params`` is the entered value if it is used."""

    ctx: Operand
    body: Block


@dataclass(eq=False, slots=True)
class Raise(_Op):
    """``raise exc from cause``; with ``exc`` None, a bare raise.  Nothing after it in its block runs.  ``classes`` are those that the
    exception may have, where the front end knows them."""

    exc: Operand | None
    cause: Operand | None = None
    classes: frozenset[type] | None = None


Op = Union[Call, Invoke, CallValue, Build, GetAttr, SetAttr, If, For, While, Try, With, Raise]


@dataclass(eq=False, slots=True)
class Tree:
    """How flat results make up a returned structure.

    ``kind`` is 'leaf' (``index`` into the results), 'lit' (``value``), 'tuple', 'list', 'dict' (``keys``) or 'object'
    (``cls`` called with the items as keyword arguments ``keys``; a named tuple is a 'tuple' with ``cls``).  A leaf whose ``cls`` is
    tuple is a list in the IR, for its length is not known, and a tuple for the caller.
    """

    kind: str
    items: list["Tree"] = field(default_factory=list)
    index: int = -1
    keys: list[Any] = field(default_factory=list)
    value: Any = None
    cls: type | None = None


@dataclass(eq=False, slots=True)
class Param:
    """A parameter of the user's function: ``value`` is its IR parameter, or a Lit if it is known at compile time.

    ``kind`` is 'positional' (only), 'ordinary', 'varargs', 'keyword' (only) or 'varkwargs'.
    """

    name: str
    value: Operand
    kind: str = "ordinary"


@dataclass(eq=False, slots=True)
class Function:
    """A lowered function for one set of argument types.

    ``params`` are the run-time arguments in order (arguments known at compile time have none), ``body.yields`` the flat
    results; ``returns`` says how they make up the returned structure; ``signature`` lists all parameters.  ``names`` binds
    the root of every spelling in the source (``np``, ``sin``, ``rates``) to its object.  ``origin`` is the user's function.
    ``attrs`` are typed facts about the function, which copies have too.
    """

    name: str
    body: Block
    returns: Tree = field(default_factory=lambda: Tree("leaf", index=0))
    signature: list[Param] = field(default_factory=list)
    names: dict[str, Any] = field(default_factory=dict)
    origin: Any = None
    loc: Loc | None = None
    doc: str | None = None
    attrs: Attributes = field(default_factory=Attributes)
    #: results of analyses, by the analysis; dropped when the function changes
    analyses: dict[Any, Any] = field(default_factory=dict)
    #: functions that were derived from this one, by what derived them; see `memo`
    derived: dict[Any, dict[Any, Any]] = field(default_factory=dict)

    @property
    def params(self) -> list[Value]:
        return self.body.params

    def memo(self, owner: Callable[..., Any]) -> dict[Any, Any]:
        """The results that ``owner`` has for this function, by its other arguments; a copy of the function starts without."""
        return self.derived.setdefault(owner, {})

    def __str__(self) -> str:
        from .printer import print_function
        return print_function(self)


def _flat(items: list[Any]) -> list[Operand]:
    return [item.value if type(item) is Star else item for item in items]


_OPERANDS: dict[type, Callable[[Any], list[Operand]]] = {
    Call: lambda op: [*_flat(op.args), *op.kwargs.values()] if op.kwargs else _flat(op.args),
    Invoke: lambda op: list(op.args),
    CallValue: lambda op: [op.callee, *_flat(op.args), *op.kwargs.values()],
    Build: lambda op: _flat(op.items),
    GetAttr: lambda op: [op.obj],
    SetAttr: lambda op: [op.obj, op.value],
    If: lambda op: [op.cond],
    For: lambda op: [*(o for s in op.sources for o in s.operands), *op.inits],
    While: lambda op: list(op.inits),
    Try: lambda op: [h.classes for h in op.handlers if h.classes is not None],
    With: lambda op: [op.ctx],
    Raise: lambda op: [o for o in (op.exc, op.cause) if o is not None],
}


def operands_of(op: Op) -> list[Operand]:
    """The operands an operation reads itself (not those its blocks read); the list is not to be changed."""
    if type(op) is Call and not op.kwargs:      # most operations
        for a in op.args:
            if type(a) is Star:
                break
        else:
            return op.args
    return _OPERANDS[type(op)](op)


_BLOCKS: dict[type, Callable[[Any], list[Block]]] = {
    If: lambda op: [op.then, op.orelse],
    For: lambda op: [op.body],
    While: lambda op: [op.cond, op.body],
    Try: lambda op: [op.body, *(h.body for h in op.handlers), *([op.final] if op.final else [])],
    With: lambda op: [op.body],
}


def blocks_of(op: Op) -> list[Block]:
    """The blocks an operation owns, in the order they may run."""
    if type(op) is Call:        # most operations
        return _NO_BLOCKS
    found = _BLOCKS.get(type(op))
    return found(op) if found is not None else _NO_BLOCKS


_NO_BLOCKS: list[Block] = []


def functions_of(fn: Function) -> Iterable[Function]:
    """The function and those it calls, each once, in the order of the calls."""
    seen = {id(fn): fn}
    todo = [fn]
    while todo:
        for inner in _called(todo.pop(0).body):
            if id(inner) not in seen:
                seen[id(inner)] = inner
                todo.append(inner)
    return seen.values()


def _called(block: Block) -> list[Function]:
    """The functions that are called in a block, and in the blocks inside it, in order."""
    found: list[Function] = []
    for op in block.ops:
        if type(op) is Invoke:
            found.append(op.func)
        elif type(op) is not Call:
            for inner in blocks_of(op):
                found += _called(inner)
    return found


def walk(block: Block) -> list[Op]:
    """Every operation of a block and of the blocks inside it, in order."""
    found: list[Op] = []
    _collect(block, found)
    return found


def _collect(block: Block, found: list[Op]) -> None:
    for op in block.ops:
        found.append(op)
        if type(op) is not Call and (blocks := _BLOCKS.get(type(op))) is not None:
            for inner in blocks(op):
                _collect(inner, found)


def calls(block: Block, *fns: Callable[..., Any]) -> bool:
    """Whether some operation of a block, or of the blocks inside it, is a call of one of some functions."""
    todo = [block]
    for found in todo:
        for op in found.ops:
            if type(op) is not Call:
                todo += blocks_of(op)
            elif op.fn in fns:
                return True
    return False


def calls_of(block: Block, *fns: Callable[..., Any]) -> list[Call]:
    """The calls of some functions in a block and in the blocks inside it, in order."""
    return [op for op in walk(block) if type(op) is Call and op.fn in fns]


def count_reads(fn: Function) -> Counter[Operand]:
    """How often each operand is read, by operations and by the ends of blocks."""
    read: list[Operand] = list(fn.body.yields)
    for op in walk(fn.body):
        read += operands_of(op)
        if type(op) is not Call:
            for block in blocks_of(op):
                read += block.yields
    return Counter(read)

"""Analysis: active values that enter a type whose derivatives are not propagated.

A value that depends on a differentiated input is active, regardless of its type, until it reaches an operation that is locally
constant (`transgrad.passes.analysis.activity.is_locally_constant`).  Numbers, arrays of numbers, and the containers and objects
that hold them have adjoints.  Strings, bytes, sets, keys of dicts, arrays of objects, integers that are the bits of a float, and
exceptions have none: an active value that enters one of these is *untracked*, and so is everything computed from it.  If a
number that the function returns is untracked, its derivative would be lost.

For example, ``return float(str(x))`` returns an untracked number; ``print(str(x))`` makes an untracked string, which no result uses.

The analysis is flow-insensitive for references, which it groups by alias class, and context-insensitive for calls.  Strings and
numbers in the same container are distinguished by their types.  It relies on `Value.varied`, which the front end maintains for the
types that have adjoints.
"""
from __future__ import annotations

import operator
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ... import rules
from ...errors import TransgradError
from ...frontend.refusals import refuse
from ...ir.effects import STORES, WRITES_FIRST, is_known_pure, only_computes, outside, writes
from ...ir.ops import (
    Block,
    Build,
    Call,
    CallValue,
    For,
    Function,
    GetAttr,
    If,
    Invoke,
    Lit,
    Op,
    Operand,
    Raise,
    SetAttr,
    Star,
    Try,
    While,
    With,
    functions_of,
    operands_of,
    walk,
)
from ...ir.prims import inplace_at, unpack
from ...ir.types import Arr, DictT, ListT, Num, Obj, OptT, RecordT, SetT, TupleT, Type, is_differentiable, is_instance, strip
from ...rules.exact import is_exact
from ...runtime import check_broadcast, check_product, one_number, tape
from .activity import is_locally_constant
from .alias import AliasClasses

__all__ = ["Loss", "check_untracked", "find_loss"]

#: Calls that only select by their further arguments; the result depends on these operands.
_SELECTS: dict[Any, tuple[int, ...]] = {
    operator.getitem: (0,), list.pop: (0,), dict.pop: (0, 2), dict.get: (0, 2), dict.setdefault: (0, 2), operator.delitem: (0,),
}
#: Calls that do not look at the keys of a dict that is their first argument.
_KEY_BLIND = frozenset((operator.getitem, operator.setitem, operator.delitem, dict.get, dict.pop, dict.setdefault, dict.values, dict.clear,
                        inplace_at, len, operator.contains))
#: Calls that return items of a container, one by one or in another container: an integer or string among them was there before.
_MOVES = frozenset((operator.getitem, unpack, list.pop, dict.get, dict.pop, dict.setdefault, dict.popitem, dict.items, dict.values,
                    dict.keys, list.copy, dict.copy, list, tuple, dict, sorted, reversed, zip, enumerate, min, max, next, iter,
                    operator.add, operator.mul, operator.iadd, list.append, list.extend, list.insert, dict.update, operator.setitem))
#: Calls that put a key into a dict.
_PUTS = frozenset((operator.setitem, dict.setdefault))
#: Calls that raise an exception with the key or the item that is not there.
_LOOKUPS = frozenset((operator.getitem, operator.delitem, dict.pop, list.remove, list.index, set.remove))
_CONTAINERS = (Arr, ListT, DictT, TupleT, RecordT)
_NONE = Obj(type(None))
_NUMBERS = frozenset((Num, Arr))
#: Calls and methods that write to a file, and those that read one, each with its name or path first or the file.
_FILE_WRITERS = frozenset((
    "dump", "save", "savez", "savez_compressed", "savetxt", "tofile", "write", "writelines", "write_text", "write_bytes"))
_FILE_READERS = frozenset(("open", "load", "loadtxt", "genfromtxt", "fromfile", "memmap", "read_text", "read_bytes", "popen", "input"))
#: Modules whose context managers collect output or warnings of their body.
_COLLECTORS = frozenset(("contextlib", "warnings", "unittest.mock", "logging"))
#: what looks at a value, and stores it nowhere
#: Calls that show values as text, and leave nothing in them.
_SHOWS = frozenset((format, repr, str, ascii))
_CHECKS = frozenset((one_number, check_broadcast, check_product))
#: the kinds of losses that only another operation turns into numbers
_TEXT = ("a string", "bytes")


@dataclass(frozen=True)
class Loss:
    """Where an active value enters a type without derivatives, and which.

    Attributes
    ----------
    in_text : bool
        Whether the value still is text: a number beside it in a container is not computed from it.
    """

    op: Op
    kind: str
    in_text: bool = False

    @property
    def of_text(self) -> bool:
        """Whether the value is text, bytes, or a number that was computed from these."""
        return self.kind in _TEXT


def find_loss(fn: Function) -> Loss | None:
    """The loss on which a differentiable result of the function depends; None if there is no such result."""
    functions = list(functions_of(fn))
    if not any(map(_may_lose, functions)):
        return None
    outside: dict[Any, Loss] = {}
    flows = {id(f): _Flow(f, outside) for f in functions}
    changed = True
    while changed:
        changed = False
        for flow in flows.values():
            changed |= flow.sweep(flows)
    root = flows[id(fn)]
    return next((loss for y in fn.body.yields if is_differentiable(y.type) and (loss := root.of(y)) is not None), None)


def _may_lose(fn: Function) -> bool:
    """Whether some operation of a function may lose the derivative of an active value: a cheap test, before the aliasing is known."""
    for op in walk(fn.body):
        if type(op) is Call and only_computes(op) and is_differentiable(op.results[0].type):
            continue        # most operations
        if isinstance(op, Try):
            if any(h.body.params for h in op.handlers):
                return True
        elif any(o.varied for o in operands_of(op)) and (
                not all(is_differentiable(r.type) for r in op.results) or not op.results or isinstance(op, CallValue) or _has_keys(op)):
            return True
    return False


def _has_keys(op: Op) -> bool:
    return isinstance(op, Build) and op.kind == "dict"


class _Flow:
    """The untracked values of one function."""

    def __init__(self, fn: Function, outside: dict[Any, Loss]):
        self.fn = fn
        self.classes = AliasClasses(fn)
        self.lost: dict[Any, Loss] = {}
        #: the same of objects from outside of all functions
        self.outside = outside
        #: dicts with untracked keys
        self.keyed: dict[Any, Loss] = {}
        #: whether it may raise an exception that carries an active value
        self.raises = False
        self.changed = False
        #: context managers that collect text, around the operation that is looked at
        self.collectors: list[tuple[With, list[Operand]]] = []
        self.makers: dict[Any, Op] = {r: op for op in walk(fn.body) for r in op.results}

    # untracked values

    def _key(self, v: Operand) -> Any:
        if isinstance(v, Lit):
            return ("literal", id(held)) if (held := outside(v)) is not None else None
        kind = type(v.type)
        return v if kind is Num or kind is Arr and not self.classes.is_written(v) else self.classes.find(v)

    def of(self, v: Any) -> Loss | None:
        """The reason why an operand is untracked, or holds an untracked value; None if it is tracked."""
        v = v.value if isinstance(v, Star) else v
        if not self.lost and not self.outside:
            return None
        nodes = [self._key(v)]
        if not isinstance(v, Lit) and type(v.type) is not Num and not (
                isinstance(v.type, Arr) and v.type.dtype[0] in "fciub" and v.type.dtype != "object"):
            nodes += self.classes.inner(v)
        found = [loss for node in nodes if (loss := self.lost.get(node) or self.outside.get(node)) is not None]
        return next((loss for loss in found if not loss.in_text), found[0] if found and not _is_number(v.type) else None)

    def mark(self, v: Any, loss: Loss | None) -> None:
        """Record that an operand is untracked."""
        if loss is None or loss.in_text and _is_number(v.type) or (key := self._key(v)) is None:
            return
        table = self.outside if isinstance(v, Lit) else self.lost
        known = table.get(key)
        if known is None or known.in_text and not loss.in_text:
            table[key] = loss
            self.changed = True

    def mark_keys(self, v: Any, loss: Loss | None) -> None:
        if loss is not None and (key := self._key(v)) is not None and key not in self.keyed:
            self.keyed[key] = loss
            self.changed = True

    def keys_of(self, v: Any) -> Loss | None:
        return self.keyed.get(self._key(v)) if self.keyed else None

    # flow

    def sweep(self, flows: dict[int, _Flow]) -> bool:
        """Visit the function once; return whether a new untracked value was found."""
        self.changed, self.flows = False, flows
        self._block(self.fn.body)
        if not self.raises and any(map(self._carries, walk(self.fn.body))):
            self.raises = self.changed = True
        return self.changed

    def _block(self, block: Block) -> None:
        for op in block.ops:
            match op:
                case If():
                    self._block(op.then)
                    self._block(op.orelse)
                    self._pass(op.results, op.then.yields)
                    self._pass(op.results, op.orelse.yields)
                case For() | While():
                    self._loop(op)
                case Try():
                    self._try(op)
                case With():
                    for p in op.body.params:
                        self.mark(p, self.of(op.ctx) or (Loss(op, "an object") if op.ctx.varied else None))
                    self._with(op)
                    self._pass(op.results, op.body.yields)
                case Invoke():
                    self._invoke(op)
                case _:
                    self._plain(op)

    def _pass(self, targets: Iterable[Any], sources: Iterable[Any]) -> None:
        for t, s in zip(targets, sources):
            self.mark(t, self.of(s))

    def _loop(self, op: For | While) -> None:
        params = list(op.body.params)
        if isinstance(op, For):
            for s in op.sources:
                for j in range(2 if s.kind == "items" else 1):
                    item = params.pop(0)
                    base = s.operands[0] if s.operands else None
                    if s.kind == "keys" or s.kind == "items" and j == 0:
                        self.mark(item, self.keys_of(base) or self.of(base))
                    elif base is not None and s.kind not in ("range", "count"):
                        self.mark(item, self.of(base) or (self.keys_of(base) if s.kind in ("seq", "iter") else None))
        else:
            self._pass(op.cond.params, params)
            self._block(op.cond)
        self._pass(params, op.inits)
        self._block(op.body)
        carried = op.body.yields[op.stops:]
        self._pass(params, carried)
        for sources in (op.inits, carried):
            self._pass(op.results, sources)

    def _with(self, op: With) -> None:
        """Visit the body; its output may be read from the arguments of a collecting context manager, or from its value."""
        maker = self.makers.get(op.ctx)
        collects = isinstance(maker, Call) and (getattr(maker.fn, "__module__", None) or "").startswith(tuple(_COLLECTORS))
        if maker is None or not collects:
            self._block(op.body)
            return
        self.collectors.append((op, [op.ctx, *operands_of(maker), *op.body.params]))
        self._block(op.body)
        self.collectors.pop()

    def _hand_over(self, op: Op) -> None:
        """Record that an operation passes an active value to external code: to a stream or a file."""
        if not isinstance(op, (Call, CallValue)) or not self.collectors and _name_of(op) not in _FILE_WRITERS:
            return
        loss = next((loss for o in operands_of(op) if (loss := self.of(o)) is not None), None)
        if loss is None and not any(o.varied for o in operands_of(op)):
            return
        loss = replace(loss, in_text=False) if loss is not None else Loss(op, "a string")
        if not only_computes(op) and not writes(op):
            for o in (o for _, holders in self.collectors for o in holders if not isinstance(o, Lit)):
                self.mark(o, loss)
        if _name_of(op) in _FILE_WRITERS and _FILES not in self.outside:
            self.outside[_FILES] = loss
            self.changed = True

    def _try(self, op: Try) -> None:
        """Mark the exceptions that may carry an active value: in their arguments, their attributes or their message."""
        self._block(op.body)
        self._pass(op.results, op.body.yields)
        carries = any(h.body.params for h in op.handlers) and any(map(self._carries, walk(op.body)))
        for h in op.handlers:
            for p in h.body.params:
                self.mark(p, Loss(op, "an exception") if carries else None)
            self._block(h.body)
            self._pass(op.results, h.body.yields)
        if op.final:
            self._block(op.final)

    def _carries(self, op: Op) -> bool:
        """Whether an operation may raise an exception that carries an active value."""
        if isinstance(op, Invoke):
            return self.flows[id(op.func)].raises
        if isinstance(op, Raise) and op.exc is None:        # that which is being handled, whichever that is
            return any(self._carries(o) for o in walk(self.fn.body) if not (isinstance(o, Raise) and o.exc is None))
        if not any(o.varied or self.of(o) is not None for o in operands_of(op)):
            return False
        if isinstance(op, Call):
            if op.fn in _LOOKUPS:
                return not isinstance(op.args[0].type, Arr)
            root = (getattr(op.fn, "__module__", None) or "").partition(".")[0]
            plain = isinstance(op.fn, np.ufunc) or root in ("numpy", "math", "_operator") or op.fn in _MOVES
            return not plain or any(self.of(o) is not None for o in operands_of(op))
        return isinstance(op, (Raise, CallValue))

    def _invoke(self, op: Invoke) -> None:
        inner = self.flows[id(op.func)]
        for p, a in zip(op.func.params, op.args):
            inner.mark(p, self.of(a))
            inner.mark_keys(p, self.keys_of(a))
            self.mark(a, inner.of(p))
            self.mark_keys(a, inner.keys_of(p))
        for r, y in zip(op.results, op.func.body.yields):
            self.mark(r, inner.of(y))
            self.mark_keys(r, inner.keys_of(y))

    def _plain(self, op: Op) -> None:
        self._hand_over(op)
        if is_locally_constant(op) and not (isinstance(op, Call) and op.fn is int):
            return
        given = _contributing(op)
        found = next((loss for o in given if (loss := self.of(o)) is not None), None)
        if found is None and _FILES in self.outside and isinstance(op, (Call, CallValue)) and _name_of(op) in _FILE_READERS:
            found = self.outside[_FILES]
        if found is None and self.keyed:
            found = self._read_keys(op)
        active = found is not None or any(o.varied for o in given)
        self._keys(op)
        if not active:
            return
        moves = isinstance(op, Build) and op.kind != "str" or isinstance(op, Call) and op.fn in _MOVES or isinstance(op, GetAttr) and (
            is_instance(op.obj.type) or _is_object(op.obj.type))
        for r in op.results:
            kind = "a set" if isinstance(r.type, SetT) else "" if moves else _lost_in(op, r.type)
            if found is None:
                self.mark(r, Loss(op, kind, kind in _TEXT) if kind else None)
            else:
                self.mark(r, found if moves else replace(found, in_text=found.in_text and _is_text(r.type)))
        for w in _stored(op):
            kind = "an object" if w.type == Obj(None) and not writes(op) else "" if isinstance(op, SetAttr) else _lost_in(op, w.type)
            self.mark(w, found if found is not None else Loss(op, kind, kind in _TEXT) if kind else None)

    def _read_keys(self, op: Op) -> Loss | None:
        """Why the keys of a dict that an operation reads are untracked."""
        if not isinstance(op, (Call, CallValue)):
            return None
        read = operands_of(op)
        if isinstance(op, Call) and (op.fn in _KEY_BLIND or op.fn in STORES):
            read = read[1:] if op.fn is dict.update else []
        return next((loss for o in read if (loss := self.keys_of(o)) is not None), None)

    def _keys(self, op: Op) -> None:
        """Record untracked keys that an operation puts into a dict."""
        if isinstance(op, Build) and op.kind == "dict":
            holder, keys = op.results[0], op.items[::2]
        elif isinstance(op, Call) and op.fn in _PUTS and not isinstance(op.args[0].type, (Arr, ListT, TupleT)):
            holder, keys = op.args[0], op.args[1:2]
        else:
            return
        for k in keys:
            k = k.value if isinstance(k, Star) else k
            self.mark_keys(holder, self.of(k) or (Loss(op, "the keys of a dict") if k.varied else None))


#: Stands for all files among the objects from outside of the functions.
_FILES = ("files",)


def _name_of(op: Call | CallValue) -> str:
    return op.method or "" if isinstance(op, CallValue) else str(getattr(op.fn, "__name__", ""))


def _is_number(t: Type) -> bool:
    return type(t) is Num or type(t) is Arr and t.dtype[0] in "fciub" and t.dtype != "object"


def _is_text(t: Type) -> bool:
    """Whether values of a type are text, or containers of nothing else."""
    match t:
        case Obj(cls):
            return cls in (str, bytes)
        case ListT(elem) | SetT(elem) | OptT(elem) | DictT(_, elem):
            return elem is not None and _is_text(elem)
        case TupleT(elems) | RecordT(_, elems):
            return all(map(_is_text, elems))
    return False


def _is_object(t: Type) -> bool:
    """Whether a value is an instance of a class written in Python, whose attributes are those assigned."""
    return isinstance(t, Obj) and t.cls is not None and bool(t.cls.__flags__ & 1 << 9) and not hasattr(t.cls, "dtype")


def _contributing(op: Op) -> list[Operand]:
    """The operands on whose values the result of an operation depends: not those that only select."""
    if isinstance(op, Call) and op.fn in _SELECTS and op.args and isinstance(strip(op.args[0].type), _CONTAINERS):
        return [op.args[k] for k in _SELECTS[op.fn] if k < len(op.args)]
    if isinstance(op, Call) and op.fn is operator.setitem and isinstance(strip(op.args[0].type), _CONTAINERS):
        return [op.args[2]]
    if isinstance(op, Build) and op.kind == "dict":
        return [i.value if isinstance(i, Star) else i for i in op.items[1::2]]
    if isinstance(op, SetAttr):
        return [op.value]
    return operands_of(op)


def _stored(op: Op) -> list[Operand]:
    """The operands in which an operation may store its arguments: for an unknown call, all that are not numbers."""
    if isinstance(op, Call) and isinstance(op.fn, type) and issubclass(op.fn, BaseException):
        return []       # an exception holds its arguments, and changes none
    if isinstance(op, CallValue) or isinstance(op, Call) and op.fn not in _SHOWS and not (
            op.fn in WRITES_FIRST or op.fn in _CHECKS or is_known_pure(op.fn) or rules.lookup(op.fn) is not None and not is_exact(op.fn)):
        return [o for o in operands_of(op) if isinstance(o.type, Obj) and o.type not in (_NONE, Obj(str), Obj(bytes))]
    return writes(op)


def _lost_in(op: Op, t: Type) -> str:
    """The type without derivatives that an active value becomes in a result of this type; empty if it has one, or is locally constant."""
    if type(t) in _NUMBERS and is_differentiable(t) or t == _NONE:
        return ""
    match t:
        case Num():
            return "integers" if t.kind == "int" and not _truncates(op) else ""
        case Arr(dtype):
            return "an array of objects" if dtype[0] not in "biufc" or dtype == "object" else \
                "integers" if dtype != "bool" and not _truncates(op) else ""
        case SetT():
            return "a set"
        case OptT(elem):
            return _lost_in(op, elem)
        case TupleT(elems) | RecordT(_, elems):
            return next((kind for e in elems if (kind := _lost_in(op, e))), "") if not is_differentiable(t) else ""
        case ListT(elem):
            return _lost_in(op, elem) if elem is not None and not is_differentiable(t) else ""
        case DictT(_, elem):
            return _lost_in(op, elem) if elem is not None and not is_differentiable(t) else ""
        case Obj(cls) if not is_differentiable(t):
            if cls in (slice, range, type) or cls is not None and (issubclass(cls, np.dtype) or cls.__module__.startswith("transgrad.")):
                return ""
            return {str: "a string", bytes: "bytes", np.ndarray: "an array of objects"}.get(
                cls, "an exception" if issubclass(cls, BaseException) else f"a {cls.__name__}") if cls is not None else ""
    return ""


def _truncates(op: Op) -> bool:
    """Whether the integers that an operation makes of active values are rounded, compared or counted, rather than the bits of a float."""
    if isinstance(op, Call):
        return not is_exact(op.fn) and (op.fn in WRITES_FIRST or op.fn is tape.vjp or rules.lookup(op.fn) is not None)
    return True


def check_untracked(function: Function) -> None:
    """Refuse a function that returns an untracked number, at the operation that loses its derivative."""
    loss = find_loss(function)
    if loss is None:
        return
    try:
        refuse("untracked", loss.op.loc, loss.kind)
    except TransgradError as refusal:
        refusal.for_tape = not loss.of_text
        raise

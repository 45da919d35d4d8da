"""What an operation reads and writes of the objects that values refer to, so that evaluation is only ever moved past what
cannot tell the difference."""
from __future__ import annotations

import operator

from .effects import COPIES, aliases, is_mutable, is_pure, not_only_computing, only_computes, outside, reads, writes, writes_inner
from .ops import (
    Call,
    CallValue,
    For,
    Function,
    If,
    Invoke,
    Lit,
    Op,
    Operand,
    Raise,
    SetAttr,
    Try,
    Value,
    While,
    With,
    blocks_of,
    operands_of,
    walk,
)
from .types import Arr, Num, Obj, TupleT

__all__ = ["NOTHING", "Effect", "Memory"]

#: Three bits a class: arrays, containers, anything.
_KINDS = {"array": 1, "box": 2, "any": 4}
#: What changes when one of them is written: a list changes without its arrays changing, but an array may be in a list.
_CHANGED = {"array": 7, "box": 6, "any": 7}
#: … but for ``rows[i] *= 2``.
_ALL = {"array": 7, "box": 7, "any": 7}


class Effect:
    """What an operation touches (reads or writes) and changes, as bits, and ``opaque``: anything may happen.

    It is ``inert`` where nothing else can notice when it happens.
    """

    __slots__ = ("changes", "inert", "opaque", "touches")

    def __init__(self, touches: int = 0, changes: int = 0, opaque: bool = False):
        self.touches, self.changes, self.opaque = touches, changes, opaque
        self.inert = not changes and not opaque

    def __or__(self, other: "Effect") -> "Effect":
        if other is NOTHING or other is self:
            return self
        if self is NOTHING:
            return other
        return Effect(self.touches | other.touches, self.changes | other.changes, self.opaque or other.opaque)

    def conflicts(self, other: "Effect") -> bool:
        """Whether the order of the two matters."""
        if self.opaque:
            return other.opaque or bool(other.touches)
        return other.opaque and bool(self.touches) or bool(self.changes & other.touches or other.changes & self.touches)


NOTHING = Effect()


class Memory:
    """Alias classes of a function's values.

    Values that may refer to the same object, or of which one may hold the other, are in one class; all that comes from
    outside is in class 0.
    """

    def __init__(self, fn: Function):
        self._parent: list[int] = [0]
        self._number: dict[Value, int] = {}
        self._effects: dict[Op, Effect] = {}
        #: of operations that only read, by the memory that they access
        self._looks: dict[int, Effect] = {0: NOTHING}
        #: for operands that refer to an object: its kind, and the place of the bits of its class
        self._places: dict[Operand, tuple[str, int] | None] = {}
        for p in fn.params:
            self._unite([p], 0)
        for op in not_only_computing(walk(fn.body)):
            self._relate(op)

    def _find(self, k: int) -> int:
        parent = self._parent
        while parent[k] != k:
            parent[k] = parent[parent[k]]
            k = parent[k]
        return k

    def _group(self, o: Operand) -> int:
        """The class of a value; literals come from outside."""
        if isinstance(o, Lit):
            return 0
        number = self._number.get(o)
        if number is None:
            number = self._number[o] = len(self._parent)
            self._parent.append(number)
        return self._find(number)

    def _unite(self, operands: list[Operand], *others: int) -> None:
        groups = sorted([*others, *(self._group(o) for o in operands if _refers(o))])
        for g in groups[1:]:
            a, b = self._find(groups[0]), self._find(g)
            self._parent[max(a, b)] = min(a, b)

    def may_share(self, a: Operand, b: Operand) -> bool:
        """Whether two values may refer to the same memory."""
        return is_mutable(a.type) and is_mutable(b.type) and self._group(a) == self._group(b)

    def _relate(self, op: Op) -> None:
        results: list[Operand] = list(op.results)
        if isinstance(op, Call) and results and not any(is_mutable(r.type) for r in results) and is_pure(op):
            return
        match op:
            case If():
                for block in (op.then, op.orelse):
                    for r, y in zip(op.results, block.yields):
                        self._unite([r, y])
            case For() | While():
                flags = int(op.stops)
                n = len(op.body.params) - len(op.inits)
                for k, r in enumerate(op.results):
                    self._unite([r, op.inits[k], op.body.params[n + k], op.body.yields[flags + k]])
                    if isinstance(op, While):
                        self._unite([r, op.cond.params[k]])
                if isinstance(op, For):
                    self._unite([*op.body.params[:n], *(o for s in op.sources for o in s.operands)])
            case Try() | With():
                operands = [op.ctx, *op.body.params] if isinstance(op, With) else []
                handlers = op.handlers if isinstance(op, Try) else []
                self._unite([*operands, *(p for h in handlers for p in h.body.params)], 0)
                for body in (op.body, *(h.body for h in handlers)):
                    for r, y in zip(op.results, body.yields):
                        self._unite([r, y])
            case Call() if op.fn in COPIES or op.fn in (operator.add, operator.mul) and not isinstance(op.args[0].type, (Num, Arr)):
                self._unite([*results, *operands_of(op)])       # lists, tuples: the elements are shared
            case Call() if (written := writes(op)) and all(isinstance(w.type, Arr) for w in written):
                self._unite([*results, *written])       # numbers are copied into an array; a container then holds the stored object
            case Call() if getattr(op.fn, "__module__", None) and str(op.fn.__module__).startswith("transgrad."):
                self._unite([*results, *operands_of(op)])       # helpers may return their arguments
            case Call() if is_pure(op):
                self._unite([*results, *aliases(op)])
            case Call() if writes(op):
                self._unite([*results, *operands_of(op)])
            case Call() | Invoke() | CallValue() | SetAttr() | Raise():
                self._unite([*results, *operands_of(op)], 0)
            case _:
                self._unite([*results, *aliases(op)])

    def _bits(self, operands: list[Operand], masks: dict[str, int]) -> int:
        bits = 0
        for o in operands:
            if o.text is None if type(o) is Lit else type(o.type) is Num:      # most operands, which refer to nothing
                continue
            if o not in self._places:
                self._places[o] = (_kind(o), 3 * self._group(o)) if _refers(o) else None
            if (place := self._places[o]) is not None:
                bits |= masks[place[0]] << place[1]
        return bits

    def _looking(self, bits: int) -> Effect:
        """The effect of an operation that only reads, one object for all that read the same memory."""
        found = self._looks.get(bits)
        if found is None:
            found = self._looks[bits] = Effect(bits)
        return found

    def effect(self, op: Op) -> Effect:
        """The effect of an operation, of its blocks included."""
        found = self._effects.get(op)
        if found is None:
            found = self._effects[op] = self._effect(op)
        return found

    def _effect(self, op: Op) -> Effect:
        if only_computes(op):
            return self._looking(self._bits(reads(op), _KINDS))
        if isinstance(op, Call) and (written := writes(op)) or isinstance(op, SetAttr) and (written := [op.obj]):
            return Effect(self._bits(operands_of(op), _KINDS), self._bits(written, _ALL if writes_inner(op) else _CHANGED))
        if isinstance(op, Call) and not op.results and is_pure(op):
            return Effect(self._bits(operands_of(op), _KINDS), self._bits(operands_of(op), _CHANGED))    # there is nothing else it could do
        if isinstance(op, (Try, With, Raise)):
            return Effect(opaque=True)
        if isinstance(op, (Call, Invoke, CallValue)) and not is_pure(op):
            return Effect(self._bits(operands_of(op), _KINDS), opaque=True)
        effect = self._looking(0 if _makes_view(op) else self._bits(reads(op), _KINDS))
        for block in blocks_of(op):
            for inner in block.ops:
                effect |= self.effect(inner)
        return effect


def _refers(o: Operand) -> bool:
    """Whether an operand refers to an object that may be written to."""
    return is_mutable(o.type) if isinstance(o, Value) else outside(o) is not None


def _kind(o: Operand) -> str:
    """'array', 'box' (a container, which may hold arrays) or 'any'."""
    t = o.type
    return "array" if isinstance(t, Arr) else "any" if isinstance(t, (Obj, TupleT)) else "box"


def _makes_view(op: Op) -> bool:
    """Whether the operation is a basic slice of an array: it looks at no element."""
    if not isinstance(op, Call) or op.fn is not operator.getitem or not isinstance(op.args[0].type, Arr):
        return False
    result = op.result.type
    if not isinstance(result, Arr) or result.scalar:
        return False
    index = op.args[1]
    if isinstance(index, Lit):
        parts = index.value if isinstance(index.value, tuple) else (index.value,)
        return all(p is None or p is Ellipsis or isinstance(p, (int, slice)) for p in parts)
    t = index.type
    return all(isinstance(e, Num) or getattr(e, "cls", None) is slice for e in (t.elems if isinstance(t, TupleT) else (t,)))



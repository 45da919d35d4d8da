"""Dead-code elimination: remove operations, loop-carried values, branch results and stores that nothing reads."""
from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...ir.effects import is_known_pure, only_computes, writes
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
    Try,
    Value,
    While,
    With,
    blocks_of,
    operands_of,
    walk,
)
from ..analysis.alias import AliasClasses, summarize
from ..analysis.def_use import definitions
from ..canonicalize.numpy_arithmetic import raises_where_numpy_does_not
from ..manager import Stage, analysis, optimization
from ..switches import is_on
from .shape_guards import arrays_of, axes_of, checks, guard_of, guards_of_call, is_refused_cast

__all__ = ["eliminate_dead_code"]


@optimization(Stage.SIMPLIFY, "simplify", analyses=(AliasClasses, definitions))
def eliminate_dead_code(fn: Function, partners: dict[Op, Op] | None = None) -> bool:
    """Rewrite ``fn`` in place; ``partners`` maps operations with blocks to others that stay with them."""
    live = _Liveness(fn, partners or {})
    _sweep(fn.body, live)
    return True


def has_no_effects(fn: Function) -> bool:
    """Whether a function does nothing but return results and write to its parameters; kept on the function.

    It may still raise, as the removal of a call that is not needed may not show.
    """
    if has_no_effects not in fn.analyses:
        fn.analyses[has_no_effects] = True     # the initial assumption for a recursive call
        fn.analyses[has_no_effects] = all(map(is_harmless, walk(fn.body)))
        fn.attrs.pure = fn.analyses[has_no_effects] and not summarize(fn).written
    return bool(fn.analyses[has_no_effects])


def is_harmless(op: Op) -> bool:
    if isinstance(op, (CallValue, SetAttr, Raise, With, Try, While)):
        return False
    if isinstance(op, Call):
        return all(isinstance(w, Value) for w in writes(op)) if writes(op) else is_known_pure(op.fn)
    return has_no_effects(op.func) if isinstance(op, Invoke) else True


class _Liveness:
    def __init__(self, fn: Function, partners: dict[Op, Op]):
        self.classes = analysis(AliasClasses, fn)
        self.partners = partners
        self.required: set[Op] = set()
        self.values: set[Operand] = set()
        self.roots: set[object] = set()
        self.ops: set[Op] = set()
        #: partners that a walk from the end to the start has passed already, of which nothing was needed
        self.left: set[Op] = set()
        #: memory with writes, apparently dead, that such a walk has passed
        self.passed: set[object] = set()
        #: whether some of that was found to be needed
        self.changed = True
        self.shared = self.classes.shared()
        for p in (*fn.params, *self.classes.outside_objects()):
            self._mark_memory(p)
        self.mark(fn.body.yields)
        self._settle(fn)
        #: dead operations that may raise for shapes, and the checks that stand for them
        self.guards: dict[Op, list[Op]] = {}
        if self._guard(fn):
            self.changed = True
            self._settle(fn)

    def _settle(self, fn: Function) -> None:
        while self.changed:
            self.changed = False
            self._block(fn.body)

    def _guard(self, fn: Function) -> bool:
        """Find the checks that dead operations of the function itself would make; return whether there are any."""
        dead = list(self._dead(fn.body))
        if not dead:
            return False
        makers = analysis(definitions, fn)
        params, axes = set(fn.params), axes_of(fn.params)

        def is_there(v: Value) -> bool:
            return v in params or v in self.values

        for op in dead:
            if isinstance(op, Invoke):
                guards = guards_of_call(op, is_there)
            elif is_refused_cast(op):
                self.required.add(op)
                continue
            else:
                guards = [found] if (found := guard_of(op, makers, is_there, axes)) is not None else []
            if guards:
                self.guards[op] = checks(guards, op.loc)
                for _, arrays in guards:
                    self.mark(arrays_of(arrays))
        return bool(self.guards) or any(op in self.required for op in dead)

    def _dead(self, block: Block) -> Iterator[Call | Invoke]:
        """The dead calls that a user wrote, but for those in loops; of lowered functions those that may raise for shapes."""
        for op in block.ops:
            if type(op) is Call:
                if op not in self.ops and op.part == "primal" and len(op.args) >= 2:
                    yield op
            elif type(op) is Invoke:
                if op not in self.ops and op.part == "primal" and len(op.args) >= 2:
                    yield op
            elif op in self.ops and isinstance(op, (If, With)):
                for inner in blocks_of(op):
                    yield from self._dead(inner)

    def mark(self, operands: Sequence[Operand]) -> None:
        """Mark the operations that compute operands as live."""
        self.values.update(operands)
        if not self.shared.isdisjoint(operands):
            for o in operands:
                if o in self.shared:
                    self._mark_memory(o)

    def _mark_memory(self, v: Operand) -> None:
        """Mark the writes to the memory of ``v``, and to its contents, as live."""
        root = self.classes.find(v)
        while root is not None and root not in self.roots:
            self.roots.add(root)
            self.changed = self.changed or root in self.passed
            root = self.classes._content.get(root)
            root = self.classes.find(root) if root is not None else None

    def _keep(self, op: Op) -> None:
        if op not in self.ops:
            self.ops.add(op)
            if (partner := self.partners.get(op)) is not None:
                self.required.add(partner)
                self.changed = self.changed or partner in self.left
            if not isinstance(op, (For, While)):
                self.mark(operands_of(op))
        if type(op) is For:
            for k in _needed_sources(op, self.values):
                self.mark(op.sources[k].operands)

    def _block(self, block: Block) -> bool:
        """Whether anything in the block has to stay."""
        any_live = False
        for op in reversed(block.ops):
            if type(op) is not Call:
                if not self._op(op):
                    continue
            elif op not in self.ops:
                if self.values.isdisjoint(op.results) and op not in self.required and not self._acts(op):
                    continue
                self.ops.add(op)
                self.mark(operands_of(op))
            any_live = True
        return any_live

    def _acts(self, op: Call) -> bool:
        """Whether a call whose results are not needed has to stay."""
        if op.written and raises_where_numpy_does_not(op):     # as the function does, where its derivative would not
            return not is_on("numbers")
        if only_computes(op):
            return False
        if not writes(op):
            return not is_known_pure(op.fn)
        if self._written_live(op):
            return True
        self.passed.update(self.classes.changed_by(op))
        return False

    def _written_live(self, op: Op) -> bool:
        return any(isinstance(w, Lit) for w in writes(op)) or not self.roots.isdisjoint(self.classes.changed_by(op))

    def _op(self, op: Op) -> bool:
        live = op in self.ops or op in self.required or not self.values.isdisjoint(op.results)
        match op:
            case Invoke():
                live = live or not has_no_effects(op.func) or not self.roots.isdisjoint(self.classes.changed_by(op))
                if not live:
                    self.passed.update(self.classes.changed_by(op))
            case CallValue() | Raise() | SetAttr():
                live = True
            case Build() | GetAttr():
                pass
            case If():
                for r, a, b in zip(op.results, op.then.yields, op.orelse.yields):
                    if r in self.values:
                        self.mark((a, b))
                inside = [self._block(b) for b in (op.then, op.orelse)]
                live = live or any(inside)
            case For() | While():
                live = self._loop(op, live)
            case Try() | With():
                live = True
                if isinstance(op, Try) and op.handlers:
                    # any operation that may raise determines which clause runs
                    for inner in walk(op.body):
                        self._keep(inner)
                blocks = blocks_of(op)
                for block in blocks:
                    for r, y in zip(op.results, block.yields):
                        if r in self.values:
                            self.mark((y,))
                    self._block(block)
        if live:
            self._keep(op)
        elif self.partners:
            self.left.add(op)
        return live

    def _loop(self, op: For | While, live: bool) -> bool:
        """Mark the live parts of a loop; return whether it stays. ``live`` says that an operation outside of its body requires it: a result
        that is read, or its reverse loop."""
        live = live or isinstance(op, While) or any(s.kind == "iter" for s in op.sources)
        if live and op.stops:       # the stop flag decides how often the loop runs
            self.mark(op.body.yields[:1])
        if isinstance(op, While):
            self.mark(op.cond.yields[:1])
            self._block(op.cond)
        carried = self._carried(op)
        while True:     # until no further loop-carried value is found live
            live = live or bool(carried)
            stopped = op.stops == 0 or op.body.yields[0] in self.values
            if self._block(op.body):
                live = True
                if op.stops:
                    self.mark(op.body.yields[:1])
            if isinstance(op, While):
                self._block(op.cond)
            before, carried = carried, self._carried(op)
            if carried == before and (stopped or op.body.yields[0] not in self.values):
                return live

    def _carried(self, op: For | While) -> list[int]:
        """The live loop-carried values; their initial and final values are then live too."""
        params, yields = op.body.params[len(op.body.params) - len(op.inits):], op.body.yields[op.stops:]
        found = [k for k, (p, r) in enumerate(zip(params, op.results))
                 if r in self.values or p in self.values or isinstance(op, While) and op.cond.params[k] in self.values]
        for k in found:
            self.mark((params[k], yields[k], op.inits[k]))
        return found


def _needed_sources(op: For, read: set[Operand]) -> list[int]:
    """Which sources of a loop are needed: of the reverse of a loop, all of which are equally long, those that are read."""
    every = list(range(len(op.sources)))
    if len(every) < 2 or op.part != "adjoint" or op.stops or any(s.kind not in ("range", "seq") for s in op.sources):
        return every
    return [k for k in every if op.body.params[k] in read] or [next((k for k in every if op.sources[k].kind == "range"), 0)]


def _sweep(block: Block, live: _Liveness) -> None:
    if live.guards:
        block.ops = [found for op in block.ops for found in ([op] if op in live.ops else live.guards.get(op, ()))]
    else:
        block.ops = [op for op in block.ops if op in live.ops]
    for op in block.ops:
        if type(op) is Call:
            continue
        match op:
            case If():
                keep = [k for k, r in enumerate(op.results) if r in live.values]
                op.results = [op.results[k] for k in keep]
                for inner in (op.then, op.orelse):
                    inner.yields = [inner.yields[k] for k in keep]
            case For() | While():
                n = len(op.body.params) - len(op.inits)
                params = op.body.params[n:]
                flag = op.body.yields[:op.stops]
                keep = [k for k, p in enumerate(params) if p in live.values or op.results[k] in live.values]
                op.inits = [op.inits[k] for k in keep]
                op.results = [op.results[k] for k in keep]
                op.body.yields = [*flag, *(op.body.yields[op.stops + k] for k in keep)]
                op.body.params = [*op.body.params[:n], *(params[k] for k in keep)]
                if isinstance(op, While):
                    op.cond.params = [op.cond.params[k] for k in keep]
                else:
                    needed = _needed_sources(op, live.values)
                    if len(needed) < len(op.sources):
                        op.body.params = [*(op.body.params[k] for k in needed), *op.body.params[n:]]
                        op.sources = [op.sources[k] for k in needed]
            case Try() | With():
                keep = [k for k, r in enumerate(op.results) if r in live.values]
                op.results = [op.results[k] for k in keep]
                for inner in blocks_of(op):
                    if inner.yields:
                        inner.yields = [inner.yields[k] for k in keep]
        for inner in blocks_of(op):
            _sweep(inner, live)



"""Generators as state machines: the body of a generator function as a method that runs from one ``yield`` to the next.

    def running(x):                     def resume(this, sent):
        total = x                           if this._point == 0:
        while True:                             x = this.x; total = x
            x = yield total      →              this._item, this._point, this.total = total, 1, total; return True
            total += x                      if this._point == 1:
                                                total = this.total; x = sent; total += x
                                                this._item, this._point, this.total = total, 1, total; return True

The code that follows a suspension in the middle of a loop is the rest of the iteration, and then the loop again. What is live at a
suspension is saved in the record and read when it resumes.

Reference: Strachey and Wadsworth, *Continuations: A Mathematical Semantics for Handling Full Jumps*, 1974; the transformation is that of
iterators in C# and of coroutines in LLVM (CoroSplit), on source code.
"""
from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any

import gast

from ..statements.liveness import Uses

__all__ = ["FINISHED", "RESERVED", "Machine", "Unsuspendable", "machine_of"]

#: the resume point of a generator that has ended, or is running
FINISHED = -1
#: the attributes of a record
RESERVED = frozenset(("_point", "_item", "_result", "resume", "send", "close", "throw"))
_NESTED = (gast.FunctionDef, gast.AsyncFunctionDef, gast.Lambda, gast.ClassDef, gast.GeneratorExp)
_YIELDS = (gast.Yield, gast.YieldFrom)


class Unsuspendable(Exception):
    """A generator whose suspensions are in places that are not supported."""

    def __init__(self, node: Any, detail: str):
        self.node, self.detail = node, detail
        super().__init__(detail)


@dataclass
class Machine:
    """The method of a generator that runs to the next suspension; ``delegates`` says that it yields from another iterable."""

    resume: Any
    this: str
    #: the variables that a record has when it is made: parameters and captured variables
    initial: list[str]
    #: the variables that some suspension saves
    saved: list[str]
    delegates: bool


@dataclass(eq=False)
class _Suspend:
    """A ``yield`` statement: its value, and the statements that take what is sent."""

    number: int
    value: Any
    then: list[Any]
    node: Any


@dataclass
class _Builder:
    function: Any
    start: Any
    this: str = "generator"
    sent: str = "sent"
    suspensions: list[_Suspend] = field(default_factory=list)
    delegates: bool = False
    count: int = 0
    live: dict[int, set[str]] = field(default_factory=dict)

    # -- nodes

    def name(self, name: str, like: Any, store: bool = False) -> Any:
        return gast.copy_location(gast.Name(name, gast.Store() if store else gast.Load(), None, None), like)

    def field(self, owner: str, name: str, like: Any, store: bool = False) -> Any:
        return gast.copy_location(gast.Attribute(self.name(owner, like), name, gast.Store() if store else gast.Load()), like)

    def constant(self, value: Any, like: Any) -> Any:
        return gast.copy_location(gast.Constant(value, None), like)

    def assign(self, target: Any, value: Any, like: Any) -> Any:
        return gast.copy_location(gast.Assign([target], value, None), like)

    def fresh(self, root: str) -> str:
        """A variable that the function does not have."""
        self.count += 1
        name = f"{root}_{self.count}"
        while name in self.names:
            name += "_"
        return name

    def check(self, parameters: list[str]) -> None:
        """Refuse what would see the variables of a generator otherwise than through its record."""
        taken = self.names & RESERVED
        if taken:
            raise Unsuspendable(self.function, f"a generator with a variable named '{min(taken)}'")
        stored = {n.id for n in gast.walk(self.function) if isinstance(n, gast.Name) and isinstance(n.ctx, gast.Store)}
        at_once = {id(k.value) for n in gast.walk(self.function) if isinstance(n, gast.Call) for k in n.keywords if k.arg == "key"}
        at_once |= {id(a) for n in gast.walk(self.function) if isinstance(n, gast.Call) for a in n.args if isinstance(a, gast.GeneratorExp)}
        for n in gast.walk(self.function):
            if isinstance(n, gast.Nonlocal) or isinstance(n, gast.Name) and n.id == "super":
                raise Unsuspendable(n if hasattr(n, "lineno") else self.function, "super() or nonlocal in a generator")
            if n is not self.function and isinstance(n, _NESTED) and id(n) not in at_once and any(
                    isinstance(m, gast.Name) and m.id in stored for m in gast.walk(n)):
                raise Unsuspendable(n, "a function made in a generator, which reads a variable that the generator assigns")

    # -- from Python to suspensions

    def normal(self, body: list[Any]) -> list[Any]:
        """Statements with each ``yield`` as a suspension of its own, and loops around one over explicit iterators."""
        return [s for statement in body for s in self.statement(statement)]

    def statement(self, s: Any) -> list[Any]:
        if not has_yield(s):
            return [s]
        if isinstance(s, gast.Expr) and isinstance(s.value, gast.Yield):
            return [self.suspend(s.value, [], s)]
        if isinstance(s, (gast.Assign, gast.AnnAssign)) and isinstance(s.value, _YIELDS):
            targets = s.targets if isinstance(s, gast.Assign) else [s.target]
            if any(has_yield(t) for t in targets):
                raise Unsuspendable(s, "a yield in the target of an assignment")
            if isinstance(s.value, gast.YieldFrom):
                return self.delegate(s.value, targets, s)
            return [self.suspend(s.value, [gast.copy_location(gast.Assign(targets, self.name(self.sent, s), None), s)], s)]
        if isinstance(s, gast.Expr) and isinstance(s.value, gast.YieldFrom):
            return self.delegate(s.value, [], s)
        if isinstance(s, gast.AugAssign) and isinstance(s.value, gast.Yield) and isinstance(s.target, gast.Name):
            old = self.fresh("old")
            keep = self.assign(self.name(old, s, True), self.name(s.target.id, s), s)
            total = gast.copy_location(gast.BinOp(self.name(old, s), s.op, self.name(self.sent, s)), s)
            return [keep, self.suspend(s.value, [self.assign(s.target, total, s)], s)]
        if isinstance(s, gast.Return) and isinstance(s.value, gast.Yield):
            return [self.suspend(s.value, [gast.copy_location(gast.Return(self.name(self.sent, s)), s)], s)]
        if isinstance(s, gast.If) and not has_yield(s.test):
            return [gast.copy_location(gast.If(s.test, self.normal(s.body), self.normal(s.orelse)), s)]
        if isinstance(s, gast.While) and not has_yield(s.test):
            return [gast.copy_location(gast.While(s.test, self.normal(s.body), self.normal(s.orelse)), s)]
        if isinstance(s, gast.For) and not has_yield(s.iter) and not has_yield(s.target):
            return self.loop(s.target, s.iter, s.body, s.orelse, s)[:2]
        raise Unsuspendable(s, "a yield inside of an expression, or of a try or with statement")

    def suspend(self, node: Any, then: list[Any], s: Any) -> _Suspend:
        if node.value is not None and has_yield(node.value):
            raise Unsuspendable(s, "a yield inside of another one")
        value = node.value if node.value is not None else self.constant(None, s)
        self.suspensions.append(_Suspend(len(self.suspensions) + 1, value, then, s))
        return self.suspensions[-1]

    def loop(self, target: Any, iterable: Any, body: list[Any], orelse: list[Any], s: Any) -> list[Any]:
        """``for`` over an iterator that is a variable, since its place has to survive a suspension."""
        iterator = self.fresh("iterator")
        started = gast.copy_location(gast.Call(self.constant(self.start, s), [iterable], []), s)
        more = gast.copy_location(gast.Call(self.field(iterator, "resume", s), [self.constant(None, s)], []), s)
        take = self.assign(target, self.field(iterator, "_item", s), s)
        loop = gast.copy_location(gast.While(more, [take, *self.normal(body)], self.normal(orelse)), s)
        return [self.assign(self.name(iterator, s, True), started, s), loop, iterator]

    def delegate(self, node: Any, targets: list[Any], s: Any) -> list[Any]:
        """``yield from``: a loop that yields; its value is the result of the iterator."""
        self.delegates = True
        item = self.fresh("item")
        inner = gast.copy_location(gast.Expr(gast.copy_location(gast.Yield(self.name(item, s)), s)), s)
        first, loop, iterator = self.loop(self.name(item, s, True), node.value, [inner], [], s)
        if not targets:
            return [first, loop]
        return [first, loop, gast.copy_location(gast.Assign(targets, self.field(iterator, "_result", s), None), s)]

    # -- from suspensions to states

    def rest(self, body: list[Any], number: int) -> list[Any] | None:
        """The statements that follow a suspension, to the end of ``body``; None where it is not in there."""
        for k, s in enumerate(body):
            if isinstance(s, _Suspend) and s.number == number:
                return [*s.then, *body[k + 1:]]
            if isinstance(s, gast.If):
                found = self.rest(s.body, number)
                found = self.rest(s.orelse, number) if found is None else found
                if found is not None:
                    return [*found, *body[k + 1:]]
            elif isinstance(s, gast.While):
                found = self.rest(s.body, number)
                if found is not None:       # the rest of the iteration, and the loop again
                    if not _jumps(found):
                        return [*found, s, *body[k + 1:]]
                    once = gast.copy_location(gast.Tuple([self.constant(0, s)], gast.Load()), s)
                    around = gast.copy_location(gast.For(self.name(self.fresh("once"), s, True), once, found, [s], None), s)
                    return [around, *body[k + 1:]]
                found = self.rest(s.orelse, number)
                if found is not None:
                    return [*found, *body[k + 1:]]
            elif isinstance(s, gast.For):
                found = self.rest(s.body, number)
                if found is not None:
                    raise Unsuspendable(s, "a yield behind a jump out of a loop")
        return None

    def emit(self, body: list[Any]) -> list[Any]:
        """Statements of Python: a suspension saves what is live and returns True."""
        out: list[Any] = []
        for s in body:
            out += self.emitted(s)
            if out and not _falls(out[-1]):
                break
        return out

    def emitted(self, s: Any) -> list[Any]:
        if isinstance(s, _Suspend):
            n = s.node
            saved = [self.assign(self.field(self.this, x, n, True), self.name(x, n), n) for x in self.order if x in self.live[s.number]]
            return [self.assign(self.field(self.this, "_item", n, True), copy.deepcopy(s.value), n), *saved,
                    self.assign(self.field(self.this, "_point", n, True), self.constant(s.number, n), n),
                    gast.copy_location(gast.Return(self.constant(True, n)), n)]
        if isinstance(s, gast.Return):
            value = copy.deepcopy(s.value) if s.value is not None else self.constant(None, s)
            return [self.assign(self.field(self.this, "_result", s, True), value, s),
                    gast.copy_location(gast.Return(self.constant(False, s)), s)]
        if isinstance(s, gast.If):
            return [gast.copy_location(gast.If(copy.deepcopy(s.test), self.emit(s.body) or [gast.Pass()], self.emit(s.orelse)), s)]
        if isinstance(s, gast.While):
            inner, orelse = self.emit(s.body), self.emit(s.orelse)
            if not _falls_through(inner) and not _jumps(inner):        # it never comes to a second iteration
                if isinstance(s.test, gast.Constant) and s.test.value:
                    return inner
                return [gast.copy_location(gast.If(copy.deepcopy(s.test), inner, orelse), s)]
            return [gast.copy_location(gast.While(copy.deepcopy(s.test), inner, orelse), s)]
        if isinstance(s, gast.For):
            head = copy.deepcopy(s.target), copy.deepcopy(s.iter)
            return [gast.copy_location(gast.For(*head, self.emit(s.body), self.emit(s.orelse), None), s)]
        if isinstance(s, (gast.Try, gast.With)) and any(isinstance(n, gast.Return) for n in gast.walk(s)):
            raise Unsuspendable(s, "a return inside of a try or with statement of a generator")
        return [copy.deepcopy(s)]       # a node stands in one place only

    def build(self, captured: list[str]) -> Machine:
        """The states, with the variables that each suspension has to save (a fixpoint)."""
        f = self.function
        args = f.args
        parameters = [a.id for a in (*args.posonlyargs, *args.args, *([args.vararg] if args.vararg else []), *args.kwonlyargs,
                                     *([args.kwarg] if args.kwarg else []))]
        self.names = {n.id for n in gast.walk(f) if isinstance(n, gast.Name)} | set(parameters)
        for name in ("this", "sent"):
            setattr(self, name, name)
            while getattr(self, name) in self.names:
                setattr(self, name, getattr(self, name) + "_")
        self.check(parameters)
        body = self.normal(f.body)
        bodies = [body, *(self.rest(body, s.number) for s in self.suspensions)]
        stored = {n.id for b in (f.body, *(s.then for s in self.suspensions)) for x in b for n in gast.walk(x)
                  if isinstance(n, gast.Name) and isinstance(n.ctx, gast.Store)}
        stored |= {f"iterator_{k}" for k in range(self.count + 1)} | {f"old_{k}" for k in range(self.count + 1)}
        self.order = list(dict.fromkeys([*parameters, *captured, *sorted(stored)]))
        self.live = {s.number: set() for s in self.suspensions}
        while True:
            codes = [self.emit(b or []) for b in bodies]
            found = [_exposed(c) & set(self.order) for c in codes]
            if all(found[n] == live for n, live in self.live.items()):
                break
            self.live = {n: found[n] | live for n, live in self.live.items()}
        states: list[Any] = []
        for number in reversed(range(len(codes))):
            load = [self.assign(self.name(x, f, True), self.field(self.this, x, f), f) for x in self.order if x in found[number]]
            running = self.assign(self.field(self.this, "_point", f, True), self.constant(FINISHED, f), f)
            at = gast.copy_location(gast.Compare(self.field(self.this, "_point", f), [gast.Eq()], [self.constant(number, f)]), f)
            states = [gast.copy_location(gast.If(at, [running, *load, *codes[number]], states), f)]
        end = [self.assign(self.field(self.this, "_result", f, True), self.constant(None, f), f),
               gast.copy_location(gast.Return(self.constant(False, f)), f)]
        given = [gast.copy_location(gast.Name(x, gast.Param(), None, None), f) for x in (self.this, self.sent)]
        resume = gast.copy_location(gast.FunctionDef("resume", gast.arguments(given, [], None, [], [], None, []), [*states, *end], [], None,
                                                     None, []), f)
        gast.fix_missing_locations(resume)
        saved = [x for x in self.order if any(x in live for live in self.live.values())]
        return Machine(resume, self.this, [x for x in self.order if x in found[0] or x in captured], saved, self.delegates)


def has_yield(node: Any) -> bool:
    """Whether a statement or expression suspends the function that it is in."""
    if isinstance(node, _YIELDS):
        return True
    if isinstance(node, _NESTED):
        return False
    return any(has_yield(n) for n in gast.iter_child_nodes(node))


def _jumps(body: list[Any]) -> bool:
    """Whether statements leave or continue the loop around them."""
    for s in body:
        if isinstance(s, (gast.Break, gast.Continue)):
            return True
        if isinstance(s, (_Suspend, _NESTED)):
            continue
        inner = [s.orelse] if isinstance(s, (gast.For, gast.While)) else [
            getattr(s, name, []) for name in ("body", "orelse", "finalbody")] + [h.body for h in getattr(s, "handlers", [])]
        if any(_jumps(b) for b in inner if isinstance(b, list)):
            return True
    return False


def _falls(s: Any) -> bool:
    """Whether control may go on behind a statement."""
    if isinstance(s, (gast.Return, gast.Raise, gast.Break, gast.Continue)):
        return False
    if isinstance(s, gast.If):
        return _falls_through(s.body) or _falls_through(s.orelse)
    if isinstance(s, gast.While):
        return not (isinstance(s.test, gast.Constant) and s.test.value and not _breaks(s.body))
    return True


def _breaks(body: list[Any]) -> bool:
    """Whether statements may leave the loop around them (a continue counts as well)."""
    return _jumps(body)


def _falls_through(body: list[Any]) -> bool:
    return all(map(_falls, body))


class _Reads(Uses):
    """Names read before they are certainly assigned; nothing is read behind a jump."""

    def __init__(self, names: set[str]) -> None:
        super().__init__()
        self.every = names

    def statement(self, node: Any, assigned: set[str]) -> set[str]:
        out = super().statement(node, assigned)
        return out if _falls(node) else self.every


def _exposed(body: list[Any]) -> set[str]:
    uses = _Reads({n.id for s in body for n in gast.walk(s) if isinstance(n, gast.Name)})
    uses.block(body, set())
    return uses.exposed


def machine_of(source: Any, function: Any, captured: list[str], start: Any) -> Machine:
    """The state machine of a generator function, computed once."""
    found = source.notes.get((function, "machine"))
    if found is None:
        found = source.notes[function, "machine"] = _Builder(function, start).build(captured)
    result: Machine = found
    return result

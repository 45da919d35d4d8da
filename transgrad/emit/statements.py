"""Nodes of the statement tree as lines of Python."""
from __future__ import annotations

import ast
import itertools
import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Union

import numpy as np

from ..ir.ops import UNDEF, Call, For, Invoke, Lit, Loc, Op, Operand, Raise, SetAttr, Source, Tree, Value, operands_of, walk
from ..ir.prims import inplace_at, unpack
from ..ir.types import Arr, Num, TupleT, Type
from ..runtime import taken
from .expressions import Expressions, negation
from .literals import constant
from .nodes import Branch, Copy, Do, Exit, Guard, Loop, Node, Scope, Seq, Test
from .operators import AUGMENTED, INPLACE
from .reads import text_reads
from .signature import returned

__all__ = ["Line", "Statements"]

Piece = Union[str, ast.expr]
_LOAD = ast.Load()
_SYMBOLS: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**", ast.MatMult: "@",
    ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>",
}
#: Calls that are statements of their own kind.
_STATEMENTS = frozenset((operator.setitem, operator.delitem, inplace_at, unpack, *INPLACE))


@dataclass(eq=False, slots=True)
class Line:
    """One statement; the ``pieces`` of its (first) line, and the lines it owns."""

    pieces: list[Piece]
    loc: Loc | None = None
    part: str = "primal"
    body: list["Line"] | None = None
    #: Further clauses: ``else``, ``except`` and the like.
    clauses: list["Line"] = field(default_factory=list)
    #: The statement and the part behind a line that quotes none: ``return`` of an expression.
    origin: tuple[Loc, str] | None = None


class Statements:
    """Makes lines for one function."""

    def __init__(self, expressions: Expressions, unread: set[Value]):
        self.e = expressions
        self.plan = expressions.plan
        self.unread = unread
        #: Variables that are copied on paths on which nothing has been assigned to them.
        self.undefined = self.e.variables.undefined()

    def seq(self, seq: Seq) -> list[Line]:
        """The lines of a sequence."""
        out: list[Line] = []
        folded = self.plan.folded
        for node in seq:
            if type(node) is not Do:
                out += self.node(node)
            elif not (node.op.results and node.op.results[0] in folded):
                out += self.do(node.op)
        return out

    def node(self, node: Node) -> list[Line]:
        """The lines of a node that is no operation."""
        match node:
            case Copy():
                return self.copy(node)
            case Branch():
                return self.branch(node)
            case Loop():
                return self.loop(node)
            case Guard():
                return self.guard(node)
            case Scope(op, body):
                target: list[Piece] = [" as ", self.target(op.body.params[0])] if op.body.params else []
                return [Line(["with ", self.e.operand(op.ctx), *target, ":"], op.loc, op.part, self.seq(body) or [Line(["pass"])])]
            case Exit("return", values):
                return [self.returns(values)]
            case Exit(kind):
                return [Line([kind])]
        raise TypeError(node)

    # -- assignments

    def target(self, v: Value) -> ast.expr:
        """A variable to assign to; ``_`` where nothing reads it."""
        return ast.Name("_", _LOAD) if v in self.unread else self.e.name(v)

    def same(self, a: Operand, b: Value) -> bool:
        """Whether an operand is the variable of a value."""
        if not isinstance(a, Value) or a in self.plan.folded:
            return False
        return self.e.variables.class_of(a) == self.e.variables.class_of(b)

    def assign(self, v: Value, value: Operand | Op) -> list[Piece]:
        """``v = value``, augmented where it may be."""
        op = value if not isinstance(value, (Value, Lit)) else self.plan.folded.get(value) if isinstance(value, Value) else None
        if (isinstance(op, Call) and op.fn in AUGMENTED and len(op.args) == 2 and isinstance(op.args[0], Value)
                and self.same(op.args[0], v) and _is_immutable(op.args[0].type)
                and (self.e.dialect is None or isinstance(op.args[0].type, Num) and isinstance(op.args[1].type, Num))):
            return [self.e.name(v), f" {_SYMBOLS[AUGMENTED[op.fn]]}= ", self.e.operand(op.args[1])]
        return [self.e.name(v), " = ", self.e.op(op) if op is not None else self.e.operand(value)]  # type: ignore[arg-type]

    def do(self, op: Op) -> list[Line]:
        """The statement for an operation."""
        if type(op) is Call and op.fn not in _STATEMENTS:
            return self.plain(op)

        def line(*pieces: Piece) -> Line:
            return Line(list(pieces), op.loc, op.part)

        e = self.e
        if e.dialect is not None and isinstance(op, Call) and op.fn in (operator.setitem, inplace_at) and isinstance(op.args[0].type, Arr) \
                and (stored := e.dialect.store(e, op)) is not None:
            return [line(*stored)]
        match op:
            case Raise(exc=None):
                return [line("raise")]
            case Raise(exc=exc, cause=cause):
                assert exc is not None
                origin: list[Piece] = [" from ", e.operand(cause)] if cause is not None else []
                return [line("raise ", e.operand(exc), *origin)]
            case SetAttr():
                return [line(ast.Attribute(e.operand(op.obj), op.name, _LOAD), " = ", e.operand(op.value))]
            case Call(fn=operator.setitem, args=[x, i, v]):
                return [line(e.subscript(x, i), " = ", e.operand(v))]
            case Call(fn=operator.delitem, args=[x, i]):
                return [line("del ", e.subscript(x, i))]
            case Call() if op.fn is inplace_at:
                return [line(*self.inplace_at(op))]
            case Call() if op.fn in INPLACE and len(op.args) == 2:
                return [line(*pieces) for pieces in self.inplace(op)]
            case Call() if op.fn is unpack and op.results:
                return [line(self.targets(op.results), " = ", e.elements(op))]
            case Invoke() if op.func.returns.kind != "leaf":
                return [line(*pieces) for pieces in self.destructure(op)]
        return self.plain(op)

    def plain(self, op: Op) -> list[Line]:
        """The statement for an operation that is an expression, assigned to what reads it."""
        pieces: list[Piece]
        if self.e.dialect is not None and isinstance(op, Call) and op.fn in (np.add.at, np.subtract.at):
            return [Line(self.e.dialect.add_at(self.e, op), op.loc, op.part)]
        if self.unread.issuperset(op.results):
            pieces = [self.e.op(op)]
        elif len(op.results) > 1:
            pieces = [self.targets(op.results), " = ", self.e.op(op)]
        else:
            pieces = self.assign(op.results[0], op)
        return [Line(pieces, op.loc, op.part)]

    def targets(self, values: list[Value]) -> ast.expr:
        """Targets of an unpacking."""
        return ast.Tuple([self.target(v) for v in values], _LOAD)

    def inplace_at(self, op: Call) -> list[Piece]:
        """``x[i] += v``."""
        x, i, v, fn = op.args
        kind = INPLACE.get(fn.value)
        if kind is not None:
            return [self.e.subscript(x, i), f" {_SYMBOLS[kind]}= ", self.e.operand(v)]
        call = ast.Call(self.e.names.expr(fn.value), [self.e.subscript(x, i), self.e.operand(v)], [])
        return [self.e.subscript(x, i), " = ", call]

    def inplace(self, op: Call) -> list[list[Piece]]:
        """``x += v`` on an array or list; a variable of its own for the result where ``x`` is no variable."""
        x, v = op.args
        symbol = f" {_SYMBOLS[INPLACE[op.fn]]}= "
        result = op.results[0] if op.results and op.results[0] not in self.unread else None
        variable = isinstance(x, Value) and x not in self.plan.folded
        if variable and (result is None or self.same(x, result)):
            return [[self.e.name(x), symbol, self.e.operand(v)]]
        if result is None:
            return [[ast.Call(self.e.names.expr(op.fn), [self.e.operand(x), self.e.operand(v)], [])]]
        if self.mentions(v, result):
            return [[self.e.name(result), " = ", ast.Call(self.e.names.expr(op.fn), [self.e.operand(x), self.e.operand(v)], [])]]
        return [[self.e.name(result), " = ", self.e.operand(x)], [self.e.name(result), symbol, self.e.operand(v)]]

    def mentions(self, o: Operand, v: Value) -> bool:
        """Whether the source of an operand reads the variable of a value."""
        return any(self.same(read, v) for read in text_reads(self.plan, o))

    def destructure(self, op: Invoke) -> list[list[Piece]]:
        """The results of a call that returns a structure."""
        tree = op.func.returns
        call = self.e.op(op)
        if all(r in self.unread for r in op.results):
            return [[call]]
        read = [k for k, r in enumerate(op.results) if r not in self.unread]
        if len(read) == 1 < len(op.results) and op.part == "adjoint" and [i.index for i in tree.items] == list(range(len(op.results))):
            # an array that nothing reads has no name, which would keep it
            return [[self.target(op.results[read[0]]), " = ", ast.Subscript(call, ast.Constant(read[0]), _LOAD)]]
        plain = self.pattern(tree, op.results)
        if plain is not None:
            return [[plain, " = ", call]]
        out = self.e.temporary("out")
        return [[out(), " = ", call], *self.parts(tree, op.results, out)]

    def parts(self, tree: Tree, results: list[Value], whole: Callable[[], ast.expr]) -> list[list[Piece]]:
        """Assignments of the leaves of a structure."""
        if tree.kind == "leaf":
            v = results[tree.index]
            return [] if v in self.unread else [[self.e.name(v), " = ", whole()]]
        out: list[list[Piece]] = []
        for k, item in enumerate(tree.items):
            def part(k: int = k) -> ast.expr:
                if tree.kind == "object":
                    return ast.Attribute(whole(), str(tree.keys[k]), _LOAD)
                return ast.Subscript(whole(), constant(tree.keys[k] if tree.kind == "dict" else k, self.e.names), _LOAD)
            out += self.parts(item, results, part)
        return out

    def pattern(self, tree: Tree, results: list[Value]) -> ast.expr | None:
        """The assignment target that takes a returned structure apart."""
        if tree.kind == "leaf":
            return self.target(results[tree.index])
        if tree.kind == "lit":
            return ast.Name("_", _LOAD)
        if tree.kind in ("tuple", "list") and tree.items:
            items = [self.pattern(item, results) for item in tree.items]
            return None if any(i is None for i in items) else ast.Tuple(items, _LOAD)  # type: ignore[arg-type]
        return None

    def copy(self, node: Copy) -> list[Line]:
        """A parallel assignment as single ones, in an order that overwrites nothing that is still to be read."""
        todo = [(t, self.nothing(t) if s is UNDEF else s) for t, s in node.pairs
                if not self.same(s, t) and (s is not UNDEF or self.e.variables.class_of(t) in self.undefined)]
        out: list[Line] = []
        while todo:
            free = next(((t, s) for t, s in todo if not any(self.mentions(other, t) for u, other in todo if u is not t)), None)
            if free is None:
                targets = ast.Tuple([self.e.name(t) for t, _ in todo], _LOAD)
                sources = ast.Tuple([self.e.operand(s) for _, s in todo], _LOAD)
                out.append(Line([targets, " = ", sources], node.loc, node.part))
                break
            todo = [pair for pair in todo if pair[0] is not free[0]]
            op = self.plan.folded.get(free[1]) if isinstance(free[1], Value) else None
            out.append(Line(self.assign(*free), op.loc if op is not None else node.loc, node.part))
        return out

    def nothing(self, target: Value) -> Lit:
        """The value of a variable on a path that does not assign it: None, and in machine code a value of its type."""
        kind = target.type.kind if self.e.plan.fn.attrs.native and isinstance(target.type, Num) else None
        return Lit({None: None, "int": 0, "bool": False, "complex": 0j}.get(kind, 0.0))

    # -- compound statements

    def branch(self, node: Branch) -> list[Line]:
        """``if``, with ``elif`` if its else holds only another if."""
        then, orelse = self.seq(node.then), self.seq(node.orelse)
        cond = self.e.operand(node.cond)
        op = node.op
        if not then and not orelse:
            return [Line([cond], op.loc, op.part)] if isinstance(node.cond, Value) and node.cond in self.plan.folded else []
        negated = node.negated
        if not then:
            then, orelse, negated = orelse, [], not negated
        out = Line(["if ", negation(cond) if negated else cond, ":"], op.loc, op.part, then)
        if len(orelse) == 1 and orelse[0].pieces[0] == "if ":
            chained = orelse[0]
            out.clauses = [Line(["elif ", *chained.pieces[1:]], chained.loc, chained.part, chained.body), *chained.clauses]
        elif orelse:
            out.clauses = [Line(["else:"], op.loc, op.part, orelse)]
        return [out]

    def loop(self, node: Loop) -> list[Line]:
        """``for`` or ``while``."""
        op = node.op
        taken = _taken_apart(node)
        body = self.seq(node.body if taken is None else node.body[1:])
        if isinstance(op, For):
            target, source = self.sources(op, node.targets, taken)
            return [Line(["for ", target, " in ", source, ":"], op.loc, op.part, body or [Line(["pass"])])]
        assert node.cond is not None and isinstance(node.cond[-1], Test)
        before = self.seq(node.cond[:-1])
        cond = self.e.operand(node.cond[-1].cond)
        if not before:
            return [Line(["while ", cond, ":"], op.loc, op.part, body or [Line(["pass"])])]
        leave = Line(["if ", negation(cond), ":"], op.loc, op.part, [Line(["break"])])
        return [Line(["while ", ast.Constant(True), ":"], op.loc, op.part, [*before, leave, *body])]

    def sources(self, op: For, targets: list[Value], taken: Call | None) -> tuple[ast.expr, ast.expr]:
        """Target and iterable of a for loop, one of whose variables is ``taken`` apart."""
        rest = iter(targets)
        pairs: list[tuple[ast.expr, Source]] = []
        for s in op.sources:
            items = [self.target(v) if taken is None or v is not taken.args[0] else self.targets(taken.results)
                     for v in itertools.islice(rest, 2 if s.kind == "items" else 1)]
            pairs.append((items[0] if len(items) == 1 else ast.Tuple(items, _LOAD), s))
        if len(pairs) == 1:
            return pairs[0][0], self.source(pairs[0][1])
        first = pairs[0][1]
        if first.kind == "count" and not first.reverse:
            target, source = self._zipped(pairs[1:])
            start = first.operands[0]
            more = [] if isinstance(start, Lit) and start.value == 0 else [self.e.operand(start)]
            return ast.Tuple([pairs[0][0], target], _LOAD), ast.Call(self.e.names.expr(enumerate), [source, *more], [])
        return self._zipped(pairs)

    def _zipped(self, pairs: list[tuple[ast.expr, Source]]) -> tuple[ast.expr, ast.expr]:
        if len(pairs) == 1:
            return pairs[0][0], self.source(pairs[0][1])
        sources = [self.source(s) for _, s in pairs]
        return ast.Tuple([t for t, _ in pairs], _LOAD), ast.Call(self.e.names.expr(zip), sources, [])

    def source(self, s: Source) -> ast.expr:
        """The iterable of a loop."""
        names = self.e.names
        operands = [self.e.operand(o) for o in s.operands]
        out: ast.expr
        match s.kind:
            case "range" | "prange":
                start, _, step = s.operands
                if not (isinstance(step, Lit) and step.value == 1):
                    args = operands
                elif isinstance(start, Lit) and start.value == 0 and type(start.value) is int:
                    args = operands[1:2]
                else:
                    args = operands[:2]
                out = ast.Call(names.expr(range) if s.kind == "range" else ast.Name("prange", _LOAD), args, [])
            case "count":
                out = ast.Call(names.expr(itertools.count), operands, [])
            case "items" | "values":
                out = ast.Call(ast.Attribute(operands[0], s.kind, _LOAD), [], [])
            case _:
                out = operands[0]
        return ast.Call(names.expr(taken if s.frees else reversed), [out], []) if s.reverse else out

    def guard(self, node: Guard) -> list[Line]:
        """``try``."""
        op = node.op
        out = Line(["try:"], op.loc, op.part, self.seq(node.body) or [Line(["pass"])])
        for handler, seq in node.handlers:
            pieces: list[Piece] = ["except"]
            if handler.classes is not None:
                classes = self.e.operand(handler.classes)
                pieces += [" (", classes, ")"] if isinstance(classes, ast.Tuple) else [" ", classes]
            if handler.body.params:
                pieces += [" as ", self.e.name(handler.body.params[0])]
            out.clauses.append(Line([*pieces, ":"], None, op.part, self.seq(seq) or [Line(["pass"])]))
        if after := self.seq(node.after):
            out.clauses.append(Line(["else:"], None, op.part, after))
        if final := self.seq(node.final):
            out.clauses.append(Line(["finally:"], None, op.part, final))
        # nothing is left of a finally clause that did nothing
        return [out] if out.clauses else self.seq(node.body)

    def returns(self, values: list[Operand]) -> Line:
        """``return``."""
        tree = self.plan.fn.returns
        if tree.kind == "lit" and tree.value is None:
            return Line(["return"])
        folded = [op for v in values if isinstance(v, Value) and v in self.plan.folded and (op := self.plan.defs.get(v)) is not None]
        origin = next(((op.loc, op.part) for op in folded if op.loc is not None), None)
        return Line(["return ", returned(tree, lambda k: self.e.operand(values[k]), self.e.names)], origin=origin)


def _taken_apart(node: Loop) -> Call | None:
    """The operation that takes a tuple apart that a loop runs over, where nothing else reads the tuple."""
    op = node.body[0].op if node.body and isinstance(node.body[0], Do) else None
    if not isinstance(op, Call) or op.fn is not unpack or op.args[0] not in node.targets:
        return None
    item = op.args[0]
    read = sum(o is item for inner in walk(node.op.body) for o in operands_of(inner)) + sum(y is item for y in node.op.body.yields)
    return op if item.name is None and isinstance(item.type, TupleT) and read == 1 else None


def _is_immutable(t: Type) -> bool:
    return isinstance(t, Num) or (isinstance(t, Arr) and t.scalar)

"""A-normal form: each call of a statement becomes a statement of its own, in evaluation order.

    total = g(x) + f(y)   →   t = g(x); u = f(y); total = t + u

A ``raise`` in an inlined function jumps to a try clause of a caller only where each call in between is a whole statement, since the rest of
a statement cannot be skipped (see `raises`). Such a statement is rewritten to A-normal form when lowering starts again. Operands that are
evaluated before a call are held too; parts that may not be evaluated (``a and f()``, a lambda) stay as they are.

References: Flanagan, Sabry, Duba, Felleisen, *The Essence of Compiling with Continuations*, PLDI 1993.
"""
from __future__ import annotations

from typing import Any

import gast

from ..context import Lowering

__all__ = ["Drop", "HELD", "Held", "Hold", "normalized", "statement_site"]

#: how the names of held values begin
HELD = "held "
_SIMPLE = (gast.Expr, gast.Assign, gast.AugAssign, gast.AnnAssign, gast.Return, gast.If, gast.Raise, gast.Assert)
_OPAQUE = (gast.Lambda, gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp, gast.BoolOp, gast.IfExp, gast.NamedExpr,
           gast.Yield, gast.YieldFrom, gast.Await, gast.JoinedStr)


class Hold(gast.AST):       # type: ignore[misc]
    """A statement that holds the value of an expression for the statements that follow."""

    _fields = ("value",)
    _attributes = gast.Expr._attributes


class Held(gast.AST):       # type: ignore[misc]
    """The expression that reads it."""

    _fields = ()
    _attributes = gast.Expr._attributes


class Drop(gast.AST):       # type: ignore[misc]
    """A statement that discards saved operands."""

    _fields = ()
    _attributes = gast.Expr._attributes


def statement_site(ctx: Lowering, frame: Any, node: Any) -> Any:
    """The site at which a statement is lowered in A-normal form."""
    return "#normal", frame.source.file, node.lineno + frame.source.offset, node.col_offset


def normalized(ctx: Lowering, node: Any) -> list[Any] | None:
    """The statements that a statement becomes; None if it stays as it is."""
    if not isinstance(node, _SIMPLE) or statement_site(ctx, ctx.frame, node) not in ctx.program.sites:
        return None
    notes = ctx.frame.source.notes
    found: list[Any] | None = notes.get((node, "normal"))
    if found is None:
        found = notes[node, "normal"] = _Writer(node).statements
    return found if len(found) > 1 else None


def _calls(node: Any) -> bool:
    """Whether a call is always evaluated in an expression."""
    if isinstance(node, gast.Call):
        return not (isinstance(node.func, gast.Name) and node.func.id == "super")
    if isinstance(node, _OPAQUE):
        first = node.values[0] if isinstance(node, gast.BoolOp) else node.test if isinstance(node, gast.IfExp) else None
        return first is not None and _calls(first)
    if isinstance(node, gast.Compare) and len(node.ops) > 1:
        return _calls(node.left) or _calls(node.comparators[0])
    return any(_calls(child) for child in gast.iter_child_nodes(node) if isinstance(child, (gast.expr, gast.keyword)))


class _Writer:
    """Writes one statement."""

    def __init__(self, node: Any):
        self.statements: list[Any] = []
        self.keys: list[Any] = []
        field = "test" if isinstance(node, (gast.If, gast.Assert)) else "exc" if isinstance(
            node, gast.Raise) else "value"
        value = getattr(node, field)
        if isinstance(node, gast.AugAssign) and isinstance(node.target, gast.Subscript):
            value = None        # whether an item is changed in place, its type tells
        out = type(node)(**{name: getattr(node, name) for name in node._fields})
        gast.copy_location(out, node)
        if value is not None and _calls(value) and isinstance(node, gast.AugAssign) and isinstance(node.target, gast.Attribute):
            self.attribute(node, out)
        if value is not None and _calls(value):
            whole = isinstance(value, gast.Call) and isinstance(node, (gast.Raise, gast.Expr, gast.Assign))
            setattr(out, field, self.operands(value) if whole else self.rewrite(value))
        self.statements.append(out)
        if self.keys:
            drop = Drop()
            drop.names = self.keys
            self.statements.append(gast.copy_location(drop, node))

    def attribute(self, node: Any, out: Any) -> None:
        """An augmented assignment to an attribute reads that before the value is computed."""
        base = self.hold(node.target.value)
        out.target = gast.copy_location(gast.Attribute(base, node.target.attr, node.target.ctx), node.target)
        out.old = self.hold(gast.copy_location(gast.Attribute(base, node.target.attr, gast.Load()), node.target))

    def hold(self, node: Any) -> Any:
        """Save the value of an expression."""
        statement, read = Hold(value=node), Held()
        statement.name = read.name = f"{HELD}{node.lineno}.{node.col_offset}.{len(self.keys)}"      # a name of the frame
        self.keys.append(read.name)
        self.statements.append(gast.copy_location(statement, node))
        return gast.copy_location(read, node)

    def rewrite(self, node: Any) -> Any:
        """An expression without calls."""
        if not _calls(node):
            return node
        out = self.operands(node)
        return self.hold(out) if isinstance(node, gast.Call) else out

    def operands(self, node: Any) -> Any:
        """An expression whose operands are without calls."""
        out = type(node)(**{name: getattr(node, name) for name in node._fields})
        gast.copy_location(out, node)
        places = list(_places(node))
        last = max((k for k, (_, _, child) in enumerate(places) if _calls(child)), default=-1)
        for k, (name, index, child) in enumerate(places[:last + 1]):
            new = self.rewrite(child)
            if k < last and isinstance(new, (gast.Starred, gast.keyword)):
                if not isinstance(new.value, (gast.Constant, Held)):
                    fields = {f: getattr(new, f) for f in new._fields}
                    new = gast.copy_location(type(new)(**{**fields, "value": self.hold(new.value)}), new)
            elif k < last and not isinstance(new, (gast.Constant, Held)) and not _is_callee(node, child):
                new = self.hold(new)
            if index is None:
                setattr(out, name, new)
            else:
                items = list(getattr(out, name))
                items[index] = new
                setattr(out, name, items)
        return out


def _is_callee(node: Any, child: Any) -> bool:
    """Whether a part of a call names the function, whose value is no operand."""
    return isinstance(node, gast.Call) and child is node.func


def _places(node: Any) -> Any:
    """The operands of an expression in the order of evaluation, with where they stand."""
    if isinstance(node, gast.BoolOp):
        yield "values", 0, node.values[0]
        return
    if isinstance(node, gast.IfExp):
        yield "test", None, node.test
        return
    if isinstance(node, gast.Dict):
        for k, pair in enumerate(zip(node.keys, node.values)):
            yield from ((name, k, item) for name, item in zip(("keys", "values"), pair) if item is not None)
        return
    for name in ("left", "func", "value", "slice", "lower", "upper", "step", "operand", "right", "elts", "comparators", "args",
                 "keywords"):
        held = getattr(node, name, None) if name in node._fields else None
        if isinstance(held, list):
            for k, item in enumerate(held):
                if isinstance(item, (gast.expr, gast.keyword)) and not (isinstance(node, gast.Compare) and k > 0):
                    yield name, k, item
        elif isinstance(held, gast.expr):
            yield name, None, held

"""Lines as text: indentation, the primal's statements quoted above their adjoints, a blank line before the reverse part."""
from __future__ import annotations

import ast

from ..ir.ops import Loc
from .statements import Line, Piece
from .unparse import unparse

__all__ = ["Layout"]

_INDENT = "    "
#: Longer lines are broken at the commas of their outermost brackets.
_WIDTH = 120


class Layout:
    """Text of a module, line by line; ``locs`` maps line numbers (1-based) to statements, ``parts`` to the parts they belong to."""

    def __init__(self) -> None:
        self.text: list[str] = []
        self.locs: dict[int, Loc] = {}
        self.parts: dict[int, str] = {}

    def put(self, text: str, depth: int = 0, loc: Loc | None = None, part: str = "primal") -> None:
        """Append a line."""
        self.text.append(_INDENT * depth + text if text else "")
        if loc is not None:
            self.locs[len(self.text)] = loc
            if part != "primal":
                self.parts[len(self.text)] = part

    def function(self, lines: list[Line]) -> None:
        """The body of a function."""
        forward = bool(lines) and lines[0].part != "adjoint"
        start = next((k for k, line in enumerate(lines) if line.part == "adjoint"), len(lines))
        self.block(lines[:start], 1)
        if start < len(lines):
            if forward:
                self.put("")
            self.block(lines[start:], 1)

    def block(self, lines: list[Line], depth: int) -> None:
        """Statements one under the other."""
        quoted: Loc | None = None
        for line in lines:
            if line.body is not None:
                if line.part == "adjoint" and not _only_about(line, quoted):
                    quoted = None
            elif line.part == "adjoint" and line.loc is not None and line.loc is not quoted and line.loc != quoted:
                quoted = line.loc
                if quoted.text and not quoted.text.endswith(":"):     # not the header of a loop or branch
                    self.put(f"# {quoted.text}", depth)
            self.statement(line, depth)

    def statement(self, line: Line, depth: int) -> None:
        """One statement with its nested statements."""
        text = "".join([p if isinstance(p, str) else _text(p) for p in line.pieces])
        loc, part = (line.loc, line.part) if line.origin is None else line.origin
        if len(text) + 4 * depth > _WIDTH:
            for k, row in enumerate(_broken(line.pieces, text)):
                self.put(row, depth, loc if not k else None, part)
        else:
            self.put(text, depth, loc, part)
        if line.body is not None:
            self.block(line.body, depth + 1)
        for clause in line.clauses:
            self.statement(clause, depth)


def _only_about(line: Line, loc: Loc | None) -> bool:
    """Whether a compound statement belongs to one primal statement as a whole."""
    return loc is not None and line.loc == loc and all(
        _only_about(x, loc) if x.body is not None else x.loc is None or x.loc == loc
        for owner in (line, *line.clauses) for x in owner.body or ())


def _text(e: ast.expr) -> str:
    if type(e) is ast.Name:
        return e.id
    if type(e) is ast.Tuple and len(e.elts) > 1:
        return ", ".join(map(unparse, e.elts))
    return _condition(e)


def _condition(e: ast.expr) -> str:
    """`ast.unparse`, without the parentheses it puts around the later operands of ``and`` and ``or``."""
    if isinstance(e, ast.BoolOp):
        word = " and " if isinstance(e.op, ast.And) else " or "
        values = _chained(e.values) if word == " and " else e.values
        return word.join(f"({_condition(v)})" if isinstance(v, ast.IfExp) or isinstance(v, ast.BoolOp) and isinstance(v.op, ast.Or)
                         else _condition(v) for v in values)
    if isinstance(e, ast.UnaryOp) and isinstance(e.op, ast.Not) and isinstance(e.operand, ast.BoolOp):
        return f"not ({_condition(e.operand)})"
    return unparse(e)


def _chained(values: list[ast.expr]) -> list[ast.expr]:
    """``a < x and x < b`` as ``a < x < b``."""
    out: list[ast.expr] = []
    for v in values:
        last = out[-1] if out else None
        if (isinstance(v, ast.Compare) and isinstance(last, ast.Compare) and isinstance(v.left, ast.Name)
                and isinstance(last.comparators[-1], ast.Name) and v.left.id == last.comparators[-1].id):
            out[-1] = ast.Compare(last.left, [*last.ops, *v.ops], [*last.comparators, *v.comparators])
        else:
            out.append(v)
    return out


def _broken(pieces: list[Piece], text: str) -> list[str]:
    """A long statement over several lines, broken inside its outermost call, display or parentheses."""
    end = pieces[-1] if pieces[-1] == ":" else ""
    value = pieces[-2] if end else pieces[-1]
    if isinstance(value, str):
        return [text]
    if end:
        return [*broken[:-1], broken[-1] + ":"] if len(broken := _broken(pieces[:-1], text[:-1])) > 1 else [text]
    head = "".join(p if isinstance(p, str) else _text(p) for p in pieces[:-1])
    match value:
        case ast.Call(func, args, keywords) if args or keywords:
            start, stop = f"{head}{unparse(func)}(", ")"
            items = [unparse(a) for a in args] + [unparse(ast.Call(ast.Name("f"), [], [k]))[2:-1] for k in keywords]
        case ast.List(items_) if items_:
            start, stop, items = head + "[", "]", [unparse(i) for i in items_]
        case ast.BinOp(_, ast.Add() | ast.Sub(), _):
            return _sum(head, value)
        case _:
            return [text]
    if len(items) == 1 and isinstance(value, ast.Call) and isinstance(value.args[0] if value.args else None, ast.List):
        start, stop = start + "[", "]" + stop
        items = [unparse(i) for i in value.args[0].elts]  # type: ignore[attr-defined]
    return [start, *(f"{_INDENT}{i}," for i in items), stop]


def _sum(head: str, value: ast.expr) -> list[str]:
    """A sum in parentheses, a term a line."""
    terms: list[str] = []
    while isinstance(value, ast.BinOp) and isinstance(value.op, (ast.Add, ast.Sub)):
        # the right operand of + or - needs its own parentheses if it is a sum; unparse knows
        whole = unparse(ast.BinOp(ast.Name("x"), value.op, value.right))
        terms.append(whole[2:])
        value = value.left
    terms.append(unparse(ast.BinOp(value, ast.Add(), ast.Name("x")))[:-len(" + x")])       # `(a if b else c) + d` needs its own too
    return [head + "(", *(_INDENT + t for t in reversed(terms)), ")"]

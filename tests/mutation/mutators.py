"""Edits of a source file that break it in one place, as a developer's slip would."""
from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass

__all__ = ["KINDS", "Mutant", "mutants"]

#: Calls whose removal skips a guard.
_GUARDS = ("guard", "guards", "known_outside", "check", "check_leaves", "assume")
#: Calls whose removal forgets an alias, an effect or a shadow.
_ALIASES = ("union", "merge", "join", "add_edge", "link", "alias", "taint", "mark", "escape", "copy", "update", "add", "extend")


@dataclass(frozen=True)
class Mutant:
    """An edit: the file, the line, the kind, and the text of the whole file afterwards."""

    file: str
    line: int
    kind: str
    before: str
    after: str
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.kind}: {self.before}  ->  {self.after}"


Found = tuple[str, ast.AST, str]


def _sub(node: ast.AST, op: type[ast.operator]) -> str:
    assert isinstance(node, ast.BinOp)
    return ast.unparse(ast.BinOp(node.left, op(), node.right))


def _arithmetic(node: ast.AST) -> Iterator[Found]:
    if isinstance(node, ast.BinOp) and not _is_text(node):
        if isinstance(node.op, (ast.Add, ast.Sub)):
            yield "drop a term", node, ast.unparse(node.left)
            yield "drop a term", node, ast.unparse(node.right)
            yield "flip a sign", node, _sub(node, ast.Sub if isinstance(node.op, ast.Add) else ast.Add)
        if isinstance(node.op, (ast.Mult, ast.Div)):
            yield "drop a factor", node, ast.unparse(node.left)
            yield "drop a factor", node, ast.unparse(node.right) if isinstance(node.op, ast.Mult) else _sub(node, ast.Mult)
        if isinstance(node.op, ast.Pow):
            yield "change an exponent", node, f"{ast.unparse(ast.BinOp(node.left, ast.Pow(), ast.BinOp(node.right, ast.Add(), ast.Constant(1))))}"
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and not isinstance(node.operand, ast.Constant):
        yield "flip a sign", node, ast.unparse(node.operand)
    if isinstance(node, ast.Constant) and type(node.value) is float:
        yield "change a constant", node, repr(node.value + 1.0)


def _is_text(node: ast.BinOp) -> bool:
    return any(isinstance(n, (ast.JoinedStr, ast.List, ast.Tuple)) or isinstance(n, ast.Constant) and isinstance(n.value, str) for n in ast.walk(node))


def _name(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else call.func.id if isinstance(call.func, ast.Name) else ""


def _statements(node: ast.AST) -> Iterator[Found]:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        name = _name(node.value)
        text = ast.unparse(node.value)
        if name in _GUARDS or "guard" in text:
            yield "skip a guard", node, "pass"
        elif name in _ALIASES:
            yield "forget an alias", node, "pass"
        elif name == "append":
            yield "forget an item", node, "pass"
    if isinstance(node, ast.AugAssign) and isinstance(node.op, (ast.Add, ast.BitOr)):
        yield "forget an item", node, "pass"


def _conditions(node: ast.AST) -> Iterator[Found]:
    if isinstance(node, (ast.If, ast.IfExp)) and not isinstance(node.test, ast.Constant):
        yield "negate a condition", node.test, f"not ({ast.unparse(node.test)})"
        if isinstance(node, ast.If) and any(isinstance(s, ast.Raise) or isinstance(s, ast.Expr) and isinstance(s.value, ast.Call) and _name(s.value).startswith(
                "refuse") for s in node.body):
            yield "skip a guard", node.test, "False"
    if isinstance(node, ast.BoolOp):
        for k in range(len(node.values)):
            rest = node.values[:k] + node.values[k + 1:]
            yield "drop a condition", node, ast.unparse(ast.BoolOp(node.op, rest) if len(rest) > 1 else rest[0])
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        swap = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}.get(type(node.ops[0]))
        if swap is not None:
            yield "move a bound", node, ast.unparse(ast.Compare(node.left, [swap()], node.comparators))


def _types(node: ast.AST) -> Iterator[Found]:
    if isinstance(node, ast.Return) and isinstance(node.value, ast.Call) and _name(node.value) in ("Arr", "Num", "ListT", "TupleT", "RecordT", "Dim"):
        yield "widen a type", node, "return UNKNOWN"
    if isinstance(node, ast.Call) and _name(node) == "Arr" and len(node.args) == 2 and isinstance(node.args[0], ast.Attribute):
        yield "widen a type", node.args[0], "'float64'"
    if isinstance(node, ast.Call) and _name(node) in ("join", "joined", "merge") and len(node.args) == 2:
        yield "widen a type", node, ast.unparse(node.args[0])


#: The kinds of edits; what each stands for is said in `mutants`.
KINDS: tuple[Callable[[ast.AST], Iterator[Found]], ...] = (_arithmetic, _statements, _conditions, _types)


def mutants(file: str, text: str, lines: frozenset[int] | None = None) -> Iterator[Mutant]:
    """The mutants of a file, on the ``lines`` that tests execute where these are known."""
    tree = ast.parse(text)
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line.encode()))
    raw = text.encode()
    skipped = {id(n) for top in ast.walk(tree) if isinstance(top, (ast.Raise, ast.Assert)) or _is_annotation(top) for n in ast.walk(top)}
    seen: set[str] = set()
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        for kind in KINDS:
            for name, place, new in kind(node):
                line = getattr(place, "lineno", 0)
                if lines is not None and line not in lines:
                    continue
                begin = starts[place.lineno - 1] + place.col_offset  # type: ignore[attr-defined]
                end = starts[place.end_lineno - 1] + place.end_col_offset  # type: ignore[attr-defined]
                old = raw[begin:end].decode()
                put = new if isinstance(place, ast.stmt) else f"({new})"
                made = (raw[:begin] + put.encode() + raw[end:]).decode()
                if made in seen or not _parses(made):
                    continue
                seen.add(made)
                yield Mutant(file, line, name, _short(old), _short(new), made)


def _is_annotation(node: ast.AST) -> bool:
    return isinstance(node, ast.AnnAssign) and node.value is None


def _parses(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) < 90 else text[:87] + "..."

"""Statements that are broken over several lines say what they say on one."""
from __future__ import annotations

import ast
from random import Random

import pytest

from transgrad.emit.layout import Layout
from transgrad.emit.statements import Line

NAMES = [f"name_{k}_of_some_length" for k in range(6)]
OPERATORS = [ast.Add(), ast.Sub(), ast.Add(), ast.Sub(), ast.Mult(), ast.Div(), ast.Pow(), ast.MatMult(), ast.FloorDiv()]


def _expression(random: Random, depth: int) -> ast.expr:
    """An expression of any kind that the emitter writes."""
    def part() -> ast.expr:
        return _expression(random, depth - 1)
    if depth == 0 or random.random() < 0.1:
        return ast.Name(random.choice(NAMES)) if random.random() < 0.8 else ast.Constant(random.choice([1.5, 2, True, None]))
    match random.choice(("sum", "sum", "operation", "choice", "sign", "and", "comparison", "call", "list")):
        case "sum":
            return ast.BinOp(part(), random.choice(OPERATORS[:2]), part())
        case "operation":
            return ast.BinOp(part(), random.choice(OPERATORS), part())
        case "choice":
            return ast.IfExp(part(), part(), part())
        case "sign":
            return ast.UnaryOp(random.choice([ast.USub(), ast.Not()]), part())
        case "and":
            plain = [ast.UnaryOp(ast.Not(), x) if isinstance(x, (ast.BoolOp, ast.Compare)) else x for x in (part(), part())]
            return ast.BoolOp(random.choice([ast.And(), ast.Or()]), plain)      # others are joined: `a and (b and c)`, `a < b < c`
        case "comparison":
            return ast.Compare(part(), [ast.Lt()], [part()])
        case "call":
            return ast.Call(ast.Name("f"), [part(), part()], [ast.keyword("option", part())])
        case _:
            return ast.List([part(), part()])


def _printed(e: ast.expr, head: str = "y = ") -> str:
    layout = Layout()
    layout.statement(Line([head, e]), 0)
    return "\n".join(layout.text)


def _same(e: ast.expr, text: str) -> bool:
    """Whether a text reads as an expression does that is printed by Python itself."""
    return ast.dump(ast.parse(text).body[0].value) == ast.dump(ast.parse(ast.unparse(e), mode="eval").body)  # type: ignore[attr-defined]


@pytest.mark.parametrize("seed", range(20))
def test_what_is_printed_is_what_was_meant(seed: int) -> None:
    random = Random(seed)
    for _ in range(50):
        e = _expression(random, random.randint(1, 5))
        assert _same(e, _printed(e)), _printed(e)


@pytest.mark.parametrize("first", ["(a if b else c)", "(a and b)", "(a < b)", "(lambda: a)", "-a", "a * b", "(not a)", "a"])
def test_the_first_term_of_a_sum_keeps_its_parentheses(first: str) -> None:
    e = ast.parse(first + "".join(f" + ({name} if flag else 0.0) - {name}" for name in NAMES), mode="eval").body
    text = _printed(e)
    assert len(text.splitlines()) > 3
    assert _same(e, text)

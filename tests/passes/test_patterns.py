"""The examples in the docstrings of passes, and the rewriting engine."""
from __future__ import annotations

import ast
import doctest
import importlib
import itertools
import linecache
import operator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import transgrad as tg
from transgrad import emit, frontend
from transgrad.ir.ops import Call, Lit, walk
from transgrad.ir.verify import verify
from transgrad.passes import manager
from transgrad.passes.manager import Pass, Property
from transgrad.passes.rewriting import Add, Const, Match, Mul, Neg, Number, Pattern, Sub, Var, pattern, rewrite

_COUNT = itertools.count()
_PASSES = Path(manager.__file__).parent
#: The modules of passes with examples in their docstrings.
MODULES = [".".join(file.relative_to(_PASSES).with_suffix("").parts) for file in sorted(_PASSES.rglob("*.py")) if ">>> " in file.read_text()]


def lowered(source: str, arrays: str = "", written: bool = False) -> Any:
    """The IR of statements; names that they read before they assign them are parameters, numbers except for ``arrays``."""
    tree = ast.parse(source)
    assigned: list[str] = []
    params: list[str] = []
    for node in sorted((n for n in ast.walk(tree) if isinstance(n, ast.Name)), key=lambda n: (n.lineno, isinstance(n.ctx, ast.Store),
                                                                                          n.col_offset)):
        if isinstance(node.ctx, ast.Store):
            assigned.append(node.id)
        elif node.id not in (*assigned, *params) and node.id not in ("np", "math", "divisor"):
            params.append(node.id)
    name = f"<show {next(_COUNT)}>"
    lines = [f"def f({', '.join(params)}):", *(f"    {line}" for line in ast.unparse(tree).splitlines()),
             f"    return {', '.join(dict.fromkeys(assigned))}"]
    text = "\n".join(lines) + "\n"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    scope: dict[str, Any] = {"np": np}
    exec(compile(text, name, "exec"), scope)
    values = {p: np.array([0.3, 0.4, 0.5]) if p in arrays.split() else 0.7 for p in params}
    fn = frontend.lower(scope["f"], values, set(params))
    for op in walk(fn.body):
        op.part, op.written = ("primal", True) if written else ("adjoint", False)
    return fn


def show(source: str, step: Pass, arrays: str = "", written: bool = False, **options: Any) -> None:
    """Print the source of statements after a pass, without the line that returns the results.

    The statements count as the adjoint part of a derivative, which most passes are for, or as ``written`` by the user.
    """
    fn = lowered(source, arrays, written)
    with manager.verified():
        manager.run((manager.With(step, options),), fn, Property.FINAL)
    verify(fn)
    body = ast.parse(emit.emit(fn).text).body[-1].body  # type: ignore[attr-defined]
    print("\n".join(ast.unparse(node) for node in body if not isinstance(node, (ast.Return, ast.Expr))))


@pytest.mark.parametrize("name", MODULES)
def test_examples_of(name: str):
    module = importlib.import_module(f"transgrad.passes.{name}")
    passes = {step.name: step for step in manager.declared()}
    found = doctest.DocTestFinder(exclude_empty=True).find(module, module.__name__, extraglobs={"show": show, **passes})
    attempted = 0
    for test in found:
        result = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test)
        assert result.failed == 0, test.name
        attempted += result.attempted
    assert attempted, name


# The engine

x, y = Var("x"), Var("y")


@pattern(Mul(Const(1.0), x))
def _one(m: Match) -> Any:
    return m.x


@pattern(Add(x, Neg(y)))
def _difference(m: Match) -> Any:
    return m.call(operator.sub, m.x, m.y)


@pattern(Mul(Number("c"), Mul(Number("d"), x)))
def _product(m: Match) -> Any:
    return m.call(m.op.fn, Lit(m.c * m.d), m.x)


@pattern(Sub(x, x))
def _zero(m: Match) -> Any:
    return Lit(0.0)


def _functions(source: str, *patterns: Pattern, arrays: str = "") -> list[str]:
    """The names of the functions that are called after rewriting."""
    fn = lowered(source, arrays)
    rewrite(fn, *patterns)
    verify(fn)
    return [op.fn.__name__ for op in walk(fn.body) if type(op) is Call]


@pytest.mark.parametrize("source, patterns, expected", [
    ("r = 1.0 * a", [_one], []),
    ("r = 1.0 * (1.0 * a)", [_one], []),
    ("r = a + -b", [_difference], ["sub"]),
    ("r = 2.0 * (3.0 * (4.0 * a))", [_product], ["mul"]),
    ("t = 2.0 * a; r = 3.0 * t; s = np.sin(t)", [_product], ["mul", "mul", "sin"]),       # ``t`` is still needed, and nothing is gained
    ("r = a - a", [_zero], []),
    ("r = a - b", [_zero], ["sub"]),                 # a name that occurs twice stands for one operand
    ("r = 1.0 * (a + -b) - 1.0 * (a + -b)", [_one, _difference], ["sub", "sub", "sub"]),
])
def test_rewriting(source: str, patterns: list[Pattern], expected: list[str]):
    assert sorted(_functions(source, *patterns)) == sorted(expected)


def test_a_replacement_that_costs_as_much_is_discarded():
    @pattern(Add(x, y))
    def swap(m: Match) -> Any:
        return m.call(m.op.fn, m.y, m.x)

    fn = lowered("r = a + b")
    assert not rewrite(fn, swap)


def test_a_value_that_is_written_to_is_not_looked_through():
    source = "t = 3.0 * a\nt[0] = 1.0\nr = 2.0 * t"
    assert _functions(source, _product, arrays="a").count("mul") == 2


@pytest.mark.parametrize("value", [0.0, 1.5, -2.0])
def test_the_slope_of_logaddexp_beside_an_update_of_its_argument(value: float):
    """The slope reads the arguments again, which are not what they were where they are written to in between."""
    def f(u):
        a = u * 1.0
        t = np.logaddexp(a, 0.5)
        a[0] = value
        return np.sum(t) + np.sum(a)

    u = np.array([0.3, -0.7])
    slope = 1.0 / (1.0 + np.exp(0.5 - u))
    np.testing.assert_allclose(tg.grad(f, fallback="error")(u), slope + [0.0, 1.0], rtol=1e-14)

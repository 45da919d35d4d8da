"""Every definition: the value of what it defines, and its derivative against central differences, by the compiler."""
from __future__ import annotations

import ast
import collections
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from transgrad.rules import definition_of
from transgrad.rules.installed import at_least
from transgrad.rules.registry import definitions
from transgrad.testing import check_grad

from .cases import FAMILIES, Case
from .compiled import scalar_function
from .own import PACKAGE, is_from

CASES = [pytest.param(c, id=f"{family}-{c}") for family, cases in FAMILIES.items() for c in cases() if not c.by_rule and not c.is_single and definition_of(c.fn) is not None]


def flat(x: Any) -> list[Any]:
    return [v for item in x for v in flat(item)] if isinstance(x, (tuple, list)) else [x]


@pytest.mark.parametrize("case", CASES)
def test_value(case: Case) -> None:
    text = definition_of(case.fn)
    assert text is not None
    try:
        want = flat(case.fn(*case.args, **case.options))
    except (TypeError, ValueError) as error:
        if at_least("scipy", 1, 17) and at_least("numpy", 2, 4):
            raise
        pytest.skip(f"the installed version lacks it: {error}")
    got = flat(text(*case.args, **case.options))
    assert len(got) == len(want)
    for p, q in zip(got, want):
        assert np.shape(p) == np.shape(q)
        np.testing.assert_allclose(p, q, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("case", CASES)
def test_gradient(case: Case) -> None:
    f, values = scalar_function(case)
    if values:
        check_grad(f, values)


A = np.arange(6.0).reshape(2, 3)
WRITES = [pytest.param(fn, body, id=f"{fn.__name__}-{k}") for k, (fn, body) in enumerate((
    (np.put, lambda a, x: np.put(a, [4, 1], x[:2])),
    (np.put, lambda a, x: np.put(a[0], [2, 0, 1, 2], [x[1], x[0] * x[2]])),
    (np.put, lambda a, x: np.put(a[1], [2, 0], x)),
    (np.put, lambda a, x: np.put(a[0], [2, 0], x[1])),
    (np.put, lambda a, x: np.put(a, [7, -1, 2], x[:2], mode="wrap")),
    (np.put, lambda a, x: np.put(a, [9, -1, 2], x, mode="clip")),
    (np.place, lambda a, x: np.place(a, A > 1.0, x)),
    (np.putmask, lambda a, x: np.putmask(a, A > 1.0, x)),
    (np.putmask, lambda a, x: np.putmask(a, A > 1.0, 2.0 * a)),
    (np.put_along_axis, lambda a, x: np.put_along_axis(a, np.array([[0, 2], [1, 0]]), np.reshape(x[:4], (2, 2)), 1)),
    (np.put_along_axis, lambda a, x: np.put_along_axis(a, np.array([[0, 1, 0]]), x[:3], 0)),
    (np.copyto, lambda a, x: np.copyto(a, x[:3], where=A > 1.0)),
    (np.fill_diagonal, lambda a, x: np.fill_diagonal(a, x[0])),
))]


@pytest.mark.parametrize(("fn", "write"), WRITES)
def test_write(fn: Any, write: Any) -> None:
    def f(x: Any, y: Any) -> Any:
        a = y * 1.0
        write(a, x)
        return np.sum(np.sin(a))
    check_grad(f, (np.linspace(0.3, 1.1, 5), 0.1 * A))


def test_functions_applied() -> None:
    check_grad(lambda x: np.sum(np.apply_over_axes(np.sum, x * x, (0, 1)) ** 2), (A,))
    check_grad(lambda x: np.sum(np.fromfunction(lambda i, j: np.sin(x * i) + j * x, (2, 3))), (0.7,))


def named_here() -> set[str]:
    """The names that the tests of rules mention: functions of what makes objects, takes functions or returns mappings stand there."""
    trees = [ast.parse(path.read_text()) for path in Path(__file__).parent.rglob("*.py")]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    return {n.attr for n in nodes if isinstance(n, ast.Attribute)} | {n.id for n in nodes if isinstance(n, ast.Name)}


def test_every_definition_has_a_case() -> None:
    texts = [definition_of(p.values[0].fn) for p in CASES] + [definition_of(p.values[0]) for p in WRITES]
    tried = {text.__code__ for text in texts if text is not None}     # a text may be that of many distributions
    named = named_here()
    untried = collections.defaultdict(list)
    for fn, text in definitions().items():
        if text.__code__ not in tried and is_from(text.__code__, PACKAGE):
            untried[text.__code__].append(fn)

    def is_named(fn: Any) -> bool:
        owner = getattr(fn, "__self__", None)       # a method is named where its distribution is
        return (getattr(fn, "__name__", None) or getattr(fn, "name", type(fn).__name__.removesuffix("_gen"))) in named and (owner is None or type(owner).__name__.removesuffix("_gen") in named)
    assert not [fns for fns in untried.values() if not any(map(is_named, fns))]

"""Equal expressions that make lists or arrays are computed once only where nobody can tell: not where one of them is written to."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import transgrad as tg
from tests import oracles

X = np.array([1.0, 2.0, 3.0])


def empty_out(items: Any) -> Any:
    total = 0.0
    while items:
        total = total * 0.5 + items.pop()
    return total


def clear_first(items: Any, others: Any) -> Any:
    items[0] = 0.0
    return sum(others)


def two_lists(x: Any) -> Any:
    y = x * 2.0
    return empty_out(list(y)) + empty_out(list(y))


def two_tolist(x: Any) -> Any:
    y = x * x
    return empty_out(y.tolist()) + empty_out(y.tolist())


def two_sorted(x: Any) -> Any:
    y = x * x
    return empty_out(sorted(y)) + empty_out(sorted(y))


def one_is_written(x: Any) -> Any:
    y = x * 2.0
    return clear_first(list(y), list(y))


@pytest.mark.parametrize("f", [two_lists, two_tolist, two_sorted, one_is_written])
@pytest.mark.parametrize("optimize", [True, False])
def test_lists_that_are_written_to(f: Any, optimize: bool) -> None:
    value, gradient = tg.value_and_grad(f, optimize=optimize)(X)
    assert value == pytest.approx(f(X))
    np.testing.assert_allclose(gradient, oracles.gradient(f, X)[0], rtol=1e-8)
    np.testing.assert_allclose(tg.jvp(f, (X,), (np.ones(3),), optimize=optimize)[1], np.sum(gradient))


def pair(x: Any) -> Any:
    return np.sin(x), np.sin(x)


def lists(x: Any) -> Any:
    y = x * 2.0
    return list(y), list(y)


@pytest.mark.parametrize("f", [pair, lists])
def test_what_is_returned_twice_is_two_objects(f: Any) -> None:
    first, second = tg.vjp(f, X)[0]
    assert first is not second
    for part in tg.jvp(f, (X,), (X,)):
        assert part[0] is not part[1]
    auxiliary = tg.grad(lambda x: (np.sum(x), f(x)), has_aux=True)(X)[1]
    assert auxiliary[0] is not auxiliary[1]


def test_one_computation_is_enough_where_nobody_writes() -> None:
    text = tg.grad(lambda x: np.sum(np.exp(x) * 2.0) + np.prod(np.exp(x)), fallback="error").source_for(X)
    assert sum(line.count("np.exp(x)") for line in text.splitlines() if not line.lstrip().startswith("#")) == 1

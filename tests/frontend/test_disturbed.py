"""Containers that something of which nothing is known had in hand: it may have kept them, and put anything into them."""
from __future__ import annotations

import bisect
import collections
import copy
import functools
import heapq
import operator
import types
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import transgrad as tg

X = 1.5
_unread: dict[str, Any] = {}
# functions whose source cannot be found
exec("""
kept = []
def put(items, *more): items.extend(more)
def set_key(table, key, value): table[key] = value
def keep(items): kept.append(items)
def fill(): kept[-1].append(3.0)
def back(items): return items
def table(): return {"q": 3.0}
""", _unread)
put, set_key, keep, fill, back, table = (_unread[name] for name in ("put", "set_key", "keep", "fill", "back", "table"))


def total(items: Any, x: Any) -> Any:
    t = 0.0
    for v in items:
        t = t + v * x
    return np.sum(t)


def of_a_tuple(x: Any) -> Any:
    items: list[Any] = []
    held: Any = copy.copy((items, 1))
    held[0].append(2.0)
    return total(items, x)


def of_a_list(x: Any) -> Any:
    items: list[Any] = []
    held = copy.copy([items])
    held[0] += [2.0]
    return total(items, x)


def of_a_dict(x: Any) -> Any:
    items: dict[str, Any] = {}
    held = copy.copy([items])
    held[0]["a"] = 2.0
    return sum(items[key] * x for key in items) + len(items)


def of_items_at_places(x: Any) -> Any:
    items = [1.0, 2.0]
    held: Any = copy.copy((items, 1))
    held[0][1] = np.ones(3)
    return total(items, x)


def differentiated(x: Any) -> Any:
    items: dict[str, Any] = {}
    held = copy.copy([items])
    held[0]["a"] = x
    t = 0.0
    for key in items:
        t = t + items[key]
    return t


def of_an_object(x: Any) -> Any:
    items: list[Any] = []
    held = types.SimpleNamespace(items=items)
    held.items.append(2.0)
    return total(items, x)


def of_several_dicts(x: Any) -> Any:
    items: dict[str, Any] = {}
    held = collections.ChainMap(items)
    held["a"] = 2.0
    return sum(items[key] * x for key in items)


def put_into(x: Any) -> Any:
    items: list[Any] = [1, 2]
    put(items, np.ones(3))
    return total(items, x)


def put_into_one_of_several(x: Any) -> Any:
    rows: list[list[Any]] = [[1], [2]]
    put(rows[0], np.ones(3))
    return sum(total(row, x) for row in rows)


def kept_and_filled(x: Any) -> Any:
    items: list[Any] = []
    keep(items)
    fill()
    return total(items, x)


def handed_back(x: Any) -> Any:
    items: list[Any] = []
    same = back(items)
    same.append(5.0)
    return total(items, x)


def in_turns(x: Any) -> Any:
    items: list[Any] = []
    t = 0.0
    for _ in range(3):
        t = t + total(items, x)
        put(items, 1.5)
    return t


def by_a_function(x: Any) -> Any:
    items: list[Any] = []
    functools.partial(put, items)(3.0)
    return total(items, x)


def by_a_heap(x: Any) -> Any:
    items: list[Any] = []
    heapq.heappush(items, 2.0)
    heapq.heappush(items, 1.5)
    t = 0.0
    for k, v in enumerate(items):
        t = t + (k + 1) * v * x
    return t


def by_places(x: Any) -> Any:
    items: list[Any] = []
    bisect.insort(items, 1)
    bisect.insort(items, 0)
    t = 0.0
    for k, v in enumerate(items):
        t = t + (k + 2) * v * x
    return t


def in_a_helper(held: Any) -> None:
    put(held[0], 2.0, 3.0)


def through_a_helper(x: Any) -> Any:
    items: list[Any] = []
    in_a_helper((items, 1))
    return total(items, x)


def by_a_helper(held: Any, x: Any) -> None:
    for k in range(3):
        held[0].append(k * x)


def in_a_tuple(x: Any) -> Any:
    items: list[Any] = []
    by_a_helper((items, 1.0), x)
    return total(items, x)


def in_a_tuple_of_tuples(x: Any) -> Any:
    items: list[Any] = []
    held = (1, items, 2.0), x
    by_a_helper(held[0][1:], x)
    return total(items, x)


def removed(x: Any) -> Any:
    found = {1.0, 2.0, 3.0}
    found.difference_update({2.0})
    return x * len(found)


def left(x: Any) -> Any:
    found = {1.0, 2.0, 3.0}
    found.intersection_update({2.0})
    found.symmetric_difference_update({7.0})
    t = 0.0
    for v in found:
        t = t + v * x
    return t


def added_by_an_operator(x: Any) -> Any:
    items: list[Any] = []
    operator.iconcat(items, [1.0, 2.0])
    found: set[float] = set()
    operator.ior(found, {3.0})
    return total(items, x) + total(found, x)


def of_an_unknown_dict(x: Any) -> Any:
    items: dict[str, Any] = {}
    items |= table()
    return sum(items[key] * x for key in items)


FUNCTIONS = [
    of_a_tuple, of_a_list, of_a_dict, of_items_at_places, differentiated, of_an_object, of_several_dicts, put_into, put_into_one_of_several,
    kept_and_filled, handed_back, in_turns, by_a_function, by_a_heap, by_places, through_a_helper, in_a_tuple, in_a_tuple_of_tuples,
    removed, left, added_by_an_operator, of_an_unknown_dict,
]
#: those that need not run on the tape
COMPILED = [by_a_heap, by_places, in_a_tuple, in_a_tuple_of_tuples, removed, left, added_by_an_operator]


@pytest.mark.parametrize("f", FUNCTIONS)
def test_what_is_in_them_is_read_when_the_function_runs(f: Callable[[Any], Any]) -> None:
    assert tg.compile(f, fallback="error")(X) == f(X)


@pytest.mark.parametrize("f", FUNCTIONS)
@pytest.mark.parametrize("optimize", [True, False])
def test_derivatives_are_of_what_is_in_them_by_then(f: Callable[[Any], Any], optimize: bool) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tg.TapeFallbackWarning)
        y, g = tg.value_and_grad(f, optimize=optimize, fallback="error" if f in COMPILED else "tape")(X)
        _, t = tg.jvp(f, (X,), (1.0,))
    assert y == f(X)
    want = (f(X + 1e-6) - f(X - 1e-6)) / 2e-6
    np.testing.assert_allclose([g, t], want, rtol=1e-8, atol=1e-8)


def more_keys(d: dict[str, Any], x: Any) -> Any:
    set_key(d, "b", 2.0)
    return x * sum(d[key] for key in d), len(d), "b" in d


def more_items(items: list[Any], x: Any) -> Any:
    put(items, 2.0)
    t = 0.0
    for v in items:
        if not isinstance(v, str):
            t = t + v
    return x * t, len(items)


@pytest.mark.parametrize("f, make", [
    (more_keys, lambda: {"a": 1.0}), (more_keys, lambda: {"a": 1.0, "c": 1}), (more_items, list), (more_items, lambda: [1.0]),
    (more_items, lambda: [1.0, "a"]),
])
def test_arguments_that_something_unknown_changes(f: Callable[..., Any], make: Callable[[], Any]) -> None:
    assert tg.compile(f, fallback="error")(make(), X) == f(make(), X)


def part_of_an_argument(p: dict[str, Any]) -> Any:
    put(p["names"], "b")
    t = 0.0
    for name in p["names"]:
        t = t + p[name]
    return t


def test_parts_of_a_differentiated_argument_are_not_given_away() -> None:
    p = {"a": 1.0, "b": np.array([1.0, 2.0]), "names": ["a"]}
    with pytest.raises(tg.UnsupportedSyntax, match=r"may change the contents of 'p'.*\n.*test_disturbed.py.*\n.*put\("):
        tg.grad(part_of_an_argument, fallback="error")(p)

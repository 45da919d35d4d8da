"""Objects from outside of the function that share memory: a global list is also an item of a tuple, an attribute or a default."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import transgrad as tg

ITEMS: list[float] = [1.0, 2.0]
TABLE = {"v": 1.0}
ARRAY = np.ones(3)
ALIAS, PAIR, HOLDER, PART = ITEMS, (ITEMS, ARRAY), {"l": ITEMS, "a": ARRAY, "d": TABLE}, ARRAY[:2]


class Thing:
    pass


THING: Any = Thing()
THING.l, THING.a, THING.d = ITEMS, ARRAY, TABLE


def by_another_name(x):
    ITEMS[0] = x
    return ALIAS[0] * 2


def in_a_tuple(x):
    ITEMS[0] = x
    return PAIR[0][0] * 2


def in_a_dict(x):
    ITEMS[0] = x
    return HOLDER["l"][0] * 2


def in_an_attribute(x):
    ITEMS[0] = x
    return THING.l[0] * 2


def array_in_a_tuple(x):
    ARRAY[0] = x
    return PAIR[1][0] * 2


def array_in_an_attribute(x):
    ARRAY[0] = x
    return THING.a[0] * 2


def attribute_first(x):
    THING.l[0] = x
    return ITEMS[0] * 2


def dict_first(x):
    HOLDER["a"][0] = x
    return ARRAY[0] * 2


def table_in_an_attribute(x):
    THING.d["v"] = x
    return TABLE["v"] * 2


def in_a_loop(x):
    for p in PAIR:
        p[0] = x
    return ITEMS[0] + ARRAY[0]


def view_outside(x):
    ARRAY[0] = x
    return PART[0] * 2


def view_first(x):
    PART[0] = x
    return ARRAY[0] * 2


def _helper(x, items):
    ITEMS[0] = x
    return items[0] * 2


def in_a_default(x, args=(ITEMS,)):
    return _helper(x, *args)


def tuple_and_list(x, p=(ITEMS,), items=ITEMS):
    items[0] = x
    return p[0][0] * 2


def list_and_tuple(x, p=(ITEMS,), items=ITEMS):
    p[0][0] = x
    return items[0] * 2


def twice_in_a_tuple(x, p=(ITEMS, ITEMS)):
    p[0][0] = x
    return p[1][0] * 2


FUNCTIONS = [by_another_name, in_a_tuple, in_a_dict, in_an_attribute, array_in_a_tuple, array_in_an_attribute, attribute_first, dict_first,
             table_in_an_attribute, in_a_loop, view_outside, view_first, in_a_default, tuple_and_list, list_and_tuple, twice_in_a_tuple]


@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
@pytest.mark.parametrize("transform", [lambda f: tg.value_and_grad(f)(1.5), lambda f: (3.0, tg.grad(f)(1.5)),
                                       lambda f: tg.jvp(f, (1.5,), (1.0,)), lambda f: (3.0, tg.linearize(f, 1.5)[1](1.0))])
@pytest.mark.parametrize("f", FUNCTIONS)
def test_a_write_is_seen_under_both(f: Any, transform: Any) -> None:
    for _ in range(2):
        ITEMS[:] = [1.0, 2.0]
        TABLE["v"] = 1.0
        ARRAY[:] = 1.0
        assert transform(f) == (3.0, 2.0)
        assert 1.5 in (ITEMS[0], TABLE["v"], ARRAY[0])


def test_shared_after_the_first_call() -> None:
    """What is apart when the function is compiled need not be so later."""
    own, other = [1.0], Thing()
    other.l = [5.0]      # type: ignore[attr-defined]

    def f(x):
        own[0] = x
        return other.l[0] * 2 + own[0]
    gradient = tg.value_and_grad(f)
    assert gradient(1.5) == (11.5, 1.0)
    other.l = own        # type: ignore[attr-defined]
    with pytest.warns(tg.TapeFallbackWarning):
        assert gradient(1.5) == (4.5, 3.0)

"""An argument that is an object which the function also finds outside, in a global, a default, a closure or a module."""
from __future__ import annotations

import types
from typing import Any

import numpy as np
import pytest

import transgrad as tg

ITEMS = [1.0, 2.0]
TABLE = {"v": 1.0}
ARRAY = np.ones(3)
MODULE = types.ModuleType("settings")


class Thing:
    pass


THING = Thing()


def default_list(x, items=ITEMS):
    items[0] = x
    return ITEMS[0] * 2


def list_argument(x, items):
    items[0] = x
    return ITEMS[0] * 2


def dict_argument(x, table):
    table["v"] = x
    return TABLE["v"] * 2


def array_argument(x, a):
    a[0] = x
    return ARRAY[0] * 2


def instance_argument(x, thing):
    thing.v = x
    return THING.v * 2


def namespace_of_a_module(x, names):
    names["v"] = x
    return MODULE.v * 2


def namespace_of_an_instance(x, names):
    names["v"] = x
    return THING.v * 2


def list_outside(x, items):
    ITEMS[0] = x
    return items[0] * 2


def dict_outside(x, table):
    TABLE["v"] = x
    return table["v"] * 2


def array_outside(x, a):
    ARRAY[0] = x
    return a[0] * 2


def instance_outside(x, thing):
    THING.v = x
    return thing.v * 2


def default_instance(x, thing=THING):
    thing.v = x
    return THING.v * 2


def keyword_dict(x, *, table=TABLE):
    table["v"] = x
    return TABLE["v"] * 2


CASES: list[Any] = [
    (default_list, ()), (list_argument, (ITEMS,)), (dict_argument, (TABLE,)), (array_argument, (ARRAY,)), (instance_argument, (THING,)),
    (namespace_of_a_module, (vars(MODULE),)), (namespace_of_an_instance, (vars(THING),)), (list_outside, (ITEMS,)),
    (dict_outside, (TABLE,)), (array_outside, (ARRAY,)), (instance_outside, (THING,)), (default_instance, ()), (keyword_dict, ()),
]
FRESH: dict[type, Any] = {list: lambda: [1.0, 2.0], dict: lambda: {"v": 1.0}, np.ndarray: lambda: np.ones(3)}


@pytest.fixture(autouse=True)
def _as_before() -> None:
    ITEMS[:] = [1.0, 2.0]
    TABLE["v"] = 1.0
    ARRAY[:] = 1.0
    THING.v = MODULE.v = 1.0


def _thing() -> Thing:
    made = Thing()
    made.v = 1.0
    return made


@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
@pytest.mark.parametrize("apart_first", [False, True])
@pytest.mark.parametrize("f, args", CASES, ids=lambda c: getattr(c, "__name__", None))
def test_one_object(f: Any, args: Any, apart_first: bool) -> None:
    gradient = tg.value_and_grad(f)
    if apart_first and args:        # with an object of its own the function is compiled for that
        other = FRESH.get(type(args[0]), _thing)()
        value, found = gradient(1.5, other)
        assert (value, found) == (f(1.5, FRESH.get(type(args[0]), _thing)()), 0.0)
    for x in (1.5, 2.5):
        assert gradient(x, *args) == (2 * x, 2.0)
    assert 2.5 in (ITEMS[0], TABLE["v"], ARRAY[0], THING.v, MODULE.v)

"""Objects and containers from outside of the function that are given differentiated values, and read again under another name.

Each is either right or refused by the compiler; on the tape it is right.
"""
from __future__ import annotations

import numpy as np
import pytest

import transgrad as tg

pytestmark = pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")


class Holder:
    def __init__(self):
        self.numbers = [1.0, 2.0]
        self.o = None


class Item:
    def __init__(self):
        self.v = 1.0
        self.numbers = [1.0]
BUFFER, NUMBERS, TABLE, ITEM, ITEMS = np.ones(2), [1.0, 2.0], {"k": 1.0}, Item(), [Item(), Item()]
ARRAYS = [np.ones(2), np.ones(2)]


def reset():
    ARRAYS[:] = [np.ones(2), np.ones(2)]
    BUFFER[:] = 1.0
    NUMBERS[:] = [1.0, 2.0]
    TABLE.clear()
    TABLE["k"] = 1.0
    ITEM.__init__()
    ITEMS[:] = [Item(), Item()]


def put(numbers, x):
    numbers[0] = x * numbers[1]


def put_key(d, x):
    d["k"] = x * d["k"]


def append_to(numbers, x):
    numbers.append(x * 2)


def set_value(o, x):
    o.v = x * o.v


def set_list(o, x):
    o.numbers[0] = x * o.v


def repeated(numbers, x, n):
    if n == 0:
        return 0.0
    numbers[0] = numbers[0] * x
    return repeated(numbers, x, n - 1)


def array_by_a_function(x):
    put(BUFFER, x)
    return BUFFER[0] ** 2


def list_by_a_function(x):
    put(NUMBERS, x)
    return NUMBERS[0] ** 2


def dict_by_a_function(x):
    put_key(TABLE, x)
    return TABLE["k"] ** 2


def appended_by_a_function(x):
    append_to(NUMBERS, x)
    return NUMBERS[-1] ** 2


def attribute_by_a_function(x):
    set_value(ITEM, x)
    return ITEM.v ** 2


def attribute_of_an_item(x):
    set_value(ITEMS[1], x)
    return ITEMS[1].v ** 2


def list_of_an_attribute(x):
    set_list(ITEM, x)
    return ITEM.numbers[0] ** 2


def by_a_recursion(x):
    repeated(NUMBERS, x, 3)
    return NUMBERS[0] ** 2


def items_in_a_loop(x):
    for k in range(2):
        set_list(ITEMS[k], x * k)
    return ITEMS[1].numbers[0] ** 2


def loop_over_items(x):
    for o in ITEMS:
        set_value(o, x)
    return ITEMS[0].v * ITEMS[1].v


def in_a_new_list(x):
    q = [NUMBERS]
    put(q[0], x)
    return NUMBERS[0] ** 2


def in_a_new_instance(x):
    s = Holder()
    s.numbers = NUMBERS
    put(s.numbers, x)
    return NUMBERS[0] ** 2


def by_a_lambda(x):
    h = lambda v: put(NUMBERS, v)
    h(x)
    return NUMBERS[0] ** 2


def by_map(x):
    list(map(lambda k: put(NUMBERS, x * k), [1.0, 2.0]))
    return NUMBERS[0] ** 2


def attributes_in_a_loop(x):
    for o in ITEMS:
        o.v = x * o.v
    return ITEMS[0].v * ITEMS[1].v


def lists_in_a_loop(x):
    for o in ITEMS:
        o.numbers[0] = x * o.v
    return ITEMS[0].numbers[0] * ITEMS[1].v


def appended_in_a_loop(x):
    for k, o in enumerate(ITEMS):
        o.numbers.append(x * k)
    return ITEMS[1].numbers[-1] ** 2


def pairs(x):
    for a, b in zip(ITEMS, ITEMS[1:]):
        b.v = x * a.v
    return ITEMS[1].v ** 2


def by_max(x):
    o = max(ITEMS, key=lambda o: o.v)
    o.v = x * 2
    return ITEMS[0].v ** 2


def by_sorted(x):
    s = sorted(ITEMS, key=lambda o: o.v)
    s[0].v = x * 2
    return ITEMS[0].v ** 2


def in_a_new_dict(x):
    d = {"a": ITEM}
    d["a"].v = x * 2
    return ITEM.v ** 2


def in_an_attribute(x):
    s = Holder()
    s.o = ITEM
    s.o.v = x
    return ITEM.v ** 2


def at_a_place_that_depends(x):
    q = ITEMS[int(x > 0)]
    q.v = x
    return ITEMS[1].v ** 2


def in_a_while_loop(x):
    i = 0
    while i < 2:
        ITEMS[i].v *= x
        i += 1
    return ITEMS[0].v * ITEMS[1].v


def lists_in_a_while_loop(x):
    i = 0
    while i < 2:
        ITEMS[i].numbers[0] *= x
        i += 1
    return ITEMS[0].numbers[0] * ITEMS[1].numbers[0]


def by_next(x):
    it = iter(ITEMS)
    next(it).v = x
    return ITEMS[0].v ** 2


def unpacked(x):
    a, b = ITEMS
    a.v = x
    b.numbers[0] = x
    return ITEMS[0].v ** 2 * ITEMS[1].numbers[0]


def in_a_comprehension(x):
    [set_value(o, x) for o in ITEMS]
    return ITEMS[0].v ** 2


def appended_instance(x):
    ITEMS.append(Item())
    ITEMS[-1].v = x
    return ITEMS[2].v ** 2


def appended_and_changed(x):
    n = Item()
    n.v = x
    ITEMS.append(n)
    n.v *= 2
    return ITEMS[2].v ** 2


def by_setattr(x):
    setattr(ITEM, "v", x)
    return getattr(ITEM, "v") ** 2


def in_the_instance_dict(x):
    ITEM.__dict__["v"] = x
    return ITEM.v ** 2


def by_vars(x):
    vars(ITEM).update(v=x)
    return ITEM.v ** 2


def list_of_items(x):
    b = list(ITEMS)
    b[0].numbers[0] = x
    return ITEMS[0].numbers[0] ** 2


def list_of_arrays(x):
    b = list(ARRAYS)
    b[0][0] = x
    return ARRAYS[0][0] ** 2


def arrays_unpacked(x):
    a, b = ARRAYS
    a[0] = x
    return ARRAYS[0][0] ** 2


def loop_over_arrays(x):
    for a in ARRAYS:
        a[0] = x
    return ARRAYS[0][0] ** 2


def arrays_reversed(x):
    for a in reversed(ARRAYS):
        put(a, x)
    return ARRAYS[0][0] ** 2


def slice_of_arrays(x):
    b = ARRAYS[:]
    b[0][0] = x
    return ARRAYS[0][0] ** 2


def dict_of_containers(x):
    b = dict(a=ITEM, l=NUMBERS)
    b["l"][0] = x
    return NUMBERS[0] ** 2


def list_of_containers(x):
    b = [ITEM, NUMBERS]
    b[1][0] = x
    b[0].v = x
    return NUMBERS[0] ** 2 * ITEM.v


def list_in_an_attribute(x):
    s = Holder()
    s.o = NUMBERS
    s.o[0] = x
    return NUMBERS[0] ** 2


def list_in_a_tuple(x):
    t = (NUMBERS, x)
    t[0][0] = x
    return NUMBERS[0] ** 2


def bound_append(x):
    f = NUMBERS.append
    f(x)
    return NUMBERS[-1] ** 2


def bound_setitem(x):
    g = NUMBERS.__setitem__
    g(0, x)
    return NUMBERS[0] ** 2


def chosen_at_run_time(x):
    b = [ARRAYS[0], ARRAYS[1]]
    for k in range(2):
        b[k][0] = x * k
    return ARRAYS[1][0] ** 2


def loop_over_new_list(x):
    b = [ITEM, ITEMS[0]]
    for o in b:
        o.v = x
    return ITEM.v ** 2


def lists_chosen_at_run_time(x):
    b = [NUMBERS, NUMBERS]
    for k in range(2):
        b[k][0] = x * k
    return NUMBERS[0] ** 2


def appended_arrays(x):
    b = []
    for k in range(2):
        b.append(ARRAYS[k])
    for a in b:
        a[0] = x
    return ARRAYS[1][0] ** 2


def comprehension_of_arrays(x):
    b = {k: ARRAYS[k] for k in range(2)}
    b[0][0] = x
    return ARRAYS[0][0] ** 2


def of_its_own(x):
    b = [1.0, 2.0]
    b[0] = x
    c = [ARRAYS[0], b]
    c[1][1] = x * 2
    c[0] = ARRAYS[0] * x
    return b[0] * b[1] + np.sum(c[0])


PROGRAMS = [
    array_by_a_function, list_by_a_function, dict_by_a_function, appended_by_a_function, attribute_by_a_function,
    attribute_of_an_item, list_of_an_attribute, by_a_recursion, items_in_a_loop, loop_over_items, in_a_new_list,
    in_a_new_instance, by_a_lambda, by_map, attributes_in_a_loop, lists_in_a_loop, appended_in_a_loop, pairs, by_max, by_sorted,
    in_a_new_dict, in_an_attribute, at_a_place_that_depends, in_a_while_loop, lists_in_a_while_loop, by_next, unpacked,
    in_a_comprehension, appended_instance, appended_and_changed, by_setattr, in_the_instance_dict, by_vars, list_of_items,
    list_of_arrays, arrays_unpacked, loop_over_arrays, arrays_reversed, slice_of_arrays, dict_of_containers, list_of_containers,
    list_in_an_attribute, list_in_a_tuple, bound_append, bound_setitem, chosen_at_run_time, loop_over_new_list,
    lists_chosen_at_run_time, appended_arrays, comprehension_of_arrays, of_its_own,
]
X, STEP = 0.3, 1e-6


def value(f, x):
    reset()
    return f(x)


@pytest.mark.parametrize("fallback", ["error", "tape"])
@pytest.mark.parametrize("f", PROGRAMS)
def test_right_or_refused(f, fallback):
    want = (value(f, X + STEP) - value(f, X - STEP)) / (2 * STEP)
    for derivative in (lambda: tg.grad(f, fallback=fallback)(X), lambda: tg.jvp(f, (X,), (1.0,), fallback=fallback)[1]):
        reset()
        try:
            found = derivative()
        except tg.TransgradError:
            assert fallback == "error"
            continue
        assert found == pytest.approx(want, abs=1e-6)
        assert all(type(v) in (float, np.float64) for v in (*NUMBERS, *TABLE.values())) and type(ITEM) is Item

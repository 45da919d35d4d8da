"""Displays, and arguments, whose parts write to what another part reads: each part is computed once, in its turn."""
import numpy as np
import pytest

import transgrad as tg

from .by_differences import Programs, check

tried = Programs()


def _pushed(items, e):
    items.append(e)
    return e * items[0]


def _popped(items):
    return items.pop() * 0.5


def _moved(d, e):
    d["k"] = d["n"] * e
    return e


def _first(*values):
    return values[0] + 2.0 * values[-1] + len(values) * values[1]


def _grown(x):
    items = [x[0], x[1]]
    for i in range(2):
        items.append(x[i] * items[-1])
    return items


@tried
def what_writes_ahead_of_a_star(x):
    items = _grown(x)
    found = [_pushed(items, x[1]), *items]
    return sum(found) * found[-1] + len(found) * x[0] + sum(items)


@tried
def what_writes_behind_a_star(x):
    items = _grown(x)
    found = [*items, _pushed(items, x[1]), *items]
    return sum(found) * found[3] + len(found) * x[0]


@tried
def in_a_tuple(x):
    items = _grown(x)
    found = (x[1], *items, _popped(items), len(items))
    return found[0] * found[4] * found[5] + found[-1] * x[0]


@tried
def in_arguments(x):
    items = _grown(x)
    return _first(*items, _pushed(items, x[0]), x[1]) + _first(_popped(items), *items)


@tried
def in_a_dict(x):
    d = {"k": x[0], "n": x[1]}
    e = {**d, "z": _moved(d, x[1]), **d}
    return e["k"] * 2.0 + e["z"] * e["n"]


@tried
def of_a_dict_ahead(x):
    d = {"k": x[0], "n": x[1]}
    e = {**d, "z": _moved(d, x[1])}
    return e["k"] * 2.0 + e["z"] * d["k"]


@tried
def an_array_behind_a_star(x):
    a = np.array([x[0], x[1], 0.2])
    for v in [x[0], 0.1]:
        if v > 5.0:
            break
    else:
        x = x * 2.0
    a = np.array([0.2, *a[1:]])
    return x[0] + np.dot(a, [0.3, 0.2, 0.5])


@tried
def a_list_in_a_list_is_shorter_on_one_path(x):
    rows = [[x[0], 0.1, x[1]], [x[1], 0.2]]
    if x[1] > 9.0:
        rows[1] = [x[0], x[0]]
    elif x[0] > 9.0:
        rows = [[x[1]], [x[0], x[0]]]
    else:
        x = x * rows[0].pop()
    return len(rows[0]) * x[0] + rows[1][0] * rows[0][0]


@tried
def a_list_in_a_list_changes_between_two_uses(x):
    rows = [[x[0], x[1]], [x[1], x[0]]]
    total = np.array(rows).sum()
    rows[0][0] = 2.0 * x[0] * x[1]
    return total + np.array(rows)[0, 0] ** 2


@tried
def a_list_in_a_tuple_changes_between_two_uses(x):
    rows = ([x[0], x[1]], [x[1], x[0]])
    total = np.array(rows).sum()
    rows[0][0] = 2.0 * x[0] * x[1]
    return total + np.array(rows)[0, 0] ** 2


@tried
def a_list_that_is_extended_by_itself(x):
    items, rows = [x[1], 0.4 * x[0]], [[x[0]], [x[1]]]
    for _ in range(2):
        rows = [[x[0], x[1]], items]
    rows[1].extend(items)
    return rows[1][-1] * rows[1][0] + len(items) * items[2]


@pytest.mark.parametrize("f", tried)
def test_displays_in_order(f):
    check(f, np.array([0.6, 1.4]))
    assert tg.compile(f, fallback="error")(np.array([0.6, 1.4])) == pytest.approx(f(np.array([0.6, 1.4])))


def test_a_set():
    def f(x):
        items = [x, 2.0]
        for i in range(2):
            items.append(float(i))
        return x * len({*items, items.pop(), *items})
    assert tg.grad(f)(0.7) == 4.0

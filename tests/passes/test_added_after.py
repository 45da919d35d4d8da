"""``x[i] += value`` reads ``x[i]`` before it computes the value, which may write to ``x``."""
import numpy as np
import pytest

from .by_differences import Programs, check

tried = Programs()


def _written(a, e):
    a[0] = e
    return a


def _scaled(a, e):
    t = 0.0
    for i in range(len(a)):
        a[i] = a[i] * e
        t = t + a[i]
    return t


def _pushed(items, e):
    items[0] = e * items[0]
    return e


@tried
def at_once(x):
    a = x * x
    a[0] += _written(a, x[1])[1]
    return np.sum(a * a)


@tried
def under_another_name(x):
    a = x * x
    b = a
    b[0] *= _written(a, x[1])[0]
    return np.sum(a * a)


@tried
def in_a_loop_of_a_helper(x):
    a = x * x
    a[1] += _scaled(a, x[1])
    return np.sum(a * a)


def _by_another(a, e):
    return _written(a, e)[0] + a[1]


@tried
def in_a_helper_of_a_helper(x):
    a = x * x
    a[0] += _by_another(a, x[1])
    return np.sum(a * a)


@tried
def behind_a_write_and_an_earlier_display(x):
    items = [x[0], 0.1, x[1]]
    rows = [items, [0.7 * x[1], 0.2]]
    a = _written(np.array([0.2, x[0], x[1]]), x[1])
    a[1] *= rows[0][int(x[0] > 0.1)]
    return np.sum(a * a)


@tried
def of_a_view(x):
    a = x * x
    a[1:] += _scaled(a, x[1])
    return np.sum(a * a)


@tried
def by_a_list_of_places(x):
    a = x * x
    a[[0, 1]] += _written(a, x[1])[1]
    return np.sum(a * a)


@tried
def of_a_list(x):
    items = [x[0], x[1]]
    for i in range(2):
        items[i] += _pushed(items, x[1])
    return items[0] ** 2 + items[1] ** 3


@tried
def of_a_part(x):
    a = x * x
    for i in range(2):
        a[i] -= _scaled(a[1:], x[1])
    return np.sum(a * a)


@pytest.mark.parametrize("f", tried)
def test_added_after(f):
    check(f, np.array([0.31, 0.73, 1.13]))

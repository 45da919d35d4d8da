"""Lists, dicts and instances under two names, given by a branch or a loop, and changed under one of them."""
import numpy as np
import pytest

from .by_differences import Programs, check

tried = Programs()


def _squares(items):
    return sum(np.sum(r * r) * (i + 1) for i, r in enumerate(items))


class Box:
    def __init__(self, v):
        self.v = v
        self.items = [v]

    def push(self, u):
        self.items.append(u)


@tried
def by_a_branch(x):
    q, items = [x, x * 3.0], [x * 0.5, x * 0.7]
    if x[1] > 0.2:
        q = items
    items.append(x)
    return _squares(q)


@tried
def of_an_instance(x):
    o = Box(x * 0.5)
    q = o.items if x[1] > 0.2 else [x]
    o.push(o.items[0])
    return _squares(q) + sum(np.sum(r) for r in o.items)


@tried
def by_a_loop(x):
    q, items = [x, x * 3.0], [x * 0.5, x * 0.7]
    for _ in range(2):
        q = items
    items.append(x)
    return _squares(q)


@tried
def changed_in_the_loop(x):
    q, items = [x, x * 3.0], [x * 0.5, x * 0.7]
    for _ in range(2):
        q = items
        items.append(x)
    return _squares(q)


@tried
def by_a_branch_in_a_loop(x):
    q, items = [x, x * 3.0], [x * 0.5, x * 0.7]
    for k in range(2):
        if x[k] > 0.5:
            q = items
        items.append(x)
    q.append(x * 2)
    return _squares(q) + _squares(items)


@tried
def exchanged(x):
    q, items = [x, x * 3.0], [x * 0.5, x * 0.7]
    for k in range(3):
        q, items = items, q
        q.append(x * k)
    return _squares(q) + 2 * _squares(items)


@tried
def none_at_first(x):
    q, items = None, [x * 0.5, x * 0.7]
    if x[0] < 0.5:
        q = items
    items.append(x)
    return _squares(q)


@tried
def dicts(x):
    a, b = {"k": x}, {"k": x * 2}
    if x[0] < 0.5:
        b = a
    a["k"] = x * 5
    a["m"] = x
    return _squares(b.values())


@tried
def by_what_was_raised(x):
    items = [x * 0.5, x * 0.7]
    try:
        q = items
        if x[0] > 5:
            raise ValueError
    except ValueError:
        q = [x]
    items.append(x)
    return _squares(q)


@tried
def in_a_tuple(x):
    items, other = [x * 0.5, x * 0.7], [x]
    t = (items, other) if x[0] > 0.2 else (other, items)
    items.append(x)
    return _squares(t[0]) + 2 * _squares(t[1])


@tried
def by_a_helper(x):
    items, other = [x * 0.5, x * 0.7], [x]

    def pick(c):
        return items if c else other
    q = pick(x[0] > 0.2)
    items.append(x)
    return _squares(q)


@tried
def of_a_list(x):
    rows = [[x, x * 2], [x * 3]]
    best = rows[0]
    if x[0] > 0.2:
        best = rows[1]
    rows[1].append(x)
    return _squares(best)


@tried
def instances(x):
    a, b = Box(x), Box(x * 2)
    c = a
    if x[0] > 0.2:
        c = b
    b.v = b.v * x
    b.push(x)
    return np.sum(c.v) + _squares(c.items)


@tried
def one_before_the_other(x):
    prev, total = [x], 0.0
    for k in range(3):
        row = [x * k]
        row.append(prev[0] * x)
        total += _squares(row) + _squares(prev)
        prev = row
    return total


@tried
def of_three_paths(x):
    rest = []
    for k in range(3):
        try:
            if k == 1 and x[0] > 0.2:
                raise ValueError
            if k == 2:
                raise KeyError
            head, *rest = np.exp(x), x * x[1], x
        except ValueError:
            x = x * 0.5
        except KeyError:
            head, *rest = x, rest[0] * x, x * 0.7
    return _squares([head, *rest])


@tried
def none_of_which_is_there_before(x):
    for k in range(2):
        try:
            if x[2] > 5.0:
                raise KeyError
            if x[1] > 0.2:
                raise ValueError
            head, *rest = np.exp(x), x * x[1], x
        except KeyError:
            x = x * 0.5
        except ValueError:
            head, *rest = x, x[0] * x, x * 0.7
        x = x * x
    return _squares([head, *rest])


@pytest.mark.parametrize("f", tried)
@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
def test_chosen_lists(f):
    check(f, np.array([0.31, 0.73, 1.13]))

"""Lists that change after their items got into other lists, and items that are put in at any place."""
from collections import deque

import numpy as np
import pytest

import transgrad as tg

from .by_differences import Programs, check

tried = Programs()


def _squares(items):
    return sum(np.sum(r * r) * (i + 2) for i, r in enumerate(items))


@tried
def extended_in_a_branch(x):
    items = [x * 2, x * 0.7]
    q = [x]
    if x[0] > 0.1:
        q.extend(items)
    items.insert(0, x)
    return np.sum(q[0]) + _squares(q) + _squares(items)


@tried
def starred_in_a_branch(x):
    items = [x * 2, x * 0.7]
    if x[0] > 0.1:
        q = [x, *items]
    else:
        items.append(x * 3)
        q = [x]
    items.insert(0, x)
    return _squares(q) + _squares(items)


@tried
def joined_in_a_loop(x):
    items, q = [x * 2, x * 0.7], [x]
    for _ in range(3):
        q += items
        items.insert(0, x)
        q = items + q
        items.pop()
        items.append(x * 2)
        items.append(x * 2)
    return _squares(q) + _squares(items)


@tried
def repeated_in_a_loop(x):
    items, total = [x[0], x[1] * x[2]], 0.0
    for k in range(3):
        q = items * 2
        items.append(x[k] * q[1])
        total += sum(v * v * (i + 1) for i, v in enumerate(q))
    return total + items[-1]


@tried
def inserted_anywhere(x):
    q = [x]
    for k in range(4):
        q.insert(k - 2, x * k)
        q.insert(7, x * x)
        q.insert(-1, x + k)
    return _squares(q)


@tried
def inserted_into_nothing(x):
    q = []
    q.insert(3, x)
    q.insert(len(q) // 2, x * 2)
    q.insert(-9, x * 3)
    return _squares(q)


@tried
def sorted_by_insertion(x):
    q = []
    for v in x:
        k = 0
        while k < len(q) and q[k] < v * v:
            k += 1
        q.insert(k, v * v)
    return sum(r * r * (i + 2) for i, r in enumerate(q))


@tried
def turned_round_in_a_loop_and_then_perhaps_another(x):
    """A list whose items are known when the loop is first read, and no longer when what follows in its turn has been."""
    q = [x * 2, x * 3]
    for _ in range(2):
        q[-1] += x
        q = q[::-1]
    for _ in range(2):
        if x[1] > 0.2:
            q = [r for r in q]
    return _squares(q)


@tried
def left_behind_in_a_branch(x):
    q = [x]
    for k in range(4):
        if k == 2:
            q.insert(0, x * k)
            q = [x * 2, x * x]
    return _squares(q)


@tried
def a_queue_left_behind(x):
    q = deque([x])
    for k in range(3):
        if x[k] > 0.8:
            q.append(x * k)
            q = deque([x * x], maxlen=2)
    q.append(x)
    return _squares(q)


@tried
def longer_in_the_other_branch(x):
    q, s = [x], x
    for k in range(4):
        if k % 2 == 1:
            q = [x * k, s]
        else:
            q.append(x * k)
            s = s + q[0] * 0.3
        q.append(s)
    return _squares(q)


@tried
def exchanged_in_a_branch(x):
    q, r = [x], [x * 2, x * x]
    for k in range(3):
        q.append(x * k)
        if x[k] > 0.8:
            q, r = r, [x * 3]
    return _squares(q) + _squares(r)


@tried
def left_behind_in_one_of_two_branches(x):
    q = [x]
    for k in range(4):
        if k > 0:
            if k == 2:
                q.append(x * k)
                q = [x * x]
            else:
                q.append(x)
    return _squares(q)


@pytest.mark.parametrize("f", tried)
@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
def test_lists_that_change(f):
    check(f, np.array([0.5, 1.7, 0.9]))


@pytest.mark.parametrize("f", [turned_round_in_a_loop_and_then_perhaps_another, left_behind_in_a_branch, a_queue_left_behind,
                               longer_in_the_other_branch, exchanged_in_a_branch])
def test_they_are_compiled(f):
    tg.grad(f, fallback="error")(np.ones(3))

"""Loops over tuples that were put into lists and dicts, and come out of them in a loop."""
import itertools

import numpy as np
import pytest

from .by_differences import Programs, check

tried = Programs()


def _appended(x):
    items = []
    for i in range(3):
        items.append((x[0] * i, x[1]))
    return items


@tried
def appended(x):
    t = 0.0
    for v in _appended(x):
        for u in v:
            t = t * 0.7 + u * u
    return t


@tried
def counted(x):
    t = 0.0
    for v in list(zip(x, x * x)):
        for i, u in enumerate(v):
            t = t + u * u * (i + 1)
    return t


@tried
def beside_others(x):
    t = 0.0
    for v in list(zip(x, x * x)):
        for u, w in zip(v, (2.0, 3.0)):
            t = t + u * u * w
    return t


@tried
def backwards(x):
    t = 0.0
    for v in list(zip(x, x * x)):
        for u in reversed(v):
            t = t * 0.5 + u * u
    return t


@tried
def of_a_dict(x):
    items = {}
    for i in range(2):
        items[i] = (x[i], x[i] * x[0])
    t = 0.0
    for k in items:
        for u in items[k]:
            t = t + u**3
    for v in items.values():
        for u in v:
            t = t * 0.3 + u**2
    for k, v in items.items():
        for u in v:
            t = t + u**3 * (k + 1)
    return t


@tried
def within_tuples(x):
    items = []
    for i in range(2):
        items.append((x[0] * i, (x * x, (x[i], x + 1))))
    t = 0.0
    for v in items:
        t = t + v[0]
        for u in v[1][1]:
            t = t + np.sum(u * u)
        for u in v[1][0]:
            t = t + u * u
        t = t + np.sum(v[1][0]) * v[0]
    return t


@tried
def read_in_the_inner_loop(x):
    items = []
    for i in range(3):
        items.append((x[0] * i, (x[1], x[2])))
    t = 0.0
    for v in items:
        for u in v[1]:
            for j in range(2):
                t = t + u * v[1][j]
        t = t * v[0] + v[1][0]
    return t


@tried
def of_arrays(x):
    items = []
    for i in range(2):
        items.append((x * i, x * x))
    t = 0.0
    for v in items:
        for u in v:
            t = t + np.sum(u * u)
            for w in u:
                t = t + w**3
    return t


@tried
def taken_out(x):
    items = _appended(x)
    t = 0.0
    while items:
        v = items.pop()
        for u in v:
            t = t * 1.5 + u * u
    return t


@tried
def by_place(x):
    items = _appended(x)
    items[1] = (x[1] * 5.0, x[0])
    t = 0.0
    for v in items[::-1]:
        k = 0
        while k < 2:
            t = t * 0.3 + v[k] ** 2
            k += 1
    return t


@tried
def of_lists(x):
    items = []
    for i in range(2):
        items.append([(x[0], x[1] * i), (x[i], x[0])])
    t = 0.0
    for pairs in items:
        for v in pairs:
            for u in v:
                t = t * 1.1 + u * u
    return t


@tried
def of_dicts(x):
    items = []
    for i in range(2):
        items.append({"p": (x[0], x[1] * i), "q": (x[i], x[2])})
    t = 0.0
    for d in items:
        for u in d["p"]:
            t = t + u * u
        for w in d.values():
            for u in w:
                t = t * 0.5 + u * u
    return t


@tried
def sorted_and_multiplied(x):
    t = 0.0
    for v in sorted(list(zip(x, x * x))):
        for u in v:
            t = t * 0.3 + u * u
    for v in list(itertools.product(x, x * 2.0)):
        for u in v:
            t = t * 0.3 + u * u
    return t


@tried
def replaced_in_the_loop(x):
    t = 0.0
    for v in [(x[i], x[0]) for i in range(3)]:
        w = v
        for i in range(2):
            for u in w:
                t = t + u * u * i
            w = (w[1], w[0] * 2.0)
    return t


@tried
def unpacked_too(x):
    t = 0.0
    for v in [(x[i], x * i) for i in range(2)]:
        u, w = v
        for i in range(2):
            t = t + w[i] * u
        for k in v[1]:
            t = t + k * k * v[0]
    return t


@pytest.mark.parametrize("f", tried)
@pytest.mark.filterwarnings("error::transgrad.TapeFallbackWarning")
def test_loops_over_tuples(f):
    check(f, np.array([0.31, 0.73, 1.13]))

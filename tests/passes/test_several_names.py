"""One array under several names, on either side of a call: what is written through one is seen through the others."""
import dataclasses
from typing import NamedTuple

import numpy as np
import pytest

from .by_differences import Programs, check

tried = Programs()


def bump(t, x):
    t[0][1] *= x[0]
    return np.sum(t[1] * x)


@tried
def tuple_of_one_twice(x):
    a = x * 2.0
    return bump((a, a), x)


def bump2(a, b, x):
    a[1] *= x[0]
    return np.sum(b * x)


@tried
def given_twice(x):
    a = x * 2.0
    return bump2(a, a, x)


@tried
def given_in_part(x):
    a = x * 2.0
    return bump2(a[:2], a, x)


class S(NamedTuple):
    u: object
    v: object


def step(s, x):
    s.u[0] += x[1]
    return S(s.v, s.u)


@tried
def named_tuple_of_one(x):
    a = x * 1.0
    s = S(a, a)
    for _ in range(3):
        s = step(s, x)
    return np.sum(s.u * s.v)


@dataclasses.dataclass
class D:
    u: object
    v: object


def dstep(d, x):
    d.u[0] += x[1] * d.v[2]
    d.u, d.v = (d.v, d.u)


@tried
def attributes_of_one(x):
    a = x * 1.0
    d = D(a, a)
    for _ in range(3):
        dstep(d, x)
    return np.sum(d.u * d.v)


@tried
def dict_of_one(x):
    a = x * 1.0
    b = x * 2.0
    d = {'a': a, 'b': b, 'c': a}

    def go(d):
        d['c'][1] = d['b'][0] * d['a'][2]
    go(d)
    return np.sum(d['a']) + np.sum(a * x)


def two(x):
    y = x * 3.0
    return (y, y)


@tried
def two_results_of_one(x):
    p, q = two(x)
    p[0] *= q[1]
    return np.sum(q * x)


@tried
def added_to_itself(x):
    p, q = two(x)
    q += p
    return np.sum(p * x)


def nested(x):
    r = x * 1.0
    return [[r, x * 2.0], [r, r]]


@tried
def nested_lists(x):
    m = nested(x)
    m[0][0][1] *= m[1][0][2]
    return np.sum(m[1][1] * x)


@tried
def history_of_one(x):
    st = {'h': x * 1.0, 'hist': []}
    for k in range(3):
        st['h'][k % 2] += x[2]
        st['hist'].append(st['h'])
    return np.sum(st['hist'][0]) + np.sum(st['hist'][1] * x)


@tried
def buffer_collected(x):
    out = []
    buf = np.zeros(3)
    for k in range(3):
        buf[:] = x * k
        out.append(buf)
    return sum((np.sum(o * x) for o in out))


@tried
def views_written_in_a_loop(x):
    buf = np.zeros((2, 3))
    views = [buf[0], buf[1], buf[0]]
    for k, v in enumerate(views):
        v += x * (k + 1)
    return np.sum(buf[0] * x) + np.sum(views[2] ** 2)


def apply(fs, x):
    y = x * 1.0
    for f in fs:
        f(y)
    return y


@tried
def functions_that_write(x):

    def f(y):
        y[0] *= y[1]

    def g(y):
        y[1] += y[0]
    return np.sum(apply([f, g, f], x) ** 2)


def rec(rows, k, x):
    if k == 3:
        return
    rows[k][k] += x[k] ** 2
    rec(rows, k + 1, x)


@tried
def recursive_rows(x):
    rows = [np.zeros(3)] * 3
    rec(rows, 0, x)
    return np.sum(rows[0] * x)


@tried
def recursive_own_rows(x):
    rows = [np.zeros(3) for _ in range(3)]
    rec(rows, 0, x)
    return np.sum(rows[0] * x) + np.sum(rows[2])


def first_of(t, r, x):
    r[1] *= x[0]
    return np.sum(t[0] * x)


@tried
def in_a_tuple_and_alone(x):
    u, v = x * 2.0, x * 3.0
    return first_of((u, v), u, x)


@tried
def in_a_list_and_alone(x):
    u, v = x * 2.0, x * 3.0
    return first_of([u, v], u, x)


X = np.array([0.6, 1.3, 0.8])


@pytest.mark.parametrize("f", tried, ids=lambda f: f.__name__)
@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
def test_derivatives(f):
    check(f, X)

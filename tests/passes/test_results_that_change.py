"""Lists and dicts that a helper returns and that its caller then changes: their cotangents have the structure they were returned with."""
import numpy as np
import pytest

from .by_differences import Programs, check

tried = Programs()


def _squares(items):
    return sum(np.sum(r * r) * (i + 1) for i, r in enumerate(items))


def _doubled(items):
    out = []
    for r in items:
        out.append(r * 2)
    return out


def _written(x, items):
    out = [r * 2 for r in items]
    for r in out:
        r[0] *= 3.0
    out[0] *= x
    return out


def _joined(items, more):
    r = list(items)
    r.append(more)
    return r


@tried
def appended(x):
    q = _doubled([x * 1.0, x * 3.0])
    q.append(x)
    q.append(q[-1])
    return _squares(q)


@tried
def appended_in_a_loop(x):
    q = [x * 1.0, x * 3.0]
    for _ in range(3):
        q = [r for r in q]
        q.append(q[-1])
    return _squares(q)


@tried
def replaced_in_a_loop(x):
    q = [x * 1.0, x * 3.0]
    for _ in range(2):
        q = _doubled(q)
        q[0] = x * x
        q.append(x)
    return _squares(q)


@tried
def items_written_to(x):
    q = [x * 1.0, x * 3.0]
    for _ in range(2):
        q = _written(x, q)
        q.append(q[-1] * x)
    return _squares(q)


@tried
def taken_out(x):
    q = []
    for k in range(3):
        q = _joined(q, x * k)
        q[0] = q[0] + x
        q.insert(0, x)
    q.pop(2)
    return _squares(q)


@tried
def a_dict(x):
    def made(x):
        d = {"a": x * 2}
        d["b"] = x * x
        return d
    d = made(x)
    d["c"] = d["a"] * d["b"]
    del d["a"]
    return np.sum(d["c"]) + np.sum(d["b"])


@tried
def lists_in_a_list(x):
    def made(x):
        return [[x, x * 2], [x * x]]
    q = made(x)
    q[0].append(x * 5)
    q.append([x])
    return sum(_squares(p) for p in q)


@tried
def numbers(x):
    def made(x):
        return [v * 2 for v in x]
    q = made(x)
    q.append(q[0] * q[1])
    q[0] = q[2] * q[1]
    del q[1]
    return q[0] * q[1] + q[2]


@tried
def arguments_that_change(x):
    def products(q):
        s = 0.0
        for k in range(len(q)):
            s = s + np.sum(q[k] * q[k - 1])
        return s
    q = [x, x * 2]
    s = products(q)
    q[0] = x * 3
    s += products(q) * s
    q.append(x * 4)
    s += products(q)
    q.pop(0)
    return s + products(q)


@tried
def dicts_that_change(x):
    def square(d):
        a = d["a"] * d["b"]
        return a * a
    d = {}
    for k in "abc":
        d[k] = x * ord(k) / 97
    u = square(d)
    d["a"] = x * 5
    u = u + square(d)
    del d["a"]
    return np.sum(u) + np.sum(d["b"])


@tried
def lists_that_grow(x):
    def longer(q):
        return q + [q[-1]]
    items = [x * 0.5, x * 0.7]
    for _ in range(3):
        items.append(x)
        q = longer(items)
    return _squares(q) + _squares(items)


@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
@pytest.mark.parametrize("f", tried)
def test_results_that_change(f):
    check(f, np.array([0.5, 1.0, 2.0]))

"""Odd programs around containers: what grows and shrinks, is sorted, merged, unpacked, and holds arrays that are written to."""
from __future__ import annotations

import collections
import itertools
import math
import operator
from typing import NamedTuple

import numpy as np

from .registry import case

X = np.array([0.6, 1.3, 0.8, 1.7])


@case(args=(X,))
def nested_unpack(x):
    (a, b), (c, d) = (x[0], x[1]), (x[2], x[3])
    first, *rest = [a * b, c, d, a]
    *start, last = rest
    return first * last + sum(start) ** 2


@case(args=(X,))
def list_grow_pop(x):
    out = []
    for t in x:
        out.append(t)
        while len(out) > 1 and out[-1] > out[-2]:
            a = out.pop()
            b = out.pop()
            out.append(a * b)
    return sum(out) + len(out) * x[0]


@case(args=(X,))
def dict_of_arrays(x):
    d = {}
    for k in ("a", "b", "c"):
        d[k] = np.zeros(2)
    d["a"][0] = x[0]
    d["b"] = x[:2] * x[2:]
    d["c"] += d["a"] * 2 + d["b"]
    return sum(np.sum(v ** 2) for v in d.values())


@case(args=(X,))
def sorted_zip_enumerate(x):
    s = sorted(x, reverse=True)
    total = 0.0
    for k, (a, b) in enumerate(zip(s, reversed(x))):
        total += k * a * b
    for k, t in reversed(list(enumerate(x))):
        total += t ** k
    return total


@case(args=(X,))
def sort_key(x):
    pairs = sorted(((t, k) for k, t in enumerate(x)), key=lambda p: -p[0])
    return sum(p[0] * (j + 1) for j, p in enumerate(pairs))


class Pt(NamedTuple):
    a: float
    b: float
    def norm(self):
        return math.sqrt(self.a ** 2 + self.b ** 2)


@case(args=(X,))
def named_tuple(x):
    p = Pt(x[0], x[1])
    q = p._replace(b=x[2])
    a, b = q
    return p.norm() * q.norm() + a * b + q[1] * p.a


@case(args=(X,))
def deque_loop(x):
    q = collections.deque(maxlen=3)
    for t in x:
        q.append(t * t)
    return sum(q) + q[0] * q[-1]


@case(args=(X,))
def defaultdict_sum(x):
    d = collections.defaultdict(float)
    for k, t in enumerate(x):
        d[k % 2] += t * t
    return d[0] * d[1]


@case(args=(X,))
def list_of_lists(x):
    rows = [[x[0], x[1]], [x[2], x[3]]]
    rows[0][1] += x[0]
    rows.append([x[1] * 2, x[0]])
    total = 0.0
    for r in rows:
        r[0] *= 2.0
        for t in r:
            total += t * t
    return total


@case(args=(X,))
def list_slice_assign(x):
    v = list(x)
    v[1:3] = [x[0] * 2, x[3]]
    w = v[::-1]
    w[0] = 1.0
    return sum(a * b for a, b in zip(v, w))


@case(args=(X,))
def dict_comp_items(x):
    d = {f"k{k}": t ** 2 for k, t in enumerate(x)}
    d["k0"] *= 2
    e = {**d, "k1": x[0]}
    e.update({"k2": x[1]}, k3=x[2])
    return sum(v * (j + 1) for j, (k, v) in enumerate(sorted(e.items()))) + d["k1"]


@case(args=(X,))
def tuple_carry(x):
    state = (x[0], x[1:])
    for k in range(3):
        a, b = state
        state = (a + b[0] * 0.1, b * 1.1 - a * 0.1)
    return state[0] * np.sum(state[1])


@case(args=(X,))
def accumulate_any_all(x):
    if all(t > 0 for t in x) and any(t > 1.5 for t in x):
        s = list(itertools.accumulate(x, operator.mul))
        return s[-1] + s[1]
    return x[0]


@case(args=(X,))
def dict_of_dict(x):
    p = {"layer": {"w": x[0], "b": x[1]}, "out": {"w": x[2]}}
    q = dict(p)
    r = dict(a=x[3], **p["layer"])
    return p["layer"]["w"] * q["out"]["w"] + r["b"] * r["a"] + sum(r.values())


@case(args=(X,))
def sort_list(x):
    v = [t * (k + 1) for k, t in enumerate(x)]
    v.sort(reverse=True)
    w = np.sort(x)[::-1]
    return v[0] * v[2] + w[1] * w[3] ** 2


@case(args=(X,))
def set_of(x):
    s = {1, 2}
    s.add(3)
    return x[0] * len(s)

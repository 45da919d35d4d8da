"""Loops over lists and dicts that their own bodies change: each turn meets what is there by then."""
from __future__ import annotations

import itertools

import numpy as np

from .registry import case

X = np.array([0.6, 1.3, 0.8])


@case(args=(X,))
def queue(x):
    items = [v for v in x]
    for t in items:
        if len(items) < 6:
            items.append(t * x[1])
    return items[-1] * len(items)


@case(args=(X,))
def next_is_replaced(x):
    items = [x[0], x[1], x[2]]
    s = 0.0
    for k, t in enumerate(items):
        if k < 2:
            items[k + 1] = t * x[0]
        s += t ** 2
    return s


@case(args=(X,))
def different_things(x):
    items = [x[0], x]
    s = 0.0
    for t in items:
        s += np.sum(t)
        if len(items) < 5:
            items.append(t * 2.0)
    return s


@case(args=(X,))
def dict_value_replaced(x):
    d = {'a': x[0], 'b': x[1]}
    s = 0.0
    for k, v in d.items():
        d['b'] = x[2] * 3
        s += v ** 2
    return s


@case(args=(X,))
def dict_of_different_things(x):
    d = {'a': x[0], 'b': x}
    s = 0.0
    for k, v in d.items():
        d['b'] = x * 3
        s += np.sum(v ** 2)
    return s


@case(args=(X,))
def grows_in_a_branch(x):
    items = [x[0]]
    for t in items:
        if t > 0.1:
            items.append(t * 0.5)
    return sum(items)


@case(args=(X,))
def tree(x):
    stack = [(x[0], 3)]
    s = 0.0
    for v, depth in stack:
        s += v ** 2
        if depth > 0:
            stack.append((v * x[1], depth - 1))
            stack.append((v * x[2], depth - 1))
    return s


@case(args=(X,))
def comprehension(x):
    items = [x[0]]
    return sum([items.append(t * 2) or t for t in items if len(items) < 4])


@case(args=(X,))
def grown_by_a_helper(x):
    items = [x[0]]

    def grow(t):
        if len(items) < 4:
            items.append(t * x[1])
    for t in items:
        grow(t)
    return items[-1]


@case(args=(X,))
def another_name(x):
    items = [x[0]]
    other = items
    for t in items:
        if len(other) < 4:
            other.append(t * x[1])
    return items[-1]


@case(args=(X,))
def beside_a_copy(x):
    items = [x[0], x[1]]
    s = 0.0
    for a, b in zip(items, items[1:]):
        items[1] = x[2]
        s += a * b
    return s


@case(args=(X,))
def beside_another(x):
    items = [x[0], x[1]]
    s = 0.0
    for a, b in zip(items, [1.0, 2.0]):
        items[1] = x[2]
        s += a * b
    return s


@case(args=(X,))
def words_between(x):
    items = [x[0], 'end', x[1]]
    s = 0.0
    for t in items:
        if t == 'end':
            items[2] = x[2] * 2
            continue
        s += t
    return s


@case(args=(X,))
def broken_off(x):
    items = [x[0]]
    for t in items:
        if len(items) > 3:
            break
        items += [t * x[1]]
    else:
        return 0.0 * x[0]
    return sum(items)


@case(args=(X,))
def reversed_then_grown(x):
    items = [x[0], x[1]]
    s = 0.0
    for t in reversed(items):
        s = s * 2 + t ** 2
    items.append(x[2] * s)
    return s + items[-1]


@case(args=(X,))
def reversed_then_shifted(x):
    items = [v * 2.0 for v in x]
    s = 0.0
    for k, t in zip(range(3), reversed(items)):
        s = s * 2 + t ** 2 * k
    items.insert(0, x[2] * s)
    items.append(s)
    return s + items[-1] * items[0]


@case(args=(X,))
def chained(x):
    items = [x[0]]
    s = 0.0
    for t in itertools.chain(items, [x[1]]):
        s += t
        if len(items) < 3:
            items.append(t * 3)
    return s


@case(args=(X,))
def mapped(x):
    items = [x[0], x[1]]
    s = 0.0
    for t in map(lambda v: v * 2, items):
        s += t
        items[1] = x[2]
    return s


@case(args=(X,))
def generated(x):
    items = [x[0], x[1]]
    s = 0.0
    for t in (v * 2 for v in items):
        s += t
        items[1] = x[2]
    return s


@case(args=(X,))
def rows(x):
    rows = [[x[0]], [x[1], x[2]]]
    s = 0.0
    for r in rows:
        for t in r:
            s += t * t
            if len(r) < 3:
                r.append(t * 2)
    return s


@case(args=(X,))
def values_by_name(x):
    names = {'a': 0, 'b': 1}
    tot = 0.0
    for n in names:
        names[n] = x[names[n]] ** 2
    for n, v in names.items():
        tot += v
    return tot


@case(args=(X,))
def graph(x):
    q = [0]
    seen = []
    g = {0: [1, 2], 1: [2], 2: []}
    s = 0.0
    for n in q:
        s += x[n] * len(q)
        for m in g[n]:
            if m not in seen:
                seen.append(m)
                q.append(m)
    return s

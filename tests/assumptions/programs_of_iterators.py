"""Programs that see laziness: iterators that are read in part, generators that are closed, calls that are counted.

Each program takes an array of two numbers and returns one number.
"""

from __future__ import annotations

import itertools
from typing import Any

__all__ = ["PROGRAMS"]

PROGRAMS: dict[str, Any] = {}


def program(f: Any) -> Any:
    PROGRAMS[f.__name__] = f
    return f


@program
def islice_gen(v: Any) -> Any:

    def g() -> Any:
        for x in (v[0], v[1], v[0] * v[1]):
            yield x

    it = g()
    a = list(itertools.islice(it, 1))
    b = list(it)
    return a[0] * 3 + sum(b)


@program
def islice_twice(v: Any) -> Any:
    it = iter([v[0], v[1], v[0] * v[1], 2.0])
    a = list(itertools.islice(it, 2))
    b = list(itertools.islice(it, 1))
    c = next(it)
    return a[0] * a[1] + b[0] * c


@program
def islice_genexp(v: Any) -> Any:
    it = (x**2 for x in v)
    a = sum(itertools.islice(it, 1))
    b = sum(it)
    return a * 3 + b


@program
def takewhile_rest(v: Any) -> Any:
    it = iter([v[0], v[1], v[0] * 2])
    a = list(itertools.takewhile(lambda x: x > 0, it))
    b = list(it)
    return sum(a) * 3 + sum(b)


@program
def zip_rest(v: Any) -> Any:
    it = iter([v[0], v[1], v[0] * v[1], 5.0])
    a = [x for x, _ in zip(it, range(2))]
    return sum(a) + 3 * sum(it)


@program
def zip_rest2(v: Any) -> Any:
    it = iter([v[0], v[1], v[0] * v[1], 5.0])
    a = [x for _, x in zip(range(2), it)]
    return sum(a) + 3 * sum(it)


@program
def any_rest(v: Any) -> Any:
    it = iter([v[0], v[1], v[0] * v[1]])
    f = any((x > 0 for x in it))
    return sum(it) * f


@program
def in_rest(v: Any) -> Any:
    it = iter([1.0, 2.0, 3.0])
    assert 2.0 in it
    return sum(it) * v[0]


@program
def islice_loops(v: Any) -> Any:

    def g() -> Any:
        for x in (v[0], v[1], v[0] * v[1], 3.0 * v[0]):
            yield x

    it = g()
    s = 0.0
    for x in itertools.islice(it, 2):
        s = s + x
    for x in it:
        s = s + x**2
    return s


@program
def islice_next(v: Any) -> Any:
    it = (x * x for x in v)
    for a in itertools.islice(it, 1):
        pass
    return a * 3 + next(it)


@program
def islice_start(v: Any) -> Any:
    it = iter([1.0, v[0], v[1], v[0] * v[1], 7.0])
    s = sum(itertools.islice(it, 1, 3))
    return s + 2 * next(it)


@program
def islice_break(v: Any) -> Any:

    def g() -> Any:
        k = 0
        while True:
            yield (v[0] * k)
            k += 1

    it = g()
    s = 0.0
    for x in itertools.islice(it, 3):
        s += x
    return s + next(it) * v[1]


@program
def islice_inf(v: Any) -> Any:

    def g() -> Any:
        k = 1
        while True:
            yield (v[0] ** k)
            k += 1

    return sum(itertools.islice(g(), 3)) + sum(itertools.islice(g(), 1, 4, 2)) * v[1]


@program
def islice_for_continue(v: Any) -> Any:
    s = 0.0
    for x in itertools.islice((x * x for x in [v[0], v[1], v[0] * v[1], v[0]]), 3):
        if x < 0.6:
            continue
        s = s + x**2
    return s


@program
def gen_return(v: Any) -> Any:

    def g() -> Any:
        yield v[0]
        return v[1]

    def h() -> Any:
        r = yield from g()
        yield (r * 2)

    return sum(h())


@program
def gen_close(v: Any) -> Any:
    out = []

    def g() -> Any:
        try:
            yield v[0]
            yield v[1]
        finally:
            out.append(2.0)

    it = g()
    a = next(it)
    it.close()
    return a * out[0]


@program
def gen_throw(v: Any) -> Any:

    def g() -> Any:
        try:
            yield v[0]
        except KeyError:
            yield (v[1] ** 2)

    it = g()
    a = next(it)
    b = it.throw(KeyError)
    return a * b


@program
def lazy_map(v: Any) -> Any:
    calls = []

    def f(x: Any) -> Any:
        calls.append(1)
        return x * x

    it = map(f, v)
    a = next(it)
    return a * len(calls)


@program
def lazy_gen_state(v: Any) -> Any:
    k = [1.0]
    it = (x * k[0] for x in v)
    a = next(it)
    k[0] = 3.0
    b = next(it)
    return a + b


@program
def lazy_filter(v: Any) -> Any:
    it = filter(lambda x: x > -5, v)
    a = next(it)
    return a * 3 + sum(it)


@program
def chain_rest(v: Any) -> Any:
    it = itertools.chain([v[0]], [v[1], v[0] ** 2])
    a = next(it)
    return a * 3 + sum(it)


@program
def tee(v: Any) -> Any:
    a, b = itertools.tee(iter([v[0], v[1]]))
    next(a)
    return next(a) * sum(b)


@program
def any_gen(v: Any) -> Any:
    seen = []

    def f(x: Any) -> Any:
        seen.append(1)
        return x > 0

    any((f(x) for x in v))
    return v[0] * len(seen)


@program
def zip_strict_state(v: Any) -> Any:
    it = iter([v[0], v[1], v[0] * v[1], 2.0])
    s = 0.0
    for a, b in zip(it, it):
        s += a * b
    return s


@program
def dict_view_live(v: Any) -> Any:
    d = {"a": v[0]}
    vals = d.values()
    d["b"] = v[1]
    return sum(vals)


@program
def sorted_key_calls(v: Any) -> Any:
    n = [0]

    def k(x: Any) -> Any:
        n[0] += 1
        return x

    sorted(v, key=k)
    return v[0] * n[0]

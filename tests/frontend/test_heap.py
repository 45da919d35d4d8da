"""Instances that are values at run time: identity, aliases, several classes, recursion, and what is refused."""
from __future__ import annotations

import copy
import dataclasses
import math
from typing import Any

import numpy as np
import pytest

import transgrad as tg


class P:
    scale = 2.0

    def __init__(self, x: Any, mate: Any = None):
        self.x, self.mate = x, mate

    def value(self) -> Any:
        return self.x * self.scale

    @property
    def double(self) -> Any:
        return 2 * self.x

    @double.setter
    def double(self, v: Any) -> None:
        self.x = v / 2


class Q(P):
    def value(self) -> Any:
        return super().value() + self.x ** 2


class R:
    def __init__(self, a: Any):
        self.a = a

    def value(self) -> Any:
        return self.a * 3

    def __len__(self) -> int:
        return 0


@dataclasses.dataclass
class E:
    a: Any
    b: Any = 1.0


def made(n: int, x: Any) -> list[Any]:
    out = []
    for k in range(n):
        out.append(P(x * k))
    return out


def aliases(x: float, y: float) -> Any:
    ps = made(3, x)
    again = [ps[1], ps[1], ps[2]]
    for p in again:
        p.x *= y
    ps[1].x += again[0].x
    return sum(p.x * (k + 1) for k, p in enumerate(ps))


def identity(x: float, y: float) -> Any:
    ps = made(3, x)
    best = ps[0]
    for p in ps:
        if p.x > best.x:
            best = p
    total = 0.0
    for p in ps:
        if p is best:
            total += p.x * y
        if p is not ps[1] and p != ps[2]:
            total += 1.0 + x
    return total + (5.0 if best in ps else 0.0) * x + ps.index(best) * y


def several_classes(x: float, y: float) -> Any:
    out = []
    for k in range(4):
        out.append(P(x) if k % 3 == 0 else Q(y) if k % 3 == 1 else R(x * y))
    total = 0.0
    for k, o in enumerate(out):
        total += o.value() * (k + 1)
        if isinstance(o, P):
            o.x = o.x * 2
        elif isinstance(o, R):
            total += o.a
    return total + sum(o.value() for o in out)


def none_or_instance(x: float, y: float) -> Any:
    found = None
    for p in made(4, x):
        if p.x > y:
            found = p
            break
    if found is None:
        return x * y
    found.double = found.x * y
    return found.x ** 2


def truth(x: float, y: float) -> Any:
    node: Any = None
    empty = []
    for k in range(3):
        node = P(x * k, node)
        empty.append(R(y))
    total = 0.0
    while node:
        total += node.x
        node = node.mate
    for r in empty:
        total += y if r else 2 * y
    return total


def recursion(x: float, y: float) -> Any:
    class_of = P

    def depth(p: Any) -> Any:
        return p.x + (y * depth(p.mate) if p.mate is not None else 0.0)
    chain = None
    for k in range(3):
        chain = class_of(x + k, chain)
    return depth(chain)


def fields_of_many_kinds(x: float, y: float) -> Any:
    ps = made(3, x)
    for k, p in enumerate(ps):
        p.path = [x, y]
        p.array = np.array([x, y, 1.0])
        p.name = "p"
        p.pair = (x, k)
    for p in ps:
        p.path.append(p.x)
        p.array[1] += p.x
        p.array = p.array * y
    ps[0].path[0] = y
    return sum(sum(p.path) + p.array[1] * p.pair[0] + len(p.name) for p in ps)


def shared_array(x: float, y: float) -> Any:
    shared = np.array([x, y])
    ps = made(3, x)
    for p in ps:
        p.data = shared
    ps[0].data[0] *= y
    ps[1].data[1] += ps[2].data[0]
    return np.sum(ps[2].data) + shared[0]


def dataclasses_compare(x: float, y: float) -> Any:
    es = []
    for k in range(3):
        es.append(E(x if k != 1 else y, k))
    es[0].b = 2
    return sum(e.a for e in es if e == E(x, 2)) + (x if es[0] == es[2] else y) + (y if es[1] != es[0] else x)


def constants_of_the_class(x: float, y: float) -> Any:
    ps = made(3, x)
    ps[1].scale = y
    return sum(p.value() for p in ps) + P.scale


def copies(x: float, y: float) -> Any:
    ps = made(2, x)
    ps[0].mate = ps[1]
    shallow, deep = copy.copy(ps[1]), copy.copy(ps[0])
    shallow.x = y
    deep.mate.x += x * y
    return ps[1].x + shallow.x * deep.x + ps[0].mate.x


def in_dicts_and_tuples(x: float, y: float) -> Any:
    table = {}
    pairs = []
    for k in range(4):
        p = P(x + k)
        table[k % 3] = p
        pairs.append((p, y * k))
    for p, w in pairs:
        p.x += w
    return sum(table[k].x * (k + 1) for k in sorted(table)) + sum(p.x * w for p, w in pairs)


def attributes_by_name(x: float, y: float) -> Any:
    ps = made(2, x)
    for name, v in (("first", x), ("second", y)):
        setattr(ps[0], name, v)
    return ps[0].first * ps[0].second + (y if hasattr(ps[1], "first") else 2 * x) + getattr(ps[1], "second", x)


def extremes(x: float, y: float) -> Any:
    ps = made(4, x)
    low, high = min(ps, key=lambda p: math.sin(p.x)), max(ps, key=lambda p: p.x)
    order = sorted(ps, key=lambda p: -p.x)
    return low.x * y + high.x + order[0].x * order[-1].x


FUNCTIONS = [aliases, identity, several_classes, none_or_instance, truth, recursion, fields_of_many_kinds, shared_array,
             dataclasses_compare, constants_of_the_class, copies, in_dicts_and_tuples, attributes_by_name, extremes]


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("point", [(1.3, 0.7), (0.4, 2.2)])
def test_derivatives(f: Any, point: tuple[float, float]) -> None:
    x, y = point
    want = f(x, y)
    h = 1e-6
    slopes = (f(x + h, y) - f(x - h, y)) / (2 * h), (f(x, y + h) - f(x, y - h)) / (2 * h)
    value, gradient = tg.value_and_grad(f, (0, 1), fallback="error")(x, y)
    np.testing.assert_allclose(value, want, rtol=1e-12)
    np.testing.assert_allclose(gradient, slopes, rtol=1e-5, atol=1e-7)
    for k, direction in enumerate(((1.0, 0.0), (0.0, 1.0))):
        np.testing.assert_allclose(tg.jvp(f, (x, y), direction, fallback="error")[1], slopes[k], rtol=1e-5, atol=1e-7)


KEPT: list[Any] = []


def returned(x: float) -> Any:
    return made(2, x)[0]


def kept_outside(x: float) -> Any:
    for p in made(2, x):
        KEPT.append(p)
    return x


def added(x: float) -> Any:
    ps = made(2, x)
    return sum(p.x for p in ps) + (ps[0] + 1 if x > 5 else 0)


def compared(x: float) -> Any:
    ps = made(2, x)
    return x if ps[0] < ps[1] else 2 * x


def mixed_with_numbers(x: float) -> Any:
    items: list[Any] = [x]
    for p in made(2, x):
        items.append(p)
    return items[0] * 2


def shown(x: float) -> Any:
    return len(f"{made(2, x)[0]}") * x


def appended_to_an_argument(x: float, into: list[Any]) -> Any:
    for p in made(2, x):
        into.append(p)
    return x * len(into)


@pytest.mark.parametrize("f", [returned, kept_outside, added, compared, mixed_with_numbers, shown], ids=lambda f: f.__name__)
def test_the_number_is_no_value_of_the_user(f: Any) -> None:
    with pytest.raises((tg.TransgradError, TypeError)):
        tg.grad(f, fallback="error")(1.5)
    assert not KEPT or not any(isinstance(p, int) for p in KEPT)
    KEPT.clear()


def test_an_argument_never_holds_a_number_of_an_instance() -> None:
    into: list[Any] = []
    with pytest.raises(tg.TransgradError):
        tg.grad(appended_to_an_argument, fallback="error")(1.5, into)
    assert into == []


def nearest(x: float, y: float) -> Any:
    total = 0.0
    for p in made(3, x):
        total += p.x * y
    return total


def test_the_generated_source_reads_tables() -> None:
    source = tg.grad(nearest, (0, 1), fallback="error").source_for(1.0, 2.0)
    assert "p_x[" in source and "instances" in source

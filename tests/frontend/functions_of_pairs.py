"""Generators that return something, and dicts that are made of pairs: functions that are lowered and run, as those of `functions`."""
from __future__ import annotations

from collections import OrderedDict

__all__ = ["dicts_of_pairs", "generators_that_return"]


def counted(xs, n):
    for k in range(n):
        yield xs[k]
        if xs[k] > 2.5:
            return xs[k] * 0.5
    return n


def generators_that_return(xs):
    def both():
        n = yield from counted(xs, 2)
        yield n * n
        m = yield from counted(xs, len(xs))
        yield m - n
        none = yield from (x * x for x in xs)
        yield 7.0 if none is None else 8.0
    total = 0.0
    for v in both():
        total = total * 0.9 + v
    return total


def dicts_of_pairs(xs):
    made = {k: x * x for k, x in enumerate(xs)}
    ordered = dict(sorted(made.items(), key=lambda pair: -pair[1]))
    total = 0.0
    for k, v in OrderedDict(sorted(ordered.items())).items():
        total = total * 0.5 + v * (k + 1)
    for v in ordered.values():
        total = total * 0.5 + v
    pairs = []
    for k, x in enumerate(xs):
        pairs.append((k % 2, x))
    ordered.update(pairs)
    ordered.update((k, 2.0 * x) for k, x in ordered.items() if k > 1)
    known = {"a": total, "b": 1.0}
    known.update([(k, 2.0 * v) for k, v in known.items() if k == "a"])
    known.update(zip("bc", xs))
    return total * sum(ordered.values()) * ordered[0] + known["a"] * known["c"]

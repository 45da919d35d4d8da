"""The type of what a container holds is the join of the types of all of it, though of most classes one thing is looked at."""
from collections import namedtuple
from functools import reduce

import numpy as np
import pytest

from transgrad.ir import infer
from transgrad.ir.infer import type_of
from transgrad.ir.types import join

Pair = namedtuple("Pair", "a b")


@pytest.mark.parametrize("items", [
    [1.0, 2.0], [1, 2.0, 3], [True, 1j, 2], ["a", "b"], ["a", 1.0], [None, 1.0, None], [np.float32(1.0), np.float64(2.0)],
    [np.ones(3), np.ones(3)], [np.ones(3), np.ones((2, 3))], [np.ones(3, "f4"), np.ones(3)], [np.ones(1), np.ones(3)],
    [(1.0, 2), (1, 2.0)], [(1.0,), (1.0, 2.0)], [Pair(1.0, 2), Pair(1, "x")], [[1.0], [1j]], [[], [1.0]], [{}, {"a": 1.0}],
    [{"a": 1.0}, {"b": np.ones(2)}], [{1, 2}, {1.0}], [1.0, [1.0]], [np.ma.ones(3), np.ma.ones(2)], [np.datetime64("2020-01-01"), 1.0],
], ids=repr)
def test_join(items):
    want = reduce(join, map(type_of, items))
    assert type_of(items).elem == want
    assert type_of(dict(enumerate(items))).value == want


def test_long_containers(monkeypatch):
    asked = []
    monkeypatch.setattr(infer, "type_of", lambda value, sym=None: (asked.append(value), type_of(value, sym))[1])
    infer.type_of({str(k): len for k in range(10_000)})
    assert len(asked) < 10

"""Keys of variants: equal where the text would be the same, different where it would not."""
from __future__ import annotations

import collections
import dataclasses
import enum

import numpy as np
import pytest

from transgrad.ir.keys import key_of

Point = collections.namedtuple("Point", "x y")


class Name(enum.StrEnum):
    A, B = "a", "b"


@dataclasses.dataclass
class Pair:
    left: float
    right: object


def other(x):
    return x


@pytest.mark.parametrize("a, b", [
    (1.0, 2.0), (3, 4), (np.ones(3), np.zeros(7)), (np.ones((2, 3)), np.ones((5, 4))), (np.ones((1, 3)), np.ones((1, 4))),
    (np.float32(1), np.float32(2)), ([1.0, 2.0], [1.0, 2.0, 3.0]), ([np.ones(3)], [np.ones(4), np.ones(5)]), ((1.0, 2), (3.0, 4)),
    ({"w": 1.0}, {"w": 2.0}), (Pair(1.0, np.ones(2)), Pair(2.0, np.ones(3))), (Point(1.0, 2.0), Point(0.0, 0.0)), ("a", "a"), ({1, 2}, {3}),
    (np.dtype(float), np.dtype("float64")), (other, other), (np.str_("a"), np.str_("a")), (slice(0, 2), slice(1, 3)),
])
def test_same(a, b):
    assert key_of(a) == key_of(b)
    assert hash(key_of(a)) == hash(key_of(b))


@pytest.mark.parametrize("a, b", [
    (1.0, 1), (1, True), (1.0, np.float64(1)), (1.0, 1j), (np.ones(3), np.ones(3, np.float32)), (np.ones(3), np.ones((3, 3))),
    (np.ones(3), np.ones(1)), (np.ones((2, 1)), np.ones((1, 2))), (np.ones(()), np.float64(1)), ([1.0], (1.0,)), ([1.0, 2], [1.0, 2.0]),
    ([], [1.0]), ([np.ones(1), np.ones(2)], [np.ones(2), np.ones(2)]), ((1.0,), (1.0, 1.0)), ({"w": 1.0}, {"v": 1.0}), ({"w": 1.0}, {"w": 1}),
    (Pair(1.0, 1.0), Pair(1.0, np.ones(2))), (Point(1.0, 2.0), (1.0, 2.0)), ("a", "b"), (True, False), (None, 0.0), (other, test_same),
    (np.dtype(float), np.dtype(int)), (["a", "b"], ["a", "c"]), ([True, True], [True, False]), ((), None), (float, int), (..., None), (np.str_("a"), np.str_("b")), (Name.A, Name.B), (np.bytes_(b"a"), np.bytes_(b"b")),
])
def test_different(a, b):
    assert key_of(a) != key_of(b)

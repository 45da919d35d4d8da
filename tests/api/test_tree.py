"""Nested arguments as a structure and its leaves."""
from __future__ import annotations

import collections
import dataclasses

import numpy as np
import pytest

from transgrad import tree

Point = collections.namedtuple("Point", "x y")


@dataclasses.dataclass
class Inner:
    a: float
    b: object = None
    made: float = dataclasses.field(default=0.0, init=False)


def test_leaves_with_paths():
    value = {"w": [1.0, np.ones(2)], "p": Inner(1.0, Point(2.0, None))}
    paths = [path for path, _ in tree.leaves_with_paths(value, "x")]
    assert paths == ["x['p'].a", "x['p'].b.x", "x['p'].b.y", "x['p'].made", "x['w'][0]", "x['w'][1]"]
    assert tree.leaves_with_paths(1.0, "x") == [("x", 1.0)]


def test_map_keeps_structure():
    value = [1.0, (2.0, {"k": Inner(3.0, 4.0)})]
    assert tree.map_leaves(lambda v: v * 2, value) == [2.0, (4.0, {"k": Inner(6.0, 8.0)})]
    assert tree.map_leaves(lambda a, b: a + b, value, value) == [2.0, (4.0, {"k": Inner(6.0, 8.0)})]


def test_structures_that_differ():
    with pytest.raises(ValueError, match="structure"):
        tree.map_leaves(lambda a, b: a, [1.0], (1.0,))


def test_none_is_a_leaf():
    assert tree.flatten([None, 1.0])[0] == [None, 1.0]


@pytest.mark.parametrize("value, text", [
    (np.ones((2, 3), np.float32), "float32 array of shape (2, 3)"), (np.float64(1), "NumPy scalar float64"), (None, "None"), ("x", "str"),
])
def test_describe(value, text):
    assert tree.describe(value) == text

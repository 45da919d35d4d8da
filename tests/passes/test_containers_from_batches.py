"""Results of a batch that are lists and dicts whose structure is known when they are there: each number gets its axis of examples."""
from __future__ import annotations

import dataclasses
from typing import NamedTuple

import numpy as np
import pytest

import transgrad as tg
from tests import oracles
from transgrad import tree

ROWS = [np.arange(6.0).reshape(3, 2), np.arange(6.0).reshape(3, 2) ** 2]


class Pair(NamedTuple):
    a: object
    b: object


@dataclasses.dataclass
class Record:
    a: object
    b: object


FUNCTIONS = {
    "of the same numbers": lambda rows: [1.5] * len(rows),
    "of counted numbers": lambda rows: [float(k) for k in range(len(rows))],
    "of the same arrays": lambda rows: [np.ones(2) for r in rows],
    "of rows": lambda rows: [r * 2.0 for r in rows],
    "of sums": lambda rows: [np.sum(r) for r in rows],
    "of tuples": lambda rows: [(np.sin(r), 1.0) for r in rows],
    "of the same tuples": lambda rows: [(1.0, k) for k in range(len(rows))],
    "of named tuples": lambda rows: [Pair(1.0, r) for r in rows],
    "of the same records": lambda rows: [Record(1.0, np.ones(2)) for r in rows],
    "of lists": lambda rows: [[r, r + 1.0] for r in rows],
    "of the same lists": lambda rows: [[1.0, np.zeros(3)] for r in rows],
    "dict": lambda rows: {k: r * 2.0 for k, r in enumerate(rows)},
    "dict of the same": lambda rows: {k: np.ones(2) for k, r in enumerate(rows)},
    "in a tuple": lambda rows: ([2.0 for r in rows], rows[0], {"k": [1 for r in rows]}),
    "gradient of a sum": tg.grad(lambda rows: sum([np.sum(r) for r in rows])),
    "gradient of squares": tg.grad(lambda rows: sum([np.sum(r * r) for r in rows])),
}


def one_by_one(f, axis):
    """The results of the examples, stacked leaf by leaf."""
    results = [f([r[k] for r in ROWS]) for k in range(3)]
    return tree.map_leaves(lambda *leaves: np.stack(leaves, axis), *results)


@pytest.mark.filterwarnings("ignore::transgrad.BatchLoopWarning", "ignore::transgrad.TapeFallbackWarning")
@pytest.mark.parametrize("axis", [0, -1])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_each_leaf_has_the_axis(name, axis):
    f = FUNCTIONS[name]
    oracles.assert_same(tg.vmap(f, out_axes=axis)(ROWS), one_by_one(f, axis))


def test_sums_of_numbers():
    numbers = [np.arange(3.0), np.arange(3.0) + 1.0]
    oracles.assert_same(tg.vmap(tg.grad(lambda numbers: sum(numbers)))(numbers), [np.ones(3), np.ones(3)])


@pytest.mark.parametrize("backend", ["jax.numpy", "torch"])
def test_arrays_of_other_libraries(backend):
    xp = pytest.importorskip(backend)
    rows = [xp.ones((3, 2)), xp.ones((3, 2))]
    for axis in (0, -1):
        for name in ("of the same numbers", "of rows"):
            found = tg.vmap(FUNCTIONS[name], out_axes=axis)(rows)
            assert all(isinstance(x, type(rows[0])) for x in found)
            want = tg.vmap(FUNCTIONS[name], out_axes=axis)([np.ones((3, 2)), np.ones((3, 2))])
            oracles.assert_same([np.asarray(x) for x in found], want)


def test_axes_for_items():
    oracles.assert_same(tg.vmap(FUNCTIONS["of the same arrays"], out_axes=[1, None])(ROWS), [np.ones((2, 3)), np.ones(2)])
    oracles.assert_same(tg.vmap(FUNCTIONS["of rows"], out_axes=[1, 0])(ROWS), [ROWS[0].T * 2.0, ROWS[1] * 2.0])


@pytest.mark.parametrize("f, axes, error", [
    (FUNCTIONS["of the same numbers"], 1, "out of range for a result with 0 dimensions"),
    (FUNCTIONS["of rows"], 2, "out of range for a result with 1 dimensions"),
    (FUNCTIONS["of rows"], None, "differs between the examples, but out_axes is None"),
    (FUNCTIONS["of rows"], [0], "out_axes has 1 entries for a result with 2 items"),
], ids=["no such axis of numbers", "no such axis of arrays", "no axis", "axes for fewer items"])
def test_axes_that_are_not_there(f, axes, error):
    with pytest.raises(ValueError, match=error):
        tg.vmap(f, out_axes=axes)(ROWS)

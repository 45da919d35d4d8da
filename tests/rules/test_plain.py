"""Shape functions on plain arrays: what NumPy's return, for any layout and shape."""
from __future__ import annotations

import itertools

import numpy as np
import pytest

from transgrad.rules import plain

ARRAYS = {
    "row-major": np.arange(6.0).reshape(2, 3), "transposed": np.arange(6.0).reshape(3, 2).T, "column": np.arange(2.0)[:, None],
    "number": np.array(1.5), "one": np.ones(1), "empty": np.ones((0, 3)), "integers": np.arange(3), "complex": np.ones((1, 3), np.complex64),
    "reversed": np.arange(3.0)[::-1], "half": np.ones(3, np.float16),
}


@pytest.mark.parametrize("name", ARRAYS)
@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (4, 2, 3), (0, 3), (2, 1), (1,)])
def test_broadcast(name, shape):
    x = ARRAYS[name]
    try:
        expected = np.broadcast_to(x, shape)
    except ValueError:
        with pytest.raises(ValueError):
            plain.broadcast(x, shape)
        return
    found = plain.broadcast(x, shape)
    assert found.shape == expected.shape and found.dtype == expected.dtype and not found.flags.writeable
    np.testing.assert_array_equal(found, expected)
    assert np.shares_memory(found, x) == np.shares_memory(expected, x)


@pytest.mark.parametrize("name", ARRAYS)
@pytest.mark.parametrize("axis", [-4, -3, -2, -1, 0, 1, 2, 3, (0, 1)])
def test_expand_dims(name, axis):
    x = ARRAYS[name]
    try:
        expected = np.expand_dims(x, axis)
    except ValueError:
        with pytest.raises(ValueError):
            plain.expand_dims(x, axis)
        return
    found = plain.expand_dims(x, axis)
    assert found.shape == expected.shape
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(("shape", "axis"), [(s, k) for s in ((5,), (2, 3), (3, 1, 2)) for k in range(-len(s), len(s))])
def test_along(shape, axis):
    x = np.random.default_rng(0).standard_normal(shape)
    for order, count in itertools.product((np.argsort(x, axis), np.argsort(-x, axis)), (1, shape[axis])):
        places = np.take(order, range(count), axis)
        found = plain.take_along(x, places, axis)
        np.testing.assert_array_equal(found, np.take_along_axis(x, places, axis))
        put = np.zeros_like(x)
        np.put_along_axis(put, places, found, axis)
        np.testing.assert_array_equal(plain.put_along(x, places, found, axis), put)

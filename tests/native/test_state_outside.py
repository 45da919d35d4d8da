"""Lists, dicts and arrays outside of a function are read at each call of machine code, and what writes to them is refused."""
import numpy as np
import pytest

import transgrad as tg
from transgrad.errors import UnsupportedByNumba

pytest.importorskip("numba")

WEIGHTS = [1.0, 2.0, 3.0]
TABLE = {"scale": 1.5}
OFFSETS = np.array([1.0, 2.0])
NESTED = [[1.0, 2.0], [3.0]]


@pytest.fixture(autouse=True)
def as_before():
    held = list(WEIGHTS), dict(TABLE), OFFSETS.copy()
    yield
    WEIGHTS[:], OFFSETS[:] = held[0], held[2]
    TABLE.update(held[1])


def loop(x):
    total = 0.0
    for w in WEIGHTS:
        total += w * np.sum(x * x)
    return total


def item(x):
    return WEIGHTS[1] * np.sum(x * x)


def entry(x):
    return TABLE["scale"] * np.sum(x * x)


def array(x):
    return np.sum(OFFSETS[0] * x * x)


def appended(x):
    WEIGHTS.append(1.0)
    return np.sum(x * x)


def stored(x):
    TABLE["scale"] = 2.0
    return np.sum(x * x)


def nested(x):
    total = 0.0
    for row in NESTED:
        for w in row:
            total += w * np.sum(x * x)
    return total


@pytest.mark.parametrize("n", [2, 40])
@pytest.mark.parametrize("f", [loop, item, entry, array])
def test_a_change_is_seen(f, n):
    x = np.linspace(0.5, 1.5, n)
    gradient = tg.grad(f, backend="numba", fallback="error")
    for factor in (1.0, 3.0):
        WEIGHTS[1] = TABLE["scale"] = OFFSETS[0] = factor
        np.testing.assert_allclose(gradient(x), tg.grad(f)(x), rtol=1e-12)


@pytest.mark.parametrize("n", [2, 40])
@pytest.mark.parametrize("f", [appended, stored])
def test_writing_is_refused_and_leaves_no_trace(f, n):
    before = list(WEIGHTS), dict(TABLE)
    with pytest.raises(UnsupportedByNumba):
        tg.grad(f, backend="numba", fallback="error")(np.ones(n))
    assert (WEIGHTS, TABLE) == before


def test_nested_lists_are_refused_with_their_line():
    with pytest.raises(UnsupportedByNumba, match="NESTED, which stands outside of the function, is a list of more than numbers") as refused:
        tg.grad(nested, backend="numba", fallback="error")(np.ones(40))
    assert "for row in NESTED:" in str(refused.value)


def test_functions_of_numba_stay_in_machine_code():
    gradient = tg.grad(loop, backend="numba")
    gradient(np.ones(40))
    assert "python_" not in gradient.source


def padded(x):
    return np.sum(np.pad(x, 1, mode="edge") ** 2)


def test_other_functions_run_in_the_interpreter():
    x = np.linspace(1.0, 2.0, 40)
    gradient = tg.value_and_grad(padded, backend="numba", fallback="error")
    value, slope = gradient(x)
    assert "python_pad(x)" in gradient.source
    expected = tg.value_and_grad(padded)(x)
    np.testing.assert_allclose(value, expected[0])
    np.testing.assert_allclose(slope, expected[1])

"""Narrow tangents that are written into arrays of zeros: where nothing has been written before, no zeros are."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import transgrad as tg

RNG = np.random.default_rng(61)
X, POINTS = RNG.normal(size=8), RNG.normal(size=(3, 7))


def rows(x: Any, points: Any) -> Any:
    y = np.empty((len(x), 3))
    for i in range(len(x)):
        y[i] = x[i] * points[:, 0]
    return y


def on_other_values(x: Any, points: Any) -> Any:
    """What is written over does not move."""
    y = np.ones((3, 2 * len(x) + 1))
    for i in range(len(x)):
        y[:, 2 * i + 1] = x[i] * points[:, 1]
    return y


def downwards(x: Any, points: Any) -> Any:
    y = np.zeros((len(x), 3))
    for i in range(len(x) - 1, -1, -1):
        if points[0, i % 7] > 0.0:
            y[i] = x[i] ** 2 * points[:, 0]
    return y


def rows_and_columns(x: Any, points: Any) -> Any:
    y = np.zeros((len(x), 5, 3))
    for i in range(len(x)):
        for j in range(5):
            y[i, j] = x[i] * points[:, j]
    return y


def in_each_turn(x: Any, points: Any) -> Any:
    """An array of its own in each turn of a loop."""
    total = np.zeros(3)
    for i in range(len(x)):
        y = np.zeros((4, 3))
        for j in range(4):
            y[j] = x[i] * points[:, j]
        total = total + y[1] * y[2] + y[3]
    return total


ONCE = (rows, on_other_values, downwards, rows_and_columns, in_each_turn)


def twice(x: Any, points: Any) -> Any:
    y = np.zeros((len(x) + 1, 3))
    for i in range(len(x)):
        y[i] = x[i] * points[:, 0]
        y[i + 1] = x[i] ** 2 * points[:, 1]
    return y


def over_and_over(x: Any, points: Any) -> Any:
    y = np.zeros((len(x), 3))
    for i in range(len(x)):
        y[i % 3] = x[i] * points[:, 0]
    return y


def the_same_row(x: Any, points: Any) -> Any:
    y = np.zeros((len(x), 3))
    for i in range(len(x)):
        y[1] = x[i] * points[:, i % 7]
    return y


def again(x: Any, points: Any) -> Any:
    """The inner loop goes over all rows in each turn of the outer one."""
    y = np.zeros((4, 3))
    for i in range(len(x)):
        for j in range(4):
            y[j] = x[i] * points[:, j]
    return y


def overlapping(x: Any, points: Any) -> Any:
    y = np.zeros(len(x) + 3)
    for i in range(len(x)):
        y[i:i + 3] = x[i] * points[:, 0]
    return y


def sums_of_numbers(x: Any, points: Any) -> Any:
    """The same row in several turns, as the sum of both numbers."""
    y = np.zeros((len(x) + 4, 3))
    for i in range(len(x)):
        for j in range(4):
            y[i + j] = x[i] * points[:, j]
    return y


def moved_already(x: Any, points: Any) -> Any:
    y = np.outer(x, points[:, 0])
    for i in range(len(x)):
        y[i] = x[i] * points[:, 1]
    return y


def through_a_view(x: Any, points: Any) -> Any:
    y = np.zeros((len(x) + 1, 3))
    head = y[1:]
    for i in range(len(x)):
        head[i] = x[i] * points[:, 0]
        y[i] = x[i] ** 2 * points[:, 0]
    return y


def once_more(x: Any, points: Any) -> Any:
    """Twice the same loop."""
    y = np.zeros((len(x), 3))
    for times in (1.0, 2.0):
        for i in range(len(x)):
            y[i] = times * x[i] * points[:, i % 7]
            if i:
                y[i] = times * x[i - 1] * y[i - 1]
    return y


def from_below(x: Any, points: Any) -> Any:
    """-1 and the last row are one."""
    y = np.zeros((len(x) - 1, 3))
    for i in range(len(x)):
        y[i - 1] = x[i] * points[:, 0]
    return y


def from_the_end(x: Any, points: Any) -> Any:
    """The loop begins with the row that it ends with."""
    total = np.zeros(3)
    for i in range(len(x)):
        y = np.zeros((3, 3))
        for j in range(-1, 3):
            y[j] = np.abs(points[0, j]) * x[i] * points[:, j]
        total = total + y[0] * y[1] + y[2]
    return total


def by_the_outer_number(x: Any, points: Any) -> Any:
    """All in one row, the first time."""
    total = np.zeros(3)
    for i in range(len(x)):
        y = np.zeros((3 * len(x), 3))
        for j in range(3):
            y[j * i] = x[i] * points[:, j]
        total = total + y[0] * y[i] + y[2 * i]
    return total


MORE = (twice, over_and_over, the_same_row, again, overlapping, sums_of_numbers, moved_already, through_a_view, once_more, from_below,
        from_the_end, by_the_outer_number)


def _sweep(f: Any, x: Any = X) -> str:
    text = tg.jacfwd(f, fallback="error", optimize={"vectorize": False}).source_for(x, POINTS)
    return text[text.index(f"def jvp_{f.__name__}_batched"):text.index("def jacfwd_")]


@pytest.mark.parametrize("f", [*ONCE, *MORE], ids=lambda f: f.__name__)
@pytest.mark.parametrize("times", [1, 40])
def test_as_differences(f: Any, times: int) -> None:
    """Also for more directions than one call takes."""
    x, eps = np.tile(X, times) + 0.1 * np.arange(8 * times) / times, 1e-6
    found = tg.jacfwd(f, fallback="error", optimize={"vectorize": False})(x, POINTS)
    some = range(0, len(x), 7)
    units = np.eye(len(x))[some]
    expected = [(f(x + eps * u, POINTS) - f(x - eps * u, POINTS)) / (2 * eps) for u in units]
    np.testing.assert_allclose(found[..., some], np.stack(expected, axis=-1), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(found, tg.jacfwd(f, optimize={"spans": False})(x, POINTS), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("f", ONCE, ids=lambda f: f.__name__)
def test_no_zeros_are_written(f: Any) -> None:
    text = _sweep(f)
    assert "y_dot[" in text and "] = 0.0" not in text


@pytest.mark.usefixtures("rows_stay_arrays")
@pytest.mark.parametrize("f", MORE, ids=lambda f: f.__name__)
def test_zeros_are_written(f: Any) -> None:
    assert "] = 0.0" in _sweep(f)


def test_the_whole_text() -> None:
    assert _sweep(rows).rstrip() == '''def jvp_rows_batched(x, points, x_dot, first):
    n_batch = len(x_dot)
    last = n_batch - 1
    n = len(x)
    y_dot = np.zeros((n_batch, n, 3))
    for i in range(n):
        m = min(max(i - first, 0), last)
        s = slice(m, m + 1, None)
        y_dot[s, i] = x_dot[s, i][:, None] * points[:, 0]
    return y_dot'''


@pytest.mark.parametrize("dtype", ["float32", "complex128"])
def test_other_dtypes(dtype: str) -> None:
    def cast(x: Any, points: Any) -> Any:
        y = np.zeros((len(x), 3), x.dtype)
        for i in range(len(x)):
            y[i] = x[i] * points[:, 0]
        return y

    options = {"holomorphic": True} if dtype == "complex128" else {}
    args = X.astype(dtype), POINTS.astype(dtype)
    found, plain = tg.jacfwd(cast, **options)(*args), tg.jacfwd(cast, optimize=False, **options)(*args)
    assert found.dtype == plain.dtype == dtype
    np.testing.assert_allclose(found, plain, rtol=1e-5)
    assert "] = 0.0" not in tg.jacfwd(cast, **options).source_for(*args)


def test_rows_that_are_not_there() -> None:
    def too_short(x: Any, points: Any) -> Any:
        y = np.zeros((6, 3))
        for i in range(len(x)):
            y[i] = x[i] * points[:, 0]
        return y

    df = tg.jacfwd(too_short)
    assert df(X[:6], POINTS).shape == (6, 3, 6)
    with pytest.raises(IndexError):
        df(X, POINTS)

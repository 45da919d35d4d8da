"""Sums that start as a number and become an array: ``s = 0.0; for row in x: s += np.outer(row, row)``."""
from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import transgrad as tg

RNG = np.random.default_rng(7)
X, TH = RNG.normal(size=(6, 3)), RNG.normal(size=3)


def in_place(th, x):
    s = 0
    for row in x:
        s += row * th
    return s @ s


def written_afterwards(th, x):
    s = 0.0
    for row in x:
        s = s + np.outer(row, row) * th
    s[np.diag_indices(3)] += th ** 2
    return np.linalg.det(s) + s.T[0, 1]


def left_early(th, x):
    s = 0
    for row in x:
        s += row * th
        if np.sum(s) > 1.5:
            break
    else:
        s = s * 2
    s[0] *= th[1]
    return np.sum(s ** 2)


def returned_early(th, x):
    s = 0
    for row in x:
        s += row * th
        if s[0] > 0.3:
            return s[0]
    return np.sum(s ** 2)


def _helper(row, th):
    t = 0.0
    for a in row:
        t = t + a * th
    t[0] = t[1] * 2
    return t


def with_a_helper(th, x):
    s = 0.0
    for row in x:
        s = s + _helper(row, th)
    s[1] = th[0]
    return np.sum(np.sin(s))


def nested(th, x):
    s = 0
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            s += x[i, j] * th
    s[0] *= th[1]
    return s @ s


def in_step(th, x):
    s = 0
    for i, (row, other) in enumerate(zip(x, reversed(x))):
        s += i * row * th + other
    s[0] *= th[1]
    return s @ s


def backwards(th, x):
    s = 0
    for i in reversed(range(len(x))):
        s = s * 0.5 + x[i] * th
    s[0] *= th[1]
    return s @ s


def from_one(th, x):
    s = 0
    for i in range(1, len(x)):
        s = s * 0.5 + x[i] * x[i - 1] * th
    s[0] *= th[1]
    return s @ s


def every_other(th, x):
    s = 0
    for i in range(0, len(x), 2):
        s = s * 0.5 + x[i] * th
    s[0] *= th[1]
    return s @ s


def single_precision(th, x):
    s = 0.0
    for row in x.astype(np.float32):
        s += row[0] * np.float32(2)
    return s * th[0]


def powers(th, x):
    s = 0
    for k in range(4):
        s = s + th ** k
    s[0] = s[1]
    return s @ s + np.sum(x)


def over_a_list(th, x):
    s = 0
    for v in [th, th * 2, th * 3]:
        s += v
    s[0] = s[1]
    return s @ s + np.sum(x)


def without_end(th, x):
    s = 0
    for i in itertools.count():
        s += th * i
        if i == 4:
            break
    s[0] = s[1]
    return s @ s + np.sum(x)


def plus_a_call(th, x):
    return np.sum(_recursive(th, x) ** 2)


def _recursive(th, x):
    s = 0
    for row in x:
        s += row * th
    return s + _recursive(th, x[1:]) if len(x) > 2 else s


COMPILED = (in_place, written_afterwards, left_early, returned_early, with_a_helper, nested, in_step, backwards, from_one, every_other,
            single_precision, powers, over_a_list, without_end)


def _differences(f: Any, th: Any, x: Any) -> Any:
    return np.array([(f(th + h, x) - f(th - h, x)) / 2e-6 for h in 1e-6 * np.eye(3)])


@pytest.mark.parametrize("rows", [6, 3])
@pytest.mark.parametrize("f", COMPILED)
def test_compiled(f: Any, rows: int) -> None:
    x = X[:rows]
    want = _differences(f, TH, x)
    np.testing.assert_allclose(tg.grad(f, fallback="error")(TH, x), want, atol=1e-6)
    assert tg.jvp(f, (TH, x), (np.ones(3), np.zeros_like(x)), fallback="error")[1] == pytest.approx(np.sum(want), abs=1e-6)
    np.testing.assert_allclose(tg.vmap(tg.grad(f), (0, None))(np.stack([TH, TH]), x)[1], want, atol=1e-6)


@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
@pytest.mark.parametrize("f", [*COMPILED, plus_a_call])
def test_loops_that_may_not_run(f: Any) -> None:
    """The code for arguments with rows is not used for arguments without."""
    gradient = tg.value_and_grad(f)
    for rows in (6, 1, 0, 4):
        x = X[:rows]
        try:
            value, want = f(TH, x), _differences(f, TH, x)
        except (TypeError, IndexError) as error:
            with pytest.raises(type(error)):
                gradient(TH, x)
            continue
        if isinstance(value, (int, np.integer)):
            with pytest.raises(TypeError):      # as of any function that returns an integer
                gradient(TH, x)
            continue
        found = gradient(TH, x)
        np.testing.assert_allclose(found[0], value, rtol=1e-12)
        np.testing.assert_allclose(found[1], want, atol=1e-5)


def up_to(th, n):
    s = 0
    for i in range(1, n):
        s += th * i
    s[0] = s[1]
    return s @ s


def test_trip_counts_that_are_arguments() -> None:
    gradient = tg.grad(up_to, fallback="error")
    for n in (4, 2, 7):
        np.testing.assert_allclose(gradient(TH, n), _differences(up_to, TH, n), atol=1e-4)
    with pytest.raises(TypeError):
        tg.grad(up_to)(TH, 1)

"""Lists in lists that become arrays: what one cotangent after the other, or a batch of them, is to each."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import transgrad as tg

X = np.array([0.5, -0.3, 1.2, 0.9])


def appended(x: Any) -> Any:
    rows = []
    for k in range(3):
        rows.append([x[k], x[k + 1] ** 2])
    m = np.array(rows)
    return np.sum(m[:, 0] * m[:, 1])


def appended_tuples(x: Any) -> Any:
    rows = []
    for k in range(3):
        rows.append((x[k], x[k + 1] ** 2))
    return np.sum(np.prod(np.array(rows), axis=1))


def stacked(x: Any) -> Any:
    rows = []
    for k in range(3):
        rows.append([x[k], x[k + 1] ** 2])
    return np.sum(np.stack(rows) * np.array([1.0, 2.0]))


def inner_grows(x: Any) -> Any:
    out = []
    for k in range(3):
        row = [x[k]]
        row.append(x[k + 1] ** 2)
        out.append(row)
    return np.sum(np.array(out) * np.array([1.0, 2.0]))


def displayed_and_appended(x: Any) -> Any:
    rows = [[x[0], x[1]], [x[2], x[3]]]
    rows.append([x[0] * x[1], x[3]])
    return np.sum(np.prod(np.asarray(rows), axis=1))


def three_deep(x: Any) -> Any:
    rows = []
    for k in range(3):
        rows.append([[x[k]], [x[k + 1] ** 2]])
    return np.sum(np.array(rows)[:, :, 0] * np.array([1.0, 2.0]))


def rows_of_an_array(x: Any) -> Any:
    rows = list(x.reshape(2, 2))
    y = 0.0
    for r in rows:
        y = y + r[0] * r[1]
    rows.append(x[:2])
    return y + np.sum(np.array(rows) ** 2)


def in_a_dict(x: Any) -> Any:
    found = {}
    for k in range(2):
        found[k] = [x[k], x[k + 1] * 2]
    return np.sum(np.array(list(found.values())) ** 2)


def joined(x: Any) -> Any:
    out = []
    for k in range(3):
        out.append([x[k], x[k + 1]])
    out = out + [[x[0], x[3]]]
    for r in np.array(out):
        out.append([r[0], r[1] * x[0]])
    return np.sum(np.array(out) ** 3)


FUNCTIONS = [appended, appended_tuples, stacked, inner_grows, displayed_and_appended, three_deep, rows_of_an_array, in_a_dict, joined]


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("count", [1, 2, 3])        # as many directions as there are items in a row, and others
@pytest.mark.filterwarnings("ignore::transgrad.BatchLoopWarning")
def test_many_at_once(f: Any, count: int) -> None:
    weights = np.array([1.0, -2.0, 0.5])[:count]
    slopes = np.array([(f(X + h) - f(X - h)) / 2e-6 for h in 1e-6 * np.eye(4)])

    def several(x: Any) -> Any:
        return weights * f(x)
    for jacobian in (tg.jacrev, tg.jacfwd):
        np.testing.assert_allclose(jacobian(several, fallback="error")(X), np.outer(weights, slopes), rtol=1e-6, atol=1e-8)
    points = np.stack([X, 2.0 * X, X[::-1]])[:count]
    np.testing.assert_allclose(tg.vmap(tg.grad(f))(points), np.stack([tg.grad(f)(x) for x in points]), rtol=1e-12)

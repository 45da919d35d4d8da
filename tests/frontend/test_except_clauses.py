"""The classes of an except clause are evaluated where there is an exception to catch, as in Python: a name in it need not exist."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import transgrad as tg
from transgrad.testing import check_grad


def solved(x: Any) -> Any:
    matrix = np.outer(x, x) + np.eye(3)
    try:
        y = np.linalg.solve(matrix, x)
    except np.linalg.linalg.LinAlgError:    # NumPy 1 had this module
        y = np.linalg.lstsq(matrix, x)[0]
    return np.sum(y ** 2)


def unknown(x: Any) -> Any:
    try:
        return x[0] / float(x[1])
    except (ValueError, NoSuchError):  # noqa: F821
        return x[2]


def second_clause(x: Any) -> Any:
    try:
        y = x[0] / float(x[1])
    except ZeroDivisionError:
        y = x[2] * 3.0
    except np.no_such_module.Error:
        y = 0.0
    return y * x[0]


@pytest.mark.parametrize("f", [solved, unknown, second_clause])
def test_no_exception(f: Any) -> None:
    check_grad(f, [np.array([1.0, 2.0, 0.5])])


def test_the_clause_before() -> None:
    x = np.array([1.0, 0.0, 0.5])
    gradient = tg.grad(lambda x: second_clause([float(v) for v in x]), fallback="error")(x)
    np.testing.assert_allclose(gradient, [1.5, 0.0, 3.0])


@pytest.mark.parametrize("derivative", [tg.grad, tg.jacfwd])
def test_an_exception(derivative: Any) -> None:
    f = lambda x: unknown([float(v) for v in x])
    x = np.array([1.0, 0.0, 0.5])
    with pytest.raises(NameError, match="NoSuchError"):
        f(x)
    with pytest.raises(NameError, match="NoSuchError"):
        derivative(f, fallback="error")(x)

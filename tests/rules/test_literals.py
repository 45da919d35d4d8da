"""Arguments that are lists written in the text, of functions whose rules compute with them."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import transgrad as tg
from transgrad.testing import check_grad

M = np.array([[0.8, 1.3], [1.8, 2.33]])
X = M.ravel()


def chosen(m: Any) -> Any:
    return np.sum(np.choose([[0, 1], [1, 0]], [m, m * m]) * m)


def chosen_around(m: Any) -> Any:
    return np.sum(np.choose([[2, -1], [1, 5]], [m, m * m], mode="wrap") * m)


def chosen_within(m: Any) -> Any:
    return np.sum(np.choose([[2, -1], [1, 0]], (m, m * m), mode="clip") * m)


def logarithms(m: Any) -> Any:
    return np.sum(np.logaddexp([0.5, 2.0], m))


def weighted_logarithms(m: Any) -> Any:
    y = np.logaddexp(m, [[0.5], [1.0]])
    return np.sum(np.real(M * y))


def periodic(m: Any) -> Any:
    return np.sum(np.interp(m, [0.1, 0.7, 1.2], [1.0, 3.0, 2.0], period=1.6))


def periodic_table(m: Any) -> Any:
    return np.sum(np.interp([0.3, 1.9], [0.1, 0.7, 1.2, 1.4], np.ravel(m), period=1.6) ** 2)


def system(m: Any) -> Any:
    return np.sum(np.linalg.tensorsolve(m, [1.0, 2.0]) ** 2)


def solution(m: Any) -> Any:
    return np.sum(np.linalg.tensorsolve([[3.0, 1.0], [0.5, 2.0]], m[0]) ** 2)


def inverse(m: Any) -> Any:
    return np.sum(m * np.linalg.tensorinv([[3.0, 1.0], [0.5, 2.0]], ind=1))


@pytest.mark.parametrize("f", [chosen, chosen_around, chosen_within, logarithms, weighted_logarithms, periodic, periodic_table, system,
                               solution, inverse])
def test_lists_in_the_text(f: Callable[..., Any]) -> None:
    tg.grad(f, fallback="error")(M)
    check_grad(f, (M,))

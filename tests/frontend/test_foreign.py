"""Arrays whose operators are their own (np.matrix, masked arrays, quantities) are refused, compiled and on the tape."""
from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import transgrad as tg
from transgrad.errors import TransgradError, UnsupportedSyntax

MATRIX = np.matrix([[1.0, 2.0], [3.0, 4.0]])
MASKED = np.ma.masked_array([1.0, 2.0, 3.0], mask=[False, True, False])


class Decibels(np.ndarray):
    """An array whose products are sums."""

    def __mul__(self, other: Any) -> Any:
        return np.asarray(self) + np.asarray(other)


LOUD = np.ones(3).view(Decibels)


class Holder:
    pass


HOLDER = Holder()
HOLDER.matrix = MATRIX      # type: ignore[attr-defined]


def by_matrix(x: Any) -> Any:
    return np.sum(x * MATRIX)


def by_matrix_of_object(x: Any) -> Any:
    return np.sum(HOLDER.matrix * x)    # type: ignore[attr-defined]


def by_matrix_made_here(x: Any) -> Any:
    return np.sum(x * np.bmat([[np.eye(1), np.eye(1)], [np.eye(1), np.eye(1)]]))


def by_masked(x: Any) -> Any:
    return np.sum(x * MASKED)


def masked_here(x: Any) -> Any:
    return np.sum(np.ma.masked_where(x > 1.5, x) ** 2)


def by_decibels(x: Any) -> Any:
    return np.sum(LOUD * x)


PROGRAMS = [(by_matrix, np.eye(2)), (by_matrix_of_object, np.eye(2)), (by_masked, np.ones(3)), (masked_here, np.ones(3)), (by_decibels, np.ones(3))]


@pytest.mark.parametrize(("f", "x"), [*PROGRAMS, (by_matrix_made_here, np.eye(2))])
def test_compiled(f: Any, x: np.ndarray) -> None:
    with pytest.raises(UnsupportedSyntax, match="whose operators are its own"):
        tg.grad(f, fallback="error")(x)


@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
def test_operators_of_a_class_of_the_users_run_on_the_tape() -> None:
    np.testing.assert_array_equal(tg.grad(by_decibels)(np.full(3, 2.0)), np.ones(3))


@pytest.mark.parametrize(("f", "x"), PROGRAMS[:-1])
def test_nowhere_in_silence(f: Any, x: np.ndarray) -> None:
    with pytest.raises((TransgradError, TypeError), match="whose operators are its own|leave the tape"):
        tg.grad(f)(x)


@pytest.mark.parametrize("x", [MATRIX, MASKED, LOUD])
def test_arguments(x: Any) -> None:
    with pytest.raises(TypeError, match=r"whose operators are its own. Hint: pass np.asarray"):
        tg.grad(lambda v: np.sum(v * v))(x)
    with pytest.raises(TypeError, match=r"whose operators are its own. Hint: pass np.asarray"):
        tg.grad(lambda v: np.sum(v[0] * v[0]))([x])


def test_files_in_memory(tmp_path: Path) -> None:
    x = np.memmap(tmp_path / "array", dtype=float, mode="w+", shape=(3,))
    x[:] = [1.0, 2.0, 3.0]
    np.testing.assert_array_equal(tg.grad(lambda v: np.sum(v ** 2))(x), 2 * np.asarray(x))
    np.testing.assert_array_equal(tg.grad(lambda v: np.sum(v * x))(np.ones(3)), x)

"""What a function raises for the shapes and types of its arguments, every transformation of it raises, needed or not."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import transgrad as tg

X, Y = np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 3.0, 4.0])


def added(x: Any, y: Any) -> Any:
    return np.sum(x + y)


def multiplied(x: Any, y: Any) -> Any:
    return np.sum(x * y)


def divided(x: Any, y: Any) -> Any:
    return np.sum(x / y)


def averaged(x: Any, y: Any) -> Any:
    return np.mean(x - y)


def matrix_product(x: Any, y: Any) -> Any:
    return np.sum(x @ y)


def selected(x: Any, y: Any) -> Any:
    return np.sum(np.where(x > 0, x, y))


def computed_before(x: Any, y: Any) -> Any:
    return np.sum(2.0 * x[1:] + np.exp(y) * 0.0)


def not_needed(x: Any, y: Any) -> Any:
    unused = x * y  # noqa: F841
    return np.sum(x ** 2)


def in_a_branch(x: Any, y: Any) -> Any:
    if x[0] > 0:
        return np.sum(x + y)
    return np.sum(x)


def in_a_helper(x: Any, y: Any) -> Any:
    return added(x, y) + 1.0


def masked(x: Any, y: Any) -> Any:
    return np.sum(x[x > 0] + y)


def cast(x: Any, y: Any) -> Any:
    k = np.arange(3)
    k += x
    return np.sum(x ** 2)


def joined(x: Any, y: Any) -> Any:
    return np.sum(np.concatenate([x, y[None]]))


def refused_by_the_user(x: Any, y: Any) -> Any:
    if len(x) != len(y):
        raise KeyError("lengths differ")
    return np.sum(x)


WAYS: dict[str, Any] = {
    "grad": lambda f: tg.grad(f)(X, Y),
    "grad by the other": lambda f: tg.grad(f, argnums=1)(X, Y),
    "value_and_grad": lambda f: tg.value_and_grad(f)(X, Y),
    "vjp": lambda f: tg.vjp(f, X, Y),
    "jvp": lambda f: tg.jvp(f, (X, Y), (X, Y)),
    "jacfwd": lambda f: tg.jacfwd(f)(X, Y),
    "jacrev": lambda f: tg.jacrev(f)(X, Y),
    "hessian": lambda f: tg.hessian(f)(X, Y),
    "hvp": lambda f: tg.hvp(f, (X, Y), (X, Y)),
    "vmap": lambda f: tg.vmap(tg.grad(f))(X[None], Y[None]),
}
FUNCTIONS = [added, multiplied, divided, averaged, matrix_product, selected, computed_before, not_needed, in_a_branch, in_a_helper, masked,
             cast, joined, refused_by_the_user]


@pytest.mark.parametrize("f", FUNCTIONS)
def test_error(f: Any) -> None:
    with pytest.raises((ValueError, TypeError, KeyError)) as raised:
        f(X, Y)
    for name, way in WAYS.items():
        with pytest.raises(raised.type):
            way(f)
            pytest.fail(name)


@pytest.mark.parametrize("f", [added, multiplied, matrix_product, in_a_helper])
def test_after_a_call_that_was_right(f: Any) -> None:
    """A compiled variant is not reused for shapes that do not match."""
    d = tg.grad(f)
    d(X, X)
    with pytest.raises(ValueError):
        d(X, Y)


@pytest.mark.parametrize("f", [added, multiplied, matrix_product, in_a_helper, selected])
def test_the_shapes_are_checked_instead_of_the_computation(f: Any) -> None:
    d = tg.grad(f)
    d(X, X)
    lines = [line for line in d.source.splitlines() if "#" not in line]
    assert sum("check_" in line for line in lines) == 1 and not any(" added(x" in line or "np.sum(" in line for line in lines if "def " not in line)


def test_nothing_is_checked_where_shapes_agree() -> None:
    def f(x: Any) -> Any:
        return np.sum(np.exp(x) * 2.0 + x) + np.sum(x[1:] - x[:-1])
    d = tg.grad(f)
    d(X)
    assert "check_" not in d.source


def test_machine_code_checks_too() -> None:
    pytest.importorskip("numba")
    with pytest.raises(ValueError):
        tg.grad(multiplied, backend="numba")(X, Y)

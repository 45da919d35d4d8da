"""Shapes that do not match raise an error in the derivative as in the function, though few checks of shapes stand in the source."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import transgrad as tg

R = np.random.default_rng(4)
U, V, LONG = R.uniform(0.5, 1.5, size=3), R.uniform(0.5, 1.5, size=3), R.uniform(0.5, 1.5, size=4)
M, N, WIDE = R.normal(size=(3, 3)), R.normal(size=(3, 3)), R.normal(size=(3, 4))


def logistic(x: Any, y: Any) -> Any:
    return np.mean(np.logaddexp(0.0, x) - y * x)


def powers(x: Any, y: Any) -> Any:
    return np.sum(y * x ** 3) + np.sum(x ** 4)


def entropy(x: Any, y: Any) -> Any:
    p = 1.0 / (1.0 + np.exp(-x))
    return -np.mean(y * np.log(p) + (1 - y) * np.log(1 - p))


def summed(x: Any, y: Any) -> Any:
    return np.sum(x) + np.sum(x + y)


def rewritten(x: Any, y: Any) -> Any:
    """The type of the cotangent of x has the length of x, while its value is computed from y alone."""
    return np.sum(x * y) + np.sum(y * y)


def one_after_the_other(x: Any, y: Any) -> Any:
    z = x + y
    return np.sum(z) + np.sum(z - x) + np.sum(3.0 * y - x)


def in_a_branch(x: Any, y: Any) -> Any:
    total = np.sum(y * 2.0)
    if y[0] > 0.0:
        total = total + np.sum(x + y)
    return total


def behind_a_branch(x: Any, y: Any) -> Any:
    """The branch that would raise need not run."""
    total = np.sum(x + y)
    if y[0] < 0.0:
        total = total + np.sum(np.exp(x * y))
    return total


def in_a_loop(x: Any, y: Any) -> Any:
    total = np.sum(x + y)
    for k in range(int(y[0] * 0.0)):
        total = total + np.sum(np.exp(x * y)) * k
    return total


def solved(x: Any, y: Any) -> Any:
    return np.sum(x + np.linalg.solve(np.eye(3), x) * y)


def of_matrices(x: Any, y: Any) -> Any:
    return np.sum(x @ y.T) + np.sum(np.diag(x))


def with_a_vector(x: Any, y: Any) -> Any:
    return np.sum(x * y) + np.sum(x + y[0])


VECTORS = [logistic, powers, entropy, summed, rewritten, one_after_the_other, in_a_branch, behind_a_branch, in_a_loop, solved]
MATRICES = [of_matrices, with_a_vector]
CASES = [(f, (U, V), (U, LONG)) for f in VECTORS] + [(f, (M, N), (M, WIDE)) for f in MATRICES]
WAYS: dict[str, Any] = {
    "grad": lambda f, a: tg.grad(f)(*a),
    "grad by the other": lambda f, a: tg.grad(f, 1)(*a),
    "grad by both": lambda f, a: tg.grad(f, (0, 1))(*a),
    "value_and_grad": lambda f, a: tg.value_and_grad(f)(*a),
    "vjp": lambda f, a: tg.vjp(f, *a)[1](1.0),
    "jvp": lambda f, a: tg.jvp(f, a, a),
    "jvp of a gradient": lambda f, a: tg.jvp(tg.grad(f), a, a),
    "hessian": lambda f, a: tg.hessian(f)(*a),
    "vmap": lambda f, a: tg.vmap(tg.grad(f))(*(x[None] for x in a)),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("f, right, wrong", CASES, ids=[f.__name__ for f, *_ in CASES])
def test_shapes_that_do_not_match(f: Any, right: Any, wrong: Any, way: str) -> None:
    with pytest.raises(ValueError):
        f(*wrong)
    with pytest.raises(ValueError):
        WAYS[way](f, wrong)


@pytest.mark.parametrize("f", VECTORS)
def test_a_variant_that_ran_before(f: Any) -> None:
    d = tg.grad(f)
    d(U, V)
    with pytest.raises(ValueError):
        d(U, LONG)


@pytest.mark.parametrize("f, x, y", [(logistic, U, V), (powers, U, V), (entropy, U, V)])
def test_nothing_is_checked_twice(f: Any, x: Any, y: Any) -> None:
    """An operation of the derivative raises for the same shapes."""
    text = tg.grad(f, fallback="error").source_for(x, y)
    assert "check_" not in text and ".shape" not in text


def test_checks_stand_at_the_top() -> None:
    def f(x: Any, y: Any) -> Any:
        s = np.exp(x)
        return np.sum(s * np.sin(s)) + np.sum(x + y)
    lines = tg.grad(f, fallback="error").source_for(U, V).splitlines()
    assert lines[2] == "    check_broadcast(x.shape, y.shape)" and sum("check_" in line for line in lines) == 1


def test_a_check_does_not_come_before_an_error_of_the_user() -> None:
    def f(x: Any, y: Any) -> Any:
        if len(y) > 3:
            raise KeyError("too long")
        return np.sum(x + y)
    with pytest.raises(KeyError):
        tg.grad(f)(U, LONG)


def test_numbers_of_python_are_used_beside_checks() -> None:
    """A check has no effect, so the function can run again with NumPy's arithmetic."""
    def f(x: Any, y: Any) -> Any:
        return np.mean(x + y)
    d = tg.grad(f, fallback="error")
    assert "np.divide" not in d.source_for(U, V)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(d(np.zeros(0), np.zeros(0)), np.zeros(0))
        np.testing.assert_array_equal(tg.vmap(d)(np.zeros((2, 0)), np.zeros((2, 0))), np.zeros((2, 0)))


def test_nothing_is_printed_when_compiling(capsys: Any) -> None:
    def f(x: Any, y: Any) -> Any:
        print("computing")
        return np.sum(x + y)
    d = tg.grad(f, fallback="error")
    d.source_for(U, V)
    assert capsys.readouterr().out == ""
    d(U, V)
    assert capsys.readouterr().out == "computing\n"

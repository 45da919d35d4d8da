"""The sign of the tangents of a Jacobian: it goes to the few numbers that they are products with, where nothing else sees it."""
from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import transgrad as tg
from transgrad.passes.switches import switched_off

RNG = np.random.default_rng(7)
X, Q, M = RNG.normal(size=4), RNG.normal(size=(2, 5)), RNG.normal(size=(2, 2))


def turn(a: Any) -> Any:
    return np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])


def moved(x: Any, q: Any, m: Any) -> Any:
    return (q - (turn(x[0]) @ (q * x[3]) + x[1:3][:, None])).ravel()


def product(x: Any, q: Any, m: Any) -> Any:
    return -(turn(x[0]) @ (q * x[1]))


def difference(x: Any, q: Any, m: Any) -> Any:
    return -(turn(x[0]) @ (q * x[1]) - q * x[2])


def taken_from_little(x: Any, q: Any, m: Any) -> Any:
    return -(x[1:3][:, None] - turn(x[0]) @ (q * x[1]))


def two_products(x: Any, q: Any, m: Any) -> Any:
    return q - (turn(x[0]) @ (q * x[1]) + (turn(x[2]) @ (q * x[3]) - x[0]))


def in_a_loop(x: Any, q: Any, m: Any) -> Any:
    total = np.zeros(q.shape)
    for i in range(3):
        total = total * 0.5 - turn(x[i]) @ (q * x[i + 1])
    return total


def complex_numbers(x: Any, q: Any, m: Any) -> Any:
    return np.abs(q - turn(x[0]) @ (q * x[1] * np.exp(1j * x[2])))


def negated_twice(x: Any, q: Any, m: Any) -> Any:
    return -(-(turn(x[0]) @ (q * x[1])) + x[2])


def read_again(x: Any, q: Any, m: Any) -> Any:
    p = turn(x[0]) @ (q * x[1])
    return np.concatenate([-p, p])


def written_meanwhile(x: Any, q: Any, m: Any) -> Any:
    p = turn(x[0]) @ (q * x[1])
    p[0] += x[2]
    return -p


def factor_written_meanwhile(x: Any, q: Any, m: Any) -> Any:
    a = turn(x[0])
    p = a @ (q * x[1])
    a[0, 0] = x[2]
    return np.concatenate([-p, a @ q])


def seen_through_a_view(x: Any, q: Any, m: Any) -> Any:
    p = turn(x[0]) @ (q * x[1])
    row = p[0]
    y = -p
    row += x[3]
    return np.concatenate([y, p])


def no_product(x: Any, q: Any, m: Any) -> Any:
    return -(turn(x[0]) @ (q * x[1]) + q * x[2])


def of_unknown_size(x: Any, q: Any, m: Any) -> Any:
    return -((m * x[0]) @ (q * x[1]))


def of_integers(x: Any, q: Any, m: Any) -> Any:
    return -(np.array([[0, 1], [1, 0]]) @ (q * x[1]))


def of_small_integers(x: Any, q: Any, m: Any) -> Any:
    return -(np.array([[0, 1], [1, 0]], dtype=np.uint8) @ (q * x[1]) + x[0])


def few_numbers(x: Any, q: Any, m: Any) -> Any:
    return -(turn(x[0]) @ turn(x[1]))


DONE = [moved, product, difference, two_products]
LEFT = [read_again, written_meanwhile, no_product, of_unknown_size, of_integers, of_small_integers, few_numbers, seen_through_a_view]



@pytest.mark.parametrize("n", [5, 1, 0])
@pytest.mark.parametrize("f", [*DONE, in_a_loop, complex_numbers, negated_twice, taken_from_little, factor_written_meanwhile, *LEFT], ids=lambda f: f.__name__)
def test_it_is_the_jacobian(f, n):
    args = X, Q[:, :n], M
    expected = tg.jacrev(f)(*args)
    np.testing.assert_allclose(tg.jacfwd(f)(*args), expected, atol=1e-12)
    with switched_off("spans"):
        np.testing.assert_allclose(tg.jacfwd(f)(*args), expected, atol=1e-12)
    with switched_off("all"):
        np.testing.assert_allclose(tg.jacfwd(f)(*args), expected, atol=1e-12)


def test_single_precision():
    args = [a.astype(np.float32) for a in (X, Q, M)]
    found = tg.jacfwd(moved)(*args)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, tg.jacfwd(moved)(X, Q, M), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("f", DONE, ids=lambda f: f.__name__)
def test_it_is_done(f):
    assert re.search(r"-\w+ @ ", tg.jacfwd(f, optimize={"entries": False}).source_for(X, Q, M))


@pytest.mark.parametrize("f", LEFT, ids=lambda f: f.__name__)
def test_it_is_left_alone(f):
    assert not re.search(r"-\w+ @ ", tg.jacfwd(f, optimize={"entries": False}).source_for(X, Q, M))


def _advance(u, powers, c):
    for power in powers:
        u[1:-1] += c * (u[2:] - 2.0 * u[1:-1] + u[:-2])
        u[0] += power


def _cost(powers, start, c):
    u = start.copy()
    _advance(u, powers, c)
    return np.sum(u ** 2)


def test_a_product_that_gets_its_sign_in_the_same_pass_is_subtracted():
    g = tg.grad(_cost, argnums=1)
    bar = g(np.ones(4), np.linspace(0.0, 1.0, 9), 0.1)
    assert "u_bar[1:-1] -= 2.0 * " in g.source and "-2.0" not in g.source
    tg.testing.check_grad(lambda start: _cost(np.ones(4), start, 0.1), (np.linspace(0.0, 1.0, 9),))
    assert bar.shape == (9,)

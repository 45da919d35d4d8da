"""Additions to overlapping parts of one array, in loops that share the outer ones."""
import re

import numpy as np
import pytest

import transgrad as tg

N = np.random.default_rng(3).normal
SMALL, STACK = (N(size=(7, 6)),), (N(size=(5, 6, 4)),)


def heat(u):
    u = u.copy()
    for _ in range(3):
        u[1:-1, 1:-1] += 0.1 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * np.sin(u[1:-1, 1:-1]))
    return np.sum(u ** 2)


def three_dimensions(u):
    lap = u[2:, 1:-1, 1:-1] + u[:-2, 1:-1, 1:-1] + u[1:-1, 2:, 1:-1] - u[1:-1, :-2, 1:-1] + u[1:-1, 1:-1, 2:] + u[1:-1, 1:-1, :-2]
    return np.sum(np.exp(-0.1 * lap * u[1:-1, 1:-1, 1:-1]))


def what_is_added_is_added_to(u):
    """The second addition reads what the first one has changed."""
    z = u * 1.0
    w = z[:-2, 1:-1] * 2.0
    z[1:-1, 1:-1] += w
    z[2:, 1:-1] += z[1:-1, :-2]
    z[1:-1, 2:] -= z[1:-1, :-2] * w
    return np.sum(z ** 3)


def from_another_part(u):
    z, w = u * 1.0, u * 2.0
    z[1:, :] += w[:-1, :]
    w[:-1, 1:] += z[1:, 1:]
    z[:-1, :] += w[1:, :]
    z[:, 1:] += w[:, :-1]
    return np.sum(z * z * w)


def further_on(u):
    """The second addition reads rows that the first one has not come to yet."""
    z, w = u * 1.0, np.sin(u)
    z[1:-1] += w[1:-1]
    w[:-2] += z[2:]
    z[1:-1] -= w[:-2]
    return np.sum(z * z * w)


def overwritten_between(u):
    z, w = u * 1.0, np.cos(u)
    z[1:] += w[1:]
    z[0] = 1.0
    z[:-1] += w[1:]
    z[:, :-1] *= 2.0
    z[:, 1:] += w[:, 1:]
    z[:, :-1] += w[:, 1:]
    return np.sum(z ** 2)


def rows_and_numbers(u):
    z = np.zeros_like(u)
    for k in range(u.shape[0] - 2):
        z[k:k + 3] += u[k]
        z[k + 1:k + 3, 1:] += 0.5
        z[k:k + 2, :-1] -= np.exp(u[k:k + 2, 1:])
    return np.sum(z ** 2)


CASES = [(heat, SMALL), (three_dimensions, STACK), (what_is_added_is_added_to, SMALL), (from_another_part, SMALL), (further_on, SMALL),
         (overwritten_between, SMALL), (rows_and_numbers, SMALL)]


@pytest.mark.parametrize("f, args", CASES, ids=[f.__name__ for f, _ in CASES])
def test_the_gradient_is_that_of_numpy(f, args):
    got = tg.grad(f, fallback="error", backend="numba")(*args)
    np.testing.assert_allclose(got, tg.grad(f, fallback="error", optimize=False)(*args), rtol=1e-11, atol=1e-12)


def test_one_outer_loop_for_all():
    """Where it is not known when compiling how far one part is from the other."""
    def f(u):
        z, w = np.zeros_like(u), np.sin(u)
        z[-5:, :] += w[1:-1]
        z[-6:-1, :] += np.exp(w[1:-1])      # which is not computed again to be added elsewhere
        z[:-2, :] += w[1:-1]
        z[-7:-2] -= w[2:]
        return np.sum(z ** 3)
    g = tg.value_and_grad(f, fallback="error", backend="numba")
    g(*SMALL)
    loops = re.findall(r"( +)for i in range\(n\):\n((?:\1 +.*\n)+)", g.source)
    assert 3 in [body.count("for j in") for _, body in loops if body.count("for j in") > 1]


def test_lengths_that_differ_are_refused():
    def f(u, w):
        z = u * 1.0
        z[1:, :] += w
        z[:-1, :] += w
        return np.sum(z * z)
    g = tg.grad(f, (0, 1), fallback="error", backend="numba")
    g(np.ones((4, 3)), np.ones((3, 3)))
    with pytest.raises(ValueError, match="broadcast"):
        g(np.ones((4, 3)), np.ones((2, 3)))
    for p, q in zip(g(np.ones((2, 3)), np.full((1, 3), 2.0)), tg.grad(f, (0, 1))(np.ones((2, 3)), np.full((1, 3), 2.0))):
        np.testing.assert_allclose(p, q)

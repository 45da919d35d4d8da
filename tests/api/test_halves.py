"""The two halves of a pullback where some paths leave what is kept without a value, and where only others could write to what is read."""
from __future__ import annotations

import numpy as np
import pytest

import transgrad as tg

X = np.array([0.1, 0.2])


def handled(x, s):
    try:
        if s > 0:
            raise ValueError
        y = np.exp(x)
    except ValueError:
        return x * 2
    return y


def on_a_path(x, s):
    if s > 0:
        y = np.exp(x)
        r = y
    else:
        r = x * 2
    return r


def in_a_while(x, s):
    r = x * 2.0
    k = 0
    done = False
    while k < 3:
        if s * k > 1:
            r = y = np.exp(r)
            done = True
            break
        k += 1
    return r * y if done else np.sin(r)


def or_else(x, s):
    for _ in range(int(s * 3)):
        y = np.exp(x)
        if y[0] > 0.5:
            break
    else:
        return x * 3
    return y


def returned_early(x, s):
    if s > 0:
        y = np.exp(x)
        if y[0] > 0.5:
            return y
    with np.errstate(all="ignore"):
        z = np.sqrt(x)
    return z if s < 0 else x * z


def read_twice(x, s):
    d = x[:, None] - x[None, :]
    m = s * d.T @ np.exp(d)
    return m.reshape(-1) @ np.cos(m.T.ravel()) + x


@pytest.mark.parametrize("s", (1.0, -1.0, 0.0))
@pytest.mark.parametrize("f", (handled, on_a_path, in_a_while, or_else, returned_early, read_twice), ids=lambda f: f.__name__)
def test_halves(f, s):
    by_x, by_s = tg.jacfwd(f, (0, 1), fallback="error")(X, s)
    x = X.copy()
    y, pull = tg.vjp(f, x, s, fallback="error")
    along = tg.linearize(f, X, s, fallback="error")[1]
    np.testing.assert_allclose(along(np.array([1.0, -0.5]), 0.3), by_x @ [1.0, -0.5] + 0.3 * by_s, rtol=1e-12, atol=1e-12)
    for a in (x, y):    # which others may write to before the second half runs
        a += 100.0
    found = pull(np.array([0.7, -1.1]))
    np.testing.assert_allclose(found[0], [0.7, -1.1] @ by_x, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(found[1], [0.7, -1.1] @ by_s, rtol=1e-12, atol=1e-12)


def left_out_of_a_loop(x, y):
    z = 0.5

    def sums(x, y):
        nonlocal z
        z = np.array([x, y, z]).sum()
    sums(y - 0.7, y)
    for _ in range(3):
        def either(x, z):
            try:
                return z
            except ValueError:
                x *= 0.9
            yield z + x
        for item in either(x * y * 0.1, z):
            if z < y:
                return y * item * 0.3
            y = z
    return x * y + z


@pytest.mark.parametrize("x, y", ((-1.7, -1.1), (0.3, 0.4), (-1.5, 1.4)))
def test_numbers_that_are_not_there(x, y):
    by_x, by_y = tg.jacfwd(left_out_of_a_loop, (0, 1), fallback="error")(x, y)
    assert tg.vjp(left_out_of_a_loop, x, y, fallback="error")[1](2.0) == pytest.approx((2.0 * by_x, 2.0 * by_y))
    assert tg.linearize(left_out_of_a_loop, x, y, fallback="error")[1](0.3, 2.0) == pytest.approx(0.3 * by_x + 2.0 * by_y)

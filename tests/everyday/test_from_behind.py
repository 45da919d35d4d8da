"""A list that is looped over from behind and grows or shrinks meanwhile: the tape takes it."""
import numpy as np
import pytest

import transgrad as tg


def grown_from_behind(x):
    items = [x[0], x[1]]
    for t in reversed(items):
        items.append(t * 2)
    return sum(items)


def one_grown_from_behind(x):
    items = [x[0]]
    for t in reversed(items):
        items.append(t * 2)
    return sum(items)


def taken_from_behind(x):
    items = [v for v in x]
    for t in reversed(items):
        items.pop()
        x = x + t
    return np.sum(x * x)


@pytest.mark.parametrize("f", [grown_from_behind, one_grown_from_behind, taken_from_behind])
def test_on_the_tape(f):
    x, h = np.array([0.6, 1.3, 0.8]), 1e-6
    with pytest.warns(tg.TapeFallbackWarning, match="grows or shrinks"):
        value, gradient = tg.value_and_grad(f)(x)
    assert value == pytest.approx(f(x))
    np.testing.assert_allclose(gradient, [(f(x + h * e) - f(x - h * e)) / (2 * h) for e in np.eye(3)], atol=1e-8)
    with pytest.raises(tg.TransgradError, match="loop over a copy"):
        tg.grad(f, fallback="error")(x)

"""Real and complex numbers of Python's side by side in one container: what is real has a real gradient."""
from __future__ import annotations

import pytest

import transgrad as tg

FUNCTIONS = []


def _tried(f):
    FUNCTIONS.append(f)
    return f


def use(items):
    s = 0.0
    for r in items:
        s += (r * r).real + r.imag * 3
    return s


@_tried
def appended(x):
    items = []
    for k in range(3):
        if k == 1:
            items.append(complex(x, 2 * x))
        else:
            items.append(x * k)
    return use(items)


@_tried
def assigned(x):
    items = [0.0, 0.0, complex(x, x)]
    for k in range(2):
        items[k] = x * k
    return use(items)


@_tried
def beside_each_other(x):
    items = [x, complex(x, x)]
    for k in range(1):
        items.append(x * 2)
    return use(items)


@_tried
def in_a_dict(x):
    d = {}
    for k in range(3):
        d[k] = x * k
    for k in range(2):
        d[k + 5] = complex(x, x)
    return use(list(d.values())) + use([d[k] for k in range(3)])


@_tried
def inserted(x):
    items = [complex(x, x)]
    for k in range(2):
        items.insert(0, x * k)
    return use(items)


@_tried
def in_a_tuple(x):
    t = (x, complex(x, x), x * 2)
    s = 0.0
    for k in range(3):
        r = t[k]
        s += (r * r).real + r.imag * 3
    return s


@_tried
def turned_in_a_loop(x):
    y = x
    for k in range(3):
        if k == 1:
            y = y * 1j
        else:
            y = y * 2.0
    return (y * y).real + y.imag


@_tried
def one_of_two(x):
    y = x if x > 100 else complex(x, x)
    return (y * y).real + y.imag * 3


@_tried
def from_a_helper(x):

    def h(c):
        return x * 2.0 if c else complex(x, 2 * x)
    return sum(((h(k % 2 == 0) * h(k % 2 == 0)).real + h(k % 2 == 0).imag for k in range(3)))


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_gradients_are_real(f):
    h = 1e-6
    slope = pytest.approx((f(3.0 + h) - f(3.0 - h)) / (2 * h), rel=1e-7)
    gradient = tg.grad(f, fallback="error")(3.0)
    assert type(gradient) is float
    assert gradient == slope
    assert tg.jvp(f, (3.0,), (1.0,))[1] == slope
    assert tg.grad(tg.grad(f))(3.0) == pytest.approx((f(3.0 + 1e-3) - 2 * f(3.0) + f(3.0 - 1e-3)) / 1e-6, rel=1e-5, abs=1e-5)


def test_several_at_once():
    def f(x):
        items = [complex(x, x)]
        for k in range(2):
            items.extend([x * k, x * 3])
        return use(items)
    with pytest.raises(tg.TransgradError, match="real numbers at once are stored in a list that holds complex"):
        tg.grad(f, fallback="error")(3.0)
    assert tg.grad(f)(3.0) == pytest.approx(117.0)

"""``__new__`` methods of Python."""
import numpy as np
import pytest

import transgrad as tg


class Made:
    def __new__(cls, x, *rest):
        self = super().__new__(cls)
        self.x = x
        return self


class Both(Made):
    """Python calls the initializer with the arguments of ``__new__``."""

    def __init__(self, x, y):
        self.y = y * self.x


class Chosen:
    """What is made has another class: the initializer of this one does not run."""

    def __new__(cls, x, large=False):
        return Made(x) if not large else super().__new__(cls)

    def __init__(self, x, large=False):
        self.x = 10.0 * x


def copied(x):
    made = object.__new__(Both)
    made.x, made.y = x, x ** 3
    other = Both.__new__(Both, x)
    return made.y * other.x


PROGRAMS = [(lambda x: Made(x).x ** 2, 3.0), (lambda x: Both(x, x ** 2).y, 6.75), (lambda x: Chosen(x).x + Chosen(x, True).x, 11.0),
            (copied, 13.5), (lambda x: sum(Both(x, k).y for k in range(4)), 6.0)]


@pytest.mark.parametrize(("f", "want"), PROGRAMS)
def test_new(f, want):
    assert tg.grad(f, fallback="error")(1.5) == pytest.approx(want)
    assert tg.jvp(f, (1.5,), (1.0,), fallback="error")[1] == pytest.approx(want)
    step = 1e-6
    assert (f(1.5 + step) - f(1.5 - step)) / (2 * step) == pytest.approx(want)


def test_in_a_list_of_unknown_length():
    def f(x, n):
        made = []
        for k in range(n):
            made.append(Both(x[k], 2.0))
        for one in made:
            one.y = one.y ** 2
        return sum(one.y for one in made)
    x = np.array([1.0, 2.0, 3.0])
    np.testing.assert_allclose(tg.grad(f)(x, 3), 8 * x)

"""What published packages ask of shapes and classes: np.broadcast, unions of classes, an instance's own class."""
from __future__ import annotations

import numpy as np
import pytest

import transgrad as tg
from tests import oracles
from tests.passes.by_differences import check_nested

A, B = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([2.0, 5.0])


def filled_to_the_common_shape(a, b):
    out = np.empty(np.broadcast(a, b).shape)
    out[..., 0] = a[..., 0] * b[..., 0]
    out[..., 1] = np.broadcast(a, b).size * a[..., 1] + np.broadcast(a, b).ndim
    return np.sum(out * out)


def items_of_both(a, b):
    s = 0.0
    for x, y in np.broadcast(a, b):
        s = s + x * y ** 2
    return s


class Length:
    def __init__(self, metres):
        self.metres = metres

    def doubled(self):
        return self.__class__(2.0 * self.metres)


class Depth(Length):
    pass


def of_its_own_class(x):
    d = Depth(x).doubled()
    return d.metres ** 2 if isinstance(d, Depth) and d.__class__.__name__ == "Depth" else 0.0 * x


def one_or_many(x):
    given = Length(x)
    if not isinstance(given, list | tuple | None):
        given = [given, Length(x * x)]
    return sum([g.metres for g in given])


def like_another(x, y):
    return y.__class__(x) * y if y.__class__ is float else x


@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
@pytest.mark.parametrize(("f", "args"), [
    (filled_to_the_common_shape, (A, B)), (items_of_both, (A, B)), (of_its_own_class, (1.3,)), (one_or_many, (1.3,)),
    (like_another, (1.3, 0.4))])
def test_idioms(f, args):
    check_nested(f, args)
    if f is not items_of_both:
        tg.grad(f, argnums=tuple(range(len(args))), fallback="error")(*args)


@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
@pytest.mark.parametrize("f", [filled_to_the_common_shape, items_of_both])
def test_on_the_tape(f):
    def on_the_tape(a, b):
        return eval("f(a, b)", {"f": f, "a": a, "b": b})
    problem = oracles.Problem(f, (A, B), (0, 1))
    got = tg.grad(on_the_tape, argnums=(0, 1))(A, B)
    oracles.assert_close(got, oracles.gradient(problem, problem.x)[0], (A, B))


class Made(float):
    def __new__(cls, x):
        return super().__new__(cls, x)


class Marked(np.ndarray):
    pass


@pytest.mark.parametrize(("f", "text"), [
    (lambda x: Made(x).real, "defines __new__, which is not compiled"),
    (lambda x: np.sum(Marked(x)), "its instances are arrays of a class of their own"),
    (lambda x: locals()["x"] * 2.0, r"locals\(\) accesses variables by name")])
def test_what_is_said(f, text):
    with pytest.raises(tg.TransgradError, match=text):
        tg.grad(f, fallback="error")(1.3)

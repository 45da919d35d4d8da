"""Transformations called inside functions that are differentiated, against closed forms."""
from __future__ import annotations

import numpy as np
import pytest

import transgrad as tg


def cube(x):
    return x ** 3


slope = tg.grad(cube)


def product(x, y):
    return x ** 2 * y


def through_grad(x):
    return np.sin(tg.grad(cube)(x))


def through_a_derivative_of_the_module(x):
    return slope(x) * x


def through_a_closure(x):
    a = x * x

    def inner(y):
        return a * y ** 2
    return tg.grad(inner)(x)


def through_a_lambda(x):
    return tg.grad(lambda y: x + y * x)(1.0)


def through_value_and_grad(x):
    value, gradient = tg.value_and_grad(lambda y: y * y * x)(x)
    return value * gradient


def through_argnums(x):
    a, b = tg.grad(product, argnums=(0, 1))(x, 2.0 * x)
    return a * b + tg.grad(product, argnames="y")(x, y=x)


def through_aux(x):
    g, aux = tg.grad(lambda y: (y ** 2, y * x), has_aux=True)(x)
    return g * aux


def through_jvp(x):
    out, dot = tg.jvp(cube, (x,), (2.0,))
    return out + dot


def through_vjp(x):
    out, pullback = tg.vjp(product, x, 3.0 * x)
    a, b = pullback(x)
    return out + a + b


def through_linearize(x):
    out, f_dot = tg.linearize(cube, x)
    return out + f_dot(x)


def through_hvp(x):
    return tg.hvp(cube, (x,), (x,))[0]


def through_two_grads(x):
    return tg.grad(tg.grad(cube))(x)


def through_hessian(x):
    return tg.hessian(cube)(x)


def through_compile(x):
    return tg.compile(cube)(x)


def in_a_loop(x):
    for _ in range(3):
        x = x - 0.1 * tg.grad(cube)(x)
    return x


def loop_expected(x):
    d = 1.0
    for _ in range(3):
        d, x = d * (1 - 0.6 * x), x - 0.3 * x ** 2
    return d


CASES = [
    (through_grad, lambda x: 6 * x * np.cos(3 * x ** 2)), (through_a_derivative_of_the_module, lambda x: 9 * x ** 2),
    (through_a_closure, lambda x: 6 * x ** 2), (through_a_lambda, lambda x: 1.0), (through_value_and_grad, lambda x: 10 * x ** 4),
    (through_argnums, lambda x: 16 * x ** 3 + 2 * x), (through_aux, lambda x: 6 * x ** 2), (through_jvp, lambda x: 3 * x ** 2 + 12 * x),
    (through_vjp, lambda x: 9 * x ** 2 + 18 * x ** 2 + 3 * x ** 2), (through_linearize, lambda x: 12 * x ** 2), (through_hvp, lambda x: 12 * x),
    (through_two_grads, lambda x: 6.0), (through_hessian, lambda x: 6.0), (through_compile, lambda x: 3 * x ** 2), (in_a_loop, loop_expected),
]


@pytest.mark.parametrize("f, expected", CASES, ids=lambda f: getattr(f, "__name__", ""))
def test_derivative(f, expected):
    np.testing.assert_allclose(tg.grad(f, fallback="error")(0.7), expected(0.7))
    np.testing.assert_allclose(tg.jvp(f, (0.7,), (1.0,), fallback="error")[1], expected(0.7))


@pytest.mark.parametrize("f", [f for f, _ in CASES], ids=lambda f: f.__name__)
def test_value(f):
    np.testing.assert_allclose(tg.compile(f, fallback="error")(0.7), f(0.7))


def test_perturbations_are_not_confused():
    assert tg.grad(lambda x: x * tg.grad(lambda y: x + y)(1.0))(2.0) == 1.0
    assert tg.jvp(lambda x: x * tg.jvp(lambda y: x * y, (1.0,), (1.0,))[1], (2.0,), (1.0,))[1] == 4.0


def test_arrays():
    x = np.array([1.0, 2.0])
    np.testing.assert_allclose(tg.grad(lambda x: np.sum(tg.grad(lambda y: np.sum(y ** 3))(x)))(x), 6.0 * x)
    for jac in (tg.jacrev, tg.jacfwd):
        found = tg.grad(lambda x, jac=jac: np.sum(jac(lambda z: z * np.sin(z))(x)))(x)
        np.testing.assert_allclose(found, 2 * np.cos(x) - x * np.sin(x))


def test_argument_that_is_not_differentiable():
    with pytest.raises(TypeError, match="to be differentiated"):
        tg.grad(lambda x: x * tg.grad(cube)(3))(1.0)


class Model:
    def __init__(self, scale):
        self.scale = scale

    def loss(self, w, x):
        return self.scale * w ** 2 * x

    slope = tg.grad(loss)

    def both(self, w):
        return tg.grad(self.loss)(w, 3.0)


MODEL = Model(2.0)


def test_methods():
    assert tg.grad(lambda w: MODEL.slope(w, 3.0))(0.5) == 12.0
    assert tg.grad(lambda w: tg.grad(MODEL.loss)(w, 3.0))(0.5) == 12.0
    assert tg.grad(MODEL.both)(0.5) == 12.0


def test_decorators_inside():
    def f(x):
        @tg.grad
        def first(y):
            return y ** 3

        @tg.grad(argnums=1)
        def second(y, z):
            return y * z ** 2
        return first(x) * second(x, x)
    np.testing.assert_allclose(tg.grad(f)(2.0), 6.0 * 4.0 * 2.0 ** 3)


def test_partials_keywords_and_negative_positions():
    import functools

    def f(x):
        g = functools.partial(product, y=x)
        return tg.grad(g)(x) + tg.grad(product, argnums=-1)(x, y=x) + tg.grad(product, argnums=-2)(x, x)
    # d/dx of 2 x x + x^2 + 2 x x
    np.testing.assert_allclose(tg.grad(f)(2.0), 20.0)


def test_stars():
    def total(*xs):
        return xs[0] * xs[1] ** 2
    np.testing.assert_allclose(tg.grad(lambda x: tg.grad(total, argnums=1)(x, x))(3.0), 12.0)


def test_nested_arguments_inside():
    def g(p):
        return p["a"] ** 2 * p["b"][0]

    def f(x):
        found = tg.grad(g)({"a": x, "b": (x, 1.0)})
        return found["a"] * found["b"][0]
    np.testing.assert_allclose(tg.grad(f)(2.0), 4 * 2 * 2.0 ** 3)


def test_pullback_of_structures_inside():
    def g(a, b):
        return {"s": a + b, "p": (a * b, a)}

    def f(x):
        out, pullback = tg.vjp(g, x, 2.0 * x)
        first, second = pullback({"s": x, "p": (x, 1.0)})
        return out["s"] + first * second
    step = 1e-6
    np.testing.assert_allclose(tg.grad(f)(0.7), (f(0.7 + step) - f(0.7 - step)) / (2 * step), rtol=1e-6)


def test_refused_inside():
    with pytest.raises(TypeError, match="jacobian"):
        tg.grad(lambda x: tg.grad(lambda y: np.array([y, y]))(x))(1.0)
    with pytest.raises(TypeError, match="without the argument"):
        tg.grad(lambda x: tg.grad(cube, argnums=1)(x))(1.0)
    with pytest.raises(tg.UnsupportedSyntax, match="not known when compiling"):
        tg.grad(lambda x, n: tg.grad(product, argnums=n)(x, x), fallback="error")(1.0, 1)


def test_rows_that_are_unpacked_and_written_to_inside():
    def rows(x, y):
        a = np.stack([x, y])
        b, c = a
        b *= c
        c += b[::-1]
        return np.sum(a * a)

    def by_gradient(x, y):
        return np.sum(tg.grad(rows)(x, y) * np.cos(x))

    def by_pullback(x, y):
        return np.sum(tg.vjp(lambda z: rows(z, x), y)[1](1.0)[0] * x)
    x, y, step = np.array([0.3, -0.7, 1.1]), np.array([0.9, 0.4, -0.2]), 1e-6
    for f in (by_gradient, by_pullback):
        assert tg.compile(f)(x, y) == pytest.approx(f(x, y))
        want = [(f(x + e, y) - f(x - e, y)) / (2 * step) for e in np.eye(3) * step]
        np.testing.assert_allclose(tg.grad(f)(x, y), want, rtol=1e-6)


@pytest.mark.parametrize("optimize", [True, False])
def test_a_cotangent_that_is_given_inside_has_the_precision_of_its_result(optimize):
    def f(x):
        y, pullback = tg.vjp(np.sin, x)
        return np.sum(pullback(np.array([1.0, 2.0, 3.0]))[0] * x) + np.sum(y)
    x = np.array([0.6, -0.8, 1.1])
    found = tg.grad(f, fallback="error", optimize=optimize)(x.astype(np.float32))
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, tg.grad(f, fallback="error")(x), rtol=1e-4)

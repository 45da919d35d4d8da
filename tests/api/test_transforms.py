"""Each transformation against closed forms, in the conventions of JAX."""
from __future__ import annotations

import collections
import dataclasses

import numpy as np
import pytest

import transgrad as tg

A = np.array([[2.0, 0.5, 0.0], [0.5, 1.0, 0.25], [0.0, 0.25, 3.0]])
X = np.array([0.3, -0.7, 1.1])


def quadratic(x):
    return 0.5 * x @ A @ x


def product(a, b, c=2.0):
    return a * b * c


def ring(z):
    return np.array([np.hypot(z[0], z[1]), z[0] * z[1], np.sin(z[0])])


def ring_jacobian(z):
    r = np.hypot(*z)
    return np.array([[z[0] / r, z[1] / r], [z[1], z[0]], [np.cos(z[0]), 0.0]])


def test_grad():
    np.testing.assert_allclose(tg.grad(quadratic, fallback="error")(X), A @ X)


def test_value_and_grad():
    value, gradient = tg.value_and_grad(quadratic)(X)
    np.testing.assert_allclose(value, quadratic(X))
    np.testing.assert_allclose(gradient, A @ X)


@pytest.mark.parametrize("argnums, expected", [(0, 6.0), (1, 4.0), (-1, 6.0), ((0, 1), (6.0, 4.0)), ((1,), (4.0,)), ((2, 0), (6.0, 6.0))])
def test_argnums(argnums, expected):
    assert tg.grad(product, argnums)(2.0, 3.0, 2.0) == expected if argnums != -1 else tg.grad(product, -1)(2.0, 3.0, 2.0) == 6.0


@pytest.mark.parametrize("argnames, expected", [("c", 6.0), (("b", "c"), (4.0, 6.0)), (("a",), (6.0,))])
def test_argnames(argnames, expected):
    assert tg.grad(product, argnames=argnames)(2.0, 3.0) == expected


@pytest.mark.parametrize("call", [
    lambda g: g(2.0, 3.0), lambda g: g(2.0, b=3.0), lambda g: g(a=2.0, b=3.0), lambda g: g(2.0, 3.0, 2.0), lambda g: g(b=3.0, c=2.0, a=2.0),
])
def test_ways_of_calling(call):
    assert call(tg.grad(product)) == 6.0


def test_star_arguments_and_keyword_catch_all():
    def f(x, *rest, scale=1.0, **more):
        return x * rest[0] * rest[1] ** 2 * scale * more["w"]
    assert tg.grad(f, (0, 2))(2.0, 3.0, 5.0, scale=0.5, w=4.0) == (150.0, 120.0)
    assert tg.grad(f, argnames="w")(2.0, 3.0, 5.0, scale=0.5, w=4.0) == 75.0
    assert tg.grad(f, argnames="scale")(2.0, 3.0, 5.0, w=4.0) == 600.0


def test_decorator_with_and_without_arguments():
    @tg.grad
    def f(x):
        return x ** 2

    @tg.grad(argnums=(0, 1), fallback="error")
    def g(x, y):
        return x * y

    assert f(3.0) == 6.0 and g(2.0, 3.0) == (3.0, 2.0)


def test_has_aux():
    def f(x, k):
        return x ** 2, {"k": k, "y": x + 1.0}
    assert tg.grad(f, has_aux=True)(3.0, "name") == (6.0, {"k": "name", "y": 4.0})
    assert tg.value_and_grad(f, has_aux=True)(3.0, "name") == ((9.0, {"k": "name", "y": 4.0}), 6.0)
    assert tg.jvp(lambda x: f(x, 1), (3.0,), (1.0,), has_aux=True) == (9.0, 6.0, {"k": 1, "y": 4.0})
    out, pullback, aux = tg.vjp(lambda x: f(x, 1), 3.0, has_aux=True)
    assert (out, pullback(1.0), aux) == (9.0, (6.0,), {"k": 1, "y": 4.0})
    jacobian, aux = tg.jacrev(lambda x: (ring(x), "aux"), has_aux=True)(np.array([0.3, 0.4]))
    np.testing.assert_allclose(jacobian, ring_jacobian(np.array([0.3, 0.4])))
    assert aux == "aux"


Point = collections.namedtuple("Point", "x y")


@dataclasses.dataclass
class Layer:
    w: object
    b: float = 0.0


def test_nested_arguments():
    def f(p):
        return p["list"][0] * p["list"][1] + p["pair"].x * p["pair"].y ** 2 + np.sum(p["w"] ** 2)
    p = {"list": [2.0, 3.0], "pair": Point(1.5, 2.0), "w": np.arange(3.0)}
    g = tg.grad(f)(p)
    assert g["list"] == [3.0, 2.0] and g["pair"] == Point(4.0, 6.0) and list(g) == list(p)
    np.testing.assert_allclose(g["w"], 2.0 * p["w"])


def test_dataclass_argument():
    def f(layer, x):
        return np.sum((x @ layer.w + layer.b) ** 2)
    layer, x = Layer(np.array([1.0, 2.0]), 0.5), np.array([[1.0, 0.0], [0.0, 1.0]])
    g = tg.grad(f)(layer, x)
    assert isinstance(g, Layer)
    np.testing.assert_allclose(g.w, [3.0, 5.0])
    np.testing.assert_allclose(g.b, 8.0)
    assert layer.b == 0.5


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_dtype_in_dtype_out(dtype):
    x = np.linspace(0.1, 1.0, 4).astype(dtype)
    assert tg.grad(lambda x: np.sum(np.exp(x) / x))(x).dtype == dtype
    assert tg.jvp(lambda x: x * x, (x,), (np.ones(4),))[1].dtype == dtype
    assert tg.jacrev(lambda x: x * x)(x).dtype == dtype
    assert tg.jacfwd(lambda x: x * x)(x).dtype == dtype


@pytest.mark.parametrize("transformation", [tg.jacrev, tg.jacfwd, tg.jacobian])
def test_jacobians(transformation):
    z = np.array([0.3, 0.4])
    np.testing.assert_allclose(transformation(ring)(z), ring_jacobian(z))
    a, b = transformation(lambda a, b: a @ b, (0, 1))(np.ones((4, 3)), np.ones((3, 2)))
    assert a.shape == (4, 2, 4, 3) and b.shape == (4, 2, 3, 2)
    np.testing.assert_allclose(transformation(lambda x: 2.0 * x)(3.0), 2.0)
    np.testing.assert_allclose(transformation(lambda x: np.array([x, x * x]))(3.0), [1.0, 6.0])
    np.testing.assert_allclose(transformation(quadratic)(X), A @ X)
    assert transformation(lambda x: np.sin(x))(np.ones((2, 3))).shape == (2, 3, 2, 3)
    assert transformation(lambda x: np.sin(x))(np.ones(0)).shape == (0, 0)


@pytest.mark.parametrize("transformation", [tg.jacrev, tg.jacfwd])
def test_jacobian_of_nested_structures(transformation):
    def f(p):
        return {"sum": p["a"] + p["b"][0], "product": p["a"] * p["b"][1]}
    found = transformation(f)({"a": np.array([1.0, 2.0]), "b": (np.array([3.0, 4.0]), 5.0)})
    np.testing.assert_allclose(found["sum"]["a"], np.eye(2))
    np.testing.assert_allclose(found["product"]["a"], 5.0 * np.eye(2))
    np.testing.assert_allclose(found["product"]["b"][1], [1.0, 2.0])
    np.testing.assert_allclose(found["sum"]["b"][1], [0.0, 0.0])


def test_hessian_and_hvp():
    np.testing.assert_allclose(tg.hessian(quadratic)(X), A)
    v = np.array([1.0, 2.0, 3.0])
    (found,) = tg.hvp(quadratic, (X,), (v,))
    np.testing.assert_allclose(found, A @ v)
    (xx, xy), (yx, yy) = tg.hessian(lambda x, y: x ** 2 * y ** 3, (0, 1))(2.0, 3.0)
    assert (xx, xy, yx, yy) == (54.0, 108.0, 108.0, 72.0)
    assert tg.hessian(lambda z: z * z * z[0])(np.array([1.0, 2.0])).shape == (2, 2, 2)


def test_tangents_are_left_as_they_are():
    def f(p):
        p[0][1:] *= p[1][1:]
        return np.sum(p[0] * p[1])

    x, y = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    for make in (tuple, list):
        tangents = make((np.ones(2), np.ones(2)))
        out, dot = tg.jvp(f, (make((x.copy(), y)),), (tangents,))
        assert (out, dot) == (35.0, 3.0 + 1.0 + 16.0 + 2.0 * 2.0 * 4.0)
        assert all(np.array_equal(t, np.ones(2)) for t in tangents)


def test_jvp():
    z, v = np.array([0.3, 0.4]), np.array([1.0, -2.0])
    out, dot = tg.jvp(ring, (z,), (v,))
    np.testing.assert_allclose(out, ring(z))
    np.testing.assert_allclose(dot, ring_jacobian(z) @ v)
    assert tg.jvp(product, (2.0, 3.0), (1.0, 10.0)) == (12.0, 46.0)


def test_linearize():
    z = np.array([0.3, 0.4])
    out, f_dot = tg.linearize(ring, z)
    np.testing.assert_allclose(out, ring(z))
    for v in np.eye(2):
        np.testing.assert_allclose(f_dot(v), ring_jacobian(z) @ v)


def test_vjp():
    z = np.array([0.3, 0.4])
    out, pullback = tg.vjp(ring, z)
    np.testing.assert_allclose(out, ring(z))
    for row, expected in zip(np.eye(3), ring_jacobian(z)):
        (found,) = pullback(row)
        np.testing.assert_allclose(found, expected)
    assert tg.vjp(product, 2.0, 3.0)[1](10.0) == (60.0, 40.0)


def test_pullback_of_structures():
    def f(a, b):
        return {"s": a + b, "p": (a * b, a)}
    _, pullback = tg.vjp(f, 2.0, 3.0)
    assert pullback({"s": 1.0, "p": (10.0, 100.0)}) == (131.0, 21.0)


def test_compile_runs_the_function_itself():
    f = tg.compile(product)
    assert f(2.0, 3.0) == 12.0 and "def " in f.source


def test_stop_gradient():
    assert tg.grad(lambda x: x * tg.stop_gradient(x * x))(3.0) == 9.0
    assert tg.stop_gradient("x") == "x"


@pytest.mark.parametrize("nested, expected", [
    (lambda f: tg.grad(tg.grad(f)), 24.0), (lambda f: tg.grad(tg.grad(tg.grad(f))), 24.0), (lambda f: tg.jacfwd(tg.grad(f)), 24.0),
    (lambda f: tg.grad(tg.jacfwd(f)), 24.0), (lambda f: tg.jacrev(tg.jacfwd(f)), 24.0), (lambda f: tg.hessian(f), 24.0),
    (lambda f: tg.grad(tg.compile(f)), 32.0), (lambda f: tg.compile(tg.grad(f)), 32.0),
    (lambda f: lambda x: tg.jvp(tg.grad(f), (x,), (1.0,))[1], 24.0), (lambda f: lambda x: tg.vjp(tg.grad(f), x)[1](1.0)[0], 24.0),
])
def test_nesting(nested, expected):
    def fourth(x):
        return 0.5 * x ** 4
    np.testing.assert_allclose(nested(fourth)(2.0) if expected != 32.0 else 2 * nested(fourth)(2.0), expected)


def test_nesting_of_arrays():
    def f(x):
        return np.sum(x ** 3)
    x = np.array([1.0, 2.0])
    np.testing.assert_allclose(tg.grad(lambda x: np.sum(tg.grad(f)(x)))(x), 6.0 * x)
    np.testing.assert_allclose(tg.jacrev(tg.grad(f))(x), np.diag(6.0 * x))
    third = tg.jacfwd(tg.hessian(f))(x)
    assert third.shape == (2, 2, 2) and third[0, 0, 0] == 6.0 and third[0, 1, 1] == 0.0

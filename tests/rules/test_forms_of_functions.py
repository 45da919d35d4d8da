"""Keywords and shapes of functions that are right, or refused by name."""
from __future__ import annotations

import numpy as np
import pytest
import scipy.interpolate as si
import scipy.optimize as so
import scipy.special as sp
from scipy.integrate import odeint, quad, solve_ivp

import transgrad as tg
from transgrad.testing import check_grad

RNG = np.random.default_rng(4)
ENDS, SOME = np.array([1.5, -0.5]), np.array([True, True, False])
EXACT = {"rtol": 1e-10, "atol": 1e-12}
TIMES = np.linspace(0.0, 2.0, 4)


def pull(f, at):
    value, back = tg.vjp(f, at)
    return back(np.ones_like(value))[0]


def filled(a, wrap=False):
    b = a.copy()
    np.fill_diagonal(b, a[0, 0] ** 2, wrap=wrap)
    return np.sum(b ** 2)


def masked(a):
    b = a.copy()
    np.putmask(b, np.array([True, False, True, False]), ENDS)
    return np.sum(b ** 2)


def reduced(x):
    return sum(np.sum(np.sin(u.reduceat(x, np.array([0, 3, 1, 5])))) for u in (np.add, np.multiply, np.maximum))


REAL = [
    (lambda a: filled(a, True), (RNG.normal(size=(5, 2)),)), (filled, (RNG.normal(size=(3, 4)),)), (masked, (RNG.normal(size=(2, 2)),)),
    (lambda v: np.sum(np.pad(v, (2, 1), constant_values=ENDS) ** 2), (RNG.normal(size=2),)),
    (lambda e: np.sum(np.pad(np.zeros((2, 3)), ((1, 2), (2, 1)), constant_values=e) ** 2), (RNG.normal(size=(2, 2)),)),
    (lambda a: np.sum(np.take_along_axis(a, np.array([[0, 1], [1, 1]]), axis=1) ** 2), (np.array([[1.0, 2.0]]),)),
    (lambda y, t, h: np.sum(np.gradient(y, t, edge_order=2) ** 2) + np.sum(np.gradient(y, h) ** 3), (
        RNG.normal(size=5), np.array([0.0, 0.4, 0.9, 1.7, 2.0]), 0.3)),
    (lambda a: np.sum(a[:2, :2] @ np.gradient(a, 0.5, 2.0)[1][:2]), (RNG.normal(size=(3, 4)),)),
    (reduced, (RNG.normal(size=7),)),
    (lambda y: si.CubicSpline(np.arange(3.0), y)(0.7) + 0.0, (RNG.normal(size=3),)),
    (lambda y: si.CubicSpline(np.arange(2.0), y)(0.7) + 0.0, (RNG.normal(size=2),)),
    (lambda x: np.sum(np.sin(x).reshape(1, 1)), (0.5,)), (lambda x: np.sum(x[0].reshape(1, 1, 1) * 2), (np.array([0.5, 1.0]),)),
    # initial-value problems and integrals
    (lambda p: np.sum(odeint(lambda y, t: [p["a"] * y[0], p["b"] * y[1] - p["a"]], [1.0, p["b"]], TIMES, **EXACT) ** 2), ({"a": 0.7, "b": 0.5},)),
    (lambda k: np.sum(solve_ivp(lambda t, y: -k * y[0], (0.0, 2.0), [1.5], t_eval=[0.5, 1.0], **EXACT).y ** 2), (0.8,)),
    (lambda k, s: np.sum(solve_ivp(lambda t, y: -k * y, (s, 2.0), np.array([1.5]), t_eval=[0.5, 1.7], **EXACT).y ** 2), (0.8, 0.1)),
    (lambda t: np.sum(odeint(lambda y, s: np.cos(s) - y, 1.0, t, **EXACT) ** 2), (np.array([0.1, 0.7, 1.1]),)),
    (lambda p: quad(lambda x: p["a"] * np.exp(-p["b"][0] * x * x), 0.0, p["b"][0])[0], ({"a": 0.7, "b": np.array([0.5])},)),
]


@pytest.mark.parametrize("k", range(len(REAL)))
def test_gradients(k):
    f, args = REAL[k]
    value, _ = tg.value_and_grad(f, argnums=tuple(range(len(args))), fallback="error")(*args)
    assert value == pytest.approx(f(*args), rel=1e-9)
    check_grad(f, args, rtol=1e-5)


def test_an_objective_of_one_element():
    def place(a):
        return so.minimize(lambda x: np.array([(x[0] - a) ** 2 + a * x[0] ** 2]), np.array([0.3])).x[0]
    assert tg.grad(place, fallback="error")(1.5) == pytest.approx(1.0 / 2.5 ** 2, rel=1e-5)


def test_values_of_forms():
    points = (np.array([0.1, 0.4, 0.8]), np.array([0.2, 0.7, 0.9]))
    for call in (lambda a: np.histogramdd((a, points[1]), bins=3)[0], lambda a: np.histogram(a * 0.0 + 2.0, bins=2)[1],
                 lambda a: np.histogramdd(np.stack((a, a ** 2, points[1]), axis=1), bins=(2, 3, 2), density=True)[0]):
        np.testing.assert_allclose(tg.jvp(call, (points[0],), (points[1],))[0], call(points[0]))


@pytest.mark.parametrize(("f", "at", "said"), [
    (lambda a: np.linalg.qr(a)[1], RNG.normal(size=(3, 5)), "more columns than rows"),
    (lambda a: np.linalg.pinv(a, hermitian=True), np.eye(2), "hermitian=True"),
    (lambda a: np.real(sp.digamma(a)), np.array([0.4 + 0.3j]), "digamma of a complex number"),
    (lambda a: np.histogram_bin_edges(a, bins="auto"), np.array([0.1, 0.4, 0.8]), "'auto'"),
])
def test_refusals(f, at, said):
    with pytest.raises(tg.TransgradError, match=said):
        pull(f, at)


def test_a_power_at_exponent_zero():
    np.testing.assert_allclose(tg.hessian(lambda v: v[0] ** v[1])(np.array([0.6, 0.0])), [[0.0, 1 / 0.6], [1 / 0.6, np.log(0.6) ** 2]])


def test_tails():
    assert tg.grad(sp.erfcx)(1e4) == pytest.approx(-5.641895750773e-9, rel=1e-11)
    assert tg.grad(sp.dawsn)(1e3) == pytest.approx(-5.0000075e-7, rel=1e-9)
    assert tg.grad(sp.log_ndtr)(-1e4) == pytest.approx(1e4 + 1e-4, rel=1e-12)
    one = np.ones(1, np.float32)
    assert tg.jvp(sp.log_ndtr, (-1e4 * one,), (one,))[1] == pytest.approx([1e4], rel=1e-6)
    assert tg.jvp(sp.erfcx, (1e4 * one,), (one,))[1] == pytest.approx([-5.6418958e-9], rel=1e-6)


def turned(v):
    return v * 1j if np.sum(v) > 0 else v


def test_complex_numbers():
    for z in (1 + 1j, np.complex128(1 + 1j), np.array(1 + 1j)):
        assert tg.grad(lambda z: np.real((2 + 3j) * z))(z) == 2 - 3j
        assert tg.grad(lambda z: 2.0 * np.real(z) + 3.0 * np.imag(z))(z) == 2 + 3j
    assert tg.vjp(turned, np.array([3.0]))[1](np.array([1j]))[0] == [1.0]
    assert tg.vjp(lambda v: np.emath.sqrt(v), np.array([-4.0]))[1](np.array([1j]))[0] == [-0.25]
    assert tg.vjp(np.emath.sqrt, 4.0)[1](1.0)[0] == 0.25


def to_integers(v):
    d = np.zeros(2, dtype=np.int64)
    np.multiply(v, 2.5, out=d, casting="unsafe")
    return np.sum(d * v)


def test_integers_have_no_tangent():
    x = np.array([1.0, 2.0])
    assert tg.jvp(to_integers, (x,), (np.ones(2),))[1] == np.sum(np.array([2, 5]))
    np.testing.assert_array_equal(tg.grad(to_integers)(x), [2, 5])


def test_dtypes_and_classes():
    x, z, half = np.array([1.0, 2.0]), np.array([1 + 1e-15j]), np.array([1.0, 3.0, 2.0], np.float32)
    assert tg.grad(lambda a: np.sum(a.astype(np.float32)))(x).dtype == np.float64
    assert tg.grad(lambda a: np.sum(np.real_if_close(a)))(z).dtype == np.complex128
    assert tg.vjp(lambda a: np.real(a), z)[1](np.ones(1))[0].dtype == np.complex128
    value, gradient = tg.value_and_grad(lambda a: np.var(a, where=SOME))(half)
    assert value.dtype == gradient.dtype == np.float32
    assert type(tg.grad(lambda a: a ** 2)(np.float32(1.5))) is np.float32
    for got in (tg.vjp(lambda a: tuple(np.split(a, 2)), x)[0], *tg.jvp(lambda a: tuple(np.split(a, 2)), (x,), (x,))):
        assert type(got) is tuple

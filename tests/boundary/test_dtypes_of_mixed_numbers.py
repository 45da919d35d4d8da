"""The gradient of a number has its dtype, also where the number was in a list with numbers of another precision, or has more precision."""
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import transgrad as tg


def product(q: Any) -> Any:
    u, v = q
    return u * v


def squares(q: Any) -> Any:
    return sum(t * t for t in q)


PROGRAMS: dict[str, Callable[[Any, Any], Any]] = {
    "a list to a helper": lambda a, b: product([a, b]),
    "sum of a list": lambda a, b: sum([a, b]),
    "generator": lambda a, b: squares([a, b]),
    "np.prod": lambda a, b: np.prod([a, b]),
    "item": lambda a, b: [a, b][0] * b,
    "dict": lambda a, b: squares({"a": a, "b": b}.values()),
}
NUMBERS = {
    "float32, float": (np.float32(0.4), 0.41), "float, float32": (0.41, np.float32(0.4)), "float32, float64": (np.float32(0.4), np.float64(0.41)),
}


def dtype(x: Any) -> np.dtype:
    return np.asarray(x).dtype


@pytest.mark.parametrize("numbers", NUMBERS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_lists_of_mixed_precision(program: str, numbers: str) -> None:
    f, given = PROGRAMS[program], NUMBERS[numbers]
    wide = tuple(float(x) for x in given)
    want = [(f(wide[0] + 1e-6, wide[1]) - f(wide[0] - 1e-6, wide[1])) / 2e-6, (f(wide[0], wide[1] + 1e-6) - f(wide[0], wide[1] - 1e-6)) / 2e-6]
    y, pullback = tg.vjp(f, *given)
    assert dtype(y) == dtype(f(*given))
    for found in (tg.grad(f, argnums=(0, 1))(*given), pullback(type(y)(1.0)), tg.grad(f, argnums=(0, 1), optimize=False)(*given)):
        assert [dtype(g) for g in found] == [dtype(x) for x in given]
        np.testing.assert_allclose(np.asarray(found, float), want, rtol=1e-5)


@pytest.mark.parametrize("f", [
    lambda a: math.floor(a) * a, lambda a: math.ldexp(a, 3), lambda a: math.sin(a), lambda a: 3 * a, lambda a: float(a) * 2, lambda a: 3.0 * a * a,
])
def test_extended_precision(f: Callable[[Any], Any]) -> None:
    x = np.longdouble("1.39")
    assert type(tg.grad(f)(x)) is np.longdouble
    assert type(tg.vjp(f, x)[1](f(x))[0]) is np.longdouble
    assert dtype(tg.jacfwd(f)(x)) == dtype(tg.jacrev(f)(x)) == np.dtype(np.longdouble)


def of_mean(a: Any, b: Any) -> Any:
    return np.mean(np.real(np.vstack([a, b])))


@pytest.mark.parametrize("f", [
    of_mean, lambda a, b: np.mean(np.real(np.concatenate([a, b]))), lambda a, b: np.sum(np.real(np.hstack([a, b]))),
    lambda a, b: np.mean(np.imag(np.stack([a, b]))),
])
def test_parts_of_joined_complex_arrays(f: Callable[..., Any]) -> None:
    """A real number that a mean broadcasts is no complex one yet."""
    a, b = np.array([1 + 1j, 2.0]), np.array([0.5, 1j])
    for optimize in (True, False):
        assert [g.dtype for g in tg.grad(f, argnums=(0, 1), optimize=optimize)(a, b)] == [np.dtype(complex)] * 2


def test_squeeze_of_a_number() -> None:
    z = 1.3 + 0.2j
    assert tg.grad(lambda p: np.real(np.squeeze(p[0], axis=0) ** 2))([z]) == [np.conj(2 * z)]
    assert tg.grad(lambda x: np.squeeze(x, axis=0) ** 2)(2.0) == 4.0


@pytest.mark.parametrize("kind", [2, 3, 4])
@pytest.mark.parametrize("name", ["dst", "dct", "idst", "idct"])
@pytest.mark.parametrize("n", [1, 2, 5])
def test_short_transforms(name: str, kind: int, n: int) -> None:
    """The first element may be the last one."""
    fft = pytest.importorskip("scipy.fft")

    def f(x: Any) -> Any:
        return getattr(fft, name)(x, type=kind)

    x = np.linspace(0.5, 1.5, n)
    want = np.stack([f(e) for e in np.eye(n)], axis=1)
    np.testing.assert_allclose(tg.jacfwd(f)(x), want, atol=1e-12)
    np.testing.assert_allclose(tg.jacrev(f)(x), want, atol=1e-12)
    np.testing.assert_allclose(tg.linearize(f, x)[1](x), want @ x, atol=1e-12)


def test_legendre_functions_of_complex_numbers() -> None:
    special = pytest.importorskip("scipy.special")
    if not hasattr(special, "assoc_legendre_p_all"):
        pytest.skip("SciPy is too old")

    def f(z: complex) -> Any:
        return special.assoc_legendre_p_all(3, 2, z, diff_n=1)

    z, h = 0.08 + 0.14j, 1e-6
    y, pullback = tg.vjp(f, z)
    c = np.full(y.shape, 0.5 - 2j)
    want = np.sum(np.conj(c) * (f(z + h) - f(z - h)) / (2 * h))
    np.testing.assert_allclose(np.conj(pullback(c)[0]), want, rtol=1e-6)
    assert tg.jvp(f, (z,), (1j,))[1].dtype == complex


def test_statistics_of_complex_samples_are_refused() -> None:
    stats = pytest.importorskip("scipy.stats")
    with pytest.raises(tg.TransgradError, match="for real samples"):
        tg.vjp(lambda a: stats.tstd(a), np.array([1 + 1j, 2.0, 0.5j]))


def test_correlation_of_arrays_without_dimensions() -> None:
    signal = pytest.importorskip("scipy.signal")
    for mode in ("full", "same", "valid"):
        g = tg.grad(lambda a, b: np.sum(signal.correlate(a, b, mode=mode)), argnums=(0, 1))(np.array(1.5), np.array(2.0))
        np.testing.assert_allclose(g, (2.0, 1.5))

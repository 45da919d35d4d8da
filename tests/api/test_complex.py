"""Complex numbers: gradients by the conjugate convention, derivatives of holomorphic functions."""
from __future__ import annotations

import numpy as np
import pytest

import transgrad as tg

Z = 1.0 + 2.0j
ZS = np.array([1.0 + 2.0j, -0.5 + 0.3j])


def test_gradient_of_a_real_function_points_uphill():
    assert tg.grad(lambda z: abs(z) ** 2)(Z) == pytest.approx(2.0 * Z)
    np.testing.assert_allclose(tg.grad(lambda z: np.sum(np.abs(z) ** 2))(ZS), 2.0 * ZS)
    np.testing.assert_allclose(tg.grad(lambda z: np.sum(z.real * z.imag))(ZS), ZS.imag + 1j * ZS.real)


def test_holomorphic():
    def cube(z):
        return z ** 3
    assert tg.grad(cube, holomorphic=True)(Z) == pytest.approx(3.0 * Z ** 2)
    assert tg.value_and_grad(cube, holomorphic=True)(Z) == (Z ** 3, pytest.approx(3.0 * Z ** 2))
    for jac in (tg.jacrev, tg.jacfwd):
        np.testing.assert_allclose(jac(cube, holomorphic=True)(ZS), np.diag(3.0 * ZS ** 2))
        np.testing.assert_allclose(jac(cube, holomorphic=True)(Z), 3.0 * Z ** 2)


def test_jvp_and_vjp():
    out, dot = tg.jvp(lambda z: z ** 3, (Z,), (1.0j,))
    assert dot == pytest.approx(3.0j * Z ** 2)
    (found,) = tg.vjp(lambda z: z ** 3, Z)[1](1.0 + 0.0j)
    assert found == pytest.approx(np.conj(3.0 * Z ** 2))


def test_refused_without_holomorphic():
    with pytest.raises(TypeError, match="holomorphic"):
        tg.grad(lambda z: z * z)(Z)
    with pytest.raises(TypeError, match="the output is complex.*holomorphic"):
        tg.jacrev(lambda z: z * z)(ZS)
    with pytest.raises(TypeError, match="an argument is complex.*holomorphic"):
        tg.jacfwd(lambda z: z * z)(ZS)


def test_real_input_and_complex_output():
    np.testing.assert_allclose(tg.jacfwd(lambda x: np.exp(1j * x))(0.3), 1j * np.exp(0.3j))


def test_dtype():
    assert tg.grad(lambda z: np.sum(np.abs(z) ** 2))(ZS.astype(np.complex64)).dtype == np.complex64


def test_vjp_inside_a_function():
    def f(z):
        return abs(tg.vjp(lambda w: w ** 2, z)[1](z)[0]) ** 2       # |2 z conj(z)|^2
    step = 1e-6
    expected = (f(Z + step) - f(Z - step)) / (2 * step) + 1j * (f(Z + 1j * step) - f(Z - 1j * step)) / (2 * step)
    assert tg.grad(f)(Z) == pytest.approx(expected, rel=1e-6)


def layers(thickness, index):
    m = np.eye(2, dtype=complex)
    for j in range(len(thickness)):
        c, s = np.cos(thickness[j]), np.sin(thickness[j])
        m = m @ np.array([[c, 1j * s / index[j]], [1j * index[j] * s, c]])
    total = 0.0
    total += np.abs((m[0, 0] + m[0, 1]) / (m[1, 0] + m[1, 1])) ** 2
    return total


def test_displays_of_real_and_complex_numbers():
    given = (np.array([0.4, 0.9, 1.3]), np.array([1.5, 2.1, 1.3]))
    found = tg.grad(layers, (0, 1), fallback="error")(*given)
    for k in range(2):
        for i in range(3):
            moved = [[a.copy() for a in given] for _ in range(2)]
            moved[0][k][i] += 1e-6
            moved[1][k][i] -= 1e-6
            assert found[k][i] == pytest.approx((layers(*moved[0]) - layers(*moved[1])) / 2e-6, rel=1e-7)
    np.testing.assert_allclose(tg.jvp(layers, given, given)[1], sum(a @ g for a, g in zip(given, found)))

"""scipy.special: derivatives that differences of SciPy's own function are too coarse for, and what is refused."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.special as sp

import transgrad as tg
from transgrad.rules import lookup
from transgrad.rules.scipy.special.levels import level, state

from ..releases import since


def noncentral_f(m: float, n: float, nc: float, x: float) -> Any:
    """The distribution function as a mixture of central ones: SciPy's has four digits before 1.15."""
    j = np.arange(200.0)
    weights = np.exp(-0.5 * nc + j * np.log(0.5 * nc) - sp.gammaln(j + 1.0))
    return np.sum(weights * sp.betainc(0.5 * m + j, 0.5 * n, m * x / (m * x + n)))


@pytest.mark.parametrize(("inverse", "place"), [(sp.ncfdtridfn, 0), (sp.ncfdtridfd, 1), (sp.ncfdtrinc, 2), (sp.ncfdtri, 3)])
def test_inverses_of_the_noncentral_f_distribution(inverse: Any, place: int) -> None:
    """SciPy solves for them to a few digits: the derivative is that of the equation, by differences of the distribution function."""
    found = [2.3, 3.7, 1.1, 1.6]
    rule = lookup(inverse)
    assert rule is not None
    p = noncentral_f(*found)
    np.testing.assert_allclose(sp.ncfdtr(*found), p, rtol=1e-4)
    given = [p if k == place else v for k, v in enumerate(found)]
    got = rule.pullback(1.0, found[place], given)
    h = 1e-5
    slopes = [(noncentral_f(*[v + h * (n == k) for n, v in enumerate(found)]) - noncentral_f(*[v - h * (n == k) for n, v in enumerate(found)]))
              / (2 * h) for k in range(4)]
    want = [1.0 / slopes[place] if k == place else -s / slopes[place] for k, s in enumerate(slopes)]
    np.testing.assert_allclose(got, want, rtol=1e-6)


@pytest.mark.parametrize("q", (-9.0, -1.3, 0.0, 0.3, 15.0))
def test_levels_are_scipys(q: float) -> None:
    for n in range(7):
        np.testing.assert_allclose(level("even", 0, n, q, 0), sp.mathieu_a(n, q), rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(level("odd", 0, n + 1, q, 0), sp.mathieu_b(n + 1, q), rtol=1e-9, atol=1e-9)
        if q >= 0.0:
            np.testing.assert_allclose([state("even", n, q, 0.6, 0, bend) for bend in (0, 1)], sp.mathieu_cem(n, q, np.degrees(0.6)), atol=1e-7)
            np.testing.assert_allclose([state("odd", n + 1, q, 0.6, 0, bend) for bend in (0, 1)], sp.mathieu_sem(n + 1, q, np.degrees(0.6)),
                                       atol=1e-7)
    for m in range(3):
        for n in range(m, m + 4):
            np.testing.assert_allclose(level("spheroidal", m, n, q, 0), sp.pro_cv(m, n, q ** 0.5) if q >= 0 else sp.obl_cv(m, n, (-q) ** 0.5),
                                       rtol=1e-7, atol=1e-7)


@since("SciPy 1.15")
def test_third_derivative_of_a_spherical_harmonic() -> None:
    """Beyond what SciPy computes: by the differential equation."""
    def value(x: float) -> Any:
        return np.sum(sp.sph_legendre_p(4, 2, x))
    third = tg.grad(tg.grad(tg.grad(value)))(0.7)
    h = 1e-3
    second = [sp.sph_legendre_p(4, 2, 0.7 + s * h, diff_n=2)[2] for s in (1, -1)]
    np.testing.assert_allclose(third, (second[0] - second[1]) / (2 * h), rtol=1e-5)


def test_sequences_of_negative_orders_are_refused() -> None:
    with pytest.raises((TypeError, tg.TransgradError), match="negative orders"):
        tg.grad(lambda x: np.sum(sp.pbdv_seq(-2.5, x)[0]), fallback="error")(0.3)

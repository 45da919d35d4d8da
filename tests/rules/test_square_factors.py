"""Singular vectors with ``full_matrices``, of which only a run tells whether some were added."""
import numpy as np
import pytest
import scipy.linalg

import transgrad as tg

P, Q, V = np.random.default_rng(0).normal(size=(3, 5, 3))


def kabsch(p, svd):
    """The distance of two clouds of points after the best rotation."""
    u, s, vh = svd(p.T @ Q)
    return np.sum((p @ (u @ vh) - Q) ** 2) + np.sum(s * np.arange(3.0))


@pytest.mark.parametrize("svd", [np.linalg.svd, scipy.linalg.svd])
@pytest.mark.parametrize("fallback", ["error", "tape"])
def test_of_square_matrices(svd, fallback):
    def f(p):
        return kabsch(p, svd)
    step = 1e-6
    got = np.sum(tg.grad(f, fallback=fallback)(P) * V)
    assert got == pytest.approx((f(P + step * V) - f(P - step * V)) / (2 * step))
    assert tg.jvp(f, (P,), (V,))[1] == pytest.approx(got)


@pytest.mark.parametrize("f", [lambda p: np.linalg.svd(p)[2][0, 1] ** 2, lambda p: np.linalg.svd(p.T)[0][0, 1] ** 2,
                               lambda p: np.linalg.svd(p[:2])[0][0, 1] ** 2 * np.linalg.svd(p[:2])[1][0]])
def test_vectors_that_were_added_beside_those_that_are_used(f):
    """The main axes of points, as packages compute them."""
    step = 1e-6
    np.testing.assert_allclose(np.sum(tg.grad(f, fallback="error")(P) * V), (f(P + step * V) - f(P - step * V)) / (2 * step), rtol=1e-7)


@pytest.mark.parametrize("f", [lambda p: np.linalg.svd(p)[0][0, 4], lambda p: np.linalg.svd(p[:1])[2][0, 1]])
def test_vectors_that_were_added_are_refused(f):
    with pytest.raises(NotImplementedError, match="pass full_matrices=False"):
        tg.grad(f)(P)
    with pytest.raises(NotImplementedError, match="pass full_matrices=False"):
        tg.jvp(f, (P,), (V,))


def test_the_values_alone():
    np.testing.assert_allclose(tg.grad(lambda p: np.sum(np.linalg.svd(p)[1]))(P),
                               tg.grad(lambda p: np.sum(np.linalg.svd(p, full_matrices=False)[1]))(P))


@pytest.mark.parametrize("of", [lambda a: np.linalg.pinv(a, 0.6), lambda a: np.linalg.pinv(a, rtol=0.6), lambda a: scipy.linalg.pinv(a, atol=1.4),
                                lambda a: np.linalg.lstsq(a, np.eye(5), rcond=0.6)[0]])
def test_what_a_pseudo_inverse_leaves_out_has_to_be_zero(of):
    a = P * [3.0, 1.0, 0.2]
    for derivative in (lambda: tg.grad(lambda a: np.sum(of(a)))(a), lambda: tg.jvp(lambda a: np.sum(of(a)), (a,), (V,))):
        with pytest.raises(NotImplementedError, match="nonzero singular values were discarded"):
            derivative()
    thin = np.outer(np.arange(1.0, 6.0), [1.0, -2.0, 0.5])       # of rank 1: what is left out is rounding
    assert np.all(np.isfinite(tg.grad(lambda a: np.sum(of(a * thin)))(1.0)))


def test_what_is_left_out_by_hand():
    def f(a):
        u, s, vh = np.linalg.svd(a, full_matrices=False)
        return np.sum((vh.T[:, :1] / s[:1] @ u.T[:1]) * np.arange(15.0).reshape(3, 5))
    step = 1e-6
    assert np.sum(tg.grad(f)(P) * V) == pytest.approx((f(P + step * V) - f(P - step * V)) / (2 * step), rel=1e-6)

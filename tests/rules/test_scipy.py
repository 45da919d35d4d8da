"""SciPy in whole functions: objects made inside them, functions given to solvers, loading."""
from __future__ import annotations

import subprocess
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.interpolate
import scipy.sparse.linalg
import scipy.stats as st

import transgrad as tg
from transgrad.rules import definition_of
from transgrad.testing import check_grad

from ..releases import since

X = np.array([0.3, 0.9, 1.4])


def by_keywords(mu: float, sigma: float) -> float:
    return np.sum(st.norm.logpdf(X, loc=mu, scale=sigma))


def by_frozen(mu: float, sigma: float) -> float:
    d = st.norm(mu, scale=sigma)
    return np.sum(d.cdf(X) * d.pdf(X))


def test_parameters_by_keyword() -> None:
    check_grad(by_keywords, (0.2, 1.3))
    check_grad(tg.grad(by_keywords), (0.2, 1.3))


def test_frozen_distribution() -> None:
    check_grad(by_frozen, (0.2, 1.3))


A = scipy.sparse.csc_array(np.array([[4.0, 1.0, 0.0], [0.0, 3.0, 1.0], [1.0, 0.0, 5.0]]))


def test_sparse_matrices() -> None:
    check_grad(lambda b: np.sum(scipy.sparse.linalg.spsolve(A, b) ** 2), (X,))
    check_grad(lambda x: np.sum((A @ x) ** 2), (X,))


def test_import_loads_no_scipy() -> None:
    code = "import sys, transgrad; transgrad.grad; assert not any(m.split('.')[0] == 'scipy' for m in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_text_calls_public_names() -> None:
    assert "scipy.stats.norm.pdf(" in tg.grad(by_frozen).source_for(0.2, 1.3)


def test_what_has_no_derivative_says_so() -> None:
    for f, words in (
        (lambda x: st.levy_stable.logpdf(x, 1.5, 0.0)[0], "by an integral"),
        (lambda x: st.binom.logpmf(2, x[0], 0.3), "argument 1"),
        (lambda x: st.poisson.rvs(x[0]) * x[0], "a draw is a constant"),
    ):
        with pytest.raises(tg.UnsupportedCall, match=words):
            tg.grad(f, fallback="error")(X)


def of_each_row(x: np.ndarray) -> float:
    return np.sum(st.lmoment(np.stack([x, x[::-1]]), axis=1, nan_policy="omit"))


def smoothed(x: np.ndarray) -> float:
    return scipy.interpolate.UnivariateSpline(x, x * x, s=2.0)(1.0)


def other_method(x: np.ndarray) -> float:
    return np.sum(st.pearsonr(x, x[::-1], method=st.PermutationMethod()).statistic)


@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
@pytest.mark.parametrize("fallback", ["error", "tape"])
@pytest.mark.parametrize(("f", "words"), [
    pytest.param(of_each_row, "nan_policy='omit' has a derivative for one series",
                 marks=since("SciPy 1.15")),
    (smoothed, "pass s=0"), (other_method, "'method'")])
def test_refused_options_say_where_and_what(f: Callable[..., float], words: str, fallback: str) -> None:
    with pytest.raises(tg.UnsupportedCall, match=words) as caught:
        tg.grad(f, fallback=fallback)(X)
    assert caught.value.filename == __file__
    assert caught.value.lineno == f.__code__.co_firstlineno + 1
    assert "Hint: " in str(caught.value)


def frozen(a: float, loc: float, scale: float) -> float:
    d = st.gamma(a, loc, scale=scale)
    mean, var = d.stats()
    low, high = d.interval(0.9)
    figures = d.mean() * d.var() + d.std() * d.median() + d.entropy() + d.moment(3) + mean * var
    return figures + low * high + d.support()[0] + d.expect(lambda x: np.sqrt(x - loc) * scale)


def frozen_counts(mu: float, loc: float) -> float:
    d = st.poisson(mu, loc=loc)
    return d.mean() * d.var() + d.std() + d.median() + d.entropy() + d.moment(3) + d.expect(lambda k: np.sqrt(k + loc + 1.0))


def test_frozen_figures() -> None:
    check_grad(frozen, (1.7, 0.2, 1.2))
    check_grad(frozen_counts, (1.7, 2.0))


def test_two_draws_are_two() -> None:
    def gap(mu: float, sigma: float) -> float:
        return (st.norm.rvs(mu, sigma) - st.norm.rvs(mu, sigma)) ** 2
    assert tg.grad(gap, argnums=1, fallback="error")(0.3, 1.2) > 0.0


@pytest.mark.parametrize(("fn", "options"), [
    (st.boxcox_normmax, {"method": "mle"}), (st.boxcox_normmax, {}), (st.yeojohnson_normmax, {}), (st.boxcox, {}), (st.yeojohnson, {})])
def test_exponents_of_power_transforms(fn: Callable[..., Any], options: dict[str, Any]) -> None:
    """SciPy searches them to eight digits; the equation that they solve is met to all, and is what differences are taken of."""
    x = np.array([0.4, 1.7, 0.9, 2.6, 3.1, 1.2, 0.7, 2.2])
    exact = definition_of(fn)
    assert exact is not None

    def total(x: Any) -> Any:
        found = fn(x, **options)
        return found[1] + np.sum(found[0]) if isinstance(found, tuple) else found

    def total_of_exact(x: Any) -> Any:
        found = exact(x, **options)
        return found[1] + np.sum(found[0]) if isinstance(found, tuple) else found
    np.testing.assert_allclose(total_of_exact(x), total(x), rtol=1e-6)
    check_grad(total_of_exact, (x,))
    np.testing.assert_allclose(tg.grad(total, fallback="error")(x), tg.grad(total_of_exact, fallback="error")(x), rtol=1e-12)


def test_missing_numbers_are_constant() -> None:
    """What is missing has derivative 0, and a row without a number the value that SciPy gives it."""
    rows = np.array([[1.0, 2.0, np.nan, 4.0], [np.nan] * 4, [0.5, np.nan, 3.0, 2.0]])

    def standardized(x: np.ndarray) -> float:
        return np.nansum(np.array([1.0, -2.0, 0.5, 3.0]) * st.zscore(x, axis=1, nan_policy="omit"))

    def means(x: np.ndarray) -> np.ndarray:
        return st.gmean(x, axis=1, nan_policy="omit")
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_grad(standardized, (rows[[0, 2]],))
        jacobian = tg.jacrev(means, fallback="error")(rows)
        np.testing.assert_allclose(means(rows), [2.0, np.nan, 3.0 ** (1 / 3)])
    want = np.zeros((3, 3, 4))
    want[0, 0], want[2, 2] = [2 / 3, 1 / 3, 0, 1 / 6], [3 ** (1 / 3) / 1.5, 0, 3 ** (1 / 3) / 9, 3 ** (1 / 3) / 6]
    np.testing.assert_allclose(jacobian, want)


def test_missing_numbers_that_raise() -> None:
    def spread(x: np.ndarray) -> float:
        return st.sem(x, nan_policy="raise")
    check_grad(spread, (np.array([1.0, 2.0, 4.0]),))
    with pytest.raises(ValueError, match="nan"):
        tg.grad(spread, fallback="error")(np.array([1.0, np.nan, 4.0]))

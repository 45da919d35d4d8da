"""The results of SciPy's and NumPy's functions with several parts keep their class, or are refused where they leave a derivative."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import transgrad as tg

st = pytest.importorskip("scipy.stats")
X = np.array([0.1, 0.5, 1.2, 3.0, 2.2, 0.7, 1.9, -0.4, 0.33, 2.9])
SQUARE = np.array([[2.0, 0.3, 0.1], [0.4, 1.0, -0.2], [0.2, 0.5, 3.0]])

KEPT: dict[str, tuple[Callable[..., Any], np.ndarray]] = {
    "describe": (lambda a: st.describe(a), X),
    "f_oneway": (lambda a: st.f_oneway(a, a**2), X),
    "jarque_bera": (lambda a: st.jarque_bera(a), X),
    "combine_pvalues": (lambda a: st.combine_pvalues(a / 10 + 0.1), X),
    "combine_pvalues of a number": (lambda a: st.combine_pvalues(a[0], "fisher"), X),
    "bartlett": (lambda a: st.bartlett(a, a**2, nan_policy="omit"), X),
    "power_divergence": (lambda a: st.power_divergence(a**2 + 0.1), X),
    "skewtest": (lambda a: st.skewtest(a), X),
    "theilslopes": (lambda a: st.theilslopes(a, a**3), X),
    "relfreq": (lambda a: st.relfreq(a, 4), X),
    "sigmaclip": (lambda a: st.sigmaclip(a), X),
    "eig": (lambda a: np.linalg.eig(a), SQUARE),
    "eigh": (lambda a: np.linalg.eigh(a + a.T), SQUARE),
    "svd": (lambda a: np.linalg.svd(a), SQUARE),
}
REFUSED: dict[str, Callable[..., Any]] = {
    "ttest_1samp": lambda a: st.ttest_1samp(a, 0.2),
    "linregress": lambda a: st.linregress(a, a**2),
    "pearsonr in a dict": lambda a: {"r": [st.pearsonr(a, a**2)]},
    "cramervonmises": lambda a: st.cramervonmises(a, "norm"),
}


def classes(x: Any) -> Any:
    """The classes of the tuples in a value."""
    return (type(x), *map(classes, x)) if isinstance(x, tuple) else None


@pytest.mark.parametrize("name", KEPT)
def test_class(name: str) -> None:
    f, x = KEPT[name]
    want = classes(f(x))
    assert classes(tg.vjp(f, x)[0]) == want
    value, tangent = tg.jvp(f, (x,), (np.ones_like(x),))
    assert classes(value) == classes(tangent) == want
    value, along = tg.linearize(f, x)
    assert classes(value) == classes(along(np.ones_like(x))) == want
    for a, b in zip(value, f(x)):
        np.testing.assert_allclose(np.asarray(a, dtype=complex), np.asarray(b, dtype=complex), rtol=1e-9)


@pytest.mark.parametrize("name", KEPT)
def test_class_of_batches_and_jacobians(name: str) -> None:
    f, x = KEPT[name]
    if name in ("sigmaclip", "eig"):
        pytest.skip("of a length, or a dtype, that depends on the values")
    assert classes(tg.vmap(f)(np.stack([x, x])))[0] is type(f(x))
    if name not in ("describe", "relfreq"):        # which return integers, too
        assert type(tg.jacfwd(f)(x)) is type(f(x))


def test_items_by_name() -> None:
    np.testing.assert_allclose(tg.grad(lambda a: np.sum(np.real(np.linalg.eig(a).eigenvalues)))(SQUARE), np.eye(3), atol=1e-12)
    g = tg.grad(lambda a: st.ttest_1samp(a, 0.2).statistic)(X)
    h = 1e-6 * np.eye(len(X))
    want = [(st.ttest_1samp(X + e, 0.2).statistic - st.ttest_1samp(X - e, 0.2).statistic) / 2e-6 for e in h]
    np.testing.assert_allclose(g, want, rtol=1e-6)


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("how", ["vjp", "jvp", "linearize", "jacfwd", "vmap"])
def test_refused_as_a_whole(name: str, how: str) -> None:
    """SciPy's class holds more than the items: no other class takes its place, neither compiled nor on the tape."""
    f = REFUSED[name]
    calls: dict[str, Callable[[], Any]] = {
        "vjp": lambda: tg.vjp(f, X), "jvp": lambda: tg.jvp(f, (X,), (X,)), "linearize": lambda: tg.linearize(f, X),
        "jacfwd": lambda: tg.jacfwd(f)(X), "vmap": lambda: tg.vmap(f)(np.stack([X, X])),
    }
    with pytest.raises(tg.UnsupportedCall, match=r"of SciPy is returned, for which transgrad has a class of its own(.|\n)*Hint: return"):
        calls[how]()


def test_attributes_that_are_no_items_are_refused() -> None:
    with pytest.raises(tg.UnsupportedCall, match="the attribute 'df' of a TtestResult"):
        tg.grad(lambda a: np.sum(a) * st.ttest_1samp(a, 0.2).df)(X)

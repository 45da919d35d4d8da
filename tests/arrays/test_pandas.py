"""Series and data frames as arguments: values are pandas' own, and gradients come back with index, columns and names."""
from __future__ import annotations

import pickle

import numpy as np
import pytest

import transgrad as tg

pd = pytest.importorskip("pandas")

from .labelled import check

INDEX = pd.Index(list("abcde"), name="patient")
S = pd.Series([0.1, 0.5, 1.0, 2.0, 1.5], index=INDEX, name="dose")
T = pd.Series([1.0, 0.2, 0.4, 0.3, 2.0], index=INDEX)
GAPS = pd.Series([0.1, np.nan, 1.0, 2.0, np.nan], index=INDEX)
F = pd.DataFrame({"dose": S, "response": T, "weight": S * T + 0.3})
G = pd.DataFrame({"dose": T, "response": S, "weight": T})
W = np.array([0.3, -0.2, 0.7])
P = np.array([1.2, 0.8])

OF_SERIES = {
    "sum": lambda s, t: (s ** 2).sum(),
    "arithmetic": lambda s, t: ((2.0 * s - 1.0) / (s + 3.0) - 1.0 / (s + 2.0)).sum(),
    "two_series": lambda s, t: (s * t - s / t + t ** s).sum(),
    "functions": lambda s, t: np.sum(np.exp(s) * np.sin(s)),
    "maximum": lambda s, t: np.sum(np.maximum(0.4, s) + np.minimum(s, t)),
    "mean": lambda s, t: s.mean() * s.max() - s.min(),
    "std": lambda s, t: s.std() + s.var(),
    "numpy_std": lambda s, t: np.std(s) + np.var(s, ddof=1),
    "prod": lambda s, t: s.prod(),
    "dot": lambda s, t: s @ t + s.dot(s),
    "standardized": lambda s, t: (((s - s.mean()) / s.std()) ** 3).sum(),
    "cumulative": lambda s, t: (s.cumsum() ** 2).sum(),
    "clip": lambda s, t: (s.clip(0.3, 1.2) ** 2).sum(),
    "absolute": lambda s, t: abs(s - 0.7).sum() + (s - 0.3).abs().sum(),
    "to_numpy": lambda s, t: np.sum(s.to_numpy()[1:] * s.values[:-1]),
    "norm": lambda s, t: np.linalg.norm(s),
    "length": lambda s, t: s.sum() / len(s) * s.size,
    "powers": lambda s, t: (s ** 1.5 + 2.0 ** s).sum(),
}
OF_FRAMES = {
    "column": lambda f, g: (f["dose"] * f["response"]).sum(),
    "attribute": lambda f, g: (f.dose ** 2 - f.weight).sum(),
    "columns": lambda f, g: (f[["dose", "weight"]] ** 2).sum().sum(),
    "means": lambda f, g: (f.mean() ** 2).sum(),
    "rows": lambda f, g: (f.sum(axis=1) ** 2).sum(),
    "all": lambda f, g: (f.mean(axis=1) * f.dose).sum() + f.std().sum(),
    "scaled": lambda f, g: ((f * 2.0 - 1.0) ** 2).sum().sum(),
    "two_frames": lambda f, g: (f * g + f / (g + 1.0)).sum().sum(),
    "functions": lambda f, g: np.exp(f * 0.1).sum().sum() + np.sin(f).mean().sum(),
    "product": lambda f, g: ((f.to_numpy() @ W) ** 2).sum(),
    "product_by_operator": lambda f, g: ((f @ W) ** 2).sum(),
    "shape": lambda f, g: f.sum().sum() / (f.shape[0] * f.shape[1]) * len(f),
    "negated": lambda f, g: (-f + 1.0).max().sum() + (1.0 - f).min().sum(),
    "regression": lambda f, g: ((f.response - 0.3 * f.dose - 0.1) ** 2).mean(),
}


def _cases(functions, argument):
    return [pytest.param(fn, argument, id=name, marks=[pytest.mark.slow] if k % 3 else []) for k, (name, fn) in enumerate(functions.items())]


@pytest.mark.parametrize(("fn", "s"), _cases(OF_SERIES, S))
def test_series(fn, s):
    gradient = check(fn, s, T)
    assert gradient.index.identical(s.index) and gradient.name == s.name and gradient.dtype == np.float64


@pytest.mark.parametrize(("fn", "f"), _cases(OF_FRAMES, F))
def test_frames(fn, f):
    gradient = check(fn, f, G)
    assert gradient.index.identical(f.index) and gradient.columns.identical(f.columns)


def test_missing_values_are_left_out():
    gradient = check(lambda s: (s ** 2).sum() + s.mean(), GAPS)
    np.testing.assert_array_equal(gradient.to_numpy()[[1, 4]], 0.0)


def test_parameters_beside_a_frame():
    def misfit(p, frame):
        return ((p[0] * frame["dose"] / (p[1] + frame["dose"]) - frame["response"]) ** 2).sum()

    def of_arrays(p, dose, response):
        return np.sum((p[0] * dose / (p[1] + dose) - response) ** 2)

    expected = tg.grad(of_arrays)(P, F.dose.to_numpy(), F.response.to_numpy())
    found = tg.grad(misfit)(P, F)
    assert type(found) is np.ndarray
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    both = tg.grad(misfit, argnums=(0, 1))(P, F)
    assert isinstance(both[1], pd.DataFrame) and list(both[1].columns) == list(F.columns)


def test_a_new_index_is_looked_at_again():
    def f(s, t):
        return (s * t).sum()

    gradient = tg.grad(f)
    assert list(gradient(S, T).index) == list(INDEX)
    with pytest.raises(TypeError, match="aligns the indexes"):
        gradient(S, T[::-1])
    with pytest.raises(TypeError, match="aligns the indexes"):
        gradient(S, T.reset_index(drop=True))
    np.testing.assert_allclose(gradient(S, T), T)


@pytest.mark.parametrize(("fn", "name"), [
    (lambda s: s.shift(1).sum(), "Series.shift"), (lambda s: s.iloc[1:].sum(), "Series.iloc"), (lambda s: s.diff().sum(), "Series.diff"),
    (lambda s: s.rolling(2).mean().sum(), "Series.rolling"), (lambda s: s.loc["a"], "Series.loc")])
def test_operations_on_labels_are_refused(fn, name):
    with pytest.raises(tg.UnsupportedCall, match=name):
        tg.grad(fn)(S)


def test_text_columns_are_refused():
    with pytest.raises(TypeError, match="the column 'name' has dtype"):
        tg.grad(lambda f: f["dose"].sum())(F.assign(name="x"))


def test_vjp_jvp_and_hvp():
    value, pullback = tg.vjp(lambda s: np.sin(s) * 2.0, S)
    assert isinstance(value, pd.Series) and value.index.identical(S.index)
    (gradient,) = pullback(T)
    pd.testing.assert_series_equal(gradient, (2.0 * np.cos(S) * T).rename("dose"))
    value, dot = tg.jvp(lambda s: (s ** 3).sum(), (S,), (T,))
    np.testing.assert_allclose(dot, (3 * S ** 2 * T).sum())
    (product,) = tg.hvp(lambda s: (s ** 3).sum(), (S,), (T,))
    np.testing.assert_allclose(product, 6 * S * T)
    assert product.index.identical(S.index)


@pytest.mark.parametrize(("fn", "expected"), [
    (lambda w: np.sum(S.values * w), 5.1), (lambda w: np.sum(S.to_numpy() * w), 5.1), (lambda w: np.sum(F["dose"].to_numpy() * w), 5.1),
    (lambda w: np.sum(np.asarray(S) * w), 5.1), (lambda w: w * len(S), 5.0), (lambda w: w * float(S.sum()), 5.1),
    (lambda w: w * F.shape[1], 3.0)])
def test_arrays_of_constants(fn, expected):
    """A labelled object from an enclosing scope gives arrays and numbers; its class is not compiled."""
    np.testing.assert_allclose(tg.grad(fn, fallback="error")(2.0), expected)


ORDERED, REVERSED = pd.Series([1.0, 2.0, 3.0], index=list("abc"), name="w"), pd.Series([3.0, 2.0, 1.0], index=list("cba"))


def test_the_other_transformations() -> None:
    frame = pd.DataFrame({"u": [1.0, 2.0, 3.0], "v": [4.0, 5.0, 6.0]}, index=list("abc"))

    def product(d):
        return d["u"] * d["v"] ** 2

    def total(d):
        return product(d).sum()
    want = frame["u"] * frame["v"] ** 2 + 2 * frame["u"] * frame["v"] * frame["v"]
    value, along = tg.linearize(product, frame)
    pd.testing.assert_series_equal(value, product(frame), check_names=False)
    for found in (along(frame), tg.jvp(product, (frame,), (frame,))[1]):
        pd.testing.assert_series_equal(found, want, check_names=False)
    found, = tg.hvp(total, (frame,), (frame,))
    pd.testing.assert_frame_equal(found, pd.DataFrame({"u": 2 * frame["v"] ** 2, "v": 4 * frame["u"] * frame["v"]}))
    value, pullback = tg.vjp(product, frame)
    pd.testing.assert_frame_equal(pullback(np.ones(3))[0], tg.grad(total)(frame))
    pd.testing.assert_frame_equal(pickle.loads(pickle.dumps(pullback))(value)[0], pullback(value)[0])
    np.testing.assert_allclose(tg.jacobian(lambda w, d: w * d["u"].to_numpy())(np.ones(3), frame), np.diag(frame["u"]))
    for make in (tg.jacobian, tg.jacfwd, tg.hessian, tg.vmap):
        with pytest.raises(TypeError, match="argument( d)? is a DataFrame, and the result would have no labels"):
            make(total)(frame)
    with pytest.raises(TypeError, match="the result is a Series, and"):
        tg.jacobian(lambda w, d: d["u"] * w)(2.0, frame)


@pytest.mark.parametrize("call", [lambda f: tg.jvp(f, (ORDERED,), (REVERSED,)),
                                  lambda f: tg.hvp(lambda s: f(s).sum(), (ORDERED,), (REVERSED,)),
                                  lambda f: tg.vjp(f, ORDERED)[1](REVERSED), lambda f: tg.linearize(f, ORDERED)[1](REVERSED)])
def test_tangents_with_other_labels_are_refused(call) -> None:
    with pytest.raises(ValueError, match="has other labels than its value, or has them in another order"):
        call(lambda s: s ** 3)

"""Programs on labeled arguments in which arrays would mean something else: computed as pandas and xarray do, or refused."""
from __future__ import annotations

import numpy as np
import pytest

import transgrad as tg
from transgrad.rules import labelled as stand_ins
from transgrad.rules.labelled.refusals import SPECIAL

pd = pytest.importorskip("pandas")
xr = pytest.importorskip("xarray")

S = pd.Series([1.0, 2.0, 0.5, 3.0], index=list("wxyz"), name="v")
GAPS = S.where(S != 2.0)
F = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.5], "b": [0.5, -1.0, 2.0, 0.1], "c": [2.1, 1.0, 1.5, 3.0]})
HOLES = F.where(F > 0.3)
X = xr.DataArray(np.random.default_rng(1).uniform(0.2, 1.5, (3, 4)), dims=("t", "x"), coords={"t": [1.0, 2.0, 4.0], "x": list("abcd")})
ONE = X.isel(t=slice(0, 1))


def branch_on_class(s):
    if isinstance(s, pd.Series):
        return (s ** 2).sum()
    return np.sum(np.asarray(s))


def branch_on_attribute(d):
    return d.sum().sum() if hasattr(d, "columns") else (d * d).sum()


def second_name(s):
    t = s
    t += 1.0
    return (s ** 2).sum()


def columns_in_place(d):
    d["a"] = d["a"] ** 2
    return d["a"].sum()


def element(x):
    y = x * 1.0
    y[0] = 3.0
    return (y ** 2).sum()


def view(x):
    y = x * 1.0
    y.isel(t=0).values[0] = 1.0
    return (y ** 2).sum()


def not_compiled(s):
    exec("q = 2")
    return (s ** 2).sum() * (3.0 if isinstance(s, pd.Series) else 1.0)


COMPUTED = [
    ("cumsum of gaps", GAPS, lambda s: s.cumsum().sum()), ("np.cumsum of gaps", GAPS, lambda s: (np.cumsum(s) ** 2).sum()),
    ("with gaps", GAPS, lambda s: (s * s).mean() + (s - s.mean()).abs().max() + s.std()), ("fillna", GAPS, lambda s: (s.fillna(s.mean()) ** 2).sum()),
    ("skipna", S, lambda s: s.sum(skipna=False) ** 2), ("count", GAPS, lambda s: s.sum() ** 2 / s.count()),
    ("comparisons", S, lambda s: (s * ((s > 0.7) & (s <= 2.2) | ~(s < 2.5))).sum()), ("where", S, lambda s: (s.where(s > 0.7, 0.1) * s.mask(s > 2.2)).sum()),
    ("selected", S, lambda s: ((s[s > 0.7] - s.mean()) ** 2).mean()), ("iterated", S, lambda s: sum(v * v for v in s)),
    ("list", S, lambda s: sum(list(s)) ** 2), ("clip by a series", S, lambda s: s.clip(lower=s.mean(), upper=s.abs() * 0.9).sum()),
    ("clip by swapped limits", S, lambda s: (s.clip(2.2, 0.7) ** 2).sum()), ("class", S, branch_on_class), ("copy", S, lambda s: s.copy().pow(2).sum()),
    ("np.where", S, lambda s: np.where(s > 0.7, s, 0.0).sum()), ("np.stack", S, lambda s: (np.stack([s, s * 2.0]) ** 2).sum()),
    ("np.median", S, lambda s: np.median(s)), ("np.dot", S, lambda s: np.dot(s, s)), ("array beside", S, lambda s: (np.arange(4.0) / s).sum()),
    ("standardized", F, lambda d: (((d - d.mean()) / d.std()) ** 3).sum().sum()), ("centered rows", F, lambda d: (d.sub(d.mean(axis=1), axis=0) ** 2).sum().sum()),
    ("rows with holes", HOLES, lambda d: (d.mean(axis=1) * d.sum(axis=1)).sum() + d.max(axis=1).sum()), ("names of axes", F, lambda d: (d.sum(axis="columns") ** 2).sum()),
    ("columns in a loop", F, lambda d: sum((d[c] ** 2).mean() * k for k, c in enumerate(d))), ("items", F, lambda d: sum((v ** 2).mean() for _, v in d.items())),
    ("membership", F, lambda d: d["a"].sum() * (2.0 if "b" in d else 1.0)), ("assign", F, lambda d: d.assign(e=d["a"] * d["b"])["e"].sum() ** 2),
    ("rows selected", F, lambda d: (d[d["b"] > 0.2] ** 2).sum().sum()), ("product with a series", F, lambda d: (d @ d.mean() ** 2).sum()),
    ("np.mean", F, lambda d: np.mean(d)), ("np.mean of rows", F, lambda d: (np.mean(d, axis=1) ** 2).sum()), ("np.cov", F, lambda d: np.cov(d.to_numpy().T)[0, 1]),
    ("mask", F, lambda d: (d * (d > 0.3)).sum().sum()), ("fill", HOLES, lambda d: (d.fillna(d.mean()) ** 2).sum().sum()), ("attribute", F, branch_on_attribute),
    ("powers", F, lambda d: (2.0 ** d).sum().sum() + d.abs().clip(0.2, 2.5).where(d > 0.0, 0.5).sum().sum()),
    ("maximum of coordinates", X, lambda x: (x * (x == x.max())).sum()), ("axis", X, lambda x: (x.sum(axis=0) ** 2).sum() + (np.mean(x, 1) ** 2).sum()),
    ("isel", X, lambda x: (x.isel(t=-1) * x[0]).sum()), ("sizes", X, lambda x: (x ** 2).sum() / x.sizes["t"]), ("where of xarray", X, lambda x: (x.where(x > 0.7) ** 2).sum()),
    ("transposed", X, lambda x: (x.transpose("x", "t").to_numpy()[0] ** 2).sum()), ("all dimensions", X, lambda x: x.mean(...) ** 2),
    ("holes of xarray", X.where(X > 0.5), lambda x: x.std("x").sum() + x.mean("t").sum()), ("row of numbers", X, lambda x: ((x * np.arange(4.0)) ** 2).sum()),
]
REFUSED = [
    ("number of labels", S, lambda s: s.sum() * len(s.index), "Series.index"), ("second name", S, second_name, "Series.__iadd__"),
    ("truth", S, lambda s: s.sum() if s > 0.0 else 0.0, "Series.__bool__"), ("unsupported code", S, not_compiled, "enters an object"),
    ("option", S, lambda s: s.sum(min_count=2), "min_count"),
    ("element by label", S, lambda s: s["w"] ** 2, "boolean"), ("remainder", S, lambda s: (s % 0.7).sum(), "Series.__mod__"),
    ("function of pandas", S, lambda s: s.sum() * (2.0 if pd.isna(s) else 1.0), "pandas.isna"), ("two dimensions", S, lambda s: (s + np.ones((4, 1))).sum(), "arrays of its length"),
    ("np.argmax", S, lambda s: s.sum() * np.argmax(s), "np.argmax"), ("options of ufuncs", S, lambda s: np.exp(s, where=np.ones(4, bool)).sum(), "options"),
    ("order of columns", F, lambda d: (d[["a", "b"]].mean() * d[["b", "a"]].mean()).sum(), "aligns"), ("columns", F, lambda d: (d[["a"]] * d[["a", "b"]]).sum().sum(), "aligns"),
    ("rows beside columns", F, lambda d: (d - d.mean(axis=1)).sum().sum(), "aligns"), ("names", F, lambda d: d["a"].sum() * len(d.columns), "DataFrame.columns"),
    ("written column", F, columns_in_place, "DataFrame.__setitem__"), ("np.cumsum", F, lambda d: np.cumsum(d).sum().sum(), "np.cumsum"),
    ("integers", F.assign(n=[1, 2, 3, 4]), lambda d: (d["a"] * d["n"]).sum(), "the column 'n' has dtype int64"),
    ("written element", X, element, "DataArray.__setitem__"), ("several places", X, lambda x: (x.isel(t=[0, 1]).mean("x") ** 2).sum(), "one number"),
    ("in place", X, second_name, "DataArray.__iadd__"), ("more dimensions", X, lambda x: (np.ones((2, 1, 1)) * x).sum(), "broadcast"),
    ("one label beside an array", ONE, lambda x: (x * np.ones((5, 4))).sum(), "broadcast"), ("coordinate", X, lambda x: (x * x.t).sum(), "DataArray.t"),
    ("function of xarray", X, lambda x: xr.where(x > 0.5, x, 0.0).sum(), "xarray.where"), ("unknown dimension", X, lambda x: x.mean("q"), "not found"),
    ("integer variable", xr.Dataset({"u": X, "n": ("x", [1, 2, 3, 4])}), lambda d: (d.u * d.n).sum(), "the variable 'n' has dtype int64"),
    ("coordinate of a data set", xr.Dataset({"u": X}), lambda d: d.u.sum() * (2.0 if "t" in d else 1.0), "not known"),
]


def number(x):
    return float(np.asarray(x))


def differences(f, x):
    """Central differences on the objects of pandas and xarray themselves; 0 for missing values."""
    values = np.asarray(x, float)
    found = np.zeros_like(values)
    for place in np.ndindex(values.shape):
        moved = [values.copy(), values.copy()]
        for k, step in enumerate((1e-6, -1e-6)):
            moved[k][place] += step
        if not np.isnan(values[place]):
            high, low = (number(f(x.copy(data=v) if isinstance(x, xr.DataArray) else x * 0.0 + v)) for v in moved)
            found[place] = (high - low) / 2e-6
    return found


@pytest.mark.parametrize(("x", "f"), [pytest.param(x, f, id=name, marks=[pytest.mark.slow] if k % 4 else [])
                                      for k, (name, x, f) in enumerate(COMPUTED)])
def test_computed(x, f):
    if isinstance(x, (pd.Series, pd.DataFrame)):
        holes = x.isna()
        expected = differences(lambda y: f(y.mask(holes)), x.fillna(0.0) if holes.to_numpy().any() else x)
        expected[holes.to_numpy()] = 0.0
    else:
        expected = differences(f, x)
    value, gradient = tg.value_and_grad(f, fallback="error")(x)
    np.testing.assert_allclose(number(value), number(f(x)), rtol=1e-12)
    np.testing.assert_allclose(np.asarray(gradient), expected, rtol=1e-5, atol=1e-6)
    assert type(gradient) is type(x)


@pytest.mark.parametrize(("x", "f", "message"), [pytest.param(x, f, message, id=name, marks=[pytest.mark.slow] if k % 4 else [])
                                                 for k, (name, x, f, message) in enumerate(REFUSED)])
def test_refused(x, f, message):
    with pytest.raises((TypeError, ValueError, tg.UnsupportedCall, tg.UnsupportedSyntax), match=message):
        tg.grad(f)(x)


def test_a_view_of_an_array_with_names_is_written_to():
    np.testing.assert_allclose(tg.grad(view)(X), differences(view, X), atol=1e-6)


def test_missing_values_of_the_other_operand():
    gradient = tg.grad(lambda s, t: (s * t).sum() + (s * t).mean())(S, GAPS)
    np.testing.assert_allclose(gradient, GAPS.fillna(0.0) * (1.0 + 1.0 / 3.0))


def test_labels_of_results():
    value, pullback = tg.vjp(lambda d: d[["c", "a"]].mean(), F)
    pd.testing.assert_series_equal(value, F[["c", "a"]].mean())
    assert pullback(value)[0].columns.equals(F.columns)
    with pytest.raises(TypeError, match="labels of the result depend on values"):
        tg.vjp(lambda s: s[s > 1.0] * 2.0, S)


@pytest.mark.parametrize(("stand_in", "real"), [(stand_ins.Series, pd.Series), (stand_ins.Frame, pd.DataFrame),
                                                (stand_ins.DataArray, xr.DataArray), (stand_ins.Dataset, xr.Dataset)])
def test_each_public_name_is_one_of_the_class_that_it_stands_for(stand_in, real):
    """Another name would hide a column, and a special method that is not defined would be Python's own."""
    assert not [name for name in dir(stand_in) if not name.startswith("_") and not hasattr(real, name)]
    assert not [name for name in SPECIAL if name not in vars(stand_in)]
    assert not [name for name in stand_in.__dataclass_fields__ if not name.startswith("_")]

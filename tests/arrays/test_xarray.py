"""Arrays with named dimensions and data sets as arguments: values are xarray's own, and gradients come back with coordinates."""
from __future__ import annotations

import numpy as np
import pytest

import transgrad as tg

xr = pytest.importorskip("xarray")

from .labelled import check

RNG = np.random.default_rng(2)
X = xr.DataArray(RNG.uniform(0.2, 1.5, (3, 4)), dims=("time", "x"), coords={"time": [1.0, 2.0, 4.0], "x": list("abcd")}, name="u",
                 attrs={"units": "m"})
Y = xr.DataArray(RNG.uniform(0.2, 1.5, (4, 3)), dims=("x", "time"), coords={"time": [1.0, 2.0, 4.0], "x": list("abcd")})
R = xr.DataArray([1.0, 0.5, 2.0], dims="time", coords={"time": [1.0, 2.0, 4.0]})
C = xr.DataArray([1.0, 0.5, 2.0, 0.1], dims="x", coords={"x": list("abcd")})
Z = xr.DataArray(RNG.normal(size=2), dims="z")
GAPS = X.where(X > 0.6)
D = xr.Dataset({"u": X, "v": Y, "r": R})

OF_ARRAYS = {
    "sum": lambda x, y, r, c, z: (x ** 2).sum(),
    "arithmetic": lambda x, y, r, c, z: ((2.0 * x - 1.0) / (x + 3.0) - 1.0 / (x + 2.0)).sum(),
    "functions": lambda x, y, r, c, z: (np.exp(x) * np.sin(x)).sum(),
    "numpy_sum": lambda x, y, r, c, z: np.sum(np.sqrt(x)),
    "mean_over_time": lambda x, y, r, c, z: (x.mean("time") ** 2).sum(),
    "sum_over_x": lambda x, y, r, c, z: (x.sum(dim="x") ** 3).sum(),
    "over_both": lambda x, y, r, c, z: x.mean(("time", "x")) * x.max(),
    "anomaly": lambda x, y, r, c, z: ((x - x.mean("time")) ** 2).sum(),
    "by_row": lambda x, y, r, c, z: (x * r).sum(),
    "by_column": lambda x, y, r, c, z: (x * c - x / c).sum(),
    "outer": lambda x, y, r, c, z: (r * c * x).sum(),
    "transposed": lambda x, y, r, c, z: (x * y).sum(),
    "new_dimension": lambda x, y, r, c, z: ((x * z) ** 2).sum(),
    "left_operand": lambda x, y, r, c, z: (y - x).std(),
    "variance": lambda x, y, r, c, z: x.var("x").sum() + x.std(),
    "extrema": lambda x, y, r, c, z: x.max("x").sum() - x.min("time").sum(),
    "prod": lambda x, y, r, c, z: x.prod("x").sum(),
    "dot": lambda x, y, r, c, z: (x.dot(c) ** 2).sum(),
    "matmul": lambda x, y, r, c, z: (x @ y) ** 2,
    "isel": lambda x, y, r, c, z: (x.isel(time=1) * x.isel(time=0)).sum(),
    "transpose": lambda x, y, r, c, z: (x.transpose("x", "time") * x).sum() + x.T.sum(),
    "values": lambda x, y, r, c, z: np.sum(x.values[1:] * x.values[:-1]),
    "data": lambda x, y, r, c, z: np.sum(x.data ** 2),
    "clip": lambda x, y, r, c, z: (x.clip(0.3, 1.2) ** 2).sum(),
    "powers": lambda x, y, r, c, z: (x ** 1.5 + 2.0 ** x).sum(),
    "absolute": lambda x, y, r, c, z: abs(x - 0.7).sum() + np.abs(x - 0.3).sum(),
    "dims": lambda x, y, r, c, z: x.sum(x.dims[0]).sum() * len(x.dims),
    "maximum": lambda x, y, r, c, z: np.maximum(x, c).sum(),
}
OF_DATASETS = {
    "variables": lambda d: (d["u"] * d["r"]).sum(),
    "attributes": lambda d: (d.u ** 2).sum() + d.v.mean(),
    "energy": lambda d: (0.5 * d.u ** 2 + 0.5 * d.v ** 2).mean("time").sum(),
    "three": lambda d: (d.u * d.v * d.r).sum(),
}


def _cases(functions, argument):
    return [pytest.param(fn, argument, id=name, marks=[pytest.mark.slow] if k % 3 else []) for k, (name, fn) in enumerate(functions.items())]


@pytest.mark.parametrize(("fn", "x"), _cases(OF_ARRAYS, X))
def test_arrays(fn, x):
    gradient = check(fn, x, Y, R, C, Z)
    assert gradient.dims == x.dims and gradient.name == x.name
    for d in x.dims:
        assert gradient.indexes[d].equals(x.indexes[d])


@pytest.mark.parametrize(("fn", "d"), _cases(OF_DATASETS, D))
def test_datasets(fn, d):
    gradient = check(fn, d)
    assert list(gradient.data_vars) == list(d.data_vars)
    assert all(gradient[k].dims == d[k].dims for k in d.data_vars)


def test_missing_values_are_left_out():
    gradient = check(lambda x: (x ** 2).sum() + x.mean(), GAPS.fillna(np.nan))
    assert (gradient.values[np.isnan(GAPS.values)] == 0.0).all()


def test_other_coordinates_are_refused():
    def f(x, y):
        return (x * y).sum()

    with pytest.raises(TypeError, match="aligns the coordinates"):
        tg.grad(f)(X, X.assign_coords(time=[1.0, 2.0, 3.0]))
    with pytest.raises(TypeError, match="aligns the coordinates"):
        tg.grad(f)(X, X.isel(x=slice(0, 2)))


@pytest.mark.parametrize(("fn", "name"), [
    (lambda x: x.sel(x="a").sum(), "DataArray.sel"), (lambda x: x.shift(time=1).sum(), "DataArray.shift"),
    (lambda x: x.groupby("x").sum().sum(), "DataArray.groupby"), (lambda x: x.interp(time=1.5).sum(), "DataArray.interp")])
def test_operations_on_labels_are_refused(fn, name):
    with pytest.raises(tg.UnsupportedCall, match=name):
        tg.grad(fn)(X)


def test_chunked_by_dask_stays_lazy():
    dask = pytest.importorskip("dask")
    computed = []
    with dask.callbacks.Callback(pretask=lambda key, dsk, state: computed.append(key)):
        gradient = tg.grad(lambda x, r: (np.exp(x) * r).sum())(X.chunk({"time": 2}), R)
        assert not computed and gradient.chunks == X.chunk({"time": 2}).chunks
    xr.testing.assert_allclose(gradient.compute(), np.exp(X) * R)


def test_vjp_and_jvp():
    value, pullback = tg.vjp(lambda x: np.sin(x) * 2.0, X)
    assert value.dims == X.dims
    (gradient,) = pullback(Y.transpose("time", "x"))
    np.testing.assert_allclose(gradient, 2.0 * np.cos(X) * Y)
    value, dot = tg.jvp(lambda x: (x ** 3).sum(), (X,), (X,))
    np.testing.assert_allclose(dot, (3 * X ** 3).sum())


def test_the_other_transformations() -> None:
    a = xr.DataArray(np.arange(9.0).reshape(3, 3), dims=("t", "x"), coords={"t": [1, 2, 3]})
    data = xr.Dataset({"a": a, "b": ("x", [1.0, 2.0, 3.0])})

    def mean(d):
        return (d["a"] ** 2 * d["b"]).mean("t")
    want = (2 * data["a"] ** 2 * data["b"] + data["a"] ** 2 * data["b"]).mean("t")
    value, along = tg.linearize(mean, data)
    for found in (along(data), tg.jvp(mean, (data,), (data,))[1]):
        xr.testing.assert_allclose(found, want)
    xr.testing.assert_allclose(tg.vjp(mean, data)[1](np.ones(3))[0], tg.grad(lambda d: mean(d).sum())(data))
    for make in (tg.jacobian, tg.hessian, tg.vmap):
        with pytest.raises(TypeError, match="is a Dataset, and the result would have no labels"):
            make(lambda d: mean(d).sum())(data)
    for call in (lambda: tg.jvp(lambda a: a ** 2, (a,), (a.T,)), lambda: tg.vjp(lambda a: a ** 2, a)[1](a.T)):
        with pytest.raises(ValueError, match="in another order. Hint: align it with its value first"):
            call()

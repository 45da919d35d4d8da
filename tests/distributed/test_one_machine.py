"""Sums over chunks on Dask's schedulers for one machine, against the same function of all data."""
from __future__ import annotations

import doctest
import importlib
import subprocess
import sys

import numpy as np
import pytest

import transgrad as tg
from transgrad import tree

da = pytest.importorskip("dask.array")
pytest.importorskip("cloudpickle")
from dask import delayed

from .losses import Params, energy, logistic, moments, named, of_columns, of_items, of_numbers, wells

R = np.random.default_rng(0)
X = R.standard_normal((100, 3))
Y = R.random(100).round()
PARAMS = {"w": R.standard_normal(3), "b": 0.3}


@pytest.fixture(autouse=True)
def _one_thread():
    import dask
    with dask.config.set(scheduler="synchronous"):
        yield


def close(a, b):
    """Equal up to the order of summation, of one structure, with equal shapes and dtypes."""
    left, form = tree.flatten(a)
    right, other = tree.flatten(b)
    assert form == other
    for p, q in zip(left, right):
        assert np.asarray(p).dtype == np.asarray(q).dtype and np.shape(p) == np.shape(q)
        np.testing.assert_allclose(p, q, rtol=1e-11 if np.asarray(p).dtype != np.float32 else 1e-4)


def array(chunks):
    return da.from_array(X, chunks=chunks), da.from_array(Y, chunks=(chunks[0],))


@pytest.mark.parametrize("chunks", [(100, 3), (30, 3), (17, 2), ((1, 98, 1), 1)])
@pytest.mark.parametrize("split_every", [2, 8])
def test_arrays(chunks, split_every):
    x, y = array(chunks)
    found = tg.distributed.value_and_grad(logistic, over=("x", "y"), split_every=split_every)(PARAMS, x, y)
    close(found, tg.value_and_grad(logistic)(PARAMS, X, Y))
    close(tg.distributed.grad(logistic, over=("x", "y"))(PARAMS, x, y=y), tg.grad(logistic)(PARAMS, X, Y))


def test_arrays_of_different_chunks_are_aligned():
    x, y = da.from_array(X, chunks=(30, 3)), da.from_array(Y, chunks=41)
    close(tg.distributed.grad(logistic, over=("x", "y"))(PARAMS, x, y), tg.grad(logistic)(PARAMS, X, Y))


def test_arrays_of_unknown_lengths():
    keep = Y > 0.5
    x, y = array((30, 3))
    close(tg.distributed.grad(logistic, over=("x", "y"))(PARAMS, x[y > 0.5], y[y > 0.5]), tg.grad(logistic)(PARAMS, X[keep], Y[keep]))


@pytest.mark.parametrize("kinds", [(delayed, delayed), (delayed, lambda a: a), (lambda a: a, lambda a: a)])
def test_lists_of_chunks(kinds):
    xs, ys = ([kind(part) for part in np.array_split(a, 7)] for kind, a in zip(kinds, (X, Y)))
    close(tg.distributed.value_and_grad(logistic, over=("x", "y"))(PARAMS, xs, ys), tg.value_and_grad(logistic)(PARAMS, X, Y))


def test_params_of_any_structure_and_further_arguments():
    params = Params((X[0], 0.5), np.float32(0.25))
    f = tg.distributed.value_and_grad(named, over=("x", "y"), fallback="error")
    x, y = array((30, 3))
    close(f(params, x, y), tg.value_and_grad(named)(params, X, Y))
    close(f(params, x, y, 3.0), tg.value_and_grad(named)(params, X, Y, 3.0))
    close(f(params, scale=np.float64(2.0), y=y, x=x), tg.value_and_grad(named)(params, X, Y, np.float64(2.0)))
    assert type(f(params, x, y)[1]) is Params
    both = tg.distributed.grad(named, over=("x", "y"), argnames=("params", "scale"))
    close(both(params, x, y, 3.0), tg.grad(named, argnames=("params", "scale"))(params, X, Y, 3.0))


def test_single_precision():
    x = X.astype(np.float32)
    params = {"w": x[0], "b": np.float32(0.5)}
    close(tg.distributed.grad(logistic, over=("x", "y"))(params, da.from_array(x, chunks=(30, 3)), da.from_array(Y.astype("f4"), chunks=30)),
          tg.grad(logistic)(params, x, Y.astype("f4")))


def test_data_frames_are_columns():
    pd, dd = pytest.importorskip("pandas"), pytest.importorskip("dask.dataframe")
    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "c": Y})
    data = dd.from_pandas(frame, npartitions=4)
    columns = {name: frame[name].to_numpy() for name in frame}
    close(tg.distributed.value_and_grad(of_columns, over="data")(np.ones(2), data), tg.value_and_grad(of_columns)(np.ones(2), columns))


def test_bags_are_stacked():
    db = pytest.importorskip("dask.bag")
    pairs = db.from_sequence([(x, y) for x, y in zip(X, Y)], npartitions=5)
    w = np.ones(3)
    close(tg.distributed.grad(lambda w, data: of_items(w, (data[0], data[1][:, None])), over="data")(w, pairs),
          tg.grad(of_items)(w, (X, Y[:, None])))
    numbers = db.from_sequence(list(Y), npartitions=3)
    close(tg.distributed.value_and_grad(of_numbers, over="data")(0.5, numbers), tg.value_and_grad(of_numbers)(0.5, Y))
    with pytest.raises(TypeError, match="(?s)different structures.*Hint: pass a list of delayed chunks"):
        tg.distributed.grad(of_numbers, over="data")(0.5, db.from_sequence([1.0, (2.0, 3.0)], npartitions=1))


def test_chunks_without_items():
    db = pytest.importorskip("dask.bag")
    numbers = db.from_sequence(list(Y), npartitions=6)
    few = numbers.map_partitions(lambda part: [])
    kept = db.from_sequence(range(6), npartitions=6).filter(lambda k: k % 3 == 0).map(float)
    close(tg.distributed.value_and_grad(of_numbers, over="data")(0.5, kept), tg.value_and_grad(of_numbers)(0.5, np.array([0.0, 3.0])))
    with pytest.raises(ValueError, match="all chunks are empty"):
        tg.distributed.grad(of_numbers, over="data")(0.5, few)


def test_columns_of_pandas_types():
    pd, dd = pytest.importorskip("pandas"), pytest.importorskip("dask.dataframe")
    frame = pd.DataFrame({"a": pd.array([1, 2, 3, 4], dtype="Int64"), "b": [1.0, 2.0, 0.5, 1.5], "c": pd.array([0.5, 1, 2, 3], dtype="Float32"),
                          "note": ["p", "q", "r", "s"]})
    columns = {name: frame[name].to_numpy(dtype=float) for name in "abc"}
    loss = lambda w, data: of_columns(w, {name: data[name] for name in "abc"})
    close(tg.distributed.grad(loss, over="data")(np.ones(2), dd.from_pandas(frame, npartitions=2)), tg.grad(of_columns)(np.ones(2), columns))


def test_products():
    x, y = array((30, 3))
    v = {"w": X[1], "b": -0.5}
    close(tg.distributed.jvp(logistic, over=("x", "y"))(PARAMS, x, y, tangents=v),
          tg.jvp(lambda p: logistic(p, X, Y), (PARAMS,), (v,)))
    close(tg.distributed.hvp(logistic, over=("x", "y"))(PARAMS, x, y, tangents=v),
          tg.hvp(lambda p: logistic(p, X, Y), (PARAMS,), (v,))[0])
    two = tg.distributed.hvp(named, over=("x", "y"), argnames=("params", "scale"))
    params = Params((X[0], 0.5), 0.25)
    tangents = Params((X[1], 1.0), 2.0), 3.0
    close(two(params, x, y, 1.5, tangents=tangents), tg.hvp(lambda p, s: named(p, X, Y, s), (params, 1.5), tangents))
    close(tg.distributed.jvp(moments, over="x")(X[0], x, tangents=X[1]), tg.jvp(lambda w: moments(w, X), (X[0],), (X[1],)))


def test_newton_cg_with_a_second_machine_would_find_the_same():
    from scipy.optimize import minimize
    x, y = array((30, 3))

    def pack(v):
        return {"w": v[:3], "b": v[3]}

    def flat(t):
        return np.append(t["w"], t["b"])
    f, h = tg.distributed.value_and_grad(logistic, over=("x", "y")), tg.distributed.hvp(logistic, over=("x", "y"))
    def fun(v):
        value, gradient = f(pack(v), x, y)
        return value, flat(gradient)
    found = minimize(fun, np.zeros(4), jac=True, hessp=lambda v, d: flat(h(pack(v), x, y, tangents=pack(d))), method="Newton-CG", tol=1e-10)
    assert np.max(np.abs(flat(tg.grad(logistic)(pack(found.x), X, Y)))) < 1e-5


def test_ensembles():
    mapped = tg.distributed.vmap(tg.value_and_grad(energy), in_axes=(0, None), chunk_size=13)
    close(mapped(X, 2.0), tg.vmap(tg.value_and_grad(energy), in_axes=(0, None))(X, 2.0))
    close(tg.distributed.vmap(tg.grad(energy))(X, Y), tg.vmap(tg.grad(energy))(X, Y))
    close(tg.distributed.vmap(tg.grad(energy), in_axes=(1, 0))(X.T, Y), tg.vmap(tg.grad(energy), in_axes=(1, 0))(X.T, Y))
    batch = [{"w": X, "b": Y}]
    close(tg.distributed.vmap(lambda p: logistic(p, X[:5], Y[:5]), chunk_size=7)(*batch), tg.vmap(lambda p: logistic(p, X[:5], Y[:5]))(*batch))
    with pytest.raises(ValueError, match="as many examples each"):
        mapped = tg.distributed.vmap(energy)(X, Y[:5])


def test_several_starts():
    starts = [{"x": s, "y": np.array([[s, 1.0]])} for s in (-2.0, 0.5, 2.0)]
    found = tg.distributed.minimize_from(starts, wells, tol=1e-12)
    assert [r.fun for r in found] == sorted(r.fun for r in found)
    assert found[0].params["x"] < 0 and found[0].params["y"].shape == (1, 2)
    assert abs(tg.grad(wells)(found[0].params)["x"]) < 1e-4


def test_nothing_is_computed_before_it_is_asked_for():
    ran = []
    graph = tg.distributed.grad(of_numbers, over="data").delayed(0.5, [delayed(lambda: ran.append(1) or Y)()])
    assert ran == []
    close(graph.compute(), tg.grad(of_numbers)(0.5, Y))
    assert ran == [1]


def test_misaligned_chunks_give_the_same_bits():
    """Arrays that came from another worker lie at any address, where NumPy computes products without BLAS."""
    def moved(a):
        buffer = np.empty(a.nbytes + 3, np.uint8)
        found = buffer[3:].view(a.dtype).reshape(a.shape)
        found[...] = a
        return found
    x = R.standard_normal((1500, 20))
    y, w = R.random(1500), R.standard_normal(20)
    f = tg.distributed.value_and_grad(logistic, over=("x", "y"))
    found = [f({"w": place(w), "b": 0.1}, [place(x)], [place(y)]) for place in (lambda a: a, moved)]
    assert found[0][0] == found[1][0] and np.array_equal(found[0][1]["w"], found[1][1]["w"])


SCALE = 1.0


def test_a_global_that_changes_between_calls():
    global SCALE
    scaled = lambda w, data: SCALE * np.sum(w * data)
    f = tg.distributed.grad(scaled, over="data")
    first = f(1.0, [Y])
    SCALE = 3.0
    try:
        close(f(1.0, [Y]), 3.0 * first)
    finally:
        SCALE = 1.0


@pytest.mark.parametrize("call, error, words", [
    (lambda: tg.distributed.grad(logistic, over="z"), TypeError, "not an argument of logistic"),
    (lambda: tg.distributed.grad(logistic, over=("x", "params")), TypeError, "'params' is data, and is differentiated"),
    (lambda: tg.distributed.grad(logistic, over=()), TypeError, "names no argument"),
    (lambda: tg.distributed.grad(lambda *args: 0.0, over="args"), TypeError, "arguments with names"),
    (lambda: tg.distributed.grad(logistic, over=("x", "y"), split_every=1), ValueError, "at least 2"),
    (lambda: tg.distributed.grad(logistic, over=("x", "y"))(PARAMS, [X, X], [Y]), ValueError, "2 in x, 1 in y"),
    (lambda: tg.distributed.grad(logistic, over=("x", "y"))(PARAMS, [], []), ValueError, "no chunks"),
    (lambda: tg.distributed.grad(logistic, over=("x", "y"))(PARAMS, X, Y), TypeError, "pass a Dask array"),
    (lambda: tg.distributed.hvp(logistic, over=("x", "y"))(PARAMS, [X], [Y]), TypeError, "needs tangents="),
    (lambda: tg.distributed.minimize_from([], wells), ValueError, "no starting points"),
    (lambda: tg.distributed.jvp(lambda w, x: x * w, over="x")(2.0, [X, X[:5]], tangents=1.0), ValueError, "different shapes"),
])
def test_mistakes(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_an_error_in_the_loss_reaches_the_caller():
    def fails(w, x):
        raise RuntimeError(f"no luck with {len(x)} rows")
    with pytest.raises(RuntimeError, match="no luck with 100 rows"):
        tg.distributed.grad(fails, over="x")(1.0, [X])


def test_importing_transgrad_loads_none_of_it_and_a_missing_package_names_the_extra():
    script = """
import sys
import transgrad as tg
assert not {"dask", "distributed", "cloudpickle", "pandas"} & {*sys.modules}
tg.distributed
assert not {"dask", "distributed", "cloudpickle", "pandas"} & {*sys.modules}
sys.modules["dask"] = None
try:
    tg.distributed.grad(lambda w, x: w * x, over="x")
except ModuleNotFoundError as error:
    assert "transgrad[distributed]" in str(error), error
else:
    raise AssertionError
"""
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.mark.parametrize("name", ["transgrad.distributed", "transgrad.distributed.losses", "transgrad.distributed.ensembles",
                                  "transgrad.distributed.starts"])
def test_examples_in_docstrings(name):
    pytest.importorskip("scipy")
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_a_progress_bar_of_dask(capsys):
    from dask.diagnostics import ProgressBar
    with ProgressBar():
        tg.distributed.grad(of_numbers, over="data")(0.5, [Y, Y])
    assert "100% Completed" in capsys.readouterr().out

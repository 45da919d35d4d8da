"""`transgrad.interop.pytensor` against PyTensor's own gradients, and a PyMC model sampled by NUTS."""
from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import transgrad as tg
from tests.interop.functions import CASES

pytensor = pytest.importorskip("pytensor")
import pytensor.tensor as pt
from pytensor.gradient import Rop, hessian, verify_grad

op = tg.interop.pytensor.op


@pytest.fixture(autouse=True)
def _interpreted() -> Any:
    with pytensor.config.change_flags(mode="FAST_COMPILE", cxx=""):
        yield


@pytest.mark.parametrize("name", ["products", "affine", "solve", "dict_argument", "dict_result", "scalar", "loop", "in_place_recurrence",
                                  "pendulum", "softmax"])
def test_first_derivatives(name: str) -> None:
    case = CASES[name]
    leaves, form = tg.tree.flatten(case.args)
    f = op(case.f)
    verify_grad(lambda *xs: sum((y ** 2).sum() for y in tg.tree.flatten(f(*tg.tree.unflatten(form, xs)))[0]), leaves,
                rng=np.random.default_rng(0))


def test_second_order_and_forward_mode() -> None:
    f = op(CASES["loop"].f)
    x, v = pt.dvector("x"), pt.dvector("v")
    at = CASES["loop"].args[0]
    run = pytensor.function([x, v], [hessian(f(x), x), Rop(f(x), x, v), Rop(pytensor.grad(f(x), x), x, v)])
    matrix, along, product = run(at, np.ones(4))
    expected = tg.hessian(CASES["loop"].f)(at)
    np.testing.assert_allclose(matrix, expected)
    np.testing.assert_allclose(along, np.sum(tg.grad(CASES["loop"].f)(at)))
    np.testing.assert_allclose(product, expected @ np.ones(4))


def test_types_of_results() -> None:
    f = op(lambda x, y, n: {"outer": np.outer(x, y), "sum": np.sum(x), "index": np.argmax(y), "text": "t", "k": n})
    out = f(pt.fvector("x"), pt.vector("y", shape=(4,), dtype="float32"), 3)
    assert (out["outer"].type.dtype, out["outer"].type.ndim) == ("float32", 2) and out["sum"].type.ndim == 0
    assert out["index"].type.dtype == "int64" and out["text"] == "t"
    known = f(pt.constant(np.ones(2)), pt.constant(np.ones(4)), 3)
    assert known["outer"].type.shape == (2, 4)
    declared = op(lambda x: x[x > 0.0], result=np.zeros(1))(pt.dvector("x"))
    assert declared.type.ndim == 1 and declared.eval({declared.owner.inputs[0]: np.array([1.0, -1.0])}).tolist() == [1.0]


def test_constants_integers_and_unused_results() -> None:
    f = op(lambda x, i, k: (x[i] * k, np.sum(x)))
    x, i = pt.dvector("x"), pt.lvector("i")
    first, _ = f(x, i, 2.0)
    g = pytensor.function([x, i], pytensor.grad(first.sum(), x))
    assert g(np.ones(3), np.array([0, 0, 2])).tolist() == [4.0, 0.0, 2.0]
    both = pytensor.grad(op(lambda a, b: np.sum(a * b))(x, np.arange(3.0)), x)
    assert both.eval({x: np.ones(3)}).tolist() == [0.0, 1.0, 2.0]


def test_results_share_no_memory() -> None:
    table = np.ones(3)
    x = pt.dvector("x")
    y = pytensor.function([x], op(lambda x: (x, table))(x))
    given = np.zeros(3)
    first, second = y(given)
    first += 1.0
    second += 1.0
    assert given.tolist() == [0.0] * 3 and table.tolist() == [1.0] * 3


def test_errors() -> None:
    def f(x):
        if x[0] > 0:
            raise KeyError("boo")
        return np.sum(x)
    x = pt.dvector("x")
    run = pytensor.function([x], op(f)(x))
    with pytest.raises(KeyError, match="boo"):
        run(np.ones(2))


def _square(x):
    return np.sum(x ** 2)


def test_a_graph_is_pickled() -> None:
    x = pt.dvector("x")
    inputs, out = pickle.loads(pickle.dumps(([x], pytensor.grad(op(_square)(x), x))))
    assert pytensor.function(inputs, out)(np.arange(3.0)).tolist() == [0.0, 2.0, 4.0]


@pytest.mark.slow
def test_a_model_with_a_loop_is_sampled() -> None:
    pytest.importorskip("pymc")
    import arviz

    from examples.lotka_volterra_pymc import TRUTH, sample, simulated
    summary = arviz.summary(sample(simulated(steps=12), "numpy", draws=150, tune=150, chains=2))
    assert summary["r_hat"].max() < 1.1
    assert np.all(np.abs(summary["mean"].to_numpy() - TRUTH) < 4.0 * summary["sd"].to_numpy())


def test_both_models_have_the_same_density_and_gradient() -> None:
    pytest.importorskip("pymc")
    from examples.lotka_volterra_pymc import model, simulated
    data = simulated(steps=6)
    found = []
    for kind in ("numpy", "pytensor"):
        made = model(data, kind)
        point = made.initial_point()
        found.append((made.compile_logp()(point), made.compile_dlogp()(point)))
    np.testing.assert_allclose(found[0][0], found[1][0])
    np.testing.assert_allclose(found[0][1], found[1][1])


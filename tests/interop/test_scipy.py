"""`transgrad.interop.scipy`: each solver with parameters in a dict, a dataclass and an array."""
from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

import transgrad as tg

from ..releases import since

pytest.importorskip("scipy")
from scipy import integrate, optimize, sparse

solve = tg.interop.scipy


@dataclasses.dataclass
class Point:
    x: float
    y: np.ndarray
    name: str = "point"
    count: int = 2


def _vector(p: Any) -> Any:
    if isinstance(p, np.ndarray):
        return p
    return np.concatenate([np.array([p.x]), p.y]) if isinstance(p, Point) else np.concatenate([np.array([p["x"]]), p["y"]])


def rosenbrock(p, scale=100.0):
    v = p if isinstance(p, np.ndarray) else np.concatenate([np.array([p.x]), p.y]) if isinstance(p, Point) \
        else np.concatenate([np.array([p["x"]]), p["y"]])
    return np.sum(scale * (v[1:] - v[:-1] ** 2) ** 2 + (1.0 - v[:-1]) ** 2)


STARTS = {"array": np.array([0.5, 0.6, 0.9]), "dict": {"x": 0.5, "y": np.array([0.6, 0.9])}, "dataclass": Point(0.5, np.array([0.6, 0.9]))}
COBYQA = pytest.param("COBYQA", marks=since("SciPy 1.14"))
METHODS = [None, "CG", "BFGS", "Newton-CG", "L-BFGS-B", "TNC", "SLSQP", "dogleg", "trust-ncg", "trust-krylov", "trust-exact", "trust-constr",
           "Nelder-Mead", "Powell", COBYQA]


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("method", METHODS)
def test_minimize(method: str | None, start: str) -> None:
    loose = method in ("TNC", "dogleg")         # these end early for the function
    found = solve.minimize(rosenbrock, STARTS[start], (10.0,), method=method)
    assert type(found.params) is type(STARTS[start]) and found.x.shape == (3,)
    if method == "dogleg":
        assert found.nfev == 1 or found.success
    else:
        np.testing.assert_allclose(_vector(found.params), 1.0, atol=0.05 if loose else 1e-3)
    assert start != "dataclass" or (found.params.name, found.params.count) == ("point", 2)


def test_gradients_are_exact_and_few_evaluations_suffice() -> None:
    ours = solve.minimize(rosenbrock, STARTS["dict"], method="BFGS")
    theirs = optimize.minimize(lambda v: rosenbrock(v), STARTS["array"], method="BFGS")
    assert ours.nfev < theirs.nfev / 2


def test_bounds_of_any_structure() -> None:
    lower = {"x": 0.0, "y": np.array([None, 0.3])}
    found = solve.minimize(rosenbrock, STARTS["dict"], bounds=(lower, 0.7))
    assert found.params["x"] <= 0.7 and found.params["y"].max() <= 0.7
    assert solve.minimize(rosenbrock, STARTS["array"], bounds=[(0.0, 0.7)] * 3).x.max() <= 0.7
    assert solve.minimize(rosenbrock, STARTS["dict"], bounds=optimize.Bounds(0.0, 0.6)).x.max() <= 0.6
    with pytest.raises(ValueError, match="structure"):
        solve.minimize(rosenbrock, STARTS["dict"], bounds=({"x": 0.0}, None))


@pytest.mark.parametrize("start", ["dict", "dataclass"])
@pytest.mark.parametrize("method, as_sparse", [
    ("SLSQP", False), pytest.param(*COBYQA.values, False, marks=COBYQA.marks), ("trust-constr", False), ("trust-constr", True)])
def test_constraints(method: str, start: str, as_sparse: bool) -> None:
    def g(p):
        x, y = (p.x, p.y) if isinstance(p, Point) else (p["x"], p["y"])
        return {"norm": x ** 2 + np.sum(y ** 2), "product": x * y[0]}
    ball = solve.constraint(g, lower=[-np.inf, 0.2], upper=[1.0, np.inf], sparse=as_sparse)
    found = solve.minimize(rosenbrock, STARTS[start], (10.0,), method=method, constraints=[ball])
    value = g(found.params)
    assert value["norm"] < 1.0 + 1e-4 and value["product"] > 0.2 - 1e-4
    reference = optimize.minimize(lambda v: rosenbrock(v, 10.0), STARTS["array"], method="SLSQP", constraints=optimize.NonlinearConstraint(
        lambda v: [v @ v, v[0] * v[1]], [-np.inf, 0.2], [1.0, np.inf]))
    np.testing.assert_allclose(found.fun, reference.fun, rtol=1e-2)


def test_the_hessian_of_a_constraint() -> None:
    made = solve.constraint(lambda v: np.stack([np.sum(v ** 3), v[0] * v[1]])).on(np.array([1.0, 2.0]))
    product = made.hess(np.array([1.0, 2.0]), np.array([2.0, 5.0]))
    np.testing.assert_allclose(product @ np.eye(2), [[12.0, 5.0], [5.0, 24.0]])


def test_callback_and_constants() -> None:
    seen = []

    def stop(params):
        seen.append(params)
        if len(seen) == 2:
            raise StopIteration
    solve.minimize(rosenbrock, STARTS["dict"], callback=stop, method="BFGS")
    assert [set(p) for p in seen] == [{"x", "y"}] * 2
    found = solve.minimize(lambda p, k, *, power: k * np.sum((p["v"] - p["n"]) ** power), {"v": np.zeros(2, np.float32), "n": 3}, (2,),
                           kwargs={"power": 2})
    assert found.params["n"] == 3 and found.params["v"].dtype == np.float32 and np.allclose(found.params["v"], 3.0, atol=1e-3)


@pytest.mark.parametrize("as_sparse", [False, True])
@pytest.mark.parametrize("start", [{"scale": 1.0, "rate": np.array([1.0])}, np.ones(2)], ids=["dict", "array"])
def test_least_squares(start: Any, as_sparse: bool) -> None:
    t = np.linspace(0.0, 3.0, 20)

    def residuals(p, y):
        scale, rate = (p["scale"], p["rate"][0]) if isinstance(p, dict) else (p[0], p[1])
        return scale * np.exp(-rate * t) - y
    found = solve.least_squares(residuals, start, (2.0 * np.exp(-0.7 * t),), sparse=as_sparse)
    np.testing.assert_allclose(found.x[[1, 0]] if isinstance(start, dict) else found.x, [2.0, 0.7], rtol=1e-5)
    assert found.njev is not None
    bounded = solve.least_squares(residuals, start, (2.0 * np.exp(-0.7 * t),), bounds=(0.0, 1.5))
    assert bounded.x.max() <= 1.5


def test_the_sparse_jacobian_and_its_pattern() -> None:
    def residuals(p):
        return {"chain": p["u"][1:] ** 2 - p["u"][:-1], "shift": p["u"][:1] - p["c"]}
    p = {"c": 1.0, "u": np.arange(1.0, 6.0)}
    pattern = solve.pattern(residuals, p)
    assert pattern.shape == (5, 6) and pattern.nnz == 10 and pattern.dtype == bool
    from transgrad.interop.vectors import VectorFunction
    from transgrad.transforms.options import Options
    function = VectorFunction(residuals, p, (), {}, Options())
    x = function.space.pack(p)
    dense, thin = function.jacobian(x), function.sparse_jacobian(x)
    assert sparse.issparse(thin)
    np.testing.assert_allclose(thin.toarray(), dense)
    np.testing.assert_array_equal((dense != 0), pattern.toarray())
    steps = [(function.residuals(x + 1e-6 * e) - function.residuals(x - 1e-6 * e)) / 2e-6 for e in np.eye(6)]
    np.testing.assert_allclose(dense, np.stack(steps, axis=1), atol=1e-8)


@pytest.mark.parametrize("method", ["hybr", "lm", "krylov", "broyden1"])
def test_root(method: str) -> None:
    def equations(p):
        return {"sum": p["x"] + p["y"] - 3.0, "product": p["x"] * p["y"] - 2.0}
    found = solve.root(equations, {"x": 0.9, "y": 2.2}, method=method)
    assert found.success
    np.testing.assert_allclose([found.params["x"], found.params["y"]], [1.0, 2.0], atol=1e-4)
    if method in ("hybr", "lm"):
        found = solve.root(lambda p: (p.x - 1.0, p.y ** 2 - np.array([4.0, 9.0])), Point(0.0, np.ones(2)), method=method)
        np.testing.assert_allclose(found.params.y, [2.0, 3.0])


@pytest.mark.parametrize("method, as_sparse", [("Radau", False), ("Radau", True), ("BDF", False), ("BDF", True), ("LSODA", False),
                                               ("RK45", False), (integrate.Radau, True)])
def test_solve_ivp(method: Any, as_sparse: bool) -> None:
    def stiff(t, s, k):
        flow = k * (s["a"] - np.cos(t))
        return {"a": -flow, "b": np.stack([flow, s["a"] * s["b"][0]])}
    start = {"a": 0.0, "b": np.array([0.0, 1.0])}
    found = solve.solve_ivp(stiff, (0.0, 2.0), start, (50.0,), method=method, sparse=as_sparse, rtol=1e-8, atol=1e-10)

    def plain(t, v):
        flow = 50.0 * (v[0] - np.cos(t))
        return [-flow, flow, v[0] * v[1]]
    expected = integrate.solve_ivp(plain, (0.0, 2.0), [0.0, 0.0, 1.0], method="DOP853", rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(found.y[:, -1], expected.y[:, -1], rtol=1e-5)
    assert found.states["a"].shape == found.t.shape and found.states["b"].shape == (2, len(found.t))
    if method in ("Radau", "BDF"):
        assert found.nfev < integrate.solve_ivp(plain, (0.0, 2.0), [0.0, 0.0, 1.0], method=method, rtol=1e-8, atol=1e-10).nfev


def test_a_large_sparse_system_is_solved() -> None:
    def heat(t, u):
        left, right = np.concatenate([u[:1], u[:-1]]), np.concatenate([u[1:], u[-1:]])
        return 1000.0 * (left - 2.0 * u + right)
    u = np.zeros(200)
    u[100] = 1.0
    found = solve.solve_ivp(heat, (0.0, 1.0), u, sparse=True)
    assert found.success and abs(found.y[:, -1].sum() - 1.0) < 1e-6


def test_progress(monkeypatch: Any) -> None:
    from transgrad import progress
    shown = []

    class Counter:
        def __init__(self, label: str, total: int | None) -> None:
            self.label, self.count = label, 0
            shown.append(self)

        def __enter__(self) -> Any:
            return progress.Bar(self.advance)

        def advance(self) -> None:
            self.count += 1

        def __exit__(self, *error: Any) -> None:
            pass
    monkeypatch.setattr(progress, "bar", Counter)
    found = solve.minimize(rosenbrock, STARTS["dict"], progress=True)
    assert shown[0].count == found.nfev and "rosenbrock" in shown[0].label
    solve.solve_ivp(lambda t, y: -y, (0.0, 1.0), np.ones(1), progress=True)
    assert shown[-1].count == 100


def test_errors() -> None:
    with pytest.raises(TypeError, match=r"no floating-point.*Hint"):
        solve.minimize(lambda p: p["n"] ** 2, {"n": 1})
    with pytest.raises(TypeError, match=r"params\['z'\] is complex"):
        solve.minimize(lambda p: abs(p["z"]), {"z": 1j})
    with pytest.raises(TypeError, match="one number"):
        solve.minimize(lambda x: x * 2.0, np.ones(2))

    def f(p):
        raise KeyError("boo")
    with pytest.raises(KeyError, match="boo"):
        solve.minimize(f, {"x": 1.0})


def test_the_start_is_not_written() -> None:
    def f(p):
        p["x"][0] += 1.0
        return np.sum(p["x"] ** 2)
    start = {"x": np.ones(2)}
    found = solve.minimize(f, start)
    assert start["x"].tolist() == [1.0, 1.0] and np.allclose(found.params["x"], [-1.0, 0.0], atol=1e-5)


def test_bounds_that_could_mean_two_things_are_refused() -> None:
    def f(v):
        return np.sum((v - 3.0) ** 2)
    v = np.zeros(2)
    assert np.allclose(solve.minimize(f, v, bounds=((0.0, 1.0), (None, 2.0))).x, [1.0, 2.0])
    assert np.allclose(solve.minimize(f, v, bounds=(np.zeros(2), np.array([1.0, 2.0]))).x, [1.0, 2.0])
    assert np.allclose(solve.minimize(f, v, bounds=(None, 1.0)).x, [1.0, 1.0])
    assert np.allclose(solve.minimize(f, np.zeros(3), bounds=([0.0] * 3, [1.0, None, 2.0])).x, [1.0, 3.0, 2.0])
    assert np.allclose(solve.least_squares(lambda v: v - 3.0, v + 0.5, bounds=([0.0, 0.0], [1.0, 2.0])).x, [1.0, 2.0], atol=1e-3)
    for bounds in (([0.0, 0.0], [1.0, 2.0]), (1.0, 2.0, 3.0)):
        with pytest.raises(ValueError):
            solve.minimize(f, v, bounds=bounds)


def test_integers_alone_become_floats() -> None:
    assert np.isclose(solve.minimize(lambda x: (x - 2.0) ** 2, 0).params, 2.0)
    assert solve.solve_ivp(lambda t, y: -y, (0, 1), np.array([1, 2])).states.shape[0] == 2
    assert np.allclose(solve.root(lambda x: x ** 2 - 4.0, np.array([1, 3])).params, 2.0)

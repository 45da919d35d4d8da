"""The package `transgrad.interop`: lazy imports, errors for missing packages, examples of docstrings, and the shared operations."""
from __future__ import annotations

import doctest
import importlib
import inspect
import pickle
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import transgrad as tg
from tests.interop.functions import CASES
from transgrad.interop.operations import operation
from transgrad.interop.outputs import outputs_of
from transgrad.interop.shapes import infer, ranks
from transgrad.transforms.options import Options

NEEDS = {"adapters": "numpy", "function": "numpy", "missing": "numpy", "operations": "numpy", "outputs": "numpy", "ownership": "numpy", "shapes": "numpy",
         "vectors": "scipy", "scipy": "scipy", "sklearn": "sklearn", "torch": "torch", "jax": "jax", "pytensor": "pytensor"}


@pytest.mark.parametrize("name", NEEDS)
def test_examples_in_docstrings(name: str) -> None:
    pytest.importorskip(NEEDS[name])
    module = importlib.import_module(f"transgrad.interop.{name}")
    # the examples' functions are a user's
    found = doctest.testmod(module, extraglobs={"__name__": "example"}, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert found.failed == 0


def test_the_example_of_the_package() -> None:
    pytest.importorskip("scipy")
    assert doctest.testmod(tg.interop, extraglobs={"__name__": "example"}).failed == 0


def test_frameworks_are_imported_on_use() -> None:
    code = ("import sys, transgrad as tg; tg.interop; names = ('torch', 'jax', 'pytensor', 'sklearn', 'scipy.optimize'); "
            "assert not [n for n in names if n in sys.modules]; assert 'interop' in dir(tg) and 'torch' in dir(tg.interop)")
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("package, use", [
    ("torch", "tg.interop.torch.wrap(abs)"), ("jax", "tg.interop.jax.wrap(abs)"), ("pytensor", "tg.interop.pytensor.op(abs)"),
    ("sklearn", "tg.interop.sklearn.LossRegressor"), ("scipy", "tg.interop.scipy.minimize(abs, 1.0)"),
])
def test_a_missing_package_is_an_error_that_names_the_extra(package: str, use: str) -> None:
    code = f"import sys; sys.modules[{package!r}] = None\nimport transgrad as tg\ntry:\n    {use}\nexcept ModuleNotFoundError as e:\n    print(e)"
    shown = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert f"needs {package}" in shown and f"transgrad[{package}]" in shown


def test_an_unknown_name() -> None:
    with pytest.raises(AttributeError, match="tensorflow"):
        tg.interop.tensorflow


def _leaves(name: str) -> tuple[Any, list[Any]]:
    case = CASES[name]
    leaves = tg.tree.flatten(case.args)[0]
    return operation(case.f, case.args, {}, range(len(leaves)), Options()), leaves


@pytest.mark.parametrize("name", CASES)
def test_types_are_inferred_without_a_run(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    op, leaves = _leaves(name)
    found, expected = op.results(leaves)
    assert infer(op, [np.zeros_like(x) for x in leaves])[1].untyped.form == expected.form
    _, inferred = infer(op, [np.zeros_like(x)[()] for x in leaves])
    assert [(r.dtype, r.shape) for r in inferred.leaves] == [(r.dtype, r.shape) for r in expected.leaves]
    known = ranks(op, leaves)
    assert known is None or [len(r.shape or ()) for r in known.leaves] == [np.ndim(x) for x in found]


@pytest.mark.parametrize("name", CASES)
def test_types_of_derived_operations(name: str) -> None:
    op, leaves = _leaves(name)
    found, outputs = op.results(leaves)
    seeds = [np.ones_like(found[k]) for k in outputs.active]
    for derived, given in ((op.pullback(outputs), [*leaves, *seeds]), (op.pushforward(outputs), [*leaves, *leaves])):
        got, described = derived.results(given)
        assert [(r.dtype, r.shape) for r in infer(derived, given)[1].leaves] == [(r.dtype, r.shape) for r in described.leaves]
        batch = derived.batched([0] * len(given))
        rows = batch.results([np.stack([x, x]) for x in given])[0]
        for row, one in zip(rows, got):
            np.testing.assert_allclose(row[1], one, rtol=1e-12, atol=1e-12)


def test_operations_are_pickled() -> None:
    op = operation(_norm, ({"x": 1.0},), {}, [0], Options())
    _, outputs = op.results([np.ones(3)])
    for made in (op, op.pullback(outputs), op.pushforward(outputs), op.batched([0]), op.pullback(outputs).wrt((0,))):
        twin = pickle.loads(pickle.dumps(made))
        assert type(twin) is type(made) and twin.argnums == made.argnums and twin.parameters == made.parameters
    assert twin.value([np.ones(3), 1.0])[0].tolist() == [2.0] * 3


def _norm(p):
    return np.sum(p["x"] ** 2)


@dataclass
class Normalized:
    """A dataclass whose initializer computes a field from another one."""

    weights: Any
    label: str = "w"
    total: Any = field(init=False)

    def __post_init__(self) -> None:
        self.total = np.sum(self.weights)
        self.weights = self.weights / self.total


def test_the_initializer_of_a_dataclass_does_not_run_again() -> None:
    p = Normalized(np.array([1.0, 3.0]))
    op = operation(lambda p, q: np.sum(p.weights ** 2) * p.total + q, (p, 1.0), {}, [1, 2], Options())
    leaves = tg.tree.flatten((p, 1.0))[0]
    assert op.parameters == ("p_weights", "p_label", "p_total", "q")
    value, pull = op.wrt([0, 2]).vjp(leaves)
    assert value == op.value(leaves) == (0.0625 + 0.5625) * 4.0 + 1.0
    weights, total = pull(1.0)
    np.testing.assert_allclose(weights, [2.0, 6.0])
    np.testing.assert_allclose(total, 0.625)


def test_generated_functions_are_readable_and_named_after_the_function() -> None:
    args = (Params({"w": 1.0, "class": 2.0}), 3.0)
    op = operation(lambda p, *rest, k: p, args, {"k": [4.0]}, [0], Options())
    assert op.parameters == ("p_a_class", "p_a_w", "p_b", "x1", "k_0")
    assert "Params(a={'w': p_a_w, 'class': p_a_class}, b=p_b), x1, k=[k_0])" in inspect.getsource(op.fn)
    assert op.value([1.0, 2.0, 3.0, 4.0, 5.0]) == Params({"class": 1.0, "w": 2.0}, 3.0)


@dataclass
class Params:
    a: Any
    b: Any = 1.0


def test_the_result_of_a_function_is_described() -> None:
    _, outputs = outputs_of((np.ones(2, np.float32), 1, True, "text", np.complex64(1)))
    assert [r.dtype for r in outputs.leaves] == ["float32", "int64", "bool", None, "complex64"] and outputs.active == (0, 4)


def test_batches_run_without_numba(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("""
import sys
sys.modules["numba"] = None
import numpy as np
import transgrad as tg

def f(x):
    return np.sum(np.where(x > 1.0, x ** 2, np.sin(x)))

assert tg.vmap(tg.grad(f, fallback="error"))(np.full((500, 2), 2.0))[0].tolist() == [4.0, 4.0]
""")
    subprocess.run([sys.executable, str(script)], check=True)

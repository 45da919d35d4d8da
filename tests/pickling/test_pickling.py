"""Derivatives and what belongs to them, from one process to another."""
from __future__ import annotations

import copy
import multiprocessing
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import threading
import warnings

import numpy as np
import pytest

import transgrad as tg
from transgrad import errors

from . import functions, model
from .run import compared, equal
from .transformations import TRANSFORMATIONS
from .transports import TRANSPORTS, run

cloudpickle = pytest.importorskip("cloudpickle")
pytestmark = pytest.mark.filterwarnings("error::transgrad.TapeFallbackWarning")
X = np.array([0.3, 1.2, -0.7])
ROOT = str(pathlib.Path(__file__).parents[2])


def again(x, by=pickle):
    return by.loads(by.dumps(x))


@pytest.mark.parametrize("transport", ["pickle", "copy", "fork", "spawn", "joblib"])
def test_a_sample(transport):
    if transport == "joblib":
        pytest.importorskip("joblib")
    total, _, wrong = compared(["globals_and_helper", "dataclass", "inherited_method"], [*TRANSFORMATIONS], [transport])
    assert not wrong
    assert total > 40


@pytest.mark.parametrize("pickler", [pickle, cloudpickle])
@pytest.mark.parametrize("made", [
    lambda: model.decorated, lambda: model.twice, lambda: model.factorial, lambda: model.layer, lambda: model.clipped, lambda: model.Model.static])
def test_the_name_of_a_decorated_function_stands_for_the_derivative(made, pickler):
    assert again(made(), pickler) is made()
    assert copy.copy(made()) is copy.deepcopy(made()) is made()


@pytest.mark.parametrize("pickler", [pickle, cloudpickle])
@pytest.mark.parametrize("made", [
    lambda: tg.hessian(model.decorated.primal), lambda: tg.jacobian(model.decorated), lambda: tg.vmap(model.twice.primal),
    lambda: tg.compile(model.twice.primal.primal), lambda: model.wrapped.gradient, lambda: tg.vjp(model.decorated.primal, X)[1],
    lambda: model.Model(2.0).slope, lambda: model.Model(2.0).gradient, lambda: model.Model(2.0), lambda: model.Model.static])
def test_a_function_behind_a_decorator_is_not_mistaken_for_its_derivative(made, pickler):
    """A reference by name alone would be the derivative, and the unpickled object a second derivative."""
    before, after = made(), again(made(), pickler)
    if isinstance(before, model.Model):
        before, after = before.slope, after.slope
    argument = 1.0 if isinstance(before, tg.transforms.pullbacks.Pullback) else X
    assert equal(before(argument), after(argument))


@pytest.mark.parametrize("pickler", [pickle, cloudpickle])
def test_a_derivative_that_is_a_class_method(pickler):
    """Since Python 3.13 it is an ordinary bound method, to which `pickle` refers by the name of the function, here that of the derivative."""
    if pickler is pickle and sys.version_info >= (3, 13):
        with pytest.raises(AttributeError, match="grad_of_class"):
            again(model.Model.of_class, pickler)
    else:
        assert equal(model.Model.of_class(X), again(model.Model.of_class, pickler)(X))


def test_all_options_travel():
    g = tg.value_and_grad(functions.loop, argnums=(0,), has_aux=False, holomorphic=False, fallback="error", optimize={"scalars": False},
                          checkpoint=3, nan="raise", progress=False)
    h = again(g)
    assert (h.kind, h.argnums, h.argnames, h.options, h.target) == (g.kind, g.argnums, g.argnames, g.options, g.target)
    assert (h.__name__, h.__doc__, h.__module__, h.__qualname__, str(h.__signature__)) == (
        g.__name__, g.__doc__, g.__module__, g.__qualname__, str(g.__signature__))
    v = again(tg.vmap(functions.loop, in_axes=(1,), out_axes=0, axis_size=4))
    assert (v.in_axes, v.out_axes, v.axis_size) == ((1,), 0, 4)
    native = pytest.importorskip("numba") and again(tg.grad(functions.loop, backend=tg.Numba(fastmath=True)))
    assert native.options.backend == tg.Numba(fastmath=True)


def test_by_reference_neither_code_nor_variants_travel():
    g = tg.grad(functions.solve)
    before = len(pickle.dumps(g))
    g(X)
    assert len(pickle.dumps(g)) == before < 600


def test_unpickled_derivatives_of_one_function_share_their_variants():
    data = pickle.dumps(tg.vmap(tg.grad(functions.sines)))
    first, second = pickle.loads(data), pickle.loads(data)
    first(np.stack([X, X]))
    assert second.variants == first.variants != []


def test_threads_may_use_an_unpickled_derivative_at_once():
    for _ in range(20):
        g = again(tg.grad(functions.squares))
        found = []
        threads = [threading.Thread(target=lambda g=g, found=found: found.append(g(X))) for _ in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        assert all(np.array_equal(x, 2 * X) for x in found) and len(found) == 4


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_fork_while_another_thread_compiles():
    """The child inherits locks whose owner is a thread that it does not have."""
    from transgrad.ir import parsing
    from transgrad.pickling import rebuilt
    g = tg.grad(functions.slices)
    data = pickle.dumps(tg.grad(functions.indexed))
    held, done = threading.Event(), threading.Event()

    def hold():
        with g._lock, parsing._LOCK, rebuilt._LOCK:
            held.set()
            done.wait(60.0)
    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    child = os.fork()
    if not child:       # no return into pytest
        signal.alarm(20)
        try:
            os._exit(0 if np.all(np.isfinite(g(X))) and np.all(np.isfinite(pickle.loads(data)(X))) else 1)
        finally:
            os._exit(2)
    status = os.waitpid(child, 0)[1]
    done.set()
    thread.join()
    assert status == 0
    assert equal(g(X), tg.grad(lambda x: np.sum((x[1:] - x[:-1]) ** 2))(X))


def test_pickle_takes_no_local_function_and_cloudpickle_does():
    power = 3.0
    g = tg.grad(lambda x: np.sum(x ** power))
    with pytest.raises((pickle.PicklingError, AttributeError), match="lambda"):
        pickle.dumps(g)
    assert equal(again(g, cloudpickle)(X), g(X))
    assert equal(copy.deepcopy(g)(X), g(X))


def test_functions_that_refer_to_their_own_derivatives():
    def outer():
        def f(x, scale=2.0, *, shift=1.0):
            return np.sum(x ** 2) * scale + shift * float(cell is not None)
        cell = tg.grad(f)
        return f, cell
    f, g = outer()
    assert equal(again(g, cloudpickle)(X), g(X))
    assert again((f, g), cloudpickle)[0](X) == f(X)
    assert again(g, cloudpickle).__signature__ == g.__signature__


def test_the_source_travels_with_a_function_by_value(tmp_path):
    """Another process has neither the script nor the cells of the notebook."""
    script = """
import linecache, pickle, sys
import numpy as np, cloudpickle
import transgrad as tg
cell = "def helper(x):\\n    return np.sin(x)\\n\\n@tg.grad\\ndef g(x, power=2.0):\\n    return np.sum(helper(x) ** power)\\n"
name = "/nowhere/ipykernel_1/1.py"
linecache.cache[name] = len(cell), None, cell.splitlines(True), name
exec(compile(cell, name, "exec"))
h = tg.vmap(tg.grad(lambda x: helper(x) * 2.0))
open(sys.argv[1], "wb").write(cloudpickle.dumps((g, h, g(np.ones(2)))))
"""
    reader = """
import pickle, sys, warnings
import numpy as np
warnings.simplefilter("error")
g, h, expected = pickle.load(open(sys.argv[1], "rb"))
assert np.array_equal(g(np.ones(2)), expected)
assert np.allclose(h(np.ones(2)), 2.0 * np.cos(1.0))
print(g.source)
"""
    (tmp_path / "script.py").write_text(script)
    (tmp_path / "reader.py").write_text(reader)
    _python(tmp_path, "script.py", "data")
    (tmp_path / "script.py").unlink()
    assert "np.sin(x)" in _python(tmp_path, "reader.py", "data")


def _python(folder, *args):
    where = {**os.environ, "PYTHONPATH": ROOT, "TRANSGRAD_CACHE": str(folder / "cache")}
    done = subprocess.run([sys.executable, *args], cwd=folder, env=where, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_script_with_processes(tmp_path):
    """Decorated functions of a script: multiprocessing imports the script again, joblib writes them by value."""
    pytest.importorskip("joblib")
    (tmp_path / "main.py").write_text("""
import multiprocessing
import numpy as np, joblib
import transgrad as tg

@tg.grad
def g(x):
    return np.sum(x ** 3)

def f(x):
    return np.sum(np.sin(x))

class Model:
    @tg.grad
    def gradient(self, x):
        return np.sum(x ** 2)

if __name__ == "__main__":
    xs = [np.full(2, float(k)) for k in range(4)]
    for d in (g, tg.grad(f), tg.vmap(f), Model().gradient, tg.jacobian(g.primal)):
        expected = [d(x) for x in xs]
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            assert np.array_equal(pool.map(d, xs), expected)
        assert np.array_equal(joblib.Parallel(2)(joblib.delayed(d)(x) for x in xs), expected)
    print("done")
""")
    assert _python(tmp_path, "main.py") == "done\n"


@pytest.mark.parametrize("pickler", [pickle, cloudpickle])
def test_functions_with_derivatives_of_their_own(pickler):
    assert again(model.opaque, pickler) is model.opaque
    assert again(tg.grad(model.opaque), pickler)(3.0) == 6.0
    for p in (model.plain_opaque, model.linear):
        found = again(p, pickler)
        assert (found.fun, found.vjp, found.result, found.linear, found.primitive) == (p.fun, p.vjp, p.result, p.linear, found)
        assert found.__name__ == p.__name__ and found.signature == p.signature
    local = tg.custom_vjp(clipped_source)
    local.defvjp(functions.clipped_forward, functions.clipped_backward)
    found = again(local, pickler)
    assert (found.fwd, found.bwd, found.signature) == (local.fwd, local.bwd, local.signature)
    assert equal(tg.grad(found)(2.5), tg.grad(local)(2.5)) and tg.grad(found)(2.5) == 0.0


def clipped_source(x):
    return np.clip(x, -1.0, 1.0)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_map_of_a_pool(method):
    g = tg.grad(functions.sines)
    xs = list(np.random.default_rng(0).standard_normal((8, 3)))
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert equal(pool.map(g, xs), [g(x) for x in xs])


def test_a_pullback_travels_as_its_generated_code_and_the_saved_values():
    out, pull = tg.vjp(functions.dictionary, {"w": X, "b": 0.5})
    data = pickle.dumps(pull)
    assert equal(pickle.loads(data)(2.0), pull(2.0))
    value, push = tg.linearize(functions.loop, X)
    assert equal(again(push)(np.ones(3)), push(np.ones(3)))
    with pytest.raises(ValueError, match="cotangent"):
        pickle.loads(data)(np.ones(3))
    _, pull, _ = tg.vjp(lambda x: (x ** 2, {"n": 1.0}), 3.0, has_aux=True)
    assert equal(again(pull, cloudpickle)(1.0), pull(1.0))


def test_a_pullback_of_machine_code():
    pytest.importorskip("numba")
    _, pull = tg.vjp(functions.loop, X, backend="numba")
    assert equal(again(pull)(2.0), pull(2.0))


def test_a_pullback_on_the_tape_is_refused():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tg.TapeFallbackWarning)
        _, pull = tg.vjp(model.unsupported, 3.0)
    with pytest.raises(pickle.PicklingError, match=r"(?s)unsupported cannot be pickled.*\nHint: "):
        pickle.dumps(pull)
    assert copy.deepcopy(pull)(1.0) == (2.0,)


@pytest.mark.parametrize("pickler", [pickle, cloudpickle])
def test_functions_of_tensors(pickler):
    from transgrad import func
    x = tg.tensor([1.0, 2.0])
    for g in (func.grad(sum_of_cubes), func.grad_and_value(sum_of_cubes), func.jacrev(cubes), func.jacfwd(cubes), func.hessian(sum_of_cubes),
              func.vmap(cubes), func.vmap(func.grad(cubes)), func.linearize(cubes, x)[1], tg.vmap(cubes, in_dims=0), tg.grad(sum_of_cubes)):
        assert str(again(g, pickler)(x)) == str(g(x))


def cubes(x):
    return x ** 3


def sum_of_cubes(x):
    return (x ** 3).sum()


@pytest.mark.parametrize("cls", [getattr(errors, name) for name in errors.__all__ if isinstance(getattr(errors, name), type)])
def test_errors_can_be_pickled(cls):
    """A pool that cannot read the error of a worker waits for ever."""
    found = again(cls("the reason"))
    assert type(found) is cls and str(found) == str(cls("the reason"))


def test_an_error_of_a_worker_names_its_line():
    g = tg.grad(model.unsupported, fallback="error")
    with multiprocessing.get_context("fork").Pool(1) as pool, pytest.raises(tg.UnsupportedCall) as caught:
        pool.map(g, [1.0])
    assert caught.value.lineno == run((g, (1.0,))).lineno


def test_a_name_that_is_not_decorated_any_more(monkeypatch):
    data = pickle.dumps(tg.hessian(model.decorated.primal))
    monkeypatch.setattr(model, "decorated", model.unsupported)
    with pytest.raises(pickle.UnpicklingError, match="not decorated as it was"):
        pickle.loads(data)


def test_the_transports_are_all_tested():
    assert {"pickle", "cloudpickle", "fork", "spawn", "forkserver", "joblib", "futures"} <= {*TRANSPORTS}
    assert len(functions.FUNCTIONS) == 40

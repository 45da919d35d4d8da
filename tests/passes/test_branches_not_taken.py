"""What was not selected does not reach a derivative: no NaN or infinity, in any mode, order or back end.

Ways to select × functions whose slope is infinite or undefined at 0 × transformations; the derivatives are those of the selected
elements, by hand.
"""
from __future__ import annotations

import importlib.util
import itertools
import linecache
import math
import os
import re
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.special

import transgrad as tg
from transgrad.runtime import tape
from transgrad.transforms.arguments import bind
from transgrad.transforms.fallback import TapedVariant

pytestmark = pytest.mark.filterwarnings("ignore:vmap of grad_f loops")
X = np.array([0.0, 0.3, 0.0, 1.7, 0.9])
#: a direction
T = np.array([1.0, -2.0, 0.5, 3.0, 0.7])

#: name → source, first and second derivative where x > 0
UNSAFE: dict[str, tuple[str, Callable[[Any], Any], Callable[[Any], Any]]] = {
    "sqrt": ("np.sqrt({0})", lambda x: 0.5 * x ** -0.5, lambda x: -0.25 * x ** -1.5),
    "log": ("np.log({0})", lambda x: 1 / x, lambda x: -1 / x ** 2),
    "divide": ("1.0 / {0}", lambda x: -1 / x ** 2, lambda x: 2 / x ** 3),
    "power": ("{0} ** 0.5", lambda x: 0.5 * x ** -0.5, lambda x: -0.25 * x ** -1.5),
    "negative_power": ("{0} ** -1.5", lambda x: -1.5 * x ** -2.5, lambda x: 3.75 * x ** -3.5),
    "arccos": ("np.arccos(1.0 - 0.5 * {0})", lambda x: 0.5 / np.sqrt(1 - (1 - 0.5 * x) ** 2),
               lambda x: -0.25 * (1 - 0.5 * x) * (1 - (1 - 0.5 * x) ** 2) ** -1.5),
    "overflow": ("np.exp(0.1 / {0})", lambda x: -0.1 / x ** 2 * np.exp(0.1 / x), lambda x: (0.2 / x ** 3 + 0.01 / x ** 4) * np.exp(0.1 / x)),
    "x_log_x": ("{0} * np.log({0})", lambda x: np.log(x) + 1, lambda x: 1 / x),
    "xlogy": ("special.xlogy({0}, {0})", lambda x: np.log(x) + 1, lambda x: 1 / x),
    "hypot": ("np.hypot({0}, 2.0 * {0})", lambda x: np.sqrt(5) + 0 * x, lambda x: 0 * x),
    "norm": ("np.linalg.norm(np.stack([{0}, {0}]), axis=0)", lambda x: np.sqrt(2) + 0 * x, lambda x: 0 * x),
    "own_norm": ("np.sqrt({0} * {0} + {0} * {0})", lambda x: np.sqrt(2) + 0 * x, lambda x: 0 * x),
    "chain": ("np.log1p(np.exp(np.sqrt({0})))", lambda x: 0.5 / (np.sqrt(x) * (1 + np.exp(-np.sqrt(x)))),
              lambda x: 0.25 * (np.exp(-np.sqrt(x)) / x / (1 + np.exp(-np.sqrt(x))) ** 2 - x ** -1.5 / (1 + np.exp(-np.sqrt(x))))),
    "cbrt": ("np.cbrt({0})", lambda x: x ** (-2 / 3) / 3, lambda x: -2 / 9 * x ** (-5 / 3)),
}

#: name → body; U(...) is the unsafe function, and the result is the sum of it where x > 0
SELECT = {
    "where": "return np.sum(np.where(x > 0, U(x), 0.0))",
    "where_scaled": "return np.sum(np.where(x <= 0, 0.0, 1.5 * U(x) + 1.0) / 1.5) - 2.0",
    "where_inside": "return np.sum(np.where(x < 5, np.where(x > 0, U(x), 7.0), 0.0)) - 14.0",
    "where_twice": "y = U(x); return np.sum(np.where(x > 0, y * 0.5, 0.0)) + np.sum(np.where(x > 0, 0.5 * y, 0.0))",
    "where_before": "return np.sum(np.where(x > 0, U(np.where(x > 0, x, 0.0)), 0.0))",
    "where_in_rows": "y = np.where((x > 0)[:, None], np.stack([U(x), x], axis=1), 0.0); return np.sum(y[:, 0])",
    "where_summed": "m = (x > 0)[:, None] & np.ones(3, bool); return np.sum(np.where(m, U(x)[:, None] * np.ones(3), 0.0)) / 3.0",
    "where_in_helper": "return np.sum(guard(x > 0, U(x)))",
    "unsafe_in_helper": "return np.sum(np.where(x > 0, unsafe(x), 0.0))",
    "both_in_helpers": "return np.sum(guard(x > 0, unsafe(x)))",
    "write_zero": "y = U(x); y[x <= 0] = 0.0; return np.sum(y)",
    "write_selected": "y = np.zeros_like(x); m = x > 0; y[m] = U(x)[m]; return np.sum(y)",
    "write_rows": "y = np.stack([U(x), x * x], axis=1); y[x <= 0] = 0.0; return np.sum(y[:, 0])",
    "putmask": "y = U(x); np.putmask(y, x <= 0, 0.0); return np.sum(y)",
    "copyto": "y = np.zeros_like(x); np.copyto(y, U(x), where=x > 0); return np.sum(y)",
    "read": "return np.sum(U(x)[x > 0])",
    "read_nonzero": "return np.sum(U(x)[np.nonzero(x)])",
    "read_places": "i, = np.nonzero(x > 0); return np.sum(U(x)[i])",
    "compress": "return np.sum(np.compress(x > 0, U(x)))",
    "extract": "return np.sum(np.extract(x > 0, U(x)))",
    "sum_where": "return np.sum(U(x), where=x > 0)",
    "mean_where": "return 3.0 * np.mean(U(x), where=x > 0)",
    "select": "return np.sum(np.select([x > 1, x > 0], [U(x), U(x)], 0.0))",
    "piecewise": "return np.sum(np.piecewise(x, [x > 0], [lambda t: U(t), 0.0]))",
    "choose": "return np.sum(np.choose((x > 0).astype(int), [x * 0.0, U(x)]))",
    "nansum": "return np.nansum(np.where(x > 0, U(x), np.nan))",
    "nanmean": "return 3.0 * np.nanmean(np.where(x > 0, U(x), np.nan))",
    "nan_to_num": "return np.sum(np.nan_to_num(np.where(x > 0, U(x), np.nan)))",
    "isfinite": "y = np.where(x > 0, U(x), np.nan); return np.sum(np.where(np.isfinite(y), y, 0.0))",
    "times_truth": "return np.sum((x > 0) * np.where(x > 0, U(x), 0.0))",
    "branch": "s = 0.0\n    for i in range(len(x)):\n        if x[i] > 0:\n            s += U(x[i])\n    return s",
}


def program(how: str, unsafe: str, folder: Path | None = None) -> Any:
    """The function, in a file of its own where a folder is given."""
    source = UNSAFE[unsafe][0]
    body = re.sub(r"U\(((?:[^()]|\([^()]*\))*)\)", lambda m: f"({source.format(m[1])})", SELECT[how])
    text = (f"def guard(m, y):\n    return np.where(m, y, 0.0)\n\n\ndef unsafe(x):\n    return {source.format('x')}\n\n\n"
            f"def f(x):\n    {body}\n")
    if folder is not None:
        (folder / "programs.py").write_text(f"import numpy as np\n\n\n{text}")
        return load(folder / "programs.py").f
    name = f"<{how} {unsafe}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    scope: dict[str, Any] = {"np": np, "special": scipy.special}
    exec(compile(text, name, "exec"), scope)
    return scope["f"]


def load(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def of_gradient(f: Any) -> Any:
    """The gradient of the gradient along a direction, by reverse mode twice."""
    def along(x: Any) -> Any:
        return np.sum(tg.grad(f)(x) * T)
    return tg.grad(along)


def by_tape(f: Any) -> Any:
    """The gradient as the fallback computes it."""
    d = tg.grad(f)
    return TapedVariant(d, {}, tg.UnsupportedSyntax("for the test")).call_with(bind(f, d.__signature__, (X.copy(),), {}))


#: mode → what it computes, as the gradient and the diagonal of the Hessian have it
MODES: dict[str, Callable[[Any, Any, Any], tuple[Any, Any]]] = {
    "grad": lambda f, g, h: (tg.grad(f)(X), g),
    "value_and_grad": lambda f, g, h: (tg.value_and_grad(f)(X)[1], g),
    "jvp": lambda f, g, h: (tg.jvp(f, (X,), (T,))[1], g @ T),
    "jacfwd": lambda f, g, h: (tg.jacfwd(f)(X), g),
    "vmap": lambda f, g, h: (tg.vmap(tg.grad(f))(np.stack([X, X])), np.stack([g, g])),
    "hessian": lambda f, g, h: (tg.hessian(f)(X), np.diag(h)),
    "hvp": lambda f, g, h: (tg.hvp(f, (X,), (T,)), h * T),
    "tape": lambda f, g, h: (by_tape(f), g),
    "call on the tape": lambda f, g, h: (tape.vjp(f, X.copy(), returns="np.float64")[1](1.0), g),
    "tangent of a call on the tape": lambda f, g, h: (tape.push(tape.vjp(f, X.copy(), returns="np.float64")[1], T), g @ T),
    "reverse twice": lambda f, g, h: (of_gradient(f)(X), h * T),
}


def check(how: str, unsafe: str, mode: Any, folder: Path | None = None) -> None:
    _, first, second = UNSAFE[unsafe]
    with np.errstate(all="ignore"):
        g, h = (np.where(X > 0, d(X), 0.0) for d in (first, second))
        got, want = mode(program(how, unsafe, folder), g, h)
    got = got[0] if isinstance(got, tuple) else got
    assert np.shape(got) == np.shape(want)
    np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-12)


#: each way to select with two functions, and each function with where, in every mode
PAIRS = [(how, list(UNSAFE)[(zlib.crc32(how.encode()) + k) % len(UNSAFE)]) for how in SELECT for k in (0, 5)]
PAIRS = list(dict.fromkeys([*PAIRS, *(("where", unsafe) for unsafe in UNSAFE)]))


@pytest.mark.parametrize(("how", "unsafe"), PAIRS)
def test_every_mode(how: str, unsafe: str) -> None:
    for mode in MODES:
        check(how, unsafe, MODES[mode])


@pytest.mark.skipif("TRANSGRAD_EVERY" not in os.environ, reason="takes minutes: TRANSGRAD_EVERY=1 runs all of it")
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("how", SELECT)
def test_every_pair(how: str, mode: str) -> None:
    for unsafe in UNSAFE:
        check(how, unsafe, MODES[mode])


@pytest.mark.parametrize(("how", "unsafe"), [("where", "x_log_x"), ("read", "sqrt"), ("write_zero", "chain"), ("where_inside", "overflow")])
def test_in_machine_code(how: str, unsafe: str) -> None:
    pytest.importorskip("numba")
    check(how, unsafe, lambda f, g, h: (tg.grad(f, backend="numba")(X), g))


@pytest.mark.parametrize(("how", "unsafe"), [("where", "x_log_x"), ("read_nonzero", "sqrt"), ("where_twice", "divide"), ("where_in_helper", "log")])
def test_in_an_exported_module(how: str, unsafe: str, tmp_path: Path) -> None:
    def exported(f: Any, g: Any, h: Any) -> tuple[Any, Any]:
        d = tg.grad(f)
        d(X)
        d.export(tmp_path / "exported.py")
        return load(tmp_path / "exported.py").grad_f(X), g
    check(how, unsafe, exported, tmp_path)


def test_an_exponential_that_overflows() -> None:
    def f(x: Any) -> Any:
        return np.sum(np.where(x <= 10, np.exp(x), 1.0))
    x = np.array([1.0, 800.0])
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(tg.grad(f)(x), [math.e, 0.0])
        np.testing.assert_array_equal(tg.hessian(f)(x), [[math.e, 0.0], [0.0, 0.0]])


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_missing_data(bad: float) -> None:
    """NaN and infinity among the data, in elements that are left out, stay out of the gradient of the parameters too."""
    x = np.array([1.0, bad, 2.0])

    def f(w: Any, x: Any) -> Any:
        return np.sum(np.where(np.isfinite(x), np.sin(w * x) * x, 0.0))
    with np.errstate(all="ignore"):
        got = tg.grad(f, argnums=(0, 1))(0.7, x)
    t = x[[0, 2]]
    np.testing.assert_allclose(got[0], np.sum(np.cos(0.7 * t) * t * t))
    np.testing.assert_allclose(got[1][[0, 2]], 0.7 * np.cos(0.7 * t) * t + np.sin(0.7 * t))
    assert got[1][1] == 0.0


def test_rows_that_are_left_out() -> None:
    x = np.array([[0.0, 0.0], [3.0, 4.0], [np.nan, 1.0]])

    def f(x: Any) -> Any:
        return np.sum(np.where([False, True, False], np.linalg.norm(x, axis=1), 0.0))
    np.testing.assert_allclose(tg.grad(f)(x), [[0.0, 0.0], [0.6, 0.8], [0.0, 0.0]])


def test_what_was_selected_is_not_masked() -> None:
    """A cotangent that happens to be zero is no selection: sqrt(x) ** 2 at 0 has no derivative by the chain rule."""
    def f(x: Any) -> Any:
        return np.sum(np.where(x >= 0, np.sqrt(x) ** 2, 0.0))
    with np.errstate(all="ignore"):
        assert np.isnan(tg.grad(f)(np.array([0.0, 1.0]))[0])


def test_tensors_follow_torch() -> None:
    x = tg.tensor([0.0, 4.0], requires_grad=True)
    with np.errstate(all="ignore"):
        np.sum(np.where(x > 0, np.sqrt(x), 0.0)).backward()
    np.testing.assert_array_equal(x.grad.numpy(), [np.nan, 0.25])


def test_conditions_that_change() -> None:
    """A condition that is written to later is not relied on."""
    def f(x: Any) -> Any:
        m = x > 0
        y = np.where(m, np.sqrt(x), 0.0)
        m[1] = False
        return np.sum(y * np.where(m, x, 2.0))
    x = np.array([4.0, 9.0])
    np.testing.assert_allclose(tg.grad(f)(x), [0.25 * 4.0 + 2.0, 2.0 / 6.0])


def test_one_selection_is_enough() -> None:
    """The derivative of a chain is masked once."""
    def f(x: Any) -> Any:
        return np.sum(np.where(x > 0, np.log1p(np.exp(np.sqrt(x))) ** 2, 0.0))
    d = tg.grad(f)
    d(np.array([1.0, 2.0]))
    assert d.source.count("np.where(") == 1 + d.source.count("# return np.sum(np.where(")


def test_pairs_are_all_of_them() -> None:
    assert {how for how, _ in PAIRS} == set(SELECT) and {unsafe for _, unsafe in PAIRS} == set(UNSAFE)
    assert len(list(itertools.product(SELECT, UNSAFE))) > 400

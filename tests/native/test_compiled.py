"""Functions of every kind, compiled by Numba, against the text on NumPy."""
import math
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import transgrad as tg
from transgrad.emit import cache


def branches(x, n):
    total = 0.0
    for _ in range(n):
        if x > 0.5:
            x = math.sin(x) * 1.1
        else:
            x = x * x + 0.3
        total += x
    return total


def newton(a):
    x = a
    while abs(x * x - a) > 1e-12:
        x = x - (x * x - a) / (2 * x)
    return x


def heat(u0, c, steps):
    u = u0.copy()
    for _ in range(steps):
        u[1:-1] += c * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(u ** 2)


def thomas(a, b, c, d):
    n = len(d)
    cp, dp, x = np.zeros(n), np.zeros(n), np.zeros(n)
    cp[0], dp[0] = c[0] / b[0], d[0] / b[0]
    for i in range(1, n):
        m = b[i] - a[i] * cp[i - 1]
        cp[i] = c[i] / m
        dp[i] = (d[i] - a[i] * dp[i - 1]) / m
    x[n - 1] = dp[n - 1]
    for i in range(n - 2, -1, -1):
        x[i] = dp[i] - cp[i] * x[i + 1]
    return np.sum(x ** 2)


def elementwise(x):
    return np.sum(np.tanh(x) * np.exp(-x ** 2) + np.log(1.0 + x * x) * np.sin(x))


def network(params, x, y):
    h = np.tanh(x @ params["w1"] + params["b1"])
    return np.mean((h @ params["w2"] + params["b2"] - y) ** 2)


_RNG = np.random.default_rng(0)
_N = _RNG.normal
CASES = [
    (branches, 0, (0.3, 50)),
    (newton, 0, (2.0,)),
    (heat, (0, 1), (_N(size=30), 0.1, 20)),
    (thomas, (0, 1, 2, 3), (_RNG.uniform(0, 1, 20), _RNG.uniform(4, 5, 20), _RNG.uniform(0, 1, 20), _N(size=20))),
    (elementwise, 0, (_N(size=100),)),
    (network, 0, ({"w1": _N(size=(4, 5)), "b1": _N(size=5), "w2": _N(size=(5, 3)), "b2": _N(size=3)}, _N(size=(8, 4)), _N(size=(8, 3)))),
]


def assert_equal(got, want):
    if isinstance(want, dict):
        assert got.keys() == want.keys()
        for key in want:
            assert_equal(got[key], want[key])
    elif isinstance(want, (tuple, list)):
        assert type(got) is type(want) and len(got) == len(want)
        for g, w in zip(got, want):
            assert_equal(g, w)
    else:
        assert np.result_type(got) == np.result_type(want)
        np.testing.assert_allclose(got, want, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("f, argnums, args", CASES, ids=[c[0].__name__ for c in CASES])
def test_gradients(f, argnums, args):
    assert_equal(tg.grad(f, argnums, backend="numba")(*args), tg.grad(f, argnums)(*args))


def test_primal_and_pullback():
    x = np.linspace(-1.0, 1.0, 7)

    def f(x):
        return np.tanh(x) * x
    np.testing.assert_allclose(tg.compile(f, backend="numba")(x), f(x), rtol=1e-14)
    for got, want in zip(tg.jvp(f, (x,), (x,), backend="numba"), tg.jvp(f, (x,), (x,))):
        np.testing.assert_allclose(got, want, rtol=1e-13)
    out, pullback = tg.vjp(f, x, backend="numba")
    want, plain = tg.vjp(f, x)
    np.testing.assert_allclose(out, want, rtol=1e-14)
    np.testing.assert_allclose(pullback(np.ones(7))[0], plain(np.ones(7))[0], rtol=1e-13)


def test_what_numba_does_not_take_is_refused_with_the_line():
    def f(x):
        return x * len(f"{x:.3f}")
    with pytest.raises(tg.UnsupportedByNumba, match=r"(?s)return x \* len.*\^.*Hint"):
        tg.grad(f, backend="numba")(2.0)


def test_it_says_how_long_it_compiled():
    def f(x):
        return x * x
    df = tg.grad(f, backend="numba")
    df(3.0)
    assert " ms" in df.explain() and "Numba" in df.explain()


def test_without_numba_the_error_names_the_extra(monkeypatch):
    from transgrad.transforms import options
    options._require_numba.cache_clear()
    monkeypatch.setattr(options.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ModuleNotFoundError, match=r"transgrad\[numba\]"):
        tg.grad(newton, backend="numba")


def test_importing_transgrad_does_not_import_numba():
    code = "import sys, transgrad; raise SystemExit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_machine_code_is_read_from_disk_by_another_process(tmp_path):
    program = tmp_path / "program.py"
    program.write_text("import transgrad as tg\n"
                       "def cube(x):\n    return x ** 3\n"
                       "df = tg.grad(cube, backend='numba')\n"
                       "print(df(2.0), 'from disk' in df.explain())\n")
    env = {**os.environ, "PYTHONPATH": str(pathlib.Path(tg.__file__).parent.parent)}
    said = [subprocess.run([sys.executable, str(program)], capture_output=True, text=True, env=env).stdout for _ in range(2)]
    assert said == ["12.0 False\n", "12.0 True\n"]


def test_files_are_named_by_their_content(monkeypatch, tmp_path):
    monkeypatch.setenv("TRANSGRAD_CACHE", str(tmp_path))
    path = cache.content_file("numba", "f", "x = 1\n")
    assert path.read_text() == "x = 1\n" and path.parent == tmp_path / "numba"
    assert cache.content_file("numba", "f", "x = 1\n") == path != cache.content_file("numba", "f", "x = 2\n")

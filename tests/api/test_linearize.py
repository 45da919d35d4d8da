"""``linearize``: one run of the function, then the linear part alone for each tangent."""
from __future__ import annotations

import copy

import numpy as np
import pytest

import transgrad as tg
from tests import oracles
from tests.corpus.refused import REFUSED
from tests.corpus.registry import Case, load

X = np.array([0.3, -0.7, 1.1])


def test_the_function_runs_once() -> None:
    calls = []

    def f(x, rng):
        calls.append(1)
        return {"y": x * rng.normal(), "s": np.sum(x ** 2)}

    out, f_dot = tg.linearize(lambda x: f(x, np.random.default_rng(0)), X, fallback="error")
    count = len(calls)
    first, second = f_dot(np.ones(3)), f_dot(2.0 * np.ones(3))
    assert len(calls) == count
    scale = out["y"] / X
    assert np.allclose(first["y"], scale) and np.allclose(second["y"], 2.0 * scale) and np.isclose(second["s"], 4.0 * X.sum())


def test_random_numbers_are_those_of_the_value() -> None:
    rng = np.random.default_rng(1)

    def f(x):
        return x * rng.normal()

    out, f_dot = tg.linearize(f, 2.0)
    assert f_dot(1.0) == pytest.approx(out / 2.0)


@pytest.mark.parametrize("case", [c for c in load() if not c.kwargs and f"{c.row}-{c.name}" not in REFUSED],
                         ids=lambda c: f"{c.row}-{c.name}")
def test_agrees_with_jvp(case: Case) -> None:
    if set(case.wrt) != set(range(len(case.args))):
        pytest.skip("linearize takes differentiated arguments only")
    if any(np.iscomplexobj(x) for _, x in oracles.leaves(case.args)):
        pytest.skip("complex arguments have tests of their own")
    tangents = oracles.rebuild_like(case.args, np.cos(np.arange(sum(np.size(x) for _, x in oracles.leaves(case.args)))), exact=True)
    with np.errstate(all="ignore"):
        out, f_dot = tg.linearize(case.f, *copy.deepcopy(case.args), fallback="error")
        want, dot = tg.jvp(case.f, copy.deepcopy(case.args), tangents, fallback="error")
        got = f_dot(*tangents)
    oracles.assert_same(out, want)
    assert np.allclose(got, dot, rtol=1e-9, atol=1e-10), (got, dot)


def test_complex() -> None:
    z, t = np.array([1.0 + 2.0j, 0.5 - 1.0j]), np.array([0.3j, 1.0 + 1.0j])

    def f(z):
        return np.sum(z * z), np.abs(z)

    out, f_dot = tg.linearize(f, z, fallback="error")
    want, dot = tg.jvp(f, (z,), (t,))
    assert np.isclose(out[0], want[0]) and np.isclose(f_dot(t)[0], dot[0]) and np.allclose(f_dot(t)[1], dot[1])

"""Emitted derivatives of the golden functions: equal to those written by hand, at the golden arguments and away from them."""
from __future__ import annotations

import importlib

import numpy as np
import pytest

import transgrad as tg
from transgrad.transforms.derivative import Derivative
from transgrad.transforms.options import Options
from transgrad.transforms.transformations import Forward

RNG = np.random.default_rng(5)
OTHERS = {
    "branches": [(np.array([0.1, 5.0, -5.0]), 0.6), (np.zeros(0), 1.0), (RNG.normal(size=7), 10.0)],
    "dense_layer": [(RNG.normal(size=(2, 6)), RNG.normal(size=(6, 3)), RNG.normal(size=3))],
    "newton": [(7.3, 1e3), (7.3, 5.0), (0.3, 0.1)],
    "stencil": [(RNG.normal(size=3), 0.4, 1), (RNG.normal(size=9), 0.1, 0)],
    "trajectory": [(np.array([0.5, 0.02, 0.02, 0.9]), np.array([10.0, 3.0]), 0.05, RNG.uniform(1.0, 30.0, size=(3, 2)))],
}


def golden(name):
    return importlib.import_module(f"benchmarks.golden.{name}")


def both(found):
    return found if isinstance(found, tuple) else (found,)


def gradients(name):
    """Those of a golden function, compared with the ones written by hand."""
    primal, by_hand, args, wrt = golden(name).case
    emitted = tg.grad(primal, wrt if len(wrt) > 1 else wrt[0], fallback="error")
    found = []
    for given in (args, *OTHERS[name]):
        found.append(both(emitted(*given)))
        for a, b in zip(found[-1], both(by_hand(*given)), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-12)
    return found


def tangents():
    """Those of a pendulum."""
    module = golden("tangent")
    emitted = Derivative(Forward(), module.pendulum, (0, 1), None, Options("error"))
    found = []
    for given in ((0.7, -0.2, 0.05, 80, 0.3, 1.1), (0.7, -0.2, 0.05, 0, 0.3, 1.1)):
        found.append(emitted(*given))
        np.testing.assert_allclose(found[-1], module.jvp_pendulum(*given), rtol=1e-12)
    return found


@pytest.mark.parametrize("name", OTHERS)
def test_gradient(name):
    gradients(name)


def test_tangent():
    tangents()


@pytest.mark.parametrize("name", OTHERS)
def test_text_is_as_long_as_what_a_person_writes(name):
    import inspect
    primal, by_hand, args, wrt = golden(name).case
    emitted = tg.grad(primal, wrt if len(wrt) > 1 else wrt[0], fallback="error", optimize={"scalars": False}).source_for(*args)
    helpers = [f for n, f in vars(golden(name)).items() if n.endswith("_backward")]
    written = sum(len(inspect.getsource(f).splitlines()) for f in (by_hand, *helpers))
    assert len(emitted.splitlines()) <= 1.75 * written
    assert "runtime" not in emitted and "unbroadcast" not in emitted

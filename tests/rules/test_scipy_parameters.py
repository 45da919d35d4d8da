"""Functions that are given to SciPy's solvers, and take their parameters out of dicts and lists beside other things."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import integrate, optimize

import transgrad as tg
from transgrad.testing import check_grad


def volume(p: Any, material: Any) -> Any:
    return optimize.brentq(lambda x: material["a"] / x - p, 0.1, 9.0)


def of_a_root(p: Any) -> Any:
    return volume(p, {"a": 1.1, "b": 2.0}) + volume(p, {"a": 1.1 * p, "name": "gas"})


def work(p: Any, material: Any) -> Any:
    return integrate.quad(lambda x: material["a"][1] * x * p, 0.0, p)[0]


def of_an_integral(p: Any) -> Any:
    return work(p, {"a": [0.3, 1.1 * p], "c": "gas"})


def decay(t: Any, y: Any, rates: Any, w: Any) -> Any:
    return -y * rates["a"] * w[0] - y * w[1]


def of_a_motion(p: Any) -> Any:
    rates = {"a": 1.1 * p, "b": np.ones(3), "name": "gas", "none": None, "n": 3}
    return integrate.solve_ivp(decay, (0.0, 1.0), [1.0, 2.0], args=(rates, [p, 0.3]), rtol=1e-9, atol=1e-11).y[0, -1]


def of_a_motion_around_it(p: Any) -> Any:
    rates = {"a": {"deep": [np.array([1.1 * p, 0.4])]}}
    return integrate.solve_ivp(lambda t, y: -y * rates["a"]["deep"][0], (0.0, 1.0), [1.0, 2.0], rtol=1e-9, atol=1e-11).y[0, -1]


def of_rows(p: Any) -> Any:
    return integrate.odeint(decay, [1.0, 2.0], [0.0, 0.5, 1.0], args=({"a": p}, [p, 2.0]), tfirst=True, rtol=1e-9, atol=1e-11)[-1, 0]


@pytest.mark.parametrize("f", [of_a_root, of_an_integral, of_a_motion, of_a_motion_around_it, of_rows])
def test_parameters_in_containers(f: Callable[..., Any]) -> None:
    want = tg.grad(f, fallback="error")(0.8)
    check_grad(f, [0.8])
    assert tg.jacfwd(f, fallback="error")(0.8) == pytest.approx(want, rel=1e-6)

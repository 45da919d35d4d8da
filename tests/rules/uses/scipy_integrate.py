"""scipy.integrate: integrals over boxes, series, boundary-value problems."""
from __future__ import annotations

from typing import Any

import numpy as np
from scipy import integrate as si

from . import use


@use(1.3, np.array([0.0, 1.1]), np.array([1.0, 0.2]))
def over_a_box(a: Any, low: Any, high: Any) -> Any:
    return si.cubature(lambda x, k: np.exp(-a * x[:, 0] ** 2 - k * x[:, 1]) * np.cos(x[:, 0] * x[:, 1]), low, high, args=(0.7,)).estimate


@use(np.array([0.3, 0.7]))
def several_over_a_box(a: Any) -> Any:
    return np.sum(si.cubature(lambda x: np.exp(a * x), [0.0], [1.0], rule="gk15").estimate)


@use(1.2, np.array([0.0, 2.0, -0.1]))
def over_a_box_by_few_places(a: Any, low: Any) -> Any:
    return si.cubature(lambda x: np.exp(-a * np.sum(x * x, axis=-1)), low, [1.0, 1.0, 1.0], rule="genz-malik", rtol=1e-6).estimate


@use(2.3, 0.7)
def series(p: Any, q: Any) -> Any:
    return si.nsum(lambda k: 1.0 / k ** p, 1, np.inf).sum + si.nsum(lambda k, p, q: q / k ** p, 1, np.inf, args=(p, q)).sum


@use(0.3, 1.5)
def finite_series(p: Any, a: Any) -> Any:
    return si.nsum(lambda k: np.exp(-p * k), a, a + 20, step=2).sum


def bratu(k: Any) -> Any:
    found = si.solve_bvp(lambda x, y: np.vstack((y[1], -k * np.exp(y[0]))), lambda first, last: np.array([first[0], last[0] - 0.1 * k]),
                         np.linspace(0.0, 1.0, 5), np.zeros((2, 5)), tol=1e-6)
    return np.sum(found.sol(np.array([0.3, 0.5])) ** 2) + found.y[1, 0]


@use(1.1)
def boundary_values(k: Any) -> Any:
    return bratu(k)


@use(1.2)
def eigenvalue(c: Any) -> Any:
    start = np.array([[0.0, 1.0, 0.0, -1.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0]])
    found = si.solve_bvp(lambda x, y, p: np.vstack((y[1], -p[0] ** 2 * c * y[0])),
                         lambda first, last, p: np.array([first[0], last[0], first[1] - p[0]]),
                         np.linspace(0.0, 1.0, 5), start, p=[6.0], tol=1e-6)
    return found.p[0] + found.sol(0.3)[0]

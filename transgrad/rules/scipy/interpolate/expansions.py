"""Polynomials through data by their coefficients, and quotients of polynomials: Lagrange's, Padé's and Taylor's, and the adaptive ones."""
from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.interpolate as si

from ....ir.infer_shapes import SHAPES
from ....ir.types import ANY, Arr
from ...installed import installed
from ...poly1d import Polynomial
from ...registry import constant, definition
from ...static import NoDerivative
from .polynomials import newton


@definition(si.lagrange)
def lagrange(x: Any, w: Any) -> Any:
    """With respect to places and values."""
    n = x.shape[0]
    total = np.zeros(n)
    for j in range(n):
        term = w[j:j + 1]
        for k in range(n):
            if k != j:
                term = np.convolve(term, np.stack((1.0, -x[k]))) / (x[j] - x[k])
        total = total + term
    return Polynomial(total)


@definition(si.pade)
def pade(an: Any, m: Any, n: Any = None) -> Any:
    """With respect to the coefficients of Taylor's series, the lowest power first."""
    series = np.asarray(an)
    over = series.shape[0] - 1 - m if n is None else n
    size = over + m + 1
    series = series[:size]
    back = np.arange(size)[:, None] - 1 - np.arange(m)
    beside = np.where(back >= 0, -series[np.maximum(back, 0)], 0.0)
    found = np.linalg.solve(np.concatenate((np.eye(size, over + 1), beside), axis=1), series)
    return Polynomial(np.flip(found[:over + 1])), Polynomial(np.flip(np.concatenate((np.ones(1), found[over + 1:]))))


@definition(si.approximate_taylor_polynomial)
def approximate_taylor_polynomial(f: Any, x: Any, degree: Any, scale: Any, order: Any = None) -> Any:
    """With respect to the values that the function reads from enclosing scopes, the point and the scale."""
    count = (degree if order is None else order) + 1
    nodes = scale * np.cos(np.linspace(0.0, np.pi, count, endpoint=False)) + x
    slopes = newton(nodes, f(nodes), 0).derivatives(x, degree + 1)
    return Polynomial(np.flip(slopes / np.array([math.factorial(k) for k in range(degree + 1)])))


def support_places(x: Any, y: Any, rtol: Any, max_terms: Any, clean_up: Any, clean_up_tol: Any) -> Any:
    """The numbers of the places that carry the quotient."""
    found = si.AAA(x, y, rtol=rtol, max_terms=max_terms, clean_up=clean_up, clean_up_tol=clean_up_tol)
    return np.array([int(np.argmin(np.abs(x - p))) for p in found.support_points])


constant(support_places)
SHAPES[support_places] = lambda *args: Arr("int64", (ANY,))


class Quotient:
    """``sum_k w[k] y[k] / (x - x[k])`` over the same without y; at a place of the data the value there."""

    def __init__(self, places: Any, values: Any, weights: Any):
        self.support_points, self.support_values, self.weights = places, values, weights

    def __call__(self, z: Any) -> Any:
        d = np.asarray(z)[..., None] - self.support_points
        at = d == 0.0
        share = np.where(np.any(at, axis=-1, keepdims=True), np.where(at, 1.0, 0.0), self.weights / np.where(at, 1.0, d))
        return (share @ self.support_values) / np.sum(share, axis=-1)


@definition(installed("scipy.interpolate.AAA"))
def aaa(x: Any, y: Any, *, rtol: Any = None, max_terms: Any = 100, clean_up: Any = True, clean_up_tol: Any = 1e-13) -> Any:
    """For real data, with respect to points and values, evaluated away from the data. The support points are constant."""
    if np.iscomplexobj(x) or np.iscomplexobj(y):
        raise NoDerivative("AAA has a derivative for real data")
    at = support_places(x, y, rtol, max_terms, clean_up, clean_up_tol)
    others = np.flatnonzero(np.all(np.arange(x.shape[0])[:, None] != at, axis=1))
    places, values = x[at], y[at]
    loewner = (y[others][:, None] - values) / (x[others][:, None] - places)
    return Quotient(places, values, np.linalg.svd(loewner, full_matrices=False)[2][-1])

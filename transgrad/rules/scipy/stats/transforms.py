"""Exponents of power transforms that make a sample most nearly normal: by the equation that they solve."""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.special as sp
import scipy.stats as st

from ....ir.infer_shapes import SHAPES
from ....ir.types import Num
from ...registry import constant, definition
from ...static import NoDerivative
from .figures_of_samples import johnson
from .missing import whole


def exponent_found(x: Any, method: Any) -> Any:
    """The exponent of the transform of Box and Cox, or of Yeo and Johnson, that SciPy finds."""
    return float(st.yeojohnson_normmax(x) if method == "johnson" else st.boxcox_normmax(x, method=method))


def order_medians(n: Any) -> Any:
    """The normal quantiles of the medians of ordered uniform numbers."""
    ends = 0.5 ** (1.0 / n)
    return st.norm.ppf(np.concatenate(([1.0 - ends], (np.arange(2, n) - 0.3175) / (n + 0.365), [ends])))


constant(exponent_found, order_medians)
SHAPES[exponent_found] = lambda *args: Num("float")


def powers(logs: Any, lam: Any) -> tuple[Any, Any, Any]:
    """``(exp(lam L) - 1) / lam`` and its first two derivatives by ``lam``, which is not 0."""
    high = np.exp(lam * logs)
    y = np.expm1(lam * logs) / lam
    slope = (high * logs - y) / lam
    return y, slope, (high * logs * logs - 2.0 * slope) / lam


def centered(parts: tuple[Any, Any, Any]) -> Any:
    return tuple([part - np.mean(part) for part in parts])


def likelihood_step(lam: Any, logs: Any, parts: tuple[Any, Any, Any]) -> Any:
    """A step of Newton's method to where the likelihood of the exponent is largest."""
    y, slope, bend = centered(parts)
    total, lean = np.sum(y * y), np.sum(y * slope)
    curve = (np.sum(slope * slope) + np.sum(y * bend)) / total - 2.0 * (lean / total) ** 2
    return lam + (np.mean(logs) - lean / total) / curve


def correlation_step(lam: Any, parts: tuple[Any, Any, Any]) -> Any:
    """A step to where the ordered sample's correlation with normal quantiles is largest."""
    y, slope, bend = centered(parts)
    m = order_medians(y.shape[0])
    total, lean, along = np.sum(y * y), np.sum(y * slope), np.sum(m * y)
    curve = (np.sum(m * bend) / along - (np.sum(m * slope) / along) ** 2
             - (np.sum(slope * slope) + np.sum(y * bend)) / total + 2.0 * (lean / total) ** 2)
    return lam - (np.sum(m * slope) / along - lean / total) / curve


def johnson_parts(x: Any, lam: Any) -> tuple[Any, Any, Any]:
    """Yeo's and Johnson's transform and its derivatives by the exponent."""
    above = x >= 0.0
    up, down = powers(np.log1p(np.where(above, x, 0.0)), lam), powers(np.log1p(np.where(above, 0.0, -x)), 2.0 - lam)
    return np.where(above, up[0], -down[0]), np.where(above, up[1], down[1]), np.where(above, up[2], -down[2])


@definition(st.boxcox_normmax)
def boxcox_normmax(x: Any, brack: Any = None, method: Any = "pearsonr", optimizer: Any = None, *, ymax: Any = None) -> Any:
    """An exponent that is not 0, and by which no limit of the transformed numbers holds."""
    if method not in ("pearsonr", "mle") or optimizer is not None:
        raise NoDerivative("boxcox_normmax has a derivative with method='pearsonr' and 'mle', without an optimizer")
    logs = np.log(np.sort(x))
    lam = exponent_found(x, method)
    for _ in range(3):
        lam = likelihood_step(lam, logs, powers(logs, lam)) if method == "mle" else correlation_step(lam, powers(logs, lam))
    return lam


@definition(st.yeojohnson_normmax)
def yeojohnson_normmax(x: Any, brack: Any = None, *, nan_policy: Any = "propagate") -> Any:
    """An exponent that is neither 0 nor 2."""
    x = whole("yeojohnson_normmax", nan_policy, x)
    logs = np.sign(x) * np.log1p(np.abs(x))
    lam = exponent_found(x, "johnson")
    for _ in range(3):
        lam = likelihood_step(lam, logs, johnson_parts(x, lam))
    return lam


@definition(st.boxcox)
def boxcox(x: Any, lmbda: Any = None, alpha: Any = None, optimizer: Any = None) -> Any:
    """For a given exponent, or with the one of the largest likelihood."""
    if alpha is not None:
        raise NoDerivative("boxcox has a derivative without alpha")
    if lmbda is None:
        found = boxcox_normmax(x, None, "mle", optimizer)
        return sp.boxcox(x, found), found
    return sp.boxcox(x, lmbda)


@definition(st.yeojohnson)
def yeojohnson(x: Any, lmbda: Any = None) -> Any:
    """For a given exponent, or with the one of the largest likelihood."""
    if lmbda is None:
        found = yeojohnson_normmax(x)
        return johnson(x, found), found
    return johnson(x, lmbda)

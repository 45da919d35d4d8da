"""Further statistics of samples: of angles, of trimmed samples, power transforms, distances between samples."""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.special as sp
import scipy.stats as st

from ...registry import definition
from .hypotheses import only
from .missing import statistic


def resultant(samples: Any, high: Any, low: Any, axis: Any) -> tuple[Any, Any]:
    """The means of sine and cosine of samples on a circle from ``low`` to ``high``."""
    angle = (samples - low) * (2.0 * np.pi / (high - low))
    return np.mean(np.sin(angle), axis=axis), np.mean(np.cos(angle), axis=axis)


@statistic(st.circmean, "samples")
def circmean(samples: Any, high: Any = 2 * np.pi, low: Any = 0, axis: Any = None) -> Any:
    """The mean direction."""
    s, c = resultant(samples, high, low, axis)
    return np.mod(np.arctan2(s, c), 2.0 * np.pi) * ((high - low) / (2.0 * np.pi)) + low


@statistic(st.circvar, "samples")
def circvar(samples: Any, high: Any = 2 * np.pi, low: Any = 0, axis: Any = None) -> Any:
    """One minus the length of the mean direction."""
    s, c = resultant(samples, high, low, axis)
    return 1.0 - np.hypot(s, c)


@statistic(st.circstd, "samples")
def circstd(samples: Any, high: Any = 2 * np.pi, low: Any = 0, axis: Any = None, *, normalize: Any = False) -> Any:
    """The deviation of a wrapped normal distribution of the same mean direction."""
    s, c = resultant(samples, high, low, axis)
    deviation = np.sqrt(-2.0 * np.log(np.hypot(s, c)))
    return deviation if normalize else deviation * ((high - low) / (2.0 * np.pi))


@statistic(st.iqr, "x")
def iqr(x: Any, axis: Any = None, rng: Any = (25, 75), scale: Any = 1.0, interpolation: Any = "linear") -> Any:
    """The distance of two quantiles."""
    factor = 1.0 / (2.0 * np.sqrt(2.0) * sp.erfinv(0.5)) if scale == "normal" else 1.0 / scale
    return (np.percentile(x, rng[1], axis=axis, method=interpolation)
            - np.percentile(x, rng[0], axis=axis, method=interpolation)) * factor


@statistic(st.median_abs_deviation, "x")
def median_abs_deviation(x: Any, axis: Any = 0, center: Any = None, scale: Any = 1.0) -> Any:
    """The median of the distances from the median."""
    only("median_abs_deviation", center=center is not None and center is not np.median)
    factor = 0.6744897501960817 if scale == "normal" else scale
    return np.median(np.abs(x - np.median(x, axis=axis, keepdims=True)), axis=axis) / factor


@statistic(st.trim_mean, "a")
def trim_mean(a: Any, proportiontocut: Any, axis: Any = 0) -> Any:
    """The mean of the elements without the smallest and largest ones."""
    flat = np.moveaxis(a, axis, 0)
    cut = int(proportiontocut * flat.shape[0])
    return np.mean(np.sort(flat, axis=0)[cut:flat.shape[0] - cut], axis=0)


def johnson(x: Any, lmb: Any) -> Any:
    """Yeo and Johnson's transform."""
    above = x >= 0.0
    return np.where(above, sp.boxcox1p(np.where(above, x, 0.0), lmb), -sp.boxcox1p(np.where(above, 0.0, -x), 2.0 - lmb))


def distances(u: Any, v: Any, uw: Any, vw: Any) -> tuple[Any, Any]:
    """The steps between all values, and the difference of the distribution functions on each."""
    every = np.concatenate((u, v))
    order = np.argsort(every)
    mass_u = np.ones_like(u) / u.size if uw is None else uw / np.sum(uw)
    mass_v = np.ones_like(v) / v.size if vw is None else vw / np.sum(vw)
    mass = np.concatenate((mass_u, -mass_v))
    return np.diff(every[order]), np.cumsum(mass[order])[:-1]


@definition(st.wasserstein_distance)
def wasserstein_distance(u_values: Any, v_values: Any, u_weights: Any = None, v_weights: Any = None) -> Any:
    """The area between two distribution functions, as the order of the values stays."""
    steps, gap = distances(u_values, v_values, u_weights, v_weights)
    return np.sum(np.abs(gap) * steps)


@definition(st.energy_distance)
def energy_distance(u_values: Any, v_values: Any, u_weights: Any = None, v_weights: Any = None) -> Any:
    """The root of twice the squared distance of two distribution functions."""
    steps, gap = distances(u_values, v_values, u_weights, v_weights)
    return np.sqrt(2.0) * np.sqrt(np.sum(gap * gap * steps))


@statistic(st.yeojohnson_llf, "data")
def yeojohnson_llf(lmb: Any, data: Any, *, axis: Any = 0) -> Any:
    """The log-likelihood of Yeo and Johnson's transform."""
    jacobian = (lmb - 1.0) * np.sum(np.sign(data) * np.log1p(np.abs(data)), axis=axis)
    return jacobian - 0.5 * data.shape[axis] * np.log(np.var(johnson(data, lmb), axis=axis))


@definition(st.scoreatpercentile)
def scoreatpercentile(a: Any, per: Any, limit: Any = (), interpolation_method: Any = "fraction", axis: Any = None) -> Any:
    """A quantile between the values of a sample."""
    only("scoreatpercentile", limit=limit, interpolation_method=interpolation_method != "fraction")
    return np.percentile(a, per, axis=axis)

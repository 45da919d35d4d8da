"""Derivatives by shape parameters without a closed form: under the integral sign, over fixed nodes.

With the score s and density p of a standard distribution, and the derivative of its distribution function F by a shape:

- F changes by the integral of ``p s`` up to z;
- a moment of order n changes by that of ``p s z**n``, or by ``-n z**(n - 1)`` times the derivative of F if that has a closed form,
which holds even if the support moves;
- the entropy changes by the integral of ``-p s log(p)``, or of ``score_z dF - p s``.

The support is cut at quantiles: Gauss's rule between them, the double exponential rule towards both ends. The relative accuracy is
about 1e-9. These derivatives have no further derivative by a shape.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...registry import rule
from .types import broadcasts

__all__ = ["LAWS", "UNIT", "UNIT_WEIGHT", "cdf_slope", "entropy_slope", "moment_slope"]

#: a continuous distribution → its formulas (see `methods.Continuous`)
LAWS: dict[Any, Any] = {}
_NODE, _WEIGHT = np.polynomial.legendre.leggauss(80)
_STEP = np.linspace(-4.0, 4.0, 161)
#: the double exponential rules on (0, 1) and (0, infinity): nodes and weights; of the first also the distance from 1
_RISE = 0.5 * np.pi * np.sinh(_STEP)
UNIT = 1.0 / (1.0 + np.exp(-2.0 * _RISE))
UNIT_WEIGHT = 0.05 * np.pi * np.cosh(_STEP) * UNIT / (1.0 + np.exp(2.0 * _RISE))
_HALF = np.exp(_RISE)
_HALF_WEIGHT = 0.05 * 0.5 * np.pi * np.cosh(_STEP) * _HALF


def _end(end: Any, inner: Any, scale: Any) -> tuple[Any, Any]:
    """Nodes and weights from an end of the support, which may be infinite, to a place inside."""
    finite = np.isfinite(end)
    length = np.where(finite, inner - np.where(finite, end, inner), 0.0)
    away = np.where(end > inner, scale, -scale)
    z = np.where(finite, np.where(finite, end, 0.0) + length * UNIT, inner + away * _HALF)
    return z, np.where(finite, np.abs(length) * UNIT_WEIGHT, scale * _HALF_WEIGHT)


def _between(low: Any, high: Any) -> tuple[Any, Any]:
    half = 0.5 * (high - low)
    return low + half * (_NODE + 1.0), half * _WEIGHT


def _places(dist: Any, shapes: Any) -> tuple[list[Any], Any]:
    """The ends of the support with quantiles and kinks between them, each with a last dimension for nodes, and the median."""
    shapes = np.broadcast_arrays(*shapes) if shapes else ()
    law = LAWS[dist]
    low, high = (-np.pi, np.pi) if law.circle else dist.support(*shapes)
    quantiles = [dist.ppf(q, *shapes) for q in (0.01, 0.2, 0.5, 0.8, 0.99)]
    kinks = law.kinks(*shapes) if law.kinks is not None else ()
    inner = np.sort(np.stack(np.broadcast_arrays(*quantiles, *(np.clip(k, low, high) for k in kinks))), axis=0)
    return [np.asarray(p, float)[..., None] for p in (low, *inner, high)], np.asarray(quantiles[2])[..., None]


def _integral(f: Callable[[Any], Any], parts: Any) -> Any:
    """The sum of a function over nodes and weights, without values that are not finite (beyond the last number distinct from an end)."""
    with np.errstate(all="ignore"):
        return sum(np.sum(np.where((w > 0.0) & np.isfinite(v := f(z)), v * w, 0.0), axis=-1) for z, w in parts)


def _over_support(dist: Any, shapes: Any, f: Callable[[Any], Any]) -> Any:
    (low, *inner, high), _ = _places(dist, shapes)
    scale = inner[-1] - inner[0]
    return _integral(f, (_end(low, inner[0], scale), *map(_between, inner[:-1], inner[1:]), _end(high, inner[-1], scale)))


def _up_to(dist: Any, shapes: Any, z: Any, f: Callable[[Any], Any]) -> Any:
    """The integral up to z of a function that integrates to zero over the support, from the nearer side."""
    (low, *inner, high), median = _places(dist, shapes)
    z, scale = np.asarray(z, float)[..., None], inner[-1] - inner[0]
    clip = [np.minimum(np.minimum(z, median), p) for p in inner] + [np.minimum(z, median)]
    below = _integral(f, (_end(low, clip[0], scale), *map(_between, clip[:-1], clip[1:])))
    clip = [np.maximum(z, median)] + [np.maximum(np.maximum(z, median), p) for p in inner]
    above = _integral(f, (*map(_between, clip[:-1], clip[1:]), _end(high, clip[-1], scale)))
    return np.where(z[..., 0] < median[..., 0], below + 0.0 * above, -above)


def _texts(logpdf: Any, shapes: Any) -> tuple[Any, Any, Any, list[Any]]:
    """The distribution, its formulas, its standard log-density, and the shapes with a last dimension for nodes."""
    dist = logpdf.__self__
    spread = [np.asarray(s, float)[..., None] for s in shapes]
    return dist, LAWS[dist], lambda z: dist.logpdf(z, *spread), spread


def cdf_slope(logpdf: Any, place: int, z: Any, *shapes: Any) -> Any:
    """How a standard distribution function changes with a shape."""
    dist, law, log, spread = _texts(logpdf, shapes)
    z = np.mod(z + np.pi, 2.0 * np.pi) - np.pi if law.circle else z
    return _up_to(dist, shapes, z, lambda t: np.exp(log(t)) * law.score(t, *spread)[1 + place])


def moment_slope(logpdf: Any, place: int, order: Any, *shapes: Any) -> Any:
    """How a moment of a standard distribution about 0 changes with a shape."""
    dist, law, log, spread = _texts(logpdf, shapes)
    if law.closed:
        return _over_support(dist, shapes, lambda t: -order * t ** (order - 1.0) * law.by_shapes(t, *spread)[place])
    return _over_support(dist, shapes, lambda t: np.exp(log(t)) * law.score(t, *spread)[1 + place] * t ** order)


def entropy_slope(logpdf: Any, place: int, *shapes: Any) -> Any:
    """How the entropy of a standard distribution changes with a shape."""
    dist, law, log, spread = _texts(logpdf, shapes)

    def moving(t: Any) -> Any:
        score = law.score(t, *spread)
        return score[0] * law.by_shapes(t, *spread)[place] - np.exp(log(t)) * score[1 + place]

    def fixed(t: Any) -> Any:
        return -np.exp(log(t)) * law.score(t, *spread)[1 + place] * log(t)

    return _over_support(dist, shapes, moving if law.closed else fixed)


broadcasts(cdf_slope, moment_slope, entropy_slope)


@rule(cdf_slope)
def _(g, y, logpdf, place, z, *shapes):
    """A second derivative by a shape has no text."""
    return None, None, g * score_density(logpdf, place, z, *shapes)


@rule(moment_slope)
def _(g, y, logpdf, place, order, *shapes):
    """A second derivative by a shape has no text."""
    return None, None, None


@rule(entropy_slope)
def _(g, y, logpdf, place, *shapes):
    """A second derivative by a shape has no text."""
    return None, None


def score_density(logpdf: Any, place: int, z: Any, *shapes: Any) -> Any:
    """The derivative of a density by a shape."""
    dist = logpdf.__self__
    law = LAWS[dist]
    return law.pdf_of(z, *shapes) * law.score(z, *shapes)[1 + place]

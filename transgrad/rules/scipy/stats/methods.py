"""The rules of a distribution's methods, all from two texts: how its log-density changes, and its distribution function by the shapes.

With ``z = (x - loc) / scale``: densities are given by their *score*, the derivatives of the standard log-density by z and by each
shape; distribution functions by the density and by how they change with the shapes.  Outside of the support derivatives are 0.
"""
from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...registry import rule
from ...static import lifted

__all__ = ["register_continuous", "register_discrete"]

#: the derivatives of something by z and each shape, or by each shape; an entry None has no text
Slopes = Callable[..., Sequence[Any]]


class _Text:
    """A rule's text for one method of one distribution, with the parameters that the method has."""

    def __init__(self, text: Callable[..., Any], names: Sequence[str], defaults: dict[str, Any]):
        self.text = text
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        self.__signature__ = inspect.Signature([
            inspect.Parameter(n, kind, default=defaults.get(n, inspect.Parameter.empty)) for n in ("g", "y", *names)])
        self.__module__ = __name__
        self.defaults = [defaults.get(n) for n in names]
        self.entries = len(names)

    def __call__(self, g: Any, y: Any, *args: Any) -> tuple[Any, ...]:
        return tuple(self.text(g, y, *args, *self.defaults[len(args):]))


def inside(y: Any, entry: Any) -> Any:
    """The entry where the density is not 0."""
    return None if entry is None else np.where(y > 0.0, entry, 0.0)


def times(factor: Any, slopes: Sequence[Any]) -> list[Any]:
    return [None if s is None else factor * s for s in slopes]


class Continuous:
    """The texts of a continuous distribution with shapes, location and scale."""

    def __init__(self, dist: Any, score: Slopes, by_shapes: Slopes | None):
        self.score = score
        self.by_shapes = by_shapes
        self.pdf_of, self.logpdf_of = lifted(dist.pdf), lifted(dist.logpdf)

    def place(self, x: Any, rest: Sequence[Any]) -> tuple[Any, Sequence[Any], Any]:
        """z, the shapes and the scale."""
        *shapes, loc, scale = rest
        return (x - loc) / scale, shapes, scale

    def cdf_slopes(self, x: Any, rest: Sequence[Any], density: Any) -> list[Any]:
        """The derivatives of the distribution function by x, the shapes, location and scale."""
        z, shapes, _ = self.place(x, rest)
        by = self.by_shapes(z, *shapes) if self.by_shapes is not None else [None] * len(shapes)
        return [density, *by, -density, -z * density]

    def logpdf(self, g: Any, y: Any, x: Any, *rest: Any) -> list[Any]:
        z, shapes, scale = self.place(x, rest)
        by_z, *by = self.score(z, *shapes)
        q = g / scale
        entries = [q * by_z, *times(g, by), -q * by_z, -q * (1.0 + z * by_z)]
        return [None if e is None else np.where(np.isfinite(y), e, 0.0) for e in entries]

    def pdf(self, g: Any, y: Any, x: Any, *rest: Any) -> list[Any]:
        z, shapes, scale = self.place(x, rest)
        by_z, *by = self.score(z, *shapes)
        h = g * y
        q = h / scale
        return [inside(y, e) for e in (q * by_z, *times(h, by), -q * by_z, -q * (1.0 + z * by_z))]

    def cdf(self, g: Any, y: Any, x: Any, *rest: Any) -> list[Any]:
        return self.of_cdf(g, x, rest, self.pdf_of(x, *rest))

    def sf(self, g: Any, y: Any, x: Any, *rest: Any) -> list[Any]:
        return self.of_cdf(-g, x, rest, self.pdf_of(x, *rest))

    def of_cdf(self, h: Any, x: Any, rest: Sequence[Any], density: Any) -> list[Any]:
        by_x, *by = self.cdf_slopes(x, rest, density)
        return [h * by_x, *(None if s is None else inside(density, h * s) for s in by)]

    def logcdf(self, g: Any, y: Any, x: Any, *rest: Any) -> list[Any]:
        return self.of_log(g, y, x, rest)

    def logsf(self, g: Any, y: Any, x: Any, *rest: Any) -> list[Any]:
        return self.of_log(-g, y, x, rest)

    def of_log(self, h: Any, y: Any, x: Any, rest: Sequence[Any]) -> list[Any]:
        ratio = np.exp(self.logpdf_of(x, *rest) - y)
        by_x, *by, by_loc, by_scale = self.cdf_slopes(x, rest, ratio)
        shapes = [None if s is None else inside(ratio, h * s * np.exp(-y)) for s in by]
        return [inside(ratio, h * by_x), *shapes, inside(ratio, h * by_loc), inside(ratio, h * by_scale)]

    def ppf(self, g: Any, y: Any, q: Any, *rest: Any) -> list[Any]:
        return self.of_quantile(g, y, rest, 1.0)

    def isf(self, g: Any, y: Any, q: Any, *rest: Any) -> list[Any]:
        return self.of_quantile(g, y, rest, -1.0)

    def of_quantile(self, g: Any, y: Any, rest: Sequence[Any], sign: float) -> list[Any]:
        density = self.pdf_of(y, *rest)
        _, *by, _, _ = self.cdf_slopes(y, rest, density)
        h = g / density
        return [sign * h, *(None if s is None else -h * s for s in by), g, g * self.place(y, rest)[0]]


def _shape_names(dist: Any) -> list[str]:
    return [n.strip() for n in dist.shapes.split(",")] if dist.shapes else []


_METHODS = ("logpdf", "pdf", "cdf", "sf", "logcdf", "logsf", "ppf", "isf")


def register_continuous(dist: Any, score: Slopes, by_shapes: Slopes | None = None, methods: Sequence[str] = _METHODS) -> None:
    """The rules of the methods of a continuous distribution."""
    texts = Continuous(dist, score, by_shapes)
    for name in methods:
        first = "q" if name in ("ppf", "isf") else "x"
        rule(getattr(dist, name))(_Text(getattr(texts, name), [first, *_shape_names(dist), "loc", "scale"], {"loc": 0, "scale": 1}))


class Discrete:
    """The texts of a discrete distribution: only its shapes have derivatives."""

    def __init__(self, dist: Any, score: Slopes, by_shapes: Slopes | None):
        self.dist = dist
        self.score = score
        self.by_shapes = by_shapes

    def logpmf(self, g: Any, y: Any, k: Any, *rest: Any) -> list[Any]:
        *shapes, loc = rest
        by = self.score(k - loc, *shapes)
        return [None, *(None if s is None else np.where(np.isfinite(y), g * s, 0.0) for s in by), None]

    def pmf(self, g: Any, y: Any, k: Any, *rest: Any) -> list[Any]:
        *shapes, loc = rest
        return [None, *(None if s is None else inside(y, g * y * s) for s in self.score(k - loc, *shapes)), None]

    def cdf(self, g: Any, y: Any, k: Any, *rest: Any) -> list[Any]:
        *shapes, loc = rest
        assert self.by_shapes is not None
        at = np.floor(k - loc)
        within = (at >= self.dist.a) & (y < 1.0)
        return [None, *(None if s is None else np.where(within, g * s, 0.0) for s in self.by_shapes(at, *shapes)), None]

    def sf(self, g: Any, y: Any, k: Any, *rest: Any) -> list[Any]:
        return self.cdf(-g, 1.0 - y, k, *rest)

    def logcdf(self, g: Any, y: Any, k: Any, *rest: Any) -> list[Any]:
        return self.cdf(g * np.exp(-y), np.exp(y), k, *rest)

    def logsf(self, g: Any, y: Any, k: Any, *rest: Any) -> list[Any]:
        return self.cdf(-g * np.exp(-y), 1.0 - np.exp(y), k, *rest)


def register_discrete(dist: Any, score: Slopes, by_shapes: Slopes | None = None) -> None:
    """The rules of the methods of a discrete distribution."""
    texts = Discrete(dist, score, by_shapes)
    for name in ("logpmf", "pmf", *(("cdf", "sf", "logcdf", "logsf") if by_shapes is not None else ())):
        rule(getattr(dist, name))(_Text(getattr(texts, name), ["k", *_shape_names(dist), "loc"], {"loc": 0}))

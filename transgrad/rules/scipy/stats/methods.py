"""The rules of a continuous distribution's methods, all from two texts: its log-density and its distribution function.

With ``z = (x - loc) / scale``: densities change by their *score*, the derivatives of the standard log-density by z and by each
shape; distribution functions by the density and by how they change with the shapes; quantiles and draws by the implicit function
theorem.  Outside of the support derivatives are 0.
"""
from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...registry import rule
from ...static import NoDerivative, lifted
from .duals import slopes
from .figures import Figures
from .integrals import LAWS, cdf_slope, entropy_slope, moment_slope

__all__ = ["Text", "by_text", "law", "register", "shape_names"]

#: the derivatives of something by z and each shape, or by each shape; an entry None has no text
Slopes = Callable[..., Sequence[Any]]


class Text:
    """A rule's text for one method of one distribution, with the parameters that the method has, of which the first ``entries``
    have derivatives."""

    def __init__(self, text: Callable[..., Any], names: Sequence[str], defaults: dict[str, Any], entries: int | None = None):
        self.text = text
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        self.__signature__ = inspect.Signature([
            inspect.Parameter(n, kind, default=defaults.get(n, inspect.Parameter.empty)) for n in ("g", "y", *names)])
        self.__module__ = __name__
        self.__doc__ = text.__doc__
        self.entries = len(names) if entries is None else entries
        self.names = list(names)
        self.defaults = defaults

    def __call__(self, g: Any, y: Any, *args: Any, **options: Any) -> tuple[Any, ...]:
        given = {**self.defaults, **options, **dict(zip(self.names, args))}
        return tuple(self.text(g, y, *(given[n] for n in self.names[:self.entries])))


def inside(y: Any, entry: Any) -> Any:
    """The entry where the density is not 0."""
    return None if entry is None else np.where(y > 0.0, entry, 0.0)


def times(factor: Any, slopes: Sequence[Any]) -> list[Any]:
    return [None if s is None else factor * s for s in slopes]


def by_text(text: Callable[..., Any]) -> Slopes:
    """The derivatives of a formula by all its arguments."""
    return lambda *args: slopes(text, args, range(len(args)))


class Continuous:
    """The formulas of a continuous distribution with shapes, location and scale."""

    def __init__(self, dist: Any, score: Slopes | None, by_shapes: Slopes | None, counts: Sequence[int] = (), circle: bool = False,
                 kinks: Callable[..., Any] | None = None):
        self.score, self.counts, self.circle, self.kinks = score, counts, circle, kinks
        self.closed = by_shapes is not None
        self.figures = Figures(dist, dist.logpdf, moment_slope, entropy_slope, counts)
        self.pdf_of, self.logpdf_of, self.mean_of = lifted(dist.pdf), lifted(dist.logpdf), lifted(dist.mean)
        self.moment_of = lifted(dist.moment)
        self.dist = dist
        slope = lifted(cdf_slope)
        self.by_shapes: Slopes = by_shapes if by_shapes is not None else lambda z, *shapes: [
            None if k in counts else slope(dist.logpdf, k, z, *shapes) for k in range(len(shapes))]

    def place(self, x: Any, rest: Sequence[Any]) -> tuple[Any, Sequence[Any], Any]:
        """z, the shapes and the scale."""
        *shapes, loc, scale = rest
        return (x - loc) / scale, shapes, scale

    def real(self, entries: Sequence[Any]) -> list[Any]:
        """The entries of the shapes, None for those that are counts."""
        return [None if k in self.counts else e for k, e in enumerate(entries)]

    def score_at(self, z: Any, shapes: Sequence[Any]) -> tuple[Any, list[Any]]:
        """The score by z and by the shapes."""
        if self.score is None:
            raise NoDerivative(f"no derivative of the density of {self.dist.name}")
        by_z, *by = self.score(z, *shapes)
        return by_z, self.real(by)

    def cdf_slopes(self, x: Any, rest: Sequence[Any], density: Any) -> list[Any]:
        """The derivatives of the distribution function by x, the shapes, location and scale."""
        z, shapes, _ = self.place(x, rest)
        by = self.real(self.by_shapes(z, *shapes)) if self.score is not None or self.closed else [None] * len(shapes)
        return [density, *by, -density, -z * density]

    def logpdf(self, g: Any, y: Any, x: Any, *rest: Any) -> list[Any]:
        z, shapes, scale = self.place(x, rest)
        by_z, by = self.score_at(z, shapes)
        q = g / scale
        entries = [q * by_z, *times(g, by), -q * by_z, -q * (1.0 + z * by_z)]
        return [None if e is None else np.where(np.isfinite(y), e, 0.0) for e in entries]

    def pdf(self, g: Any, y: Any, x: Any, *rest: Any) -> list[Any]:
        z, shapes, scale = self.place(x, rest)
        by_z, by = self.score_at(z, shapes)
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

    def rvs(self, g: Any, y: Any, *rest: Any) -> list[Any]:
        """A draw moves as the quantile does that it is: at a fixed value of the distribution function."""
        return self.of_quantile(g, y, rest, 1.0)[1:]

    def mean(self, g: Any, y: Any, *rest: Any) -> list[Any]:
        *shapes, loc, scale = rest
        return [*times(g * scale, self.real(self.figures.mean(*shapes))), g, g * (y - loc) / scale]

    def var(self, g: Any, y: Any, *rest: Any) -> list[Any]:
        *shapes, _, scale = rest
        return [*times(g * scale * scale, self.real(self.figures.var(*shapes))), 0.0 * g, 2.0 * g * y / scale]

    def std(self, g: Any, y: Any, *rest: Any) -> list[Any]:
        *shapes, _, scale = rest
        return [*times(0.5 * g * scale * scale / y, self.real(self.figures.var(*shapes))), 0.0 * g, g * y / scale]

    def stats(self, g: Any, y: Any, *given: Any) -> list[Any]:
        *rest, moments = given
        letter = getattr(moments, "value", moments)
        if letter in "mv":
            return [*(self.mean if letter == "m" else self.var)(g, y, *rest), None]
        *shapes, _, _ = rest
        return [*times(g, self.real((self.figures.skew if letter == "s" else self.figures.kurtosis)(*shapes))), 0.0 * g, 0.0 * g, None]

    def moment(self, g: Any, y: Any, order: Any, *rest: Any) -> list[Any]:
        """Of ``(loc + scale Z)**n``, through the moments of Z about 0."""
        *shapes, loc, scale = rest
        n = int(getattr(order, "value", order))
        below = self.moment_of(n - 1, *shapes, loc, scale) if n > 1 else 1.0 + 0.0 * y
        by = [0.0] * len(shapes)
        for k in range(1, n + 1):
            factor = math.comb(n, k) * scale ** k * loc ** (n - k)
            by = [b + factor * s for b, s in zip(by, self.figures.moment(k, *shapes))]
        return [None, *times(g, self.real(by)), n * g * below, n * g * (y - loc * below) / scale]

    def entropy(self, g: Any, y: Any, *rest: Any) -> list[Any]:
        *shapes, _, scale = rest
        return [*times(g, self.real(self.figures.entropy(*shapes))), 0.0 * g, g / scale]


def shape_names(dist: Any) -> list[str]:
    """The names of the shapes of a distribution."""
    return [n.strip() for n in dist.shapes.split(",")] if dist.shapes else []


_OF_X = ("logpdf", "pdf", "cdf", "sf", "logcdf", "logsf")
_FIGURES = ("mean", "var", "std", "entropy")


def one_letter(*args: Any, moments: Any = "mv", **_: Any) -> bool:
    """Whether one figure is asked for, which comes alone."""
    return isinstance(moments, str) and len(moments) == 1


def known_order(order: Any, *args: Any, **_: Any) -> bool:
    """Whether a moment's order is a number known at compile time."""
    return isinstance(order, (int, float)) and order == int(order) and order > 0


def register(dist: Any, score: Slopes | None, by_shapes: Slopes | None = None, counts: Sequence[int] = (),
             circle: bool = False, kinks: Callable[..., Any] | None = None) -> None:
    """The rules of the methods of a continuous distribution. ``counts`` are its integer shapes; on a ``circle`` its distribution
    function continues after every period; ``kinks`` describes where its density is not smooth."""
    if dist is None:        # not in this SciPy
        return
    texts = LAWS[dist] = Continuous(dist, score, by_shapes, counts, circle, kinks)
    shapes, place = shape_names(dist), {"loc": 0, "scale": 1}

    def add(name: str, first: Sequence[str] = (), last: dict[str, Any] | None = None, when: Any = None, entries: int | None = None) -> None:
        names = [*first, *shapes, "loc", "scale", *(last or {})]
        rule(getattr(dist, name), when=when)(Text(getattr(texts, name), names, {**place, **(last or {})}, entries))

    for name in _OF_X if score is not None else _OF_X[2:]:
        add(name, ["x"])
    for name in ("ppf", "isf"):
        add(name, ["q"])
    for name in _FIGURES:
        add(name)
    add("stats", last={"moments": "mv"}, when=one_letter)
    add("moment", ["order"], when=known_order)
    add("rvs", last={"size": None, "random_state": None}, entries=len(shapes) + 2)


def law(dist: Any, log: Callable[..., Any] | None, cdf: Callable[..., Any] | None = None, **how: Any) -> None:
    """A continuous distribution by its standard log-density and, where it has a closed form, its distribution function."""
    if dist is None:        # not in this SciPy
        return
    by_shapes: Slopes | None = None if cdf is None else lambda z, *shapes: slopes(cdf, (z, *shapes), range(1, 1 + len(shapes)))
    register(dist, None if log is None else by_text(log), by_shapes, **how)
    LAWS[dist].log_text, LAWS[dist].cdf_text = log, cdf

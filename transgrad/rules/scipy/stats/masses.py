"""The rules of a discrete distribution's methods, from the score of its mass function: sums give the values without a closed form.

Integer parameters (counts) have no derivative. A quantile is a step function; between its jumps it depends only on the location. A draw is
refused: its derivative would be 0, which is not the derivative of a mean over draws; use the derivative of the log-mass.
"""
from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...registry import rule
from ...static import ZERO, lifted
from .duals import slopes
from .figures import Figures
from .methods import Slopes, Text, inside, known_order, one_letter, shape_names, times
from .sums import MASSES, cumulated, mass_entropy_slope, mass_moment_slope

__all__ = ["law", "register"]


class Discrete:
    """The formulas of a discrete distribution."""

    def __init__(self, dist: Any, score: Slopes, by_shapes: Slopes | None, counts: Sequence[int]):
        self.dist, self.score, self.counts = dist, score, counts
        self.figures = Figures(dist, dist.logpmf, mass_moment_slope, mass_entropy_slope, counts)
        self.moment_of = lifted(dist.moment)
        slope = lifted(cumulated)
        self.by_shapes: Slopes = by_shapes if by_shapes is not None else lambda k, *shapes: [
            None if p in counts else slope(dist.logpmf, p, k, *shapes) for p in range(len(shapes))]

    def real(self, entries: Sequence[Any]) -> list[Any]:
        """The entries of the shapes, None for those that are counts."""
        return [None if p in self.counts else e for p, e in enumerate(entries)]

    def logpmf(self, g: Any, y: Any, k: Any, *rest: Any) -> list[Any]:
        *shapes, loc = rest
        by = self.real(self.score(k - loc, *shapes))
        return [None, *(None if s is None else np.where(np.isfinite(y), g * s, 0.0) for s in by), None]

    def pmf(self, g: Any, y: Any, k: Any, *rest: Any) -> list[Any]:
        *shapes, loc = rest
        return [None, *(None if s is None else inside(y, g * y * s) for s in self.real(self.score(k - loc, *shapes))), None]

    def cdf(self, g: Any, y: Any, k: Any, *rest: Any) -> list[Any]:
        """Constant between the whole numbers."""
        *shapes, loc = rest
        within = (y > 0.0) & (y < 1.0)
        by = self.real(self.by_shapes(np.floor(k - loc), *shapes))
        return [ZERO, *(None if s is None else np.where(within, g * s, 0.0) for s in by), ZERO]

    def sf(self, g: Any, y: Any, k: Any, *rest: Any) -> list[Any]:
        return self.cdf(-g, 1.0 - y, k, *rest)

    def logcdf(self, g: Any, y: Any, k: Any, *rest: Any) -> list[Any]:
        return self.cdf(g * np.exp(-y), np.exp(y), k, *rest)

    def logsf(self, g: Any, y: Any, k: Any, *rest: Any) -> list[Any]:
        return self.cdf(-g * np.exp(-y), 1.0 - np.exp(y), k, *rest)

    def ppf(self, g: Any, y: Any, q: Any, *rest: Any) -> list[Any]:
        """It jumps with the probability and the shapes, and is constant between the jumps."""
        return [ZERO, *[ZERO for _ in rest[1:]], g]

    def isf(self, g: Any, y: Any, q: Any, *rest: Any) -> list[Any]:
        return self.ppf(g, y, q, *rest)

    def mean(self, g: Any, y: Any, *rest: Any) -> list[Any]:
        *shapes, _ = rest
        return [*times(g, self.real(self.figures.mean(*shapes))), g]

    def var(self, g: Any, y: Any, *rest: Any) -> list[Any]:
        *shapes, _ = rest
        return [*times(g, self.real(self.figures.var(*shapes))), ZERO]

    def std(self, g: Any, y: Any, *rest: Any) -> list[Any]:
        return self.var(0.5 * g / y, y, *rest)

    def stats(self, g: Any, y: Any, *given: Any) -> list[Any]:
        *rest, moments = given
        letter = getattr(moments, "value", moments)
        if letter in "mv":
            return [*(self.mean if letter == "m" else self.var)(g, y, *rest), None]
        *shapes, _ = rest
        return [*times(g, self.real((self.figures.skew if letter == "s" else self.figures.kurtosis)(*shapes))), ZERO, None]

    def moment(self, g: Any, y: Any, order: Any, *rest: Any) -> list[Any]:
        """Of ``(loc + K)**n``, through the moments of K about 0."""
        *shapes, loc = rest
        n = int(getattr(order, "value", order))
        below = self.moment_of(n - 1, *shapes, loc) if n > 1 else 1.0
        by: list[Any] = [0.0] * len(shapes)
        for k in range(1, n + 1):
            by = [None if s is None else b + math.comb(n, k) * loc ** (n - k) * s for b, s in zip(by, self.figures.moment(k, *shapes))]
        return [None, *times(g, self.real(by)), n * g * below]

    def entropy(self, g: Any, y: Any, *rest: Any) -> list[Any]:
        *shapes, _ = rest
        return [*times(g, self.real(self.figures.entropy(*shapes))), ZERO]


def register(dist: Any, score: Slopes, by_shapes: Slopes | None = None, counts: Sequence[int] = ()) -> None:
    """The rules of the methods of a discrete distribution; ``counts`` are its shapes that are whole numbers."""
    texts = MASSES[dist] = Discrete(dist, score, by_shapes, counts)
    shapes = shape_names(dist)

    def add(name: str, first: Sequence[str] = (), last: dict[str, Any] | None = None, when: Any = None, entries: int | None = None) -> None:
        names = [*first, *shapes, "loc", *(last or {})]
        rule(getattr(dist, name), when=when)(Text(getattr(texts, name), names, {"loc": 0, **(last or {})}, entries))

    for name in ("logpmf", "pmf", "cdf", "sf", "logcdf", "logsf"):
        add(name, ["k"])
    for name in ("ppf", "isf"):
        add(name, ["q"])
    for name in ("mean", "var", "std", "entropy"):
        add(name)
    add("stats", last={"moments": "mv"}, when=one_letter)
    add("moment", ["order"], when=known_order)


def law(dist: Any, log: Callable[..., Any], cdf: Callable[..., Any] | None = None, counts: Sequence[int] = ()) -> None:
    """A discrete distribution by its log-mass and, where it has a closed form, its distribution function."""
    def slopes_of(text: Callable[..., Any]) -> Slopes:
        """By the shapes that are no counts."""
        def found(k: Any, *shapes: Any) -> list[Any]:
            places = [p for p in range(1, 1 + len(shapes)) if p - 1 not in counts]
            by = dict(zip(places, slopes(text, (k, *shapes), places)))
            return [by.get(p) for p in range(1, 1 + len(shapes))]
        return found

    register(dist, slopes_of(log), None if cdf is None else slopes_of(cdf), counts)
    MASSES[dist].log_text, MASSES[dist].cdf_text = log, cdf

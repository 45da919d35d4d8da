"""Methods of a distribution that are made of others: median and interval, support, several figures at once, expectations, fits."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.integrate as si
import scipy.stats as st
from scipy.stats._distn_infrastructure import rv_continuous, rv_discrete, rv_generic

from ...registry import constant, definition
from ...stop import stop_gradient
from .methods import shape_names
from .sums import window

__all__ = ["SUPPORT", "parameter_names", "parameters"]


def positive_end(c: Any) -> Any:
    """``1 / c`` where c is positive, else infinity."""
    above = c > 0.0
    return np.where(above, 1.0 / np.where(above, c, 1.0), np.inf)


#: the ends of the supports that move with the shapes
SUPPORT: dict[str, Callable[..., Any]] = {
    "truncnorm": lambda a, b: (a, b), "loguniform": lambda a, b: (a, b), "reciprocal": lambda a, b: (a, b),
    "truncweibull_min": lambda c, a, b: (a, b), "truncexpon": lambda b: (0.0, b), "truncpareto": lambda b, c: (1.0, c),
    "genextreme": lambda c: (-positive_end(-c), positive_end(c)), "genpareto": lambda c: (0.0, positive_end(-c)),
    "genhalflogistic": lambda c: (0.0, 1.0 / c), "tukeylambda": lambda lam: (-positive_end(lam), positive_end(lam)),
    "binom": lambda n, p: (0, n), "betabinom": lambda n, a, b: (0, n), "boltzmann": lambda lam, n: (0, n - 1),
    "zipfian": lambda a, n: (1, n),
    "randint": lambda low, high: (low, high - 1), "irwinhall": lambda n: (0.0, n), "kstwo": lambda n: (0.5 / n, 1.0),
}
SUPPORT["nhypergeom"] = lambda M, n, r: (0, n)
SUPPORT["hypergeom"] = lambda M, n, N: (np.maximum(N - (M - n), 0), np.minimum(n, N))
for _name in ("nchypergeom_fisher", "nchypergeom_wallenius"):
    SUPPORT[_name] = lambda M, n, N, odds: (np.maximum(N - (M - n), 0), np.minimum(n, N))


def parameters(names: Any, args: Any, kwds: Any) -> Any:
    """The values of parameters that are given by place or by name; the location is 0 by default, the scale 1."""
    return tuple([args[k] if k < len(args) else kwds.get(n, 0.0 if n == "loc" else 1.0) for k, n in enumerate(names)])


def moved(end: Any, loc: Any, scale: Any) -> Any:
    """An end of a support, which may be infinite and stays so."""
    finite = np.isfinite(end)
    return np.where(finite, np.where(finite, end, 0.0) * scale + loc, end)


def parameter_names(dist: Any) -> tuple[str, ...]:
    """The names of shapes, location and scale, in the order in which they are given by place."""
    return *shape_names(dist), "loc", *(("scale",) if isinstance(dist, rv_continuous) else ())


def register(dist: Any) -> None:
    """The definitions that hold for every distribution."""
    names = parameter_names(dist)
    ends = SUPPORT.get(dist.name)
    count = len(shape_names(dist))
    low, high = dist.a, dist.b

    @definition(dist.median)
    def median(*args: Any, **kwds: Any) -> Any:
        return dist.ppf(0.5, *args, **kwds)

    @definition(dist.interval)
    def interval(confidence: Any, *args: Any, **kwds: Any) -> Any:
        return dist.ppf(0.5 - 0.5 * confidence, *args, **kwds), dist.ppf(0.5 + 0.5 * confidence, *args, **kwds)

    @definition(dist.stats)
    def stats(*args: Any, moments: Any = "mv", **kwds: Any) -> Any:
        return tuple([dist.stats(*args, moments=letter, **kwds) for letter in "mvsk" if letter in moments])

    @definition(dist.support)
    def support(*args: Any, **kwds: Any) -> Any:
        """The support; infinite ends do not move."""
        values = parameters(names, args, kwds)
        scale = values[count + 1] if len(names) > count + 1 else 1
        a, b = (low, high) if ends is None else ends(*values[:count])
        return moved(a, values[count], scale), moved(b, values[count], scale)

    @definition(dist.vecentropy)
    def vecentropy(*args: Any) -> Any:
        return dist.entropy(*args)

    @definition(dist.generic_moment)
    def generic_moment(n: Any, *args: Any) -> Any:
        return dist.moment(n, *args)


def register_continuous(dist: Any) -> None:
    """The definitions that hold for continuous distributions."""
    places = tuple(range(len(shape_names(dist)) + 2))
    ends, first, last = SUPPORT.get(dist.name), dist.a, dist.b

    @definition(dist.nnlf)
    def nnlf(theta: Any, x: Any) -> Any:
        return -np.sum(dist.logpdf(x, *[theta[k] for k in places]))

    @definition(dist.fit_loc_scale)
    def fit_loc_scale(data: Any, *args: Any) -> Any:
        """Of a distribution with a finite mean and variance."""
        scale = np.sqrt(np.var(data) / dist.var(*args))
        return np.mean(data) - scale * dist.mean(*args), scale

    @definition(dist.expect)
    def expect(func: Any = None, args: Any = (), loc: Any = 0, scale: Any = 1, lb: Any = None, ub: Any = None, conditional: Any = False,
               **kwds: Any) -> Any:
        """The integral is differentiated under its sign; the compiler must be given the function."""
        shapes = tuple([args[k] for k in places[:-2]])
        a, b = (first, last) if ends is None else ends(*shapes)
        low = moved(a, loc, scale) if lb is None else lb
        high = moved(b, loc, scale) if ub is None else ub
        below, above = dist.cdf(low, *shapes, loc=loc, scale=scale), dist.cdf(high, *shapes, loc=loc, scale=scale)
        cuts = [low, *[stop_gradient(dist.ppf(below + (above - below) * q, *shapes, loc=loc, scale=scale)) for q in (0.05, 0.95)], high]

        def weighed(x: Any) -> Any:
            return (x if func is None else func(x)) * dist.pdf(x, *shapes, loc=loc, scale=scale)

        parts = [si.quad(weighed, cuts[k], cuts[k + 1], **kwds)[0] for k in range(3)]
        total = parts[0] + parts[1] + parts[2]
        return total / (above - below) if conditional else total


def register_discrete(dist: Any) -> None:
    """The definitions that hold for discrete distributions."""
    places = tuple(range(len(shape_names(dist)) + 1))

    @definition(dist.nnlf)
    def nnlf(theta: Any, x: Any) -> Any:
        return -np.sum(dist.logpmf(x, *[theta[k] for k in places]))

    def end(side: int, bound: Any, loc: Any, *shapes: Any) -> int:
        """The first (side 0) or last whole number, without the location, of those that may have a mass that matters."""
        far = window(dist, shapes)[side]
        return far if bound is None else int(max(bound - loc, far) if side == 0 else min(bound - loc, far))

    constant(end)

    @definition(dist.expect)
    def expect(func: Any = None, args: Any = (), loc: Any = 0, lb: Any = None, ub: Any = None, conditional: Any = False,
               maxcount: Any = 1000, tolerance: Any = 1e-10, chunksize: Any = 32) -> Any:
        """The sum over all values with a probability above rounding error. The function must be known at compile time."""
        k = np.arange(end(0, lb, loc, *args), end(1, ub, loc, *args) + 1)
        mass = dist.pmf(k, *args)
        total = np.sum((k + loc if func is None else func(k + loc)) * mass)
        return total / np.sum(mass) if conditional else total


for _dist in vars(st).values():
    if isinstance(_dist, rv_generic) and _dist is not getattr(st, "poisson_binom", None):
        register(_dist)
        if isinstance(_dist, rv_continuous):
            register_continuous(_dist)
        elif isinstance(_dist, rv_discrete):
            register_discrete(_dist)

"""What the statistics of samples have in common: along an axis, several or all, in which numbers may be missing (NaN)."""
from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from ...registry import definition
from ...static import NoDerivative

__all__ = ["check", "statistic", "whole"]

F = TypeVar("F", bound=Callable[..., Any])


def statistic(fn: Any, *samples: str, paired: bool = False, result: Any = None, least: int = 0) -> Callable[[F], F]:
    """Registers the definition of a statistic by a text that says what it is along one axis of samples that are whole.

    What is missing is left out with ``nan_policy="omit"``, where it has derivative 0.

    Parameters
    ----------
    fn
        SciPy's function, which takes ``axis``, ``nan_policy`` and ``keepdims``.
    samples
        The names of its samples, which may be None but for the first; none of a text that takes any number of samples.
    paired
        Whether what is missing in one sample is left out of all; they are broadcast together.
    result
        The named tuple that the text returns; None for a number.
    least
        Series in which this many numbers or fewer are left give NaN.
    """
    if fn is None:      # not in this SciPy
        return lambda text: text
    parameters = inspect.signature(fn).parameters
    names = tuple(parameters)
    optional = tuple(n for n, p in parameters.items() if p.default is not p.empty)
    defaults = tuple(parameters[n].default for n in optional)

    def register(text: F) -> F:
        taken = inspect.signature(text).parameters
        #: parameters of other versions: those that SciPy lacks, and those that the text does not know
        lacks = {"nan_policy": "propagate", "axis": None, "keepdims": False}
        unknown = {n: d for n, d in zip(optional, defaults) if n not in taken and n not in lacks} if samples else {}

        def of_samples(*args: Any, **options: Any) -> Any:
            given = {**lacks, **dict(zip(optional, defaults)), **dict(zip(names if samples else (), args)), **options}
            for name in unknown:
                if given.pop(name) is not unknown[name]:
                    raise NoDerivative(f"{text.__name__} has no derivative with the option {name!r}")
            policy, axis, keepdims = given.pop("nan_policy"), given.pop("axis"), given.pop("keepdims")
            if not samples:
                return along(lambda series, at: text(*series, **given, axis=at), args, policy, axis, keepdims, paired, result, least)
            there = tuple([name for name in samples if given[name] is not None])
            held = tuple([given.pop(name) for name in there])
            return along(lambda series, at: text(**dict(zip(there, series)), **given, axis=at), held, policy, axis, keepdims, paired,
                         result, least)
        of_samples.__name__, of_samples.__doc__ = text.__name__, text.__doc__
        of_samples.formula = text      # type: ignore[attr-defined]
        definition(fn)(of_samples)
        return text
    return register


def check(policy: Any, samples: Any) -> None:
    """Whether the policy is one, and what it says if something is missing."""
    if policy not in ("propagate", "omit", "raise"):
        raise ValueError("nan_policy must be one of {'propagate', 'raise', 'omit'}")
    if policy == "raise":
        for a in samples:
            if np.any(np.isnan(a)):
                raise ValueError("The input contains nan values")


def along(f: Any, samples: Any, policy: Any, axis: Any, keepdims: Any, paired: Any, result: Any, least: Any) -> Any:
    """The statistic ``f(samples, axis)`` for whatever is asked of axes and missing numbers."""
    check(policy, samples)
    if any(np.iscomplexobj(a) for a in samples):
        raise NoDerivative("the statistics of scipy.stats have derivatives for real samples: SciPy's of complex ones discard parts of them")
    if min([np.ndim(a) for a in samples]) == 0:
        samples = tuple([np.reshape(a, (1,)) if np.ndim(a) == 0 else a for a in samples])
    if paired and len(samples) > 1 and max([np.ndim(a) for a in samples]) > 1:
        samples = tuple(np.broadcast_arrays(*samples))
    moved, at = samples, axis
    if axis is None:
        moved, at = tuple([np.ravel(a) for a in samples]), 0
    elif isinstance(axis, tuple):
        ends = tuple(range(-len(axis), 0))
        moved, at = tuple([joined(np.moveaxis(a, axis, ends), len(axis)) for a in samples]), -1
    if policy == "omit":
        found = of_present(f, tuple([a if np.ndim(a) == 1 else np.moveaxis(a, at, -1) for a in moved]), paired, result, least)
    else:
        found = f(moved, at)
    if not keepdims:
        return found
    axes = tuple(range(max([np.ndim(a) for a in samples]))) if axis is None else axis
    return np.expand_dims(found, axes) if result is None else result(*[np.expand_dims(part, axes) for part in found])


def whole(name: str, policy: Any, x: Any) -> Any:
    """A series without what is missing."""
    check(policy, (x,))
    if policy != "omit":
        return x
    if np.ndim(x) != 1:
        raise NoDerivative(f"scipy.stats.{name} with nan_policy='omit' has a derivative for one series: call it on each row")
    return x[~np.isnan(x)]


def joined(a: Any, count: Any) -> Any:
    """The last axes as one."""
    return np.reshape(a, (*a.shape[:-count], -1))


def of_present(f: Any, samples: Any, paired: Any, result: Any, least: Any) -> Any:
    """``f`` of what is there of each series along the last axis."""
    if max([np.ndim(a) for a in samples]) == 1:
        found = of_series(f, samples, paired, result, least)
        return found if result is None else result(*[found[j] for j, _ in enumerate(result._fields)])
    if len(samples) > 1:
        outer = np.broadcast_shapes(*[a.shape[:-1] for a in samples])
        samples = tuple([np.broadcast_to(a, (*outer, a.shape[-1])) for a in samples])
    outer = samples[0].shape[:-1]
    rows = [np.reshape(a, (-1, a.shape[-1])) for a in samples]
    found = np.array([of_series(f, tuple([a[k] for a in rows]), paired, result, least) for k in range(rows[0].shape[0])])
    return np.reshape(found, outer) if result is None else result(*[np.reshape(found[:, j], outer) for j, _ in enumerate(result._fields)])


def of_series(f: Any, series: Any, paired: Any, result: Any, least: Any) -> Any:
    """``f`` of what is not missing, of paired series where it is in none; the items of a result as an array."""
    if paired:
        there = ~np.isnan(sum(series))
        kept = tuple([a[there] for a in series])
    else:
        kept = tuple([a[~np.isnan(a)] for a in series])
    few = min([a.shape[0] for a in kept]) <= least
    if result is None:
        return np.where(few, np.nan, f(kept, 0))
    if few:
        return np.full(len(result._fields), np.nan)
    return np.array(f(kept, 0), dtype=float)

"""A trial with everything on, and again without some optimisations: what has become worse, and whether the numbers are the same."""
from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tests import oracles
from tests.outcomes import Outcome
from transgrad import api
from transgrad.passes.switches import switched_off
from transgrad.transforms import pairs

from .suites import Trial

__all__ = ["difference", "outcomes"]

#: by the precision of what was found, and relative to the largest number of all
_TOLERANCE = {2: 1e-2, 4: 1e-4, 8: 1e-12}


@contextlib.contextmanager
def _anew(names: Sequence[str]) -> Iterator[None]:
    """Compiles everything anew, without these: transformations remember the derivatives of functions, compiled with others."""
    for remembered in (api._remembered, pairs._remembered, pairs._kept):
        remembered.cache_clear()
    with (switched_off(*names), warnings.catch_warnings(), np.errstate(all="ignore"),
          contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO())):
        warnings.simplefilter("ignore")
        yield


def outcomes(trial: Trial, subsets: Sequence[Sequence[str]]) -> Iterator[Outcome]:
    """What becomes of a trial with everything on, and then without each of the subsets."""
    with _anew(()):
        base = trial.run()
    yield base
    for names in subsets:
        with _anew(names):
            outcome = trial.run()
        if base.found is not None and outcome.found is not None and (what := difference(outcome.found, base.found)):
            outcome = replace(outcome, kind="wrong", cause=f"not what it is with everything on: {what}")
        yield outcome


def _leaves(x: Any) -> Iterator[Any]:
    parts = oracles.children(x)
    if parts is None:
        yield x
    else:
        for _, part in parts:
            yield from _leaves(part)


def difference(found: Any, base: Any) -> str:
    """What differs between two derivatives by more than rounding, NaN being NaN; empty where nothing does."""
    pairs_of = list(zip(_leaves(found), _leaves(base)))
    numbers = [(np.asarray(a), np.asarray(b)) for a, b in pairs_of if oracles.is_number(b) or isinstance(b, (int, bool, np.generic))]
    if len(list(_leaves(found))) != len(list(_leaves(base))):
        return f"{found!r}, not {base!r}"
    finite = [np.max(np.abs(b[np.isfinite(b)]), initial=0.0) for _, b in numbers]
    scale = max(map(float, finite), default=0.0)
    for a, b in numbers:
        if a.shape != b.shape or a.dtype != b.dtype:
            return f"{a.dtype}{list(a.shape)}, not {b.dtype}{list(b.shape)}"
        rtol = _TOLERANCE.get(a.dtype.itemsize // (2 if a.dtype.kind == "c" else 1), 1e-12)
        if not np.allclose(a, b, rtol=rtol, atol=rtol * scale, equal_nan=True):
            same = np.isclose(a, b, rtol=rtol, atol=rtol * scale, equal_nan=True)
            return f"{a[~same].flat[0]}, not {b[~same].flat[0]}"
    return ""

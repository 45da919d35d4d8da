"""A trial with everything on, and again without some optimisations: what has become worse, and whether the numbers are the same."""
from __future__ import annotations

import contextlib
import io
import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any
from unittest import mock

import numpy as np

from tests import oracles
from tests.outcomes import Outcome
from transgrad.passes.switches import NAMES, asked, switched_off
from transgrad.transforms import at_arguments, closures, memoized
from transgrad.transforms.derivative import Derivative
from transgrad.transforms.variants import Variant

from .suites import Trial

__all__ = ["Found", "difference", "outcomes"]

#: by the precision of what was found, and relative to the largest number of all
_TOLERANCE = {2: 1e-2, 4: 1e-4, 8: 1e-12}


@dataclass(frozen=True)
class Found:
    """What became of a trial without some optimisations.

    ``unasked``: compiling it with everything on asked for none of them, so that it is what it was; it was run again once, without all that
    was not asked for, and that wrote the same to the letter.  ``same_texts``: it was run, and did.
    """

    outcome: Outcome
    unasked: bool = False
    same_texts: bool = False


def _of_modules() -> list[Derivative]:
    """The derivatives in modules of tests, which are there before a trial is run."""
    modules = [vars(module) for name, module in sys.modules.items() if name.startswith("tests.")]
    return [x for names in modules for x in names.values() if isinstance(x, Derivative)]


@contextlib.contextmanager
def _anew(names: Sequence[str]) -> Iterator[list[str]]:
    """Compiles everything anew, without these, and collects the texts: transformations remember the derivatives of functions, compiled with
    others, and so do the disk, and the derivatives that modules have."""
    for derivative in _of_modules():
        derivative._variants.clear()
        derivative._plans.clear()
        vars(derivative).pop("_on_arrays", None)
    at_arguments._kept.cache_clear()
    memoized.forget()
    closures.clear()
    texts: list[str] = []
    made = Variant.__init__

    def noted(self: Variant, ir: Any, module: Any, *rest: Any) -> None:
        texts.append(module.text)
        made(self, ir, module, *rest)

    with (switched_off(*names), mock.patch.dict(os.environ, TRANSGRAD_CACHE="off"), mock.patch.object(Variant, "__init__", noted),
          warnings.catch_warnings(), np.errstate(all="ignore"),
          contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO())):
        warnings.simplefilter("ignore")
        yield texts


def outcomes(trial: Trial, subsets: Sequence[Sequence[str]]) -> Iterator[Found]:
    """What becomes of a trial with everything on, and then without each of the subsets; of one that cannot be judged, the former alone."""
    with _anew(()) as texts, asked() as found:
        base = trial.run()
    yield Found(base)
    rest: Outcome | None = None

    def without(names: Sequence[str]) -> Found:
        with _anew(names) as others:
            outcome = trial.run()
        if base.found is not None and outcome.found is not None and (what := difference(outcome.found, base.found)):
            outcome = replace(outcome, kind="wrong", cause=f"not what it is with everything on: {what}")
        return Found(outcome, same_texts=others == texts)

    for names in subsets if base.kind != "unfit" else ():
        if rest is None and found.isdisjoint(NAMES if "all" in names else names):
            one = without([name for name in NAMES if name not in found])
            if one.same_texts or one.outcome.kind == "crashed":     # before it wrote all of it
                rest = one.outcome
            elif without(()).same_texts:
                rest = Outcome("wrong", "the text is another without what was not asked for")
            else:       # what is compiled is another one each time, as of what counts in a global variable
                found.update(NAMES)
        if found.isdisjoint(NAMES if "all" in names else names):
            assert rest is not None
            yield Found(rest, unasked=True)
        else:
            yield without(names)


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

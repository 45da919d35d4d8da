"""The checks of `checks.CHECKS` on cases: the quick ones on all, those that compile on the first of each function and on what is drawn."""
from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

import transgrad as tg
from transgrad.rules.advice import name_of

from .cases import FAMILIES, Case
from .checks import CHECKS, REFUSED, NotForThis
from .draws import drawn

QUICK = ("transposed", "complex step", "single entries")


@functools.cache
def of(family: str) -> list[Case]:
    return list(drawn() if family == "drawn" else FAMILIES[family]())


def first_of_each(cases: list[Case]) -> list[Case]:
    """One case a function, of those that hold the most numbers."""
    best: dict[str, tuple[int, Case]] = {}
    for case in cases:
        size = sum(np.size(a) for a in case.args if isinstance(a, np.ndarray))
        name = name_of(case.fn)
        if name not in best or size > best[name][0]:
            best[name] = size, case
    return [case for _, case in best.values()]


def run(check: str, cases: list[Case]) -> list[str]:
    failures = []
    for case in cases:
        try:
            CHECKS[check](case)
        except NotForThis:
            continue
        except tg.TransgradError as error:
            if not REFUSED & {(check, case.fn), (check, getattr(case.fn, "__name__", ""))}:
                failures.append(f"{case} is refused: {error}")
        except Exception as error:
            failures.append(f"{case}: {type(error).__name__}: {error}")
    return failures


@pytest.mark.parametrize("family", [*FAMILIES, "drawn"])
@pytest.mark.parametrize("check", CHECKS)
def test_family(check: str, family: str) -> None:
    cases: list[Any] = of(family)
    if check not in QUICK:
        cases = first_of_each(cases)
    if family == "scipy_distributions" and check == "JAX":      # compiles each for a quarter of a second: python -m tests.rules has all
        cases = [c for c in cases if getattr(getattr(c.fn, "__self__", None), "name", None) in ("norm", "gamma", "poisson")]
    assert not run(check, cases)

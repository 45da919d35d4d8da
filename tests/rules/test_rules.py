"""Every rule against central differences, in reverse and forward mode."""
from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from transgrad.rules import all_rules
from transgrad.rules.registry import check, table
from transgrad.rules.text import entry_places, zero_entries
from transgrad.testing import check_rule

from .cases import FAMILIES, Case
from .own import RULES, is_from

CASES = [pytest.param(c, id=f"{family}-{c}") for family, cases in FAMILIES.items() for c in cases() if c.by_rule and not c.is_single]


@pytest.mark.parametrize("case", CASES)
def test_rule_agrees_with_differences(case: Case) -> None:
    check_rule(case.fn, *case.args, **case.kwargs)


def own_rules() -> list[Any]:
    """The rules of the table itself: other tests, and the tape, register rules of their own."""
    return [r for r in all_rules() if r.vjp is not None and is_from(text_of(r), RULES)]


def test_rules_mention_only_known_names() -> None:
    for rule in own_rules():
        check(rule.vjp)


#: modules and functions whose rules draw, take functions, have containers of results, or stand for what SciPy solves coarsely, to the
#: file here that tries them
OWN_TESTS = {
    "transgrad.rules.random": "test_random.py", "transgrad.rules.helpers": "test_on_ir.py",
    "transgrad.rules.scipy.sparse": "test_scipy_sparse.py", "real_component": "test_eigenvectors.py", "as_real_as": "test_eigenvectors.py",
    "transgrad.rules.scipy.optimize.solutions": "test_scipy_solvers.py", "transgrad.rules.scipy.optimize.searches": "test_scipy_searches.py",
    "transgrad.rules.scipy.integrate.functions": "test_scipy_solvers.py",
    "transgrad.rules.scipy.integrate.initial_values": "test_scipy_solvers.py",
    "transgrad.rules.scipy.linalg.pencils": "cases/scipy_linalg_factors.py",
    "cholesky_factor": "cases/scipy_linalg.py", "settled": "test_scipy_solvers.py",
    "divisor": "../passes/test_second_derivatives_of_norms.py", "erfcx_slope": "test_forms_of_functions.py",
    "dawsn_slope": "test_forms_of_functions.py",
    "ncfdtridfd": "test_scipy_special.py", "ncfdtridfn": "test_scipy_special.py", "ncfdtrinc": "test_scipy_special.py",
}


def text_of(rule: Any) -> Any:
    """What is shared by the rules of all distributions for a method."""
    return getattr(rule.vjp, "text", rule.vjp).__code__


def test_every_rule_has_a_case() -> None:
    tried = {text_of(table()[p.values[0].fn]) for p in CASES if p.values[0].fn in table()}
    untried = [r for r in own_rules() if text_of(r) not in tried and entry_places(r.vjp) - zero_entries(r.vjp)]
    assert not [r for r in untried if not r.vjp.__module__.startswith(tuple(OWN_TESTS)) and getattr(r.fn, "__name__", "") not in OWN_TESTS]


@pytest.mark.parametrize("test", sorted(set(OWN_TESTS.values())))
def test_own_tests_are_there(test: str) -> None:
    assert (Path(__file__).parent / test).exists()

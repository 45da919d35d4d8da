"""Every rule against central differences, in reverse and forward mode."""
from __future__ import annotations

from typing import Any

import pytest

from transgrad.rules import all_rules
from transgrad.rules.registry import check, table
from transgrad.testing import check_rule

from .cases import FAMILIES, Case

CASES = [pytest.param(c, id=f"{family}-{c}") for family, cases in FAMILIES.items() for c in cases() if c.by_rule and not c.is_single]


@pytest.mark.parametrize("case", CASES)
def test_rule_agrees_with_differences(case: Case) -> None:
    check_rule(case.fn, *case.args, **case.kwargs)


def own_rules() -> list[Any]:
    """The rules of the table itself: other tests, and the tape, register rules of their own."""
    return [r for r in all_rules() if r.vjp is not None and r.vjp.__module__.startswith("transgrad.rules.")]


def test_rules_mention_only_known_names() -> None:
    for rule in own_rules():
        check(rule.vjp)


def test_every_rule_has_a_case() -> None:
    tried = {table()[p.values[0].fn].vjp for p in CASES if p.values[0].fn in table()}
    # these have tests of their own; the methods of all distributions share their texts
    elsewhere = ("rules.random", "scipy.optimize", "integrate.functions", "integrate.initial_values", "scipy.sparse", "stats.methods",
                 "special.noncentral")
    internal = ("transgrad.runtime", "transgrad.rules")
    missing = [r for r in own_rules() if r.vjp not in tried and not any(part in r.vjp.__module__ for part in elsewhere)
               and not (getattr(r.fn, "__module__", None) or "").startswith(internal)]
    assert not missing

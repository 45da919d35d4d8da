"""Every rule against central differences, in reverse and forward mode."""
from __future__ import annotations

import pytest

from transgrad.rules import all_rules
from transgrad.rules.registry import check, table
from transgrad.testing import check_rule

from .cases import FAMILIES, Case

CASES = [pytest.param(c, id=f"{family}-{c}") for family, cases in FAMILIES.items() for c in cases()]


@pytest.mark.parametrize("case", CASES)
def test_rule_agrees_with_differences(case: Case) -> None:
    check_rule(case.fn, *case.args, **case.kwargs)


def test_rules_mention_only_known_names() -> None:
    for rule in all_rules():
        if rule.vjp is not None:
            check(rule.vjp)


def test_every_rule_has_a_case() -> None:
    tried = {table()[p.values[0].fn].vjp for p in CASES if p.values[0].fn in table()}
    missing = [r for r in all_rules() if r.kind != "constant" and r.vjp not in tried and "runtime" not in r.fn.__module__
               and r.vjp.__module__.startswith("transgrad.")]     # other tests register rules of their own
    assert not missing

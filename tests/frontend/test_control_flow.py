"""Branches, loops, early exits, try and with: the IR computes what Python computes."""
import pytest

from .control_flow import CASES, X, elif_chain, option_string
from .lowered import check, compare, lowered


@pytest.mark.parametrize("n", [-1, 0, 3, 9])
def test_one_lowering_serves_every_path(n):
    compare(elif_chain, lowered(elif_chain, 1.5, 3), 1.5, n)


@pytest.mark.parametrize("f, args", CASES, ids=lambda v: getattr(v, "__name__", ""))
def test_computes_what_python_computes(f, args):
    check(f, *args)


def test_constant_conditions_lower_the_live_branch_only():
    text = str(lowered(option_string, X, "mean"))
    assert "if" not in text and "raise" not in text


def test_unread_temporaries_are_not_carried():
    def f(xs):
        total = 0.0
        for x in xs:
            t = x * x
            total += t
        return total
    text = str(lowered(f, X))
    assert "carry (%2.total: np.float64 = 0.0)" in text, text

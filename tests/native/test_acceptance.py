"""Plain programs on Numba are accepted or refused in words of ours; ``python -m tests.native.acceptance`` prints all of them."""
import pytest

pytest.importorskip("numba")

from .acceptance.judge import judged
from .acceptance.registry import load

#: Programs that are refused.
REFUSED = {"recursion", "module_nested_list"}


@pytest.mark.parametrize("program", load(), ids=lambda p: p.name)
def test_a_program_is_accepted(program):
    assert judged(program)[0] == ("refused" if program.name in REFUSED else "accepted")


def test_few_are_refused():
    assert len(REFUSED) <= 0.05 * len(load())

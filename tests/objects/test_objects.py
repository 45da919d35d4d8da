"""Each program of the corpus in both modes; ``python -m tests.objects`` prints the table."""
from __future__ import annotations

import pytest

from . import ALL
from .check import check, forward, reverse

#: the programs that are not compiled, and in which modes
NOT_COMPILED = {
    "moving_average_passed": "both", "ema_by_name": "both", "order_book": "both", "wave_passed": "both", "budget": "both",
    "exit_receives": "reverse", "tuple_subclass": "both", "event_loop": "both", "lru_of_own": "both",
    "bunch_passed": "both", "barnes_hut": "forward",
}


@pytest.mark.parametrize("name", ALL)
def test_program(name: str) -> None:
    for mode in (reverse, forward):
        outcome = check(ALL[name], mode)
        expected = ("tape", "refused") if NOT_COMPILED.get(name, "") in (mode.__name__, "both") else ("compiled",)
        assert outcome.kind in expected, f"{mode.__name__}: {outcome.kind}: {outcome.cause} {outcome.detail}"


def test_most_are_compiled() -> None:
    assert len(NOT_COMPILED) <= 0.1 * len(ALL)

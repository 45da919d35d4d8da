"""Each program of the corpus in both modes; ``python -m tests.objects`` prints the table."""
from __future__ import annotations

import pytest

from . import ALL
from .check import check, forward, reverse

#: the programs that are not compiled, and in which modes
NOT_COMPILED = {
    "weak_parents": "both", "abstract_mapping": "both", "shared_dict": "both", "namespace_passed": "both", "maximum_flow": "both",
    "exit_stack": "reverse", "nested_functions_raise": "both", "reraised": "both", "moving_average_passed": "both",
    "ema_by_name": "both", "pendulum_passed": "reverse", "pipeline_scores": "both", "order_book": "both",
    "reflections": "both", "tuple_subclass": "both", "bunch_passed": "both", "barnes_hut": "forward", "associated_tracks": "both",
    "predictive_control": "reverse",
}


@pytest.mark.parametrize("name", ALL)
def test_program(name: str) -> None:
    for mode in (reverse, forward):
        outcome = check(ALL[name], mode)
        expected = ("tape", "refused") if NOT_COMPILED.get(name, "") in (mode.__name__, "both") else ("compiled",)
        assert outcome.kind in expected, f"{mode.__name__}: {outcome.kind}: {outcome.cause} {outcome.detail}"


def test_most_are_compiled() -> None:
    assert len(ALL) >= 250
    assert len(NOT_COMPILED) <= 0.08 * len(ALL)

"""Each program of the corpus in both modes; ``python -m tests.objects`` prints the table."""
from __future__ import annotations

import pytest

from . import ALL
from .check import check, forward, reverse

#: the programs that are not compiled, and in which modes
NOT_COMPILED = {
    "conveyor": "both", "weak_parents": "both", "abstract_mapping": "both", "exchange": "both", "shared_dict": "both", "namespace_passed": "both",
    "strategies": "reverse", "maximum_flow": "both", "doubly_linked": "both", "failed_transfer_passed": "forward", "chained_cause": "both",
    "stopwatch": "both", "exit_stack": "both", "nested_functions_raise": "both", "reraised": "both", "moving_average_passed": "both",
    "ema_by_name": "both", "pendulum_passed": "reverse", "registered_handlers": "both", "market_callbacks": "both",
    "send_average": "both", "averager_closed": "both", "groups_by_sign": "both", "round_robin": "both", "shared_iterator": "both",
    "two_passes_tee": "both", "coroutine_controller": "both", "generator_of_objects": "both", "micrograd": "both",
    "pipeline_scores": "both", "batch_norm_passed": "forward", "ordered_dict_cache": "both", "chain_map_config": "both",
    "dispatch_method": "both", "largest_and_smallest": "both", "order_book": "both", "wave_passed": "forward", "reflections": "both",
    "tuple_subclass": "both", "event_loop": "both", "lru_of_own": "both", "bunch_passed": "both", "barnes_hut": "forward",
    "associated_tracks": "both", "predictive_control": "reverse",
}


@pytest.mark.parametrize("name", ALL)
def test_program(name: str) -> None:
    for mode in (reverse, forward):
        outcome = check(ALL[name], mode)
        expected = ("tape", "refused") if NOT_COMPILED.get(name, "") in (mode.__name__, "both") else ("compiled",)
        assert outcome.kind in expected, f"{mode.__name__}: {outcome.kind}: {outcome.cause} {outcome.detail}"


def test_most_are_compiled() -> None:
    assert len(ALL) >= 250
    assert len(NOT_COMPILED) <= 0.18 * len(ALL)

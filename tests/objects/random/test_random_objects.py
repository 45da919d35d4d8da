"""A fixed sample of the random programs of classes; ``python -m tests.objects.random`` tries as many as are asked for."""
from __future__ import annotations

import pytest

from .generate import generate
from .trial import trial


@pytest.mark.parametrize("seed", range(16))
def test_random_program(seed: int) -> None:
    outcome = trial(seed)
    assert outcome.kind in ("right", "unfit"), f"{outcome.kind}: {outcome.cause} {outcome.detail}"


def test_programs_are_the_same_each_time() -> None:
    assert generate(3) == generate(3) != generate(4)

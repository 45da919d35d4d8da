"""Random numbers that are drawn again the same."""
from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ...autograd.ops.random import get_rng_state, set_rng_state


@contextmanager
def random_numbers_of(state: Any) -> Iterator[None]:
    """Inside, random numbers continue from `state` (None: from the current state); afterward from the earlier state."""
    if state is None:
        yield
        return
    before = get_rng_state()
    set_rng_state(state)
    try:
        yield
    finally:
        set_rng_state(before)

"""Random numbers that are drawn again the same."""
from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ...autograd.ops.random import get_rng_state, set_rng_state


@contextmanager
def random_numbers_of(state: Any) -> Iterator[None]:
    """Inside, random numbers go on from `state` (None: from where they are); afterwards from where they were before."""
    if state is None:
        yield
        return
    before = get_rng_state()
    set_rng_state(state)
    try:
        yield
    finally:
        set_rng_state(before)

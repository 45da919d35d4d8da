"""A function that is twice as long takes about twice as much to compile."""
from __future__ import annotations

import pytest

from benchmarks.compile_growth import KINDS, calls


@pytest.mark.parametrize("kind", KINDS)
def test_compiling_takes_time_in_proportion_to_the_length(kind):
    calls(kind, 200)     # what is found once a process
    assert calls(kind, 200) < 2.2 * calls(kind, 100)

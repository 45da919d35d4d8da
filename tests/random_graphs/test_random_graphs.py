"""A small share of the random programs; all of them: ``python -m tests.random_graphs --count 2000``."""
from __future__ import annotations

import pytest

import transgrad

from .trial import trial


@pytest.mark.parametrize("first", range(0, 200, 20))
def test_same_as_pytorch(first):
    torch = pytest.importorskip("torch")
    for seed in range(first, first + 20):
        outcome = trial(seed, torch, transgrad)
        assert not outcome.differences, "\n".join([f"seed {seed}", *outcome.program, *outcome.differences])

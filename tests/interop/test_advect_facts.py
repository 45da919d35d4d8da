"""What the wrappers do that advect's first-order wrappers do not."""
from __future__ import annotations

import pytest

from tests.interop import advect_facts


@pytest.mark.parametrize("framework", ["torch", "jax"])
def test_everything_holds_for_ours(framework: str) -> None:
    pytest.importorskip(framework)
    for name, ours, _ in advect_facts.facts(framework):
        assert ours, name

"""Fixtures for tests of what a pass generates."""
from __future__ import annotations

from collections.abc import Iterator

import pytest

from transgrad.passes.switches import switched_off


@pytest.fixture
def rows_stay_arrays() -> Iterator[None]:
    """Short rows are not replaced by their elements, so that the passes for rows have something to do."""
    with switched_off("lengths"):
        yield

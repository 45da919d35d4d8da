"""What IPython adds to the built-in names does not stay for other tests."""
from __future__ import annotations

import builtins
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def _plain_builtins() -> Iterator[None]:
    before = dict(vars(builtins))
    yield
    for name in vars(builtins).keys() - before.keys():
        delattr(builtins, name)

"""What only some supported releases of NumPy and SciPy have: tests of it are skipped where the installed release lacks it, and say so."""
from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pytest

from transgrad.rules.installed import at_least

__all__ = ["since", "with_releases"]


def since(release: str) -> pytest.MarkDecorator:
    """Skip a test of something that a library has from a release on, such as ``since("SciPy 1.15")``."""
    library, _, version = release.partition(" ")
    return pytest.mark.skipif(not at_least(library.lower(), *map(int, version.split("."))), reason=f"from {release} on")


def with_releases(names: Iterable[str], later: Mapping[str, str]) -> list[Any]:
    """The parameters ``names``, of which some are of later releases: ``with_releases(PROGRAMS, {"unstack": "NumPy 2.1"})``."""
    names = list(names)
    assert later.keys() <= set(names)
    return [pytest.param(name, marks=since(later[name])) if name in later else name for name in names]

"""The pytest plug-in of transgrad: checks of derivatives as a fixture, a marker and an option.

It is a module of its own, which pytest can load without importing transgrad and NumPy.
"""
from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from typing import Any

import pytest

_VARIABLE = "TRANSGRAD_CHECK"
_MARKER = "check_derivatives: compare every derivative that the test compiles with finite differences, and fail where it differs"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds ``--check-derivatives``."""
    group = parser.getgroup("transgrad", "derivatives")
    group.addoption("--check-derivatives", action="store_true", help="compare every derivative that is compiled with finite differences")


def pytest_configure(config: pytest.Config) -> None:
    """Registers the marker."""
    config.addinivalue_line("markers", _MARKER)


@pytest.fixture(autouse=True)
def _transgrad_checks(request: pytest.FixtureRequest) -> Iterator[None]:
    """Turns the comparison on for a test that asks for it, and makes a difference an error."""
    if request.node.get_closest_marker("check_derivatives") is None and not request.config.getoption("--check-derivatives"):
        yield
        return
    from transgrad import DerivativeWarning
    before = os.environ.get(_VARIABLE)
    os.environ[_VARIABLE] = "1"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", DerivativeWarning)
            yield
    finally:
        if before is None:
            del os.environ[_VARIABLE]
        else:
            os.environ[_VARIABLE] = before


@pytest.fixture
def check_grad() -> Any:
    """`transgrad.testing.check_grad`: ``check_grad(f, args, order=2)`` fails where a derivative of ``f`` is wrong."""
    from transgrad.testing import check_grad
    return check_grad

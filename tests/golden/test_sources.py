"""The generated source of many programs, compared literally; ``python -m tests.golden`` records it again.

A difference is no defect by itself: read it, and record it if the new source is at least as good for a reader.
"""
from __future__ import annotations

import pathlib

import pytest

from tests.golden.programs import CASES, source

SOURCES = pathlib.Path(__file__).parent / "sources"


@pytest.mark.parametrize("name", CASES)
def test_source(name: str) -> None:
    if CASES[name].needs:
        pytest.importorskip(CASES[name].needs)
    assert source(name) == (SOURCES / f"{name}.py").read_text()


def test_every_file_is_of_a_program() -> None:
    assert {path.stem for path in SOURCES.glob("*.py")} == set(CASES)


@pytest.mark.parametrize("name", [name for name in CASES if CASES[name].needs is None])
def test_names(name: str) -> None:
    """No helper where the types make it needless: these are the programs that need one."""
    text = (SOURCES / f"{name}.py").read_text()
    helpers = {"unbroadcast", " fit(", "gradient_like", "zeros_of", "conjugated", "operator."}
    assert not any(helper in text for helper in helpers)

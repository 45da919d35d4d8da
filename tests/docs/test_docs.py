"""The examples of the README and the documentation print what the text says."""
from __future__ import annotations

import importlib.util
import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
_spec = importlib.util.spec_from_file_location("docs_examples", ROOT / "docs" / "examples.py")
assert _spec is not None and _spec.loader is not None
examples = importlib.util.module_from_spec(_spec)
import sys

sys.modules["docs_examples"] = examples
_spec.loader.exec_module(examples)

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_examples(page, monkeypatch):
    monkeypatch.chdir(ROOT)
    for example in examples.run(page):
        if example.expected is None:
            assert not example.printed.strip(), f"{page.name}, line {example.line} prints what the page does not show"
        else:
            assert example.printed == example.expected, f"{page.name}, line {example.line}"


def test_limitations_are_current():
    from transgrad.frontend.refusals import limitations_markdown
    assert (ROOT / "docs" / "limitations.md").read_text(encoding="utf-8").rstrip() == limitations_markdown().rstrip()


def test_compatibility_with_pytorch_is_current():
    from tests.conformance.page import page
    assert (ROOT / "docs" / "torch-compatibility.md").read_text(encoding="utf-8") == page()


def test_names_that_are_left_out_are_current():
    from tests.conformance.absent_page import page
    assert (ROOT / "docs" / "torch-absent.md").read_text(encoding="utf-8") == page()


@pytest.mark.parametrize(("part", "file"), [("numpy", "rules.md"), ("scipy", "rules-scipy.md")])
def test_tables_of_derivatives_are_current(part, file):
    from transgrad.rules.page import markdown, versions
    page = (ROOT / "docs" / file).read_text(encoding="utf-8")
    if versions() not in page:
        pytest.skip(f"the page is not about {versions()}")
    assert page == markdown(part)

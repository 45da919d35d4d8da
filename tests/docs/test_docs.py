"""The documentation: its examples print what its pages show, its generated pages can be made, and it covers every public name."""
from __future__ import annotations

import importlib.util
import json
import pathlib
import re
import sys
import warnings

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
if str(DOCS) not in sys.path:
    sys.path.append(str(DOCS))
_spec = importlib.util.spec_from_file_location("docs_examples", DOCS / "examples.py")
assert _spec is not None and _spec.loader is not None
examples = importlib.util.module_from_spec(_spec)
sys.modules["docs_examples"] = examples
_spec.loader.exec_module(examples)


@pytest.mark.parametrize("page", examples.pages(), ids=lambda p: str(p.relative_to(ROOT)))
def test_examples(page, monkeypatch):
    if examples.missing(page):
        pytest.skip(f"{page.name} needs {examples.missing(page)}")
    monkeypatch.chdir(ROOT)
    with warnings.catch_warnings():
        for example in examples.run(page):
            if example.expected is None:
                assert not example.printed.strip(), f"{page.name}, line {example.line} prints what the page does not show"
            else:
                assert example.printed == example.expected, f"{page.name}, line {example.line}"


def test_local_links_lead_somewhere():
    """Links between files, which the build checks for pages, also hold for readers of the repository."""
    generated = DOCS / "reference" / "generated"
    for page in [*ROOT.glob("*.md"), *(p for p in DOCS.rglob("*.md") if "_build" not in p.parts)]:
        text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        for link in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text):
            target = (page.parent / link).resolve()
            assert re.match(r"[a-z]+:", link) or target.exists() or target.parent == generated, f"{page.name} links to {link}"


@pytest.fixture(scope="module")
def generated():
    import generate
    return generate.pages()


def test_generated_pages_are_small_and_complete(generated):
    for name, text in generated.items():
        assert text.startswith("# ") and len(text) < 300_000, name
    linked = set(re.findall(r"\]\(\.\./reference/generated/([\w-]+)\.md|generated/([\w-]+)(?:\.md)?", "\n".join(
        p.read_text(encoding="utf-8") for p in DOCS.rglob("*.md") if "_build" not in p.parts and "generated" not in p.parts)))
    assert {a or b for a, b in linked} <= set(generated)


def test_the_compatibility_table_holds_for_a_sample():
    from tests.rules.compatibility import FAILED, PATH, record
    recorded = json.loads(PATH.read_text(encoding="utf-8"))["functions"]
    assert not [name for name, rows in recorded.items() for row in rows.values() for counts in row.values() if counts[FAILED]]
    names = {"numpy.clip", "numpy.linalg.solve", "numpy.mean", "scipy.special.erf", "scipy.linalg.expm"}
    assert record(names)["functions"] == {name: recorded[name] for name in names}

"""Prose: pages and docstrings use standard terms, and docstrings of public functions follow the conventions of NumPy."""
from __future__ import annotations

import inspect
import types

import pytest

import transgrad as tg
import transgrad.testing
import transgrad.tree

from .vocabulary import CHECKED, ROOT, unwanted_in_page, unwanted_in_source

#: What numpydoc reports although the project omits it on purpose: an extended summary (ES01), "See also" (SA01), the types and
#: the order of parameters that share one description (PR03, PR04), and the parameters of classes that users do not create (PR01).
ALLOWED = {"ES01", "SA01", "PR03", "PR04"}


@pytest.mark.parametrize("package", CHECKED)
def test_docstrings_and_comments(package: str) -> None:
    found = {str(path.relative_to(ROOT)): phrases for path in (ROOT / "transgrad" / package).rglob("*.py")
             if (phrases := unwanted_in_source(path.read_text(encoding="utf-8")))}
    assert not found


def test_pages() -> None:
    pages = [*ROOT.glob("*.md"), *(p for p in (ROOT / "docs").rglob("*.md") if not {"_build", "generated", "about"} & set(p.parts))]
    assert not {page.name: phrases for page in pages if (phrases := unwanted_in_page(page.read_text(encoding="utf-8")))}


def test_unwanted_phrases_are_found() -> None:
    source = '"""Whatever the loop adds up."""\n\nx = 1    # the emitted text\n'
    assert [(line, phrase.lower()) for line, phrase, _ in unwanted_in_source(source)] == [(1, "whatever"), (3, "emitted text")]
    assert not unwanted_in_source('"""Return the `text` of ``what is`` read.\n\n>>> the_text = "way out"\n"""\n')
    assert [line for line, _, _ in unwanted_in_page("fine\n```python\n# the text\n```\nThe colour\n")] == [5]


def _public() -> list[str]:
    names = [f"transgrad.{name}" for name in tg.__all__]
    for module in (transgrad.testing, transgrad.tree):
        names += [f"{module.__name__}.{name}" for name in module.__all__]
    return [name for name in names if name != "transgrad.tree.Structure"]      # optree documents it


def _object(name: str) -> object:
    found: object = tg
    for part in name.split(".")[1:]:
        found = getattr(found, part)
    return found


@pytest.mark.parametrize("name", _public())
def test_public_docstrings_follow_the_conventions_of_numpy(name: str) -> None:
    validate = pytest.importorskip("numpydoc.validate").validate
    obj = _object(name)
    if isinstance(obj, types.ModuleType):
        pytest.skip("a module")
    errors = {code: message for code, message in validate(name)["errors"] if code not in ALLOWED}
    if inspect.isclass(obj):
        errors.pop("PR01", None)
    assert not errors

"""The documentation: its examples print what its pages show, its generated pages can be made, and it covers every public name."""
from __future__ import annotations

import doctest
import importlib
import importlib.util
import inspect
import json
import pathlib
import re
import sys
import warnings

import pytest

import transgrad as tg

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
if str(DOCS) not in sys.path:
    sys.path.append(str(DOCS))
_spec = importlib.util.spec_from_file_location("docs_examples", DOCS / "page_code.py")
assert _spec is not None and _spec.loader is not None
examples = importlib.util.module_from_spec(_spec)
sys.modules["docs_examples"] = examples
_spec.loader.exec_module(examples)

#: Modules whose docstrings' examples run.
MODULES = ("transgrad.api", "transgrad.testing", "transgrad.comparison.api", "transgrad.comparison.report", "transgrad.tree",
           "transgrad.errors", "transgrad.custom.vjp", "transgrad.custom.jvp", "transgrad.custom.opaque.primitive", "transgrad.custom.opaque.specs",
           "transgrad.custom.implicit", "transgrad.transforms.checkpointing", "transgrad.rules.stop", "transgrad.transforms.taylor",
           "transgrad.transforms.options", "transgrad.transforms.derivative", "transgrad.transforms.variants",
           "transgrad.transforms.sparse.api", "transgrad.comparison.api", "transgrad.comparison.report", "transgrad.custom.insert", "transgrad.autograd.backward",
           "transgrad.autograd.grad_mode", "transgrad.autograd.anomaly_mode", "transgrad.autograd.saved", "transgrad.autograd.tensor",
           "transgrad.optim.first_order",
           "transgrad.optim.lbfgs", "transgrad.optim.optimizer", "transgrad.rules.listing", "transgrad.rules.registry", "transgrad.emit.cache_size", "transgrad.cli.stored")


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


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings(name):
    module = importlib.import_module(name)
    assert doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE).failed == 0


@pytest.mark.parametrize("name", tg.__all__)
def test_every_public_name_has_an_example_and_a_place_in_the_reference(name):
    assert ">>>" in (inspect.getdoc(getattr(tg, name)) or ""), f"transgrad.{name} has no example"
    reference = "\n".join(p.read_text(encoding="utf-8") for p in (DOCS / "reference").glob("*.md"))
    assert re.search(rf"auto\w+:: (transgrad\.)?{name}\b", reference), f"the reference does not list transgrad.{name}"


@pytest.mark.parametrize("namespace", ["tg", "tg.autograd", "tg.distributed", "tg.errors", "tg.interop", "tg.interop.jax", "tg.interop.pytensor",
                                       "tg.interop.scipy", "tg.interop.sklearn", "tg.interop.torch", "tg.nn", "tg.optim", "tg.testing", "tg.tree"])
def test_every_name_of_a_namespace_has_an_example(namespace):
    """In its docstring, or on the page of the tape's names, which shows what the example returns."""
    import tape_pages
    required = {"tg.distributed": "distributed", "tg.interop.jax": "jax", "tg.interop.pytensor": "pytensor", "tg.interop.sklearn": "sklearn",
                "tg.interop.torch": "torch", "tg.interop.scipy": "scipy"}.get(namespace)
    if required is not None:
        pytest.importorskip(required)
    module = importlib.import_module(namespace.replace("tg", "transgrad", 1))
    shown = {*tape_pages.examples(), "tg.tree.Structure"}       # optree documents that class; the reference has an example
    names = [name for name in dir(module) if not name.startswith("_") and not inspect.ismodule(getattr(module, name))]
    assert names or namespace == "tg.interop"
    assert not [n for n in names if f"{namespace}.{n}" not in shown and ">>>" not in (inspect.getdoc(getattr(module, n)) or "")]


def test_examples_of_the_tape_use_the_name_and_run():
    import tape_pages
    for name, code in tape_pages.examples().items():
        assert re.search(rf"{re.escape(name)}\b", code), code
        shown = tape_pages.result(code)
        assert len(shown) < 200 and " at 0x" not in shown and shown != "NotImplemented", (code, shown)
        assert "nan" not in shown or "nan" in code, (code, shown)
    assert tape_pages.result("tg.abs(tg.tensor([-2.0]))") == "tensor([2.])"


def test_names_that_serve_the_tape_are_not_public():
    assert not {"FUNCTIONS", "METHODS", "category", "held", "lazy", "passes", "ir"} & set(dir(tg))
    with pytest.raises(AttributeError, match="METHODS"):
        tg.METHODS
    assert {"grad", "tensor", "nn", "float32", "tree", "__version__"} <= set(dir(tg)) and "Any" not in dir(tg.testing)


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


def test_a_broken_site_is_found(tmp_path):
    from check_site import problems
    (tmp_path / "good.html").write_text('<h1 id="top">Top</h1><a href="#top">up</a> <a href="https://example.org">out</a>')
    assert problems(tmp_path) == []
    (tmp_path / "bad.html").write_text('<a href="good.html#none">a</a><a href="gone.html">b</a><script src="https://example.org/x.js"></script>')
    (tmp_path / "large.html").write_text("x" * 300_001)
    found = "\n".join(problems(tmp_path))
    assert len(problems(tmp_path)) == 4 and "good.html#none" in found and "gone.html" in found and "loads https" in found and "large.html has" in found

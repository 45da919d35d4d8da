"""What the viewer knows of a derivative."""
import html.parser
import inspect
import re
import warnings

import numpy as np
import pytest

import transgrad as tg
from transgrad.view import view
from transgrad.view.highlight import highlighted

from .programs import heat, square, unknown

X = np.linspace(0.0, 1.0, 12) ** 2
FIRST = inspect.getsourcelines(heat)[1]


def model(**options):
    g = tg.grad(heat, argnums=(0, 1))
    return view(g, {"u0": X, "c": 0.2, "steps": 5}, **options).model


def test_sources_and_pairs():
    m = model()
    assert [pane.title for pane in m.panes] == ["heat", "square"] or [pane.title for pane in m.panes] == ["heat"]
    assert m.panes[0].first == FIRST and m.panes[0].source == inspect.getsource(heat).rstrip()
    lines = m.derivative.source.splitlines()
    update = {lines[k - 1].strip(): part for k, (file, line, part) in m.origins.items() if line == FIRST + 4 and file == heat.__code__.co_filename}
    assert update["u_bar[2:] += q"] == "adjoint" and update["u[1:-1] += c * s"] == "primal"


def test_values_of_the_lines():
    m = model()
    facts = m.panes[0].facts
    assert facts[FIRST + 4].count == 5 and facts[FIRST + 4].values["u"].startswith("float64 [12]")
    assert facts[FIRST + 5].values["energy"].startswith("float64 ")
    line = next(k for k, text in enumerate(m.derivative.source.splitlines(), 1) if "c_bar +=" in text)
    assert m.derivative.facts[line].count == 5


def test_saved_values_are_those_that_the_reverse_sweep_reads():
    saved = {s.name: s for s in model().saved}
    assert set(saved) == {"saved_s", "u"} and saved["u"].bytes == X.nbytes and saved["saved_s"].bytes >= 5 * 10 * 8


def test_activity_and_paths():
    m = model()
    assert {"u", "u0", "c"} <= set(m.active_names) and "steps" not in m.active_names
    lines = {name: {line - FIRST for file, line in places if file == heat.__code__.co_filename} for name, places in m.paths.items()}
    assert {2, 4, 5} <= lines["u0"] and {4, 5} <= lines["c"]


def test_profile():
    m = model(profile=True)
    fact = m.derivative.facts[next(k for k, text in enumerate(m.derivative.source.splitlines(), 1) if "c_bar +=" in text)]
    assert m.profiled and fact.seconds > 0.0
    assert "µs" in view(tg.grad(square), {"v": 2.0}, True).html


def test_the_function_is_not_changed_and_results_are_right():
    g = tg.grad(heat, argnums=(0, 1))
    x = X.copy()
    g.view(x, 0.2, 5)
    np.testing.assert_array_equal(x, X)


@pytest.mark.parametrize("make, args", [
    (lambda: tg.jacobian(square), (X,)), (lambda: tg.hessian(heat), (X, 0.2, 2)), (lambda: tg.vmap(square), (X.reshape(3, 4),)),
    (lambda: tg.value_and_grad(lambda x: np.sum(np.sin(x))), (X,)), (lambda: tg.compile(square), (2.0,)),
    (lambda: tg.grad(tg.grad(square)), (2.0,)), (lambda: tg.grad(lambda x, k=2: x ** k), (2.0,)),
], ids=["jacobian", "hessian", "vmap", "lambda", "compile", "second", "default"])
def test_every_transformation(make, args):
    _parsed(make().view(*args).html)


def test_before_a_call_and_on_the_tape():
    g = tg.grad(lambda x: x * x)
    assert not g.view().model.observed
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert "runs on the tape" in tg.grad(unknown).view(2.0).html


class _Parser(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open = []

    def handle_starttag(self, tag, attrs):
        if tag not in ("meta", "br", "link"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def _parsed(page):
    parser = _Parser()
    parser.feed(page)
    assert not parser.open
    return page


def test_the_page_is_self_contained():
    page = _parsed(tg.grad(heat).view(X, 0.2, 5).html)
    assert not re.search(r"""(src|href)\s*=|https?://|@import|url\(""", page)
    assert len(page) < 100_000


def test_names_and_strings_are_escaped():
    def f(x, mode="<script>"):
        return x * x if mode < "a&b" else x
    page = _parsed(tg.grad(f).view(2.0).html)
    assert "<script>'" not in page and "&lt;script&gt;" in page


def test_highlighting_keeps_the_text():
    source = 'def f(x):\n    """Two\n    lines & <b>."""\n    return x_bar + 1.0  # x < y\n'
    plain = [re.sub("<[^>]*>", "", line).replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">") for line in highlighted(source)]
    assert [line.replace("&#x27;", "'").replace("&quot;", '"') for line in plain] == source.splitlines()


def test_save_and_notebook(tmp_path):
    v = tg.grad(heat).view(X, 0.2, 5)
    assert v.save(tmp_path / "page.html").read_text() == v.html
    assert v._repr_html_().startswith("<iframe srcdoc=") and repr(v).startswith("<view of grad_heat")


def test_annotations_that_are_strings():
    def area(a: "float", b: "float") -> "float":
        return a * b
    assert view(tg.grad(area), {"a": 1.0, "b": 2.0}).model.title == "grad_area(a: float, b: float) -> float"

"""Notebooks: what derivatives, patterns and explanations show, and the magics, executed by Jupyter."""
import html.parser
import re

import numpy as np
import pytest

import transgrad as tg


def loss(w, x):
    r = np.tanh(x @ w)
    return np.sum(r ** 2)


class _Parser(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open = []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def well_formed(text):
    parser = _Parser()
    parser.feed(text)
    assert not parser.open
    return text


def test_a_derivative_shows_its_source_beside_the_function():
    g = tg.grad(loss)
    assert "<code>" in well_formed(g._repr_html_())     # nothing is known of the arguments yet
    g(np.ones(3), np.ones((2, 3)))
    shown = well_formed(g._repr_mimebundle_()["text/html"])
    plain = re.sub("<[^>]*>", "", shown)
    assert "w_bar = x.T @" in plain and "r = np.tanh(x @ w)" in plain and "<script" not in shown
    assert g._repr_mimebundle_()["text/plain"] == "<grad_loss(w, x)>"


def test_an_explanation_is_a_table():
    explanation = tg.grad(loss).explain(np.ones(3), np.ones((2, 3)))
    assert isinstance(explanation, str) and "saved" in explanation
    shown = well_formed(explanation._repr_html_())
    assert shown.startswith("<table>") and "<th" in shown and "active" in shown


@pytest.mark.parametrize("n", [5, 3000])
def test_a_pattern_is_a_picture(n):
    def f(x):
        return x[1:] - x[:-1] ** 2
    pattern = tg.sparse_jacobian(f).pattern(np.ones(n))
    shown = well_formed(pattern._repr_html_())
    assert shown.startswith("<svg") and f"{n - 1} × {n}, {2 * (n - 1)} entries" in shown and len(shown) < 100_000
    assert (pattern != tg.sparse_jacobian(f).pattern(np.ones(n))).nnz == 0 and pattern.dtype == bool
    if n == 5:
        assert shown.count("<rect") == 1 + 8


@pytest.mark.slow
def test_jupyter_runs_the_magics(tmp_path):
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    cells = [
        "import numpy as np\nimport transgrad as tg\n%load_ext transgrad",
        "%%grad --args 'np.ones(3), 2.0' --argnums 0,1\ndef loss(w, c):\n    r = c * np.sin(w)\n    return np.sum(r ** 2)",
        "print(grad_loss(np.zeros(3), 2.0))",
        "%tgview grad_loss(np.ones(3), 2.0)",
        "%tgview -p loss(np.ones(3), 2.0)",
        "grad_loss.explain(np.ones(3), 2.0)",
        "tg.sparse_jacobian(lambda x: x[1:] * x[:-1]).pattern(np.ones(6))",
        "%%grad -o g --value\ndef inner(x):\n    return x * x\n\ndef outer(x):\n    return inner(x) + x",
        "print(g(3.0))",
        "%%grad\nx = 1",
    ]
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in cells])
    nbclient.NotebookClient(book, timeout=120, kernel_name="python3", allow_errors=True).execute()

    def html_of(k):
        return "".join(out.data.get("text/html", "") for out in book.cells[k].outputs if out.output_type in ("execute_result", "display_data"))

    def text_of(k):
        return "".join(out.get("text", "") for out in book.cells[k].outputs)
    errors = [out.ename for cell in book.cells[:-1] for out in cell.outputs if out.output_type == "error"]
    assert not errors and book.cells[-1].outputs[-1].evalue == "%%grad: the cell defines no function"
    assert "w_bar" in html_of(1) and text_of(2) == "(array([0., 0., 0.]), np.float64(0.0))\n"
    assert html_of(3).startswith("<iframe srcdoc=") and "µs" in html_of(4) and html_of(5).startswith("<table>") and "<svg" in html_of(6)
    assert text_of(8) == "(12.0, 7.0)\n"


def test_the_extension_without_jupyter():
    ipython = pytest.importorskip("IPython.core.interactiveshell")
    shell = ipython.InteractiveShell.instance()
    shell.run_line_magic("load_ext", "transgrad")
    made = shell.run_cell_magic("grad", "", "def cube(x):\n    return x ** 3\n")
    assert made(2.0) == 12.0 and shell.user_ns["grad_cube"] is made
    assert shell.run_line_magic("tgview", "cube(2.0)").model.observed

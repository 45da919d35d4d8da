"""Loaded text is a function like any other: source, traceback, docstring; and it can be written to a file."""
import importlib.util
import inspect
import pathlib
import traceback

import numpy as np
import pytest

from tests.emit import derivatives
from transgrad import emit
from transgrad.emit import ExportError, export
from transgrad.ir.build import Builder
from transgrad.ir.ops import Block, Function, Invoke, Lit, Value
from transgrad.ir.types import Num

FLOAT = Num("float")


def test_source_and_documentation():
    module = emit.emit(derivatives.newton())
    run = emit.load(module)
    assert inspect.getsource(run) == module.text
    assert run.__name__ == "grad_newton_sqrt" and run.__doc__ == "Gradient of newton_sqrt with respect to a."
    assert list(inspect.signature(run).parameters) == ["a", "tol"]


def test_other_name_and_docstring():
    module = emit.emit(derivatives.newton(), name="df", docstring="One.\n\nTwo \"x\".")
    run = emit.load(module, filename_hint="somewhere")
    assert run.__name__ == "df" and inspect.getdoc(run) == "One.\n\nTwo \"x\"."
    assert "somewhere" in run.__code__.co_filename


def test_tracebacks_show_the_line():
    run = emit.load(emit.emit(derivatives.newton()))
    with pytest.raises(TypeError) as error:
        run("a", 1.0)
    assert "while abs(x * x - a) > tol:" in "".join(traceback.format_tb(error.tb))


TABLE = np.array([1.0, np.pi, -np.inf])


def scaled(x):
    """A helper."""
    return x * SCALE + TABLE[1]


def middle(x):
    return scaled(x) ** 2


SCALE = 2.5


def calling(fn, const=None):
    body = Block([Value(FLOAT, "x")])
    helper = Function(fn.__name__, Block([Value(FLOAT, "x")]), origin=fn)
    with Builder(body) as b:
        r = Value(FLOAT)
        b.emit(Invoke(helper, [body.params[0]], results=[r]))
        body.yields = [np.sin(r) + (0.0 if const is None else b.call(np.dot, Lit(const), Lit(const)))]
    return emit.emit(Function("f", body))


def load_file(path):
    spec = importlib.util.spec_from_file_location("exported", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_export_copies_what_it_needs(tmp_path):
    module = calling(middle, np.array([1.0, 0.1]))
    text = export(module, tmp_path / "out.py")
    assert "tests" not in text and text.index("def scaled") < text.index("def middle")
    assert load_file(tmp_path / "out.py").f(0.7) == emit.load(module)(0.7)


def test_export_with_imports(tmp_path):
    module = calling(middle)
    text = export(module, tmp_path / "out.py", standalone=False)
    assert "from tests.emit.test_load import middle" in text and "def middle" not in text


def test_export_refuses_what_has_no_text(tmp_path):
    def inside(x):
        return x + len(str(tmp_path))
    with pytest.raises(ExportError, match="closes over tmp_path"):
        export(calling(inside), tmp_path / "out.py")
    assert not pathlib.Path(tmp_path / "out.py").exists()

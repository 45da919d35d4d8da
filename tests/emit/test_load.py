"""Loaded text is a function like any other: source, traceback, docstring."""
import inspect
import traceback

import numpy as np
import pytest

from tests.emit import derivatives
from transgrad import emit
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

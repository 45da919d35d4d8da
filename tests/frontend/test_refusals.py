"""What is not compiled is refused with the place, the reason and the way out."""
import linecache

import pytest

import transgrad as tg
from transgrad import frontend
from transgrad.errors import UnsupportedCall, UnsupportedSyntax
from transgrad.frontend.refusals import REFUSALS

from .refused import CASES


@pytest.mark.parametrize("f, key, text", CASES, ids=lambda v: getattr(v, "__name__", ""))
def test_refused(f, key, text):
    entry = REFUSALS[key]
    with pytest.raises(UnsupportedCall if entry.call else UnsupportedSyntax) as caught:
        frontend.lower(f, {"x": 1.5}, ["x"])
    error = caught.value
    line = linecache.getline(error.filename, error.lineno)
    assert text in line[error.offset - 1:] or text in line, line
    assert error.remedy == entry.remedy or key == "opaque" and error.remedy.startswith("give it a rule")
    for part in entry.reason.split("{detail}"):
        assert part in error.reason


def test_the_column_is_that_of_the_call():
    with pytest.raises(UnsupportedCall) as caught:
        frontend.lower(next(f for f, *_ in CASES if f.__name__ == "opaque"), {"x": 1.5}, ["x"])
    assert linecache.getline(caught.value.filename, caught.value.lineno)[caught.value.offset - 1:].startswith("ctypes.c_double(x)")


def test_the_page_of_limitations_names_each():
    page = frontend.limitations_markdown()
    assert all(entry.title in page and entry.remedy in page for entry in REFUSALS.values())


def test_one_of_two_functions_is_named():
    def f(x):
        def double(t):
            return 2 * t

        g = double if x > 0 else (lambda t: t)
        return float(f"{len(str(g))}") * x

    with pytest.raises(tg.errors.TransgradError, match=r"the function double\(\) or a lambda cannot be a value at run time"):
        tg.grad(f, fallback="error")(2.0)

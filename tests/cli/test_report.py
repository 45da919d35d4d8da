"""An internal error of the compiler: raised in strict mode; otherwise said to be our defect, with a command that shows a report."""
from __future__ import annotations

import re
import warnings

import numpy as np
import pytest

import transgrad as tg
from transgrad.cli import main
from transgrad.errors import InternalError


def model(x, options):
    """Secret docstring."""
    total = 0.0
    for k in range(3):      # secret comment
        total = total + np.sum(x ** k)
    label = "a secret text that is longer than a word"
    return total if label else options["rate"]


X = np.array([123.25, 7.5])


@pytest.fixture(scope="module")
def broken(tmp_path_factory):
    from transgrad.frontend.statements import loops

    def run_loop(*args, **kwargs):
        raise KeyError("oops")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loops, "run_loop", run_loop)
        patch.setenv("TRANSGRAD_CACHE", str(tmp_path_factory.mktemp("cache")))
        patch.setenv("TRANSGRAD_STRICT", "0")
        yield patch


@pytest.fixture(scope="module")
def said(broken):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        got = tg.grad(model)(X, {"rate": 0.125})
    np.testing.assert_allclose(got, 1.0 + 2.0 * X)
    return str(next(w.message for w in caught if issubclass(w.category, tg.TapeFallbackWarning)))


def test_there_may_be_no_report(broken, capsys):
    assert main(["report"]) == 2 and "there is no report of an internal error" in capsys.readouterr().err
    assert main(["report", "abc"]) == 2 and "there is no report 'abc'" in capsys.readouterr().err


def test_the_warning_says_that_it_is_our_defect_and_names_the_command(said, capsys):
    assert "internal error (KeyError: 'oops')" in said and "this is a defect of transgrad" in said
    name = re.search(r"`transgrad report (\w+)`", said).group(1)
    assert main(["report", name]) == 0
    shown = capsys.readouterr().out
    assert main(["report"]) == 0 and capsys.readouterr().out == shown


def test_the_report_holds_types_and_our_frames_and_no_data(said, capsys):
    assert main(["report"]) == 0
    shown = capsys.readouterr().out
    for part in ("KeyError: 'oops'", "`x`: float64 array of shape (2,)", "`options['rate']`: float", "- numpy ", "frontend/", "for k in range(3)"):
        assert part in shown
    for part in ("123.25", "0.125", "secret"):
        assert part not in shown


def test_the_report_is_written_to_a_file(said, tmp_path, capsys):
    assert main(["report", "-o", str(tmp_path / "report.md")]) == 0
    assert "KeyError" in (tmp_path / "report.md").read_text()


def refused(x):
    while x < 200.0:
        x = x * 2.0
    for k in range(3):
        x = x + k
    return x


def test_without_fallback_the_error_is_raised(broken):
    with pytest.raises(InternalError, match="oops"):
        tg.grad(refused, fallback="error")(123.25)


def test_strict_mode_raises_the_exception_itself(broken):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TRANSGRAD_STRICT", "1")
        with pytest.raises(KeyError, match="oops"):
            tg.grad(refused)(123.25)

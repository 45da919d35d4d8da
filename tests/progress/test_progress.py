"""Progress is shown on request, on a terminal, and changes no result."""
import warnings

import numpy as np
import pytest

import transgrad as tg
from transgrad import progress


def loop(x, n):
    u = x
    for _ in range(n):
        u = np.sin(u) * x
    return np.sum(u)


def uses_eval(x):
    return eval("x * x")


X = np.linspace(0.1, 1.0, 3)
CASES = {
    "loop": (lambda on: tg.grad(loop, progress=on)(X, 20), "grad_loop: for"),
    "checkpoint": (lambda on: tg.grad(loop, checkpoint=3, progress=on)(X, 50), "reverse with checkpoints"),
    "vjp": (lambda on: tg.vjp(lambda x: loop(x, 9), X, progress=on)[1](1.0)[0], ""),
    "batch": (lambda on: tg.vmap(uses_eval, progress=on)(X), "examples"),
    "check": (lambda on: tg.check(loop, 0, entries=True, progress=on)(X, 3), "checking x"),
}


@pytest.fixture
def terminal(monkeypatch):
    monkeypatch.setattr(progress, "is_terminal", lambda: True)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "140")


@pytest.mark.parametrize("case", CASES)
@pytest.mark.filterwarnings("ignore")
def test_shown_on_a_terminal(case, terminal, capsys):
    run, label = CASES[case]
    plain = run(False)
    assert capsys.readouterr().err == ""
    found = run(True)
    shown = capsys.readouterr()
    assert label in shown.err and shown.out == ""
    if case != "check":
        np.testing.assert_array_equal(found, plain)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.filterwarnings("ignore")
def test_silent_when_piped(case, capsys):
    CASES[case][0](True)
    assert capsys.readouterr() == ("", "")


def test_sparse_derivatives(terminal, capsys):
    def f(x):
        return x[1:] * x[:-1]
    plain = tg.sparse_jacobian(f)(np.ones(5)).toarray()
    assert capsys.readouterr().err == ""
    with progress.shown():
        found = tg.sparse_jacobian(f)(np.ones(5)).toarray()
    np.testing.assert_array_equal(found, plain)
    assert "products with the Jacobian" in capsys.readouterr().err


def test_numba(terminal, capsys):
    pytest.importorskip("numba")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tg.grad(lambda x: x ** 3 + 1.25, backend=tg.Numba(cache=False), progress=True)(2.0)
    assert "Numba compiles" in capsys.readouterr().err


def test_only_one_bar_at_a_time(terminal):
    with progress.shown():
        assert progress.is_shown()
        with progress.bar("outer", 3):
            assert not progress.is_shown()
            assert progress.tracked([1, 2], "inner") == [1, 2]
        assert progress.is_shown()
    assert not progress.is_shown()


def test_an_exception_ends_the_bar(terminal):
    def fails(x, n):
        for k in range(n):
            x = x * 2.0
            if k == 2:
                raise ValueError("stop")
        return x
    for options in ({}, {"checkpoint": 2}):
        with pytest.raises(ValueError):
            tg.grad(fails, progress=True, fallback="tape", **options)(1.0, 5)
    with progress.shown():
        assert progress.is_shown()


def test_output_inside_a_bar_stays_on_the_output_stream(terminal, capsys):
    with progress.shown():
        for k in progress.tracked(range(2), "printing"):
            print("step", k)
    shown = capsys.readouterr()
    assert shown.out == "step 0\nstep 1\n" and "printing" in shown.err and "step" not in shown.err


def test_the_survey_shows_its_progress(terminal, capsys, monkeypatch):
    from tests.packages import survey
    from tests.packages.entries import Entry
    monkeypatch.setattr(survey, "ENTRIES", [Entry("math:sin", (0.5,)), Entry("math:no_such_function", (0.5,))])
    assert survey.main(["math:sin"]) == 0
    shown = capsys.readouterr()
    assert "survey" in shown.err and "| math | `sin` | right |  |" in shown.out and "1 functions of 1 packages" in shown.out

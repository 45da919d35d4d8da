"""A little of each suite with everything switched off; ``python -m tests.switches`` tries all of it with each optimisation off."""
from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import transgrad as tg
from tests.outcomes import Outcome
from transgrad.passes.switches import NAMES, is_on, off

from .__main__ import Report, _shard, main, subsets_of
from .judge import Found, difference, outcomes
from .suites import MODES, SUITES, Trial

#: the mode that a suite has and that is quickest, and the others of one suite
MODE = {**dict.fromkeys(SUITES, "reverse"), "columns": "jacobian", "scaled": "jacobian"}


@pytest.mark.parametrize(("suite", "mode"), [*MODE.items(), *(("corpus", mode) for mode in MODES[1:])])
def test_none_is_worse(suite, mode, capsys):
    if suite == "native":
        pytest.importorskip("numba")
    share = ["--match", "huber_inside"] if suite == "native" else ["--count", "2"]      # Numba takes seconds for most
    assert main(["all", "--part", suite, *share, "--mode", mode]) == 0
    table = [line.split() for line in capsys.readouterr().out.splitlines() if line.startswith(suite)]
    assert [row[1] for row in table] == ["none", "all"] and all(int(row[2]) + int(row[4]) + int(row[7]) > 0 for row in table)


def square(x):
    return x * x


def test_each_is_compiled_anew():
    """Though transformations remember derivatives."""
    sources = []

    def run():
        d = tg.grad(square, fallback="error")
        sources.append(d)
        return Outcome("right", found=d(3.0))
    assert [o.outcome.kind for o in outcomes(Trial("", run), [("simplify",), ("all",)])] == ["right"] * 3
    assert len(set(map(id, sources))) == 3


def test_derivatives_of_modules_are_compiled_anew():
    trial = next(t for t in SUITES["corpus"]("reverse", 0, None) if "decorated_derivative_called primal" in t.name)
    _, again, rest = outcomes(trial, [("simplify",), ("rows",)])
    assert again.outcome.kind == "right" and rest.unasked and rest.outcome.kind == "right"


def test_what_counts_in_a_global_variable_has_one_source():
    trial = next(t for t in SUITES["corpus"]("reverse", 0, None) if "globals_counted reverse" in t.name)
    found = [(o.outcome.kind, o.unasked) for o in outcomes(trial, [("rows",), ("ahead",)])]
    assert found == [("right", False), ("right", True), ("right", True)]


def test_other_numbers_are_wrong():
    found = iter(([1.0, np.nan], [1.0, np.nan], [1.0 + 1e-9, np.nan], [1.0, 0.0]))

    def run():
        assert is_on("scalars") or True
        return Outcome("right", found=np.array(next(found)))
    assert [o.outcome.kind for o in outcomes(Trial("", run), [("scalars",)] * 3)] == ["right", "right", "wrong", "wrong"]


def test_what_is_not_asked_for_is_not_switched_off():
    """But once, and all of it together."""
    found = []

    def run():
        found.append(off())
        if off() == others:
            tg.grad(square, fallback="error").source_for(1.0)
        return Outcome("right" if is_on("rows") and is_on("ahead") else "refused")
    trial = Trial("", run)
    others = sorted(set(NAMES) - {"rows", "ahead"})
    subsets = [("rows",), ("pack",), ("carry", "pack"), ("ahead", "pack")]
    assert [(o.outcome.kind, o.unasked, o.same_texts) for o in outcomes(trial, subsets)] == [
        ("right", False, False), ("refused", False, True), ("wrong", True, False), ("wrong", True, False), ("refused", False, True)]
    assert found == [[], ["rows"], others, [], ["ahead", "pack"]]


@pytest.mark.parametrize("mode", MODES)
def test_what_is_not_asked_for_changes_no_text(mode):
    for trial in SUITES["corpus"](mode, 0, 12):
        _, rest = outcomes(trial, [()])
        assert rest.unasked and rest.outcome.kind != "wrong", trial.name


def test_differences():
    one = (np.array([1.0, np.inf, np.nan]), {"k": [2.0]})
    assert difference(one, one) == ""
    assert "3.0" in difference((one[0], {"k": [3.0]}), one)
    assert "float32" in difference((one[0].astype(np.float32), one[1]), one)
    assert difference((one[0], {}), one)
    assert difference((np.array([1.0, np.inf, 0.0]), one[1]), one)


def test_what_is_reported(capsys):
    report = Report([("scalars",), ("ahead", "behind")])
    right = Found(Outcome("right"))
    report.add("corpus", "f", [right, Found(Outcome("refused", "no rule")), replace(right, same_texts=True)])
    report.add("corpus", "g", [Found(Outcome("unfit"))])
    report.add("corpus", "i", [right, replace(right, unasked=True), replace(right, unasked=True)])
    assert report.print()
    printed = capsys.readouterr().out
    assert "refused without scalars, right with it: 1: corpus f\n    no rule" in printed
    assert [line.split()[1:] for line in printed.splitlines()[-4:-1]] == [
        ["none", *"200000"], ["scalars", *"001001"], ["ahead+behind", *"100011"]]
    report.add("corpus", "h", [right, right, Found(Outcome("wrong", "gradient"))])
    assert "wrong without ahead+behind: corpus h: gradient" in capsys.readouterr().out
    assert not report.print()


def test_shards():
    """Are all trials, once."""
    assert sorted(n for k in (1, 2, 3) for n in range(10)[_shard(f"{k}/3")]) == list(range(10))
    with pytest.raises(ValueError, match="4/3"):
        _shard("4/3")


def test_subsets():
    found = subsets_of(list(NAMES), 40)
    assert found == subsets_of(list(NAMES), 40) and {2, 20} <= set(map(len, found))
    assert subsets_of(["rows", "ahead"], 1) == [("ahead", "rows")]

"""A little of each suite with everything switched off; ``python -m tests.switches`` tries all of it with each optimisation off."""
from __future__ import annotations

import numpy as np
import pytest

import transgrad as tg
from tests.outcomes import Outcome
from transgrad.passes.switches import NAMES

from .__main__ import Report, main, subsets_of
from .judge import difference, outcomes
from .suites import MODES, SUITES, Trial

#: the mode that a suite has and that is quickest, and the others of one suite
MODE = {**dict.fromkeys(SUITES, "reverse"), "columns": "jacobian"}


@pytest.mark.parametrize(("suite", "mode"), [*MODE.items(), *(("corpus", mode) for mode in MODES[1:])])
def test_none_is_worse(suite, mode, capsys):
    assert main(["all", "--part", suite, "--count", "2", "--mode", mode]) == 0
    table = [line.split() for line in capsys.readouterr().out.splitlines() if line.startswith(suite)]
    assert [row[1] for row in table] == ["none", "all"] and all(int(row[2]) + int(row[4]) > 0 for row in table)


def square(x):
    return x * x


def test_each_is_compiled_anew():
    """Though transformations remember derivatives."""
    sources = []

    def run():
        d = tg.grad(square, fallback="error")
        sources.append(d)
        return Outcome("right", found=d(3.0))
    assert [o.kind for o in outcomes(Trial("", run), [("scalars",), ("all",)])] == ["right"] * 3
    assert len(set(map(id, sources))) == 3


def test_other_numbers_are_wrong():
    found = iter(([1.0, np.nan], [1.0, np.nan], [1.0 + 1e-9, np.nan], [1.0, 0.0]))
    trial = Trial("", lambda: Outcome("right", found=np.array(next(found))))
    assert [o.kind for o in outcomes(trial, [(name,) for name in list(NAMES)[:3]])] == ["right", "right", "wrong", "wrong"]


def test_differences():
    one = (np.array([1.0, np.inf, np.nan]), {"k": [2.0]})
    assert difference(one, one) == ""
    assert "3.0" in difference((one[0], {"k": [3.0]}), one)
    assert "float32" in difference((one[0].astype(np.float32), one[1]), one)
    assert difference((one[0], {}), one)
    assert difference((np.array([1.0, np.inf, 0.0]), one[1]), one)


def test_what_is_reported(capsys):
    report = Report([("scalars",), ("ahead", "behind")])
    report.add("corpus", "f", [Outcome("right"), Outcome("refused", "no rule"), Outcome("right")])
    report.add("corpus", "g", [Outcome("unfit"), Outcome("unfit"), Outcome("unfit")])
    assert report.print()
    assert "refused without scalars, right with it: 1: corpus f\n    no rule" in capsys.readouterr().out
    report.add("corpus", "h", [Outcome("right"), Outcome("right"), Outcome("wrong", "gradient")])
    assert "wrong without ahead+behind: corpus h: gradient" in capsys.readouterr().out
    assert not report.print()


def test_subsets():
    found = subsets_of(list(NAMES), 40)
    assert found == subsets_of(list(NAMES), 40) and {2, 20} <= set(map(len, found))
    assert subsets_of(["rows", "ahead"], 1) == [("ahead", "rows")]

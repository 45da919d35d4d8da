"""A few random programs in each mode; ``python -m tests.random_programs`` tries as many as asked for."""
import numpy as np
import pytest

from tests import oracles
from tests.outcomes import Outcome

from .generator import generate
from .oracle import compile_text, complex_gradient, real_problem
from .program import Program, Stmt
from .trial import shrink, trial


@pytest.mark.parametrize("mode, count", [("reverse", 60), ("forward", 25), ("second", 15), ("batch", 40)])
def test_none_wrong(mode, count):
    outcomes = {seed: trial(generate(seed), mode) for seed in range(10_000, 10_000 + count)}
    bad = {seed: o for seed, o in outcomes.items() if o.kind in ("wrong", "crashed")}
    assert not bad, "\n".join(f"seed {seed}: {o.kind} {o.cause}\n{o.detail}" for seed, o in bad.items())
    refused = [o for o in outcomes.values() if o.kind == "refused"]
    assert len(refused) <= 0.1 * count, [o.cause for o in refused]


@pytest.mark.parametrize("mode, seed", [("second", 90_059), ("batch", 145), ("batch", 571), ("batch", 40_689)])
def test_once_not_right(mode, seed):
    assert trial(generate(seed), mode).kind == "right"


def test_oracles_agree():
    for seed in range(20):
        program = generate(seed)
        problem = real_problem(compile_text(program.text(), f"agree {seed}"), program)
        value, g = complex_gradient(program.twin(), program)
        assert np.isclose(value.real, problem(problem.x))
        differences, error = oracles.gradient(problem, problem.x, 1e-4)
        assert np.allclose(g, differences, atol=1e-5 * max(1.0, np.max(np.abs(g))) + 10 * error)


def test_programs_are_the_same_each_time():
    assert generate(7).text() == generate(7).text() != generate(8).text()


def test_shrinking_drops_what_does_not_matter(monkeypatch):
    body = [Stmt("y = x[0] * 2.0"), Stmt("if ⟦y⟧ > 100.0:", [Stmt("y = 0.0")]), Stmt("z = y * s")]
    program = Program({}, "x, s", (np.arange(2.0), 1.5), body, [Stmt("z"), Stmt("x[1] * s")])
    wrong = Outcome("wrong", "gradient")
    monkeypatch.setattr("tests.random_programs.trial.trial", lambda p, mode, removed: wrong if "x[1] * s" in p.text(removed) else Outcome("right"))
    text = shrink(program, wrong)
    assert text.splitlines()[-2:] == ["def program(x, s):", "    return x[1] * s"]

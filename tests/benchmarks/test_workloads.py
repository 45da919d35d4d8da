"""The workloads of the benchmarks at a tiny size: every derivative of a function is the same, whoever wrote it."""
from __future__ import annotations

import dataclasses
import json
import warnings

import pytest

from benchmarks import gradients, report
from benchmarks.growth import exponents
from benchmarks.measure import PEERS, TOOLS, Row
from benchmarks.timing import interleaved
from benchmarks.tools import agree, by_hand, flat, ours
from benchmarks.tools.twins import Left
from benchmarks.workload import load, names


@pytest.mark.parametrize("name", names())
def test_the_emitted_derivative_is_the_hand_written_one(name):
    workload = load(name)
    args = workload.args(workload.tiny)
    expected = workload.by_hand(*args)
    assert agree(ours.derivative(workload)(*args), expected), name
    assert any(abs(leaf).max() > 1e-3 for leaf in flat(expected)), f"{name}: there is next to nothing to compare"


@pytest.mark.parametrize("name", names())
def test_the_hand_written_derivative_for_numba_is_the_same(name):
    workload = load(name)
    args = workload.args(workload.tiny)
    derivative = workload.numba or workload.by_hand
    assert agree(derivative(*args), workload.by_hand(*args)), name      # as plain Python: what it computes, not whether it compiles
    if workload.numba_primal is not None:
        assert agree(workload.numba_primal(*args), workload.primal(*args))


@pytest.mark.parametrize("tool", PEERS)
@pytest.mark.parametrize("name", names())
def test_other_tools_agree(name, tool):
    pytest.importorskip(tool)
    workload = load(name)
    args = workload.args(workload.tiny)
    assert tool in workload.peers, f"{name} says nothing of {tool}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            out = TOOLS[tool](workload, args)()
        except Left as why:
            pytest.skip(str(why))
    assert agree(out, workload.by_hand(*args)), (name, tool)


@pytest.mark.slow
@pytest.mark.parametrize("name", names())
def test_numba_takes_the_primal_and_what_was_written_for_it(name):
    pytest.importorskip("numba")
    workload = load(name)
    args = workload.args(workload.tiny)
    assert agree(by_hand.with_numba(workload, args)(), workload.by_hand(*args))
    if workload.transform in ("grad", "hessian"):
        assert agree(by_hand.with_numba_primal(workload, args)(), workload.primal(*args))


def a_row(size, **seconds):
    ratios = {"text / hand": 1.3, "ours / primal": 2.0, "jax / best": 0.5, "torch / best": 40.0}
    return Row("recurrence", size, "loop", {"hand": 1.0, "jax": 0.5, **seconds}, ratios, {"ours": 0.1}, {"casadi": "too large"}, ["jax"])


def test_rows_over_a_limit_come_with_their_reason(monkeypatch):
    reasons = {"by hand": "numbers in lists", "growth": "it grows"}
    monkeypatch.setattr(report, "load", lambda name: dataclasses.replace(load(name), reasons=reasons))
    rows = [a_row(f"1e{k}", ours=10.0 ** (1.2 * k), primal=10.0 ** k) for k in (1, 2, 3)]
    assert exponents(rows)["recurrence"] == pytest.approx((1.2, 1.0))
    found = {(what, limit) for _, what, _, limit in report.over(rows)}
    assert found == {("by hand", 1.1), ("JAX, jitted", 1.2), ("growth", 0.05)}
    text = report.markdown(rows, {"processor": "p", "numpy": "2"})
    assert "numbers in lists" in text and "1.30 **OVER**" in text and "0.50*" in text and "too large (recurrence)" in text


def test_a_slow_function_runs_in_a_few_of_the_rounds():
    calls = []
    timings = interleaved({"fast": lambda: sum(range(200)), "slow": lambda: calls.append(sum(range(300_000)))}, rounds=9, target=1e-4, most=0.01)
    assert len(timings.rounds["fast"]) == 9 and 3 <= len(timings.rounds["slow"]) < 9
    assert timings.ratio("slow", "fast") > 10 and timings.seconds("slow") > timings.seconds("fast")

def test_what_is_kept_is_what_the_page_shows():
    """The tables in the documentation are those of the measurements beside them."""
    kept = json.loads(gradients.KEPT.read_text())
    rows = [Row(**row) for row in kept["rows"]]
    assert {row.workload for row in rows} == set(names())
    page = (gradients.KEPT.parent.parent / "performance.md").read_text()
    assert report.markdown(rows, kept["machine"]) in page

"""Every function of GradBench answers messages as its eval specifies."""
from __future__ import annotations

import io
import itertools
import json
import os
import subprocess
import sys

import numpy as np
import pytest

from benchmarks.gradbench.protocol import MODULES, answer, serve

from .messages import CASES


def ask(module, function, given, backend="numpy", **more):
    if isinstance(given, dict):
        given = {**given, "min_runs": 2, "min_seconds": 0.0}
    message = {"id": 7, "kind": "evaluate", "module": module, "function": function, "input": given, **more}
    return json.loads(json.dumps(answer(json.loads(json.dumps(message)), backend)))


def agree(got, want, tolerance):
    """Equal in structure; numbers to rounding, of the largest of an array."""
    if isinstance(want, dict):
        assert got.keys() == want.keys()
        for name in want:
            agree(got[name], want[name], tolerance)
        return
    assert np.shape(got) == np.shape(want)
    largest = max(1e-5, np.max(np.abs(want)))
    np.testing.assert_allclose(got, want, rtol=0.0, atol=tolerance * largest)


@pytest.mark.parametrize(("module", "function", "given", "expected"), CASES, ids=[f"{m}-{f}" for m, f, _, _ in CASES])
def test_the_answer_is_the_specified_one(module, function, given, expected):
    response = ask(module, function, given)
    assert response["success"], response["error"]
    agree(response["output"], expected, 1e-6)
    assert response["id"] == 7
    names = [timing["name"] for timing in response["timings"]]
    assert names == ["prepare"] + ["evaluate"] * (2 if isinstance(given, dict) else 1)
    assert all(isinstance(timing["nanoseconds"], int) for timing in response["timings"])


def test_every_module_is_asked():
    assert {module for module, _, _, _ in CASES} == set(MODULES)


def test_runs_are_repeated_until_the_time_is_over(monkeypatch):
    clock = itertools.count(0, 600_000)        # nanoseconds: each reading is 0.6 ms after the one before
    monkeypatch.setattr("benchmarks.gradbench.protocol.time.perf_counter_ns", lambda: next(clock))
    message = {"id": 0, "kind": "evaluate", "module": "lse", "function": "primal",
               "input": {"x": [1.0, 2.0], "min_runs": 1, "min_seconds": 0.002}}
    times = [t["nanoseconds"] for t in answer(message, "numpy")["timings"] if t["name"] == "evaluate"]
    assert len(times) > 1 and sum(times) >= 2e6 and sum(times[:-1]) < 2e6


def test_messages_are_answered_in_order():
    messages = [{"id": 0, "kind": "start", "eval": "hello"}, {"id": 1, "kind": "define", "module": "hello"},
                {"id": 2, "kind": "evaluate", "module": "hello", "function": "double", "input": 4.0},
                {"id": 3, "kind": "analysis", "of": 2, "valid": True}, {"id": 4, "kind": "define", "module": "no such"},
                {"id": 5, "kind": "evaluate", "module": "hello", "function": "triple", "input": 4.0}]
    out = io.StringIO()
    serve([json.dumps(message) + "\n" for message in messages], out)
    started, defined, evaluated, analyzed, unknown, missing = map(json.loads, out.getvalue().splitlines())
    assert started == {"id": 0, "tool": "transgrad", "config": {"backend": "numpy"}}
    assert defined == {"id": 1, "success": True} and analyzed == {"id": 3}
    assert evaluated["output"] == 8.0
    assert not unknown["success"] and "no such" in unknown["error"]
    assert not missing["success"] and "triple" in missing["error"]


def test_the_command_speaks_on_standard_streams():
    line = json.dumps({"id": 0, "kind": "evaluate", "module": "hello", "function": "square", "input": 3.0})
    done = subprocess.run([sys.executable, "-m", "benchmarks.gradbench"], input=line + "\n", capture_output=True, text=True, check=True,
                          env={**os.environ, "TRANSGRAD_BACKEND": "numpy"}, timeout=60)
    assert json.loads(done.stdout)["output"] == 9.0


def test_an_unknown_back_end_is_an_error(monkeypatch):
    monkeypatch.setenv("TRANSGRAD_BACKEND", "fortran")
    with pytest.raises(ValueError, match="fortran"):
        serve([], io.StringIO())

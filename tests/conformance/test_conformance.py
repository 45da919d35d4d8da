"""Every case shows on transgrad what it shows on PyTorch: run beside it where it is installed, else as recorded."""
from __future__ import annotations

import importlib.util

import pytest

import transgrad
from transgrad.autograd.ops.table import FUNCTIONS, METHODS

from .collect import HERE, all_cases, expected_failures, recorded, reference
from .compare import differences
from .observe import observe
from .page import DIFFERENCES

CASES = all_cases()
FAILING = expected_failures()
TORCH = importlib.util.find_spec("torch") is not None


@pytest.mark.parametrize(
    "case", [pytest.param(c, id=c.id, marks=[pytest.mark.xfail(reason="differs from PyTorch")] if c.id in FAILING else []) for c in CASES]
)
def test_same_as_pytorch(case):
    seen = observe(case.run, transgrad)
    assert differences(reference(case, seen), seen) == []


@pytest.mark.skipif(not TORCH, reason="PyTorch is not installed")
@pytest.mark.parametrize("case", [c for c in CASES if not c.ours], ids=lambda c: c.id)
def test_record_is_what_pytorch_shows(case):
    torch = pytest.importorskip("torch")
    assert torch.__version__.startswith("2.13.")
    assert differences(recorded(case.module)[case.name], observe(case.run, torch)) == []


def test_expected_failures_are_cases_whose_reason_is_told():
    assert FAILING <= {c.id for c in CASES}
    assert FAILING == {i for ids in DIFFERENCES.values() for i in ids}


def test_an_operation_without_a_case_is_listed():
    """A new operation gets a case (and with it the checks of its derivatives), or is listed as one that has none, and why."""
    named = set().union(*(c.words for c in CASES))
    lines = (HERE / "unnamed.txt").read_text(encoding="utf-8").splitlines()
    listed = {word for line in lines if not line.startswith("#") for word in line.split()}
    assert listed == {name for name in {**FUNCTIONS, **METHODS} if not name.startswith("_")} - named


def test_there_are_enough():
    assert len(CASES) >= 600
    assert len({c.id for c in CASES}) == len(CASES)

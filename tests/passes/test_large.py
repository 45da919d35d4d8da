"""What is done for large arrays alone, done for all of them: to the corpus and to random programs, whose arrays are small."""
from __future__ import annotations

import contextlib

import pytest

from tests.corpus.modes import check
from tests.corpus.refused import REFUSED
from tests.corpus.registry import Case, load
from tests.random_programs.generator import generate
from tests.random_programs.trial import trial
from transgrad.errors import TransgradError
from transgrad.passes.memory import buffer_reuse


@pytest.fixture(autouse=True)
def all_are_large(monkeypatch, tmp_path):
    monkeypatch.setenv("TRANSGRAD_CACHE", str(tmp_path))
    monkeypatch.setattr(buffer_reuse, "_WORTH", 1)
    monkeypatch.setattr(buffer_reuse, "_LARGE", 1)
    monkeypatch.setattr(buffer_reuse, "_ELIDED", 1 << 30)


@pytest.mark.parametrize("case", load(), ids=lambda c: f"{c.row}-{c.name}")
def test_corpus(case: Case) -> None:
    refused = "reverse" in REFUSED.get(f"{case.row}-{case.name}", ())
    with pytest.raises(TransgradError) if refused else contextlib.nullcontext():
        check(case, "reverse")


@pytest.mark.parametrize("mode, first, count", [("reverse", 700_000, 60), ("second", 710_000, 15), ("forward", 720_000, 20)])
def test_random_programs(mode, first, count):
    outcomes = {seed: trial(generate(seed), mode) for seed in range(first, first + count)}
    bad = {seed: o for seed, o in outcomes.items() if o.kind in ("wrong", "crashed") or "compiler cannot take" in str(o.detail)}
    assert not bad, "\n".join(f"seed {seed}: {o.kind} {o.cause}\n{o.detail}" for seed, o in bad.items())

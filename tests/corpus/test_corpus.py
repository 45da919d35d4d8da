"""Every function of the corpus, in every mode, against the oracles; what is refused has to be refused out loud."""
from __future__ import annotations

import pytest

from transgrad.errors import TransgradError

from .modes import MODES, check
from .refused import REFUSED
from .registry import Case, load


def test_the_corpus_is_large_enough() -> None:
    cases = load()
    rows = {row: sum(c.row == row for c in cases) for row in {c.row for c in cases}}
    assert len(cases) >= 200 and min(rows.values()) >= 5, rows
    assert {f"{c.row}-{c.name}" for c in cases} >= set(REFUSED)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("case", load(), ids=lambda c: f"{c.row}-{c.name}")
def test_corpus(case: Case, mode: str) -> None:
    if mode in REFUSED.get(f"{case.row}-{case.name}", ()):
        with pytest.raises(TransgradError):
            check(case, mode)
    else:
        check(case, mode)

"""Every function of the corpus, in every mode, against the oracles."""
import pytest

from .modes import MODES, check
from .registry import Case, load


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("case", load(), ids=lambda c: f"{c.row}-{c.name}")
def test_corpus(case: Case, mode: str):
    check(case, mode)

"""A few functions of the corpus and random programs on Numba; ``python -m tests.native`` runs all, and
``python -m tests.random_programs --mode numba`` as many programs as asked for."""
import pytest

from tests.corpus.registry import load

from .trial import tried

_NAMES = ("match_shape", "overlapping_slices", "either_array_written", "loop_over_rebound")


@pytest.mark.parametrize("name", _NAMES)
def test_right(name):
    case = next(c for c in load() if c.name == name)
    assert tried(case, 120) == ("right", "")


def test_refused_without_a_wrong_result():
    case = next(c for c in load() if c.name == "file_read")
    assert tried(case)[0] == "refused"

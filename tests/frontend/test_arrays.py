"""NumPy's manner: the IR computes what Python computes, and is made of plain operations."""
import numpy as np
import pytest

from .arrays import CASES, X
from .lowered import check, lowered


@pytest.mark.parametrize("f, args", CASES, ids=lambda v: getattr(v, "__name__", ""))
def test_computes_what_python_computes(f, args):
    if f.__name__ == "where_argument" and (args[0] < 0).any():
        with np.errstate(invalid="ignore"):
            check(f, *args)
        return
    check(f, *args)


def first(x):
    return x[0] * x.shape[0]


def test_a_dimension_of_one_is_known():
    assert "int" not in str(lowered(first, np.ones(1)))


def same_array(x):
    return np.asarray(x, dtype=float).sum()


def test_conversions_that_change_nothing_leave_nothing():
    assert str(lowered(same_array, X)).count("=") == 1

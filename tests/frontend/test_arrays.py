"""NumPy's manner: the IR computes what Python computes, and is made of plain operations."""
import numpy as np
import pytest

import transgrad as tg

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


def test_attributes_of_numpy_scalars():
    """What np.float64 has of float, and other scalars of their own."""
    def f(x):
        scale = 2.0 if np.sqrt(x[1]).is_integer() else 3.0
        return x[0] * scale + float(np.float64(x[0]).hex() != "")

    for x in (np.array([1.5, 4.0]), np.array([1.5, 5.0])):
        np.testing.assert_allclose(tg.grad(f, fallback="error")(x), [2.0 if x[1] == 4.0 else 3.0, 0.0])
    g = lambda x: x[0] * (2.0 if np.float32(x[1]).is_integer() else 3.0)
    with pytest.raises(tg.TransgradError, match="is_integer"):
        tg.grad(g)(np.array([1.5, 4.0]))

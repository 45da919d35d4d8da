"""Functions that Numba lacks run in the interpreter: with the result that was promised, or an exception."""
import numpy as np
import pytest

pytest.importorskip("numba")
import numba

from transgrad.runtime.numba.interpreted import interpreted


@pytest.mark.parametrize(("function", "result"), [
    (lambda x: x + 1j, "float64[::1]"), (lambda x: x[0] + 1j, "float64"), (lambda x: x + 0.5, "int64[::1]")])
def test_a_result_of_another_kind_raises(function, result):
    called = interpreted(function, "python_function", 1, [result])

    @numba.njit
    def f(x):
        return called(x)
    with pytest.raises(TypeError):
        f(np.ones(3))


def test_a_narrower_result_is_converted():
    called = interpreted(lambda x: x[::2].astype(np.float32), "python_part", 1, ["float64[::1]"])

    @numba.njit
    def f(x):
        return called(x)
    found = f(np.arange(5.0))
    assert found.dtype == np.float64 and found.flags.c_contiguous
    np.testing.assert_array_equal(found, [0.0, 2.0, 4.0])

"""The workloads of the benchmarks at a tiny size: every derivative of a function is the same, whoever wrote it."""
import pytest

from benchmarks.tools import agree, flat, ours
from benchmarks.workload import load, names


@pytest.mark.parametrize("name", names())
def test_the_emitted_derivative_is_the_hand_written_one(name):
    workload = load(name)
    args = workload.args(workload.tiny)
    by_hand = workload.by_hand(*args)
    assert agree(ours.derivative(workload)(*args), by_hand), name
    assert any(abs(leaf).max() > 1e-3 for leaf in flat(by_hand)), f"{name}: there is next to nothing to compare"


@pytest.mark.parametrize("name", names())
def test_the_hand_written_derivative_for_numba_is_the_same(name):
    workload = load(name)
    if workload.numba is None:      # or there is none
        pytest.skip("the same function")
    args = workload.args(workload.tiny)
    assert agree(workload.numba(*args), workload.by_hand(*args)), name      # as plain Python: what it computes, not whether it compiles

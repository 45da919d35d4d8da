"""All spellings of a workload compute the same gradient, on the compiler, as the gradient written by hand."""
import warnings

import numpy as np
import pytest

import transgrad as tg
from benchmarks.spellings.workload import load, names

ALL = [(package, name) for package in ("workloads", "held_out") for name in names(package)]


@pytest.mark.parametrize(("package", "name"), ALL)
def test_spellings_agree(package, name):
    workload = load(package, name)
    expected = workload.by_hand(*workload.args())
    expected = expected if len(workload.wrt) > 1 else (expected,)
    assert len(workload.spellings) >= 4
    for spelling, primal in workload.spellings.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", tg.TapeFallbackWarning)
            found = tg.grad(primal, workload.wrt)(*workload.args(spelling))
        for have, want in zip(found, expected):
            if spelling in workload.adapted:
                have = np.reshape(have, np.shape(want))
            np.testing.assert_allclose(have, want, rtol=1e-9, atol=1e-11, err_msg=spelling)

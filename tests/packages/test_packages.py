"""No function of a published package is differentiated wrongly; skipped where the package is missing."""
import numpy as np
import pytest

from .entries import ENTRIES
from .survey import absent, expected, survey


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: e.target)
def test_not_wrong(entry):
    if absent(entry):
        pytest.skip(f"make survey installs {entry.package}")
    verdict = survey(entry)
    assert verdict.kind in ("right", "taped", "refused"), verdict


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: e.target)
def test_oracle_converges(entry):
    if absent(entry):
        pytest.skip(f"make survey installs {entry.package}")
    _, g, error = expected(entry)
    assert np.all(np.isfinite(g)) and error <= 1e-5 * max(1.0, float(np.max(np.abs(g)))), (g, error)


def test_size():
    assert len(ENTRIES) >= 350 and len({e.package for e in ENTRIES}) >= 75

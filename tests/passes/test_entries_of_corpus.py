"""Functions of the corpus at scaled arguments: the tangents along several directions in one sweep, beside those of a sweep each."""
from __future__ import annotations

from collections import Counter

import numpy as np

import transgrad as tg
from tests.corpus.registry import load
from tests.corpus.scaled import scaled

#: of the functions, each so-manieth is tried; `python -m tests.switches entries --part scaled` tries all of them
_EACH = 4


def test_one_sweep_is_as_many() -> None:
    found: Counter[str] = Counter()
    with np.errstate(all="ignore"):
        for case in load()[::_EACH]:
            made = scaled(case)
            if made is None:
                continue
            f, arguments = made
            try:
                want = tg.jacfwd(f, fallback="error", optimize={"entries": False})(*arguments())
            except tg.TransgradError:
                found["refused"] += 1
                continue
            derivative = tg.jacfwd(f, fallback="error")
            np.testing.assert_allclose(derivative(*arguments()), want, rtol=1e-9, atol=1e-9, err_msg=f"{case.row} {case.name}")
            found["one sweep" if "jvp_" not in derivative.source else "several"] += 1
    assert found["one sweep"] > 20 * found["several"] and found["one sweep"] > 100, found

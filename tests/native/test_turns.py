"""Under Numba, loops whose turns read parts of the argument of their own keep their turns, each with one large product."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import transgrad as tg
from tests.passes import test_rows_of_turns as rows
from tests.passes import test_turns as programs

pytest.importorskip("numba")


@pytest.mark.parametrize("f", [programs.hand, programs.two_sums, programs.changing], ids=lambda f: f.__name__)
def test_as_on_numpy(f: Any) -> None:
    args = programs.X, programs.M, programs.B, programs.W
    df = tg.jacfwd(f, backend="numba", fallback="error")
    assert ("_turn_" in df.source_for(*args)) == (f is not programs.changing)
    long = np.concatenate([programs.X, np.ones(290)])
    for x in (programs.X, long):
        ours, plain = df(x, *args[1:]), tg.jacfwd(f, optimize=False)(x, *args[1:])
        for a, b in zip(*(v if isinstance(v, tuple) else (v,) for v in (ours, plain))):
            np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)


def test_what_is_not_there() -> None:
    args = programs.M, programs.B, programs.W
    df = tg.jacfwd(programs.two_sums, backend="numba", fallback="error")
    df(programs.X, *args)
    with pytest.raises(IndexError):
        df(programs.X[:5], *args)


@pytest.mark.parametrize("f", rows.READ_AT_ONCE, ids=lambda f: f.__name__)
def test_rows_that_are_read_at_once(f: Any) -> None:
    args = rows.X, rows.M, rows.B
    df, plain = tg.jacfwd(f, backend="numba", fallback="error"), tg.jacfwd(f, optimize=False)
    assert "np.arange(4)" in df.source_for(*args, rows.W)
    for n in (12, 4):
        try:
            expected = plain(*args, rows.W[:n])
        except IndexError:
            with pytest.raises(IndexError):
                df(*args, rows.W[:n])
        else:
            found = df(*args, rows.W[:n])
            for a, b in zip(*(v if isinstance(v, tuple) else (v,) for v in (found, expected))):
                np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)

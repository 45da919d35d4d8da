"""Checkpointed calls that read an array from outside, which is written to before they would be made again."""
from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import transgrad as tg

X = np.array([0.3, 0.7, 1.1])
WEIGHTS = np.ones(3)


def wave(x: Any) -> Any:
    return np.sum(np.sin(WEIGHTS * x) ** 2)


def written_to_afterwards(x: Any) -> Any:
    y = tg.checkpoint(wave)(x)
    WEIGHTS[0] = 5.0
    return y


def again_and_again(x: Any, n: int) -> Any:
    return x if n == 0 else again_and_again(np.sin(WEIGHTS * x), n - 1)


def of_one_that_calls_itself(x: Any, n: int) -> Any:
    y = tg.checkpoint(again_and_again)(x, n)
    WEIGHTS[0] = 5.0
    return np.sum(y)


def differences(f: Any, *rest: Any) -> Any:
    found = []
    for e in 1e-6 * np.eye(3):
        values = []
        for x in (X + e, X - e):
            WEIGHTS[:] = 1.0
            values.append(f(x, *rest))
        found.append((values[0] - values[1]) / 2e-6)
    WEIGHTS[:] = 1.0
    return found


@pytest.mark.parametrize("optimize", [True, False])
def test_where_the_call_can_be_written_out_what_it_reads_is_kept(optimize: bool) -> None:
    want = differences(written_to_afterwards)
    np.testing.assert_allclose(tg.grad(written_to_afterwards, fallback="error", optimize=optimize)(X), want, rtol=1e-8)


@pytest.mark.parametrize("optimize", [True, False])
def test_else_it_is_refused(optimize: bool) -> None:
    want = differences(of_one_that_calls_itself, 3)
    with pytest.raises(tg.UnsupportedSyntax, match="again_and_again is to be computed again .* written to after the call") as caught:
        tg.grad(of_one_that_calls_itself, fallback="error", optimize=optimize)(X, 3)
    assert "y = tg.checkpoint(again_and_again)(x, n)" in str(caught.value) and "leave the checkpoint out" in str(caught.value)
    WEIGHTS[:] = 1.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tg.TapeFallbackWarning)
        np.testing.assert_allclose(tg.grad(of_one_that_calls_itself)(X, 3), want, rtol=1e-8)

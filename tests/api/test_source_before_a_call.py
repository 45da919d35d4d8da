"""The text before any call: where it depends on types that nothing says, that is the error."""
from __future__ import annotations

import warnings

import numpy as np
import pytest

import transgrad as tg


def weighted(x, y):
    s = 0.0
    for i in range(len(x)):
        s += x[i] * y
    return s


def halved(x: float):
    s = 0.0
    for _ in range(3):
        s += 0.5 * x
    return s


@pytest.mark.parametrize("fallback", ["tape", "error"])
def test_the_error_says_what_is_not_known(fallback: str) -> None:
    df = tg.grad(weighted, fallback=fallback)
    with warnings.catch_warnings():
        warnings.simplefilter("error")      # nothing has run on the tape
        with pytest.raises(tg.UnsupportedSyntax, match="depends on the types of x, y, which are not known yet") as found:
            df.source
    assert "grad_weighted.source_for" in found.value.remedy
    assert df(np.ones(3), 2.0).tolist() == [2.0, 2.0, 2.0]
    assert df.source.startswith("def grad_weighted(x, y):")


def test_annotations_say_it() -> None:
    assert tg.grad(halved).source.startswith("def grad_halved(x")


def test_what_is_added_to_a_number_is_not_lost() -> None:
    def f(x, n):
        total = 0.0
        for i in range(n):
            total += np.sin(x) * i
        return total

    df = tg.grad(f)
    with pytest.raises(tg.UnsupportedSyntax, match="not known yet"):
        df.source
    assert df(0.3, 3) == pytest.approx(3 * np.cos(0.3))

"""What a user is told of a function without a rule: its name, its class, why, and how to give it one."""
from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import transgrad as tg
from transgrad.rules import advice

CASES: list[tuple[Callable[..., Any], str, str]] = [
    (lambda x: np.sum(np.asmatrix(x)), "np.asmatrix", "not differentiable here.*two-dimensional arrays"),
    (lambda x: np.sum(np.is_busday(x) * x), "np.is_busday", "nothing to differentiate.*dates"),
    (lambda x: x.byteswap()[0, 0], "byteswap", "bytes of numbers"),
    (lambda x: np.random.beta(x[0, 0], 1.0), "beta", "random"),
    (lambda x: np.random.default_rng(0).beta(x[0, 0], 1.0), "beta", "random"),
]


@pytest.mark.parametrize(("f", "name", "why"), CASES)
def test_refusal(f: Callable[..., Any], name: str, why: str) -> None:
    with pytest.raises(tg.UnsupportedCall, match=f"(?s){name}.*{why}.*File.*Hint: give it a rule.*@tg.rule"):
        tg.grad(f, fallback="error")(np.ones((2, 2)))


def test_a_function_that_the_table_does_not_know() -> None:
    assert advice.reason(zlib.crc32).startswith("zlib.crc32 has no derivative rule: it is compiled code")
    assert "@tg.rule(zlib.crc32)" in advice.remedy(zlib.crc32) and "def _(g, y, data)" in advice.remedy(zlib.crc32)


def test_names() -> None:
    assert [advice.name_of(f) for f in (np.abs, np.ndarray.sum, len, tg.grad)] == ["numpy.abs", "numpy.ndarray.sum", "len", "transgrad.api.grad"]

"""``eval`` and ``exec`` in functions that run on the tape."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import transgrad as tg

SCALE = 3.0


def twice(x: Any) -> Any:
    return 2.0 * x


def by_text(x: Any) -> Any:
    return np.sum(eval("np.sin(x) * twice(SCALE)"))


def by_code(x: Any) -> Any:
    return sum(eval(compile("[np.cos(v) * SCALE for v in (a, b)]", "<text>", "eval"), None, {"a": x[0], "b": x[1]}))


def by_lambda(x: Any) -> Any:
    square = eval("lambda v: np.sum(twice(v) ** 2)")
    return square(x)


def by_exec(x: Any) -> Any:
    names = {"x": x}
    exec("out = np.zeros(2)\nout[0] = x[1] * SCALE\ny = np.sum(out * x)", None, names)
    return names["y"]


def with_globals(x: Any) -> Any:
    return eval("f(x) + SCALE", {"f": np.sum, "SCALE": 1.0}, {"x": x ** 2})


@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
@pytest.mark.parametrize("f", [by_text, by_code, by_lambda, by_exec, with_globals])
def test_texts_see_what_the_function_sees(f: Any) -> None:
    x, h = np.array([0.3, 0.8]), 1e-6
    slopes = [(f(x + d) - f(x - d)) / (2 * h) for d in np.eye(2) * h]
    gradient = tg.grad(f)
    for _ in range(2):
        np.testing.assert_allclose(gradient(x), slopes, rtol=1e-7, atol=1e-8)


@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
def test_names_that_are_not_there() -> None:
    with pytest.raises(NameError, match="nowhere"):
        tg.grad(lambda x: np.sum(eval("x * nowhere")))(np.ones(2))

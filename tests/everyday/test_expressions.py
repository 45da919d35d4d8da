"""What Python says of values, in a function that is compiled: types, attributes, lengths, texts, comparisons, containers, NumPy.

Each expression of ``expressions.txt`` is computed by the compiled function and beside a gradient, and has to be what plain Python
gives: the same value, of the same type.
"""
from __future__ import annotations

import collections
import functools
import itertools
import linecache
import math
import numbers
import operator
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import transgrad as tg

_NAMES = {"np": np, "math": math, "operator": operator, "functools": functools, "itertools": itertools, "collections": collections,
          "numbers": numbers, "sys": sys}
EXPRESSIONS = (Path(__file__).parent / "expressions.txt").read_text(encoding="utf-8").splitlines()
#: how many stand in a test
_TOGETHER = 25


def _arguments() -> tuple[Any, ...]:
    return (np.array([1.0, 1.5, 2.25]), np.array([[1.0, 2.0], [3.0, 5.0]]), np.array([1, 2, 3]), 3, 1.75, "ab", [3, 1, 2], (4, 5),
            {"k": 1.5, "j": 2}, True)


def _function(result: str) -> Callable[..., Any]:
    """The function of the arguments ``a, m, i, n, f, s, l, t, d, b`` that returns an expression."""
    text = f"def function(a, m, i, n, f, s, l, t, d, b):\n    return {result}\n"
    name = f"<{result[:200]} {hash(result)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    space: dict[str, Any] = dict(_NAMES)
    exec(compile(text, name, "exec"), space)
    return space["function"]    # type: ignore[no-any-return]


def _same(x: Any, y: Any) -> bool:
    if type(x) is not type(y):
        return False
    if isinstance(x, (list, tuple)):
        return len(x) == len(y) and all(map(_same, x, y))
    if isinstance(x, dict):
        return list(x) == list(y) and all(_same(x[k], y[k]) for k in x)
    if isinstance(x, np.ndarray):
        return x.dtype == y.dtype and x.shape == y.shape and np.array_equal(x, y, equal_nan=x.dtype.kind in "fc")
    return bool(x == y)


@pytest.mark.parametrize("start", range(0, len(EXPRESSIONS), _TOGETHER))
def test_expressions(start: int) -> None:
    chosen = EXPRESSIONS[start:start + _TOGETHER]
    result = f"({', '.join(chosen)},)"
    want = _function(result)(*_arguments())
    compiled = tg.compile(_function(result))(*_arguments())
    beside = tg.value_and_grad(_function(f"(a.sum() + m.sum() + f, {result})"), argnums=(0, 1, 4), has_aux=True, fallback="error")
    (_, aux), _ = beside(*_arguments())
    wrong = [e for e, w, c, x in zip(chosen, want, compiled, aux) if not (_same(w, c) and _same(w, x))]
    assert not wrong

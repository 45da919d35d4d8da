"""Attributes that only asking finds, slots of objects that come out of containers, and functions that always raise."""
from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import transgrad as tg

LOCAL = threading.local()
LOCAL.scale = 3.0


class Slotted:
    __slots__ = ("k", "table")

    def __init__(self, k: float):
        self.k, self.table = k, {"a": 2.0}

    def scaled(self, x: Any) -> Any:
        return self.k * x * self.table["a"]


STATE = {"current": (Slotted(3.0), None)}


def current() -> Any:
    return STATE["current"]


def by_thread(x: Any) -> Any:
    return np.sum(LOCAL.__dict__.get("scale", 1.0) * x ** 2)


def by_slots(x: Any) -> Any:
    found, _ = current()
    return np.sum(found.scaled(x) ** 2)


def fail(x: Any) -> Any:
    raise ValueError(f"no {len(x)}")


def guarded(x: Any) -> Any:
    if x[0] < 0:
        fail(x)
    return np.sum(x ** 2)


def always(x: Any) -> Any:
    fail(x)
    return np.sum(x)


X = np.array([1.0, 2.0])


def test_attributes() -> None:
    np.testing.assert_array_equal(tg.grad(by_thread)(X), 6.0 * X)
    np.testing.assert_array_equal(tg.grad(by_slots)(X), 72.0 * X)


def test_functions_that_raise() -> None:
    gradient = tg.grad(guarded)
    np.testing.assert_array_equal(gradient(X), 2.0 * X)
    with pytest.raises(ValueError, match="no 2"):
        gradient(-X)
    assert "raise AssertionError" in gradient.source        # should it return after all
    for transformed in (tg.grad(always), tg.value_and_grad(always), tg.jacfwd(always), tg.compile(always), tg.vmap(always)):
        with pytest.raises(ValueError, match="no"):
            transformed(np.stack([X, X]))

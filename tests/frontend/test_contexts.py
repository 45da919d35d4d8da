"""Context managers that are entered as they are: those that may end an exception are left to Python."""
from __future__ import annotations

import contextlib
import io
import os
import threading
import unittest
import warnings
from collections.abc import Callable

import numpy as np
import pytest

import transgrad as tg

ENDS = contextlib.suppress(ValueError)
LOCK = threading.Lock()
QUIET = np.errstate(all="ignore")
CASE = unittest.TestCase()


def ended_by_a_global(x):
    with ENDS:
        raise ValueError("stop")
    return x * 2


def ended_by_an_assertion(x):
    z = x
    with CASE.assertRaises(ValueError):
        z = x * 3
        if x > 0:
            raise ValueError("stop")
        z = x * 4
    return z * 2


def ended_by_a_stack(x):
    z = x
    with contextlib.ExitStack() as stack:
        stack.enter_context(ENDS)
        z = x * 3
        if x > 0:
            raise ValueError("stop")
    return z * 2


@pytest.mark.parametrize("f", [ended_by_a_global, ended_by_an_assertion, ended_by_a_stack])
def test_what_may_end_an_exception_runs_on_the_tape(f: Callable[[float], float]) -> None:
    with pytest.raises(tg.UnsupportedSyntax, match="may swallow exceptions|of an object from outside cannot be a value"):
        tg.grad(f, fallback="error")(0.5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tg.TapeFallbackWarning)
        assert tg.value_and_grad(f)(0.5) == (f(0.5), 2.0 if f is ended_by_a_global else 6.0)


def locked(x):
    with LOCK, QUIET:
        return x * 2


def warned(x):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return x * 2


def redirected(x):
    with contextlib.redirect_stdout(io.StringIO()), np.printoptions(precision=3):
        print(x)
        return x * 2


def read(x):
    with open("/dev/null") as file, os.fdopen(os.open("/dev/null", os.O_RDONLY)) as other:
        return x * (2 + len(file.read()) + len(other.read()))


def closed(x):
    with contextlib.closing(io.StringIO()) as text:
        text.write("a")
        return x * 2


@pytest.mark.parametrize("f", [locked, warned, redirected, read, closed])
def test_what_lets_exceptions_pass_is_compiled(f: Callable[[float], float]) -> None:
    assert tg.grad(f, fallback="error")(0.5) == 2.0

"""Derivatives are kept for further calls; the arrays that they were called with are not."""
from __future__ import annotations

import gc
import warnings
import weakref

import numpy as np
import pytest

import transgrad as tg


def compiled(x):
    total = 0.0
    for v in x:
        total = total + np.sin(v)
    return total


def refused(x):
    return eval("np.sum(x ** 3)")


CALLS = {
    "grad": lambda f, x: tg.grad(f)(x),
    "value_and_grad": lambda f, x: tg.value_and_grad(f)(x),
    "vjp": lambda f, x: tg.vjp(f, x)[1](1.0),
    "jvp": lambda f, x: tg.jvp(f, (x,), (np.ones(7),)),
    "hvp": lambda f, x: tg.hvp(f, (x,), (np.ones(7),)),
    "jacfwd": lambda f, x: tg.jacfwd(f)(x),
    "in a list": lambda f, x: tg.grad(lambda xs: f(xs[0]))([x, np.ones(3)]),
    "refused out loud": lambda f, x: pytest.raises(tg.errors.TransgradError, tg.grad(refused, fallback="error"), x),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("f", [compiled, refused], ids=lambda f: f.__name__)
def test_an_argument_is_let_go(f, call):
    x = np.linspace(0.1, 1.0, 7)
    held = weakref.ref(x)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        derivative = CALLS[call](f, x)
    del x, derivative
    gc.collect()
    assert held() is None

"""The derivative of `custom_vjp` and `custom_jvp` is used wherever the function is called; each is another one than that of the body."""
from __future__ import annotations

import functools
import warnings
from typing import Any

import numpy as np
import pytest

import transgrad as tg

X = np.array([1.0, 2.0, 0.5])


@tg.custom_vjp
def by_vjp(x: Any) -> Any:
    return x * x


@tg.custom_jvp
def by_jvp(x: Any) -> Any:
    return x * x


by_vjp.defvjp(lambda x: (x * x, x), lambda x, g: (100.0 * x * g,))
by_jvp.defjvp(lambda primals, tangents: (by_jvp(primals[0]), 100.0 * primals[0] * tangents[0]))


class Model:
    factor = 3.0

    @tg.custom_vjp
    def square(self, x: Any) -> Any:
        return self.factor * x * x

    square.defvjp(lambda self, x: (self.factor * x * x, x), lambda x, g: (None, 100.0 * x * g))


MODEL = Model()
CUSTOM = [by_vjp, by_jvp]
KINDS = pytest.mark.parametrize("f", CUSTOM, ids=lambda f: f.__name__)


@KINDS
def test_as_the_function_that_is_transformed(f: Any) -> None:
    assert tg.grad(f, fallback="error")(2.0) == 200.0
    assert tg.grad(functools.partial(f), fallback="error")(2.0) == 200.0
    np.testing.assert_array_equal(tg.vmap(tg.grad(f), fallback="error")(X), 100.0 * X)


def test_as_a_method() -> None:
    assert tg.grad(MODEL.square, fallback="error")(2.0) == 200.0
    assert tg.grad(lambda x: MODEL.square(x), fallback="error")(2.0) == 200.0
    assert tg.grad(lambda x, m: m.square(x), fallback="error")(2.0, MODEL) == 200.0
    assert tg.grad(lambda x: Model.square(MODEL, x), fallback="error")(2.0) == 200.0


@KINDS
def test_inside_a_batch_that_is_differentiated(f: Any) -> None:
    np.testing.assert_array_equal(tg.grad(lambda x: np.sum(tg.vmap(f)(x)), fallback="error")(X), 100.0 * X)
    batched = tg.vmap(lambda x: f(x) + x)
    np.testing.assert_array_equal(tg.grad(lambda x: np.sum(batched(x)), fallback="error")(X), 100.0 * X + 1.0)


@KINDS
def test_in_a_function_that_runs_on_the_tape(f: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tg.TapeFallbackWarning)
        np.testing.assert_array_equal(tg.grad(lambda x: (eval("1"), np.sum(f(x)))[1])(X), 100.0 * X)


def test_tensors_in_structures() -> None:
    pair = tg.custom_vjp(lambda p: {"y": p[0] * p[1]["k"]})
    pair.defvjp(lambda p: ({"y": p[0] * p[1]["k"]}, p), lambda p, g: ((10.0 * g["y"], {"k": None}),))
    x = tg.tensor(X, requires_grad=True)
    np.testing.assert_array_equal(tg.autograd.grad(pair((x, {"k": 2.0}))["y"].sum(), x)[0].numpy(), [10.0, 10.0, 10.0])


@KINDS
def test_second_derivatives_on_the_tape_are_an_error_instead_of_zero(f: Any) -> None:
    x = tg.tensor(X, requires_grad=True)
    g, = tg.autograd.grad((f(x) * x).sum(), x, create_graph=True)
    with pytest.raises(NotImplementedError, match="is differentiated again"):
        tg.autograd.grad(g.sum(), x)


def test_forward_mode_of_a_reverse_rule_is_refused() -> None:
    with pytest.raises(tg.TransgradError, match="no forward derivative"), warnings.catch_warnings():
        warnings.simplefilter("ignore", tg.TapeFallbackWarning)
        tg.jvp(lambda x: np.sum(by_vjp(x)), (X,), (X,))


def test_tangents_that_are_returned_as_they_are_share_no_memory() -> None:
    same = tg.custom_jvp(lambda x: x.copy())
    same.defjvp(lambda primals, tangents: (primals[0].copy(), tangents[0]))

    def f(x: Any) -> Any:
        y, z = same(x), same(x)
        y[0] = 3.0 * y[1]
        return np.sum(y * z)
    for make in (tg.jacfwd, tg.grad):
        np.testing.assert_array_equal(make(f, fallback="error")(X), [6.0, 7.0, 1.0])

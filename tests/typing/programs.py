"""What a type checker knows of transformations: checked by mypy --strict and pyright, never run (see `test_typing`)."""
from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, assert_type

import numpy as np
from numpy.typing import NDArray

import transgrad as tg
from transgrad.typing import DerivativeOf

Array = NDArray[np.float64]


def loss(w: Array, x: Array, power: int = 2) -> float:
    return float(np.sum((x @ w) ** power))


def with_aux(w: Array) -> tuple[float, str]:
    return float(np.sum(w)), "aux"


def values(w: Array) -> Array:
    return np.sin(w)


w, x = np.ones(3), np.ones((2, 3))

gradient = tg.grad(loss)
assert_type(tg.value_and_grad(loss)(w, x), tuple[float, Any])
assert_type(tg.value_and_grad(with_aux, has_aux=True)(w), tuple[tuple[float, str], Any])
assert_type(tg.grad(with_aux, has_aux=True)(w), tuple[Any, str])
assert_type(tg.compile(loss)(w, x=x), float)
assert_type(tg.compile(values)(w), Array)
assert_type(tg.jvp(values, (w,), (w,)), tuple[Array, Array])
assert_type(tg.jvp(with_aux, (w,), (w,), has_aux=True), tuple[float, float, str])
assert_type(tg.vjp(values, w), tuple[Array, Callable[[Array], tuple[Any, ...]]])
assert_type(tg.vjp(with_aux, w, has_aux=True), tuple[float, Callable[[float], tuple[Any, ...]], str])
assert_type(tg.linearize(values, w)[0], Array)
assert_type(tg.hvp(loss, (w, x), (w, x)), tuple[Any, ...])
assert_type(tg.vmap(values)(w), Array)
assert_type(tg.checkpoint(loss)(w, x), float)
assert_type(tg.checkpointed(range(3)), Iterable[int])
assert_type(gradient.source, str)
assert_type(gradient.source_map[1].line, int)

same: DerivativeOf[[Array], Any] = tg.jacobian(values)
any_derivative: tg.Derivative = tg.hessian(with_aux, has_aux=True)


assert_type(tg.primitive(loss, vjp=values, result=float)(w, x, power=3), float)
assert_type(tg.ShapeDtypeStruct((None, 3), "float32").ndim, int)


@tg.primitive(vjp=lambda g, y, a: g, result=lambda a: a, linear=True)
def opaque(a: Array) -> Array:
    return a


assert_type(opaque(w), Array)


@tg.grad(argnums=(0, 1))
def decorated(a: float, b: float) -> float:
    return a * b


@tg.value_and_grad
def decorated_too(a: float) -> float:
    return a * a


assert_type(decorated_too(2.0), tuple[float, Any])
decorated(1.0, b=2.0)
gradient(w, x, power=3)

tensor = tg.tensor([1.0, 2.0], dtype=tg.float64)
with tg.no_grad():
    total = tg.sum(tg.zeros(3) + tensor)
assert_type(tg.float64, tg.dtype)

"""Arguments that a function of NumPy's or SciPy's needs, given by their names."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import integrate, linalg

import transgrad as tg
from transgrad.testing import check_grad

MASK = np.array([True, False, True])


def copied(x: Any) -> Any:
    a = np.zeros(3)
    np.copyto(a, src=x * 2.0, where=MASK)
    np.copyto(dst=a[:1], src=x[1:2])
    return a


def on_the_diagonal(x: Any) -> Any:
    a = np.zeros((3, 3))
    np.fill_diagonal(a=a, val=x)
    return a


def put(x: Any) -> Any:
    a = np.zeros(3)
    np.put(a, ind=[0, 2], v=x[:2])
    np.place(arr=a, mask=~MASK, vals=x[2:])
    return a


BY_NAME = {
    "stack": lambda x: np.stack(arrays=[x, x * x], axis=1),
    "hstack": lambda x: np.hstack(tup=[x, x * x]),
    "array": lambda x: np.array(object=[x, x * x]),
    "asarray": lambda x: np.asarray(a=x),
    "copy": lambda x: np.copy(a=x),
    "expand_dims": lambda x: np.expand_dims(a=x, axis=0),
    "transpose": lambda x: np.transpose(a=np.outer(x, x), axes=(1, 0)),
    "moveaxis": lambda x: np.moveaxis(a=np.outer(a=x, b=x), source=0, destination=1),
    "broadcast_to": lambda x: np.broadcast_to(array=x, shape=(2, 3)),
    "flip": lambda x: np.flip(m=x),
    "diag": lambda x: np.diag(v=x),
    "split": lambda x: np.split(ary=x, indices_or_sections=3)[1],
    "compress": lambda x: np.compress(condition=MASK, a=x),
    "tensordot": lambda x: np.tensordot(a=x, b=x, axes=1),
    "shape": lambda x: x * np.shape(a=x)[0] * np.ndim(a=x),
    "piecewise": lambda x: np.piecewise(x, condlist=[x > 0.0, x <= 0.0], funclist=[lambda t: t * t, lambda t: -t]),
    "along an axis": lambda x: np.apply_along_axis(lambda r: r * r[0], axis=0, arr=x),
    "from an iterator": lambda x: np.fromiter(iter=(t * t for t in x), dtype=float),
    "of a window": lambda x: np.apply_along_axis(func1d=np.cumsum, axis=0, arr=x),
    "vectorize": lambda x: np.vectorize(pyfunc=lambda t: t * t)(x),
    "trapezoid": lambda x: integrate.trapezoid(y=x, x=np.arange(3.0) ** 2),
    "solve": lambda x: linalg.solve(a=np.diag(v=x), b=x * x),
    "copyto": copied,
    "fill_diagonal": on_the_diagonal,
    "put": put,
}


@pytest.mark.parametrize("f", BY_NAME.values(), ids=BY_NAME)
def test_what_is_needed_may_be_given_by_name(f: Callable[..., Any]) -> None:
    def number(x: Any) -> Any:
        y = f(x * 1.0)
        return np.sum(y * np.cos(np.arange(np.size(y))).reshape(np.shape(y)))
    x = np.array([0.3, -0.7, 1.2])
    tg.grad(number, fallback="error")(x)
    check_grad(number, [x])

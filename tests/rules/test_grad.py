"""Gradients through whole functions where a rule needs something of the driver: un-broadcasting, lists, several results, complex numbers."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import transgrad as tg
from transgrad.testing import check_grad

_rng = np.random.default_rng(0)


def real(*shape: int) -> Any:
    return _rng.normal(size=shape)


FUNCTIONS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "stack of matrices by one": (lambda a, b: np.sum((a @ b) ** 2), (real(5, 2, 3), real(3, 4))),
    "stack of one matrix": (lambda a, b: np.sum((a @ b) ** 2), (real(1, 2, 3), real(5, 3, 4))),
    "cross": (lambda a, b: np.sum(np.cross(a, b) ** 2), (real(4, 3), real(3))),
    "broadcast_to": (lambda a: np.sum(np.broadcast_to(a, (4, 3)) ** 2), (real(3),)),
    "einsum": (lambda a, b: np.sum(np.einsum("...ij,...jk", a, b) ** 2), (real(1, 2, 3), real(5, 3, 4))),
    "broadcast_arrays": (lambda a, b: np.sum(np.broadcast_arrays(a, b)[0] * np.arange(3.0)), (real(3), real(2, 1))),
    "solve": (lambda a, b: np.sum(np.linalg.solve(a, b)), (real(2, 3, 3), real(3, 1))),
    "select": (lambda x: np.sum(np.select([x < 0], [0.5], x) ** 2), (real(2, 3),)),
    "max of numbers": (lambda a, b: max(a, b, 0.1) * a, (0.3, 0.7)),
    "list of numbers": (lambda a, b: np.dot([a, b], [b, 0.4]), (0.3, 0.7)),
    "table given as lists": (lambda x: np.sum(np.interp(x, [0.0, 1.0, 2.0], [1.0, 3.0, 2.0]) ** 2), (_rng.uniform(0, 2, 3),)),
    "several results": (lambda m: np.sum(np.linalg.qr(m)[1] ** 2 * np.arange(9.0).reshape(3, 3)), (real(3, 3),)),
    "one result of nonzero": (lambda x: np.sum(x[np.nonzero(x > 0)[0] - 1] ** 2), (real(5),)),
    "absolute value of complex": (lambda z: np.sum(np.abs(z) ** 3), (real(3) + 1j * real(3),)),
    "sign of complex": (lambda z: np.sum(np.real(np.sign(z) * z * z)), (real(3) + 1j * real(3),)),
    "real to complex": (lambda x: np.sum(np.abs(np.fft.fft(x)) ** 4), (real(5),)),
    "vdot": (lambda z: np.real(np.vdot(z, z * z)), (real(3) + 1j * real(3),)),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_gradient(name: str) -> None:
    f, args = FUNCTIONS[name]
    check_grad(f, args)


MASK = np.array([[True, False, True], [False, True, True]])


def test_mask_of_the_module() -> None:
    grad = tg.grad(lambda a: np.sum(2.0 * a[MASK]), fallback="error")(np.ones((2, 3)))
    np.testing.assert_array_equal(grad, 2.0 * MASK)

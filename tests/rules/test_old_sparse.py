"""csr_matrix and its like, for which ``*`` is the product of matrices: constant, made inside, of differentiated elements."""
from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import transgrad as tg
from transgrad.errors import UnsupportedCall

from ..oracles import gradient

PLACES = (np.array([0, 0, 1, 2]), np.array([0, 1, 2, 1]))
STENCIL = sp.diags([1.0, -2.0, 3.0], [-1, 0, 1], shape=(4, 4))
W, WIDE = np.array([1.0, 2.0, 4.0]), np.arange(6.0) + 1


class Model:
    def __init__(self) -> None:
        self.matrix = STENCIL.tocsr()
        self.parts = {"left": self.matrix}


MODEL = Model()


def made(v: Any) -> Any:
    return sp.csr_matrix((v, PLACES), shape=(3, 3))


def powers(x: Any) -> Any:
    return np.sum(((sp.eye(4) + 0.1 * STENCIL) ** 2 * x) ** 2)


def steps(x: Any) -> Any:
    y = x
    for _ in range(3):
        y = y + 0.1 * (STENCIL * y)
    return np.sum(y ** 2)


def assembled(x: Any) -> Any:
    a = sp.lil_matrix((4, 4))
    a[0, 1] = 2.0
    a[1, 3] = 4.0
    return np.sum((a.tocsr() * x) ** 2)


#: of a vector of four
CONSTANT: dict[str, Any] = {
    "made here": lambda x: np.sum((sp.csr_matrix(np.arange(16.0).reshape(4, 4)) * x) ** 2),
    "global": lambda x: np.sum((STENCIL * x) ** 2), "transposed": lambda x: np.sum((STENCIL.T * x) ** 2),
    "of an object": lambda x: np.sum((MODEL.matrix * x) ** 2), "of a dict": lambda x: np.sum((MODEL.parts["left"] * x) ** 2),
    "from the left": lambda x: np.sum((x * MODEL.matrix) ** 2), "rows": lambda x: np.sum((MODEL.matrix[1:] * x) ** 2),
    "kron": lambda x: np.sum((sp.kron(sp.eye(2), np.array([[1.0, 2.0], [3.0, 4.0]])) * x) ** 2),
    "hstack": lambda x: np.sum((sp.hstack([sp.eye(4), STENCIL]).tocsr() * np.concatenate([x, x ** 2])) ** 2),
    "products": lambda x: np.sum((STENCIL * STENCIL * x) ** 2), "powers": powers,
    "multiples": lambda x: np.sum((-STENCIL * x) ** 2) + np.sum((STENCIL / 2 * x) ** 2) + np.sum((2 * STENCIL * x) ** 2),
    "steps": steps, "assembled": assembled, "dot": lambda x: x.dot(MODEL.matrix.dot(x)), "elements": lambda x: np.sum(
        MODEL.matrix.multiply(x).toarray() ** 2), "new": lambda x: np.sum((sp.csr_array(STENCIL) * x).toarray() ** 2),
}
#: of four elements
ELEMENTS: dict[str, Any] = {
    "product": lambda v: np.sum((made(v) * W) ** 2), "from the left": lambda v: np.sum((W * made(v)) ** 2),
    "hstack": lambda v: np.sum((sp.hstack([made(v), made(v)]) * WIDE) ** 2), "transposed": lambda v: np.sum((made(v).T * W) ** 2),
    "sum": lambda v: np.sum(((made(v) + made(v)) * W) ** 2), "with a constant": lambda v: np.sum(((sp.eye(3) - made(v)) * W) ** 2),
    "diags": lambda v: np.sum((sp.diags(v) * np.arange(4.0)) ** 2), "kron": lambda v: np.sum((sp.kron(sp.eye(2), made(v)) * WIDE) ** 2),
    "block_diag": lambda v: np.sum((sp.block_diag([made(v), made(v)]) * WIDE) ** 2), "square": lambda v: np.sum((made(v) * made(v) * W) ** 2),
    "power": lambda v: np.sum((made(v) ** 2 * W) ** 2), "elements squared": lambda v: np.sum((made(v).power(2) * W) ** 2),
    "scaled": lambda v: np.sum((2 * made(v) * W) ** 2) + np.sum((made(v) / 2 * W) ** 2) + np.sum((-made(v) * W) ** 2),
    "rows": lambda v: np.sum((made(v)[:2] * W) ** 2), "triangle": lambda v: np.sum((sp.tril(made(v)) * W) ** 2),
    "spdiags": lambda v: np.sum((sp.spdiags(np.array([v, v]), [0, 1], 4, 4) * np.arange(4.0)) ** 2),
    "dia": lambda v: np.sum((sp.dia_matrix((np.stack((v, 2 * v)), [0, -1]), shape=(4, 4)) * np.arange(4.0)) ** 2),
    "bmat": lambda v: np.sum((sp.bmat([[sp.diags(v), None], [None, sp.eye(4)]]) * np.arange(8.0)) ** 2),
    "identity": lambda v: np.sum((sp.identity(4) * v[0] * np.arange(4.0)) ** 2),
    "of dense": lambda v: np.sum((sp.csr_matrix(np.outer(v, v)) * np.arange(4.0)) ** 2),
    "new": lambda v: np.sum((sp.csr_array((v, PLACES), shape=(3, 3)) * W).toarray() ** 2),
    "new powers": lambda v: np.sum((sp.csr_array((v, PLACES), shape=(3, 3)) ** 3 @ W) ** 2),
}
POINT = np.arange(4.0) + 1.5


@pytest.mark.parametrize("f", [pytest.param(f, id=name) for name, f in (*CONSTANT.items(), *ELEMENTS.items())])
def test_against_differences(f: Any) -> None:
    want, _ = gradient(f, POINT)
    np.testing.assert_allclose(tg.grad(f, fallback="error")(POINT), want, rtol=1e-6, atol=1e-6)
    for k, e in enumerate(np.eye(4)):
        _, tangent = tg.jvp(f, (POINT,), (e,), fallback="error")
        np.testing.assert_allclose(tangent, want[k], rtol=1e-6, atol=1e-6)


def test_zeros_of_a_dense_matrix_have_derivatives() -> None:
    x = np.array([[0.0, 1.0], [2.0, 0.0]])
    np.testing.assert_array_equal(tg.grad(lambda m: np.sum(sp.csr_matrix(m) @ np.array([3.0, 5.0])))(x), [[3.0, 5.0], [3.0, 5.0]])


@pytest.mark.parametrize("f", [
    lambda v: np.sum(made(v).todense() * W), lambda v: np.sum(made(v).sum(axis=0) * W), lambda v: np.sum((made(v) + np.eye(3)) * W)])
def test_what_is_of_class_matrix_is_refused(f: Any) -> None:
    with pytest.raises(UnsupportedCall, match=r"np\.matrix"):
        tg.grad(f, fallback="error")(POINT)


def unknown(x: Any, data: bytes) -> Any:
    return np.sum((pickle.loads(data) * x) ** 2) + np.sum((x * pickle.loads(data)) ** 2)


@pytest.mark.parametrize("factor", [STENCIL.tocsr(), sp.csr_array(np.eye(4)), np.arange(4.0), 3.0, np.float32(2.0), np.eye(4), 2])
def test_what_is_known_at_run_time_only(factor: Any) -> None:
    """A factor of unknown type may be a matrix, an array, a number; other classes are refused when they are met."""
    data = pickle.dumps(factor)
    d = tg.grad(unknown, fallback="error")
    if isinstance(factor, sp.csr_array):
        with pytest.raises(TypeError, match="csr_array, whose operators are its own|Tuples are not accepted"):
            d(POINT, data)
    else:
        np.testing.assert_allclose(d(POINT, data), gradient(lambda x: unknown(x, data), POINT)[0], rtol=1e-6, atol=1e-6)

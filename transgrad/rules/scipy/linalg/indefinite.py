"""The factors of an indefinite matrix: A = L D L', with blocks of one or two rows on the diagonal of D."""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg

from ....ir.infer_shapes import SHAPES
from ....ir.types import ANY, Arr, TupleT
from ...decompositions import conj
from ...linalg import turned
from ...registry import constant, rule
from ...static import is_complex, lifted, part


def blocks(d: Any) -> Any:
    """1 where the diagonal blocks of ``d`` are."""
    n = d.shape[0]
    beside = np.abs(np.diagonal(d, -1)) > 0.0
    return np.eye(n) + np.diag(beside, -1) + np.diag(beside, 1)


constant(blocks)
SHAPES[blocks] = lambda d: Arr("float64", (ANY, ANY))
blocks_of = lifted(blocks)


def other(a: Any, hermitian: Any) -> Any:
    """The transpose that the factorization has on the right."""
    return conj(turned(a)) if hermitian else turned(a)


def read(t: Any, lower: Any, hermitian: Any) -> Any:
    """The matrix of which a triangle is read."""
    half = np.tril(t, -1) if lower else np.triu(t, 1)
    d = np.diag(np.diagonal(t))
    return half + other(half, hermitian) + (np.real(d) if hermitian and is_complex(t) else d)


def read_transposed(g: Any, lower: Any, hermitian: Any) -> Any:
    """Its adjoint."""
    both = g + other(g, hermitian)
    d = np.diag(np.diagonal(g))
    return (np.tril(both, -1) if lower else np.triu(both, 1)) + (np.real(d) if hermitian and is_complex(g) else d)


def outside(m: Any, block: Any, lower: Any) -> Any:
    """The part of a matrix beyond the diagonal blocks, on the side of the factor."""
    return (np.tril(m) if lower else np.triu(m)) * (1.0 - block)


def ldl_jvp(t, y, a, lower=True, hermitian=True, **how):
    factor, d, order = y
    low, block = factor[order], blocks_of(d)
    change = read(t, lower, hermitian)[order][:, order]
    inner = np.linalg.solve(low, other(np.linalg.solve(low, other(change, hermitian)), hermitian))
    turn = outside(inner, block, lower) @ np.linalg.inv(d)
    return (low @ turn)[np.argsort(order)], inner * block, None


@rule(scipy.linalg.ldl, kind="general", jvp=ldl_jvp)
def _(g, y, A, lower=True, hermitian=True, overwrite_a=False, check_finite=True):
    """Only the triangle that is read has a derivative; the exchanges and the sizes of the blocks are constant."""
    factor, d, order = y
    low, block = factor[order], blocks_of(d)
    by_turn = turned(low) @ part(g, y, 0)[order] @ turned(np.linalg.inv(d))
    inner = part(g, y, 1) * block + outside(by_turn, block, lower)
    right = conj(low) if hermitian else low
    found = turned(np.linalg.solve(turned(right), turned(np.linalg.solve(turned(low), inner))))
    back = np.argsort(order)
    return read_transposed(found[back][:, back], lower, hermitian)


def _three(a: Any, *args: Any, **kwargs: Any) -> Any:
    t = a.type
    return TupleT((t, t, Arr("int64", t.dims[:1]))) if isinstance(t, Arr) else None


SHAPES[scipy.linalg.ldl] = _three

"""Products of vectors, matrices and tensors."""
from __future__ import annotations

import operator
from typing import Any

import numpy as np

from .registry import alias, rule
from .shape import like
from .static import axes_of, is_complex, lifted, ndim

larger = lifted(operator.gt)


@rule(operator.matmul, np.matmul, operator.imatmul, kind="multilinear", linear_in=(0, 1), broadcasts=True, symmetric=True)
def _(g, y, a, b):
    if ndim(a) == 1 and ndim(b) == 1:
        return g * b, a * g
    if ndim(a) == 2 and ndim(b) == 1:
        return np.outer(g, b), a.T @ g
    if ndim(a) == 1 and ndim(b) == 2:
        return b @ g, np.outer(a, g)
    if ndim(a) == 2 and ndim(b) == 2:
        return g @ b.T, a.T @ g
    if ndim(b) == 1:
        return np.expand_dims(g, -1) * b, np.tensordot(g, a, ndim(g))
    if ndim(a) == 1:
        return np.sum(b * np.expand_dims(g, -2), axis=-1), np.expand_dims(a, -1) * np.expand_dims(g, -2)
    return g @ b.mT, a.mT @ g


@rule(np.dot, np.ndarray.dot, kind="multilinear", linear_in=(0, 1), broadcasts=True, symmetric=True)
def _(g, y, a, b):
    if ndim(a) == 0 or ndim(b) == 0 or ndim(a) == ndim(b) == 1:
        return g * b, a * g
    if ndim(a) == 2 and ndim(b) == 1:
        return np.outer(g, b), a.T @ g
    if ndim(a) == 1 and ndim(b) == 2:
        return b @ g, np.outer(a, g)
    if ndim(a) == 2 and ndim(b) == 2:
        return g @ b.T, a.T @ g
    return tensordot_entries(g, a, b, (ndim(a) - 1,), (max(ndim(b) - 2, 0),))


@rule(np.vdot, kind="multilinear", linear_in=(0, 1), symmetric=True)
def _(g, y, a, b):
    da, db = g * b, np.conj(a) * g if is_complex(a) else a * g
    if ndim(a) != ndim(b) or ndim(a) > 1:
        da, db = np.reshape(da, a.shape), np.reshape(db, b.shape)
    return np.conj(da) if is_complex(a) or is_complex(b) else da, db


@rule(np.linalg.vecdot, kind="multilinear", linear_in=(0, 1), broadcasts=True)
def _(g, y, a, b, *, axis=-1):
    g = np.expand_dims(g, axis)
    return np.conj(g * b) if is_complex(a) or is_complex(b) else g * b, np.conj(a) * g if is_complex(a) else a * g


alias(np.linalg.vecdot, getattr(np, "vecdot", None))


@rule(np.inner, kind="multilinear", linear_in=(0, 1), broadcasts=True, symmetric=True)
def _(g, y, a, b):
    if ndim(a) == 0 or ndim(b) == 0 or ndim(a) == ndim(b) == 1:
        return g * b, a * g
    left, right = tuple(range(ndim(a) - 1)), tuple(range(ndim(b) - 1))
    return np.tensordot(g, b, len(right)), np.tensordot(g, a, (left, left))


def vector(x: Any) -> Any:
    """``x`` with one dimension."""
    return x if ndim(x) == 1 else np.reshape(x, (-1,))


@rule(np.outer, kind="multilinear", linear_in=(0, 1))
def _(g, y, a, b):
    return like(g @ vector(b), a), like(vector(a) @ g, b)


alias(np.outer, np.linalg.outer)


@rule(np.multiply.outer, kind="multilinear", linear_in=(0, 1))
def _(g, y, a, b):
    return np.tensordot(g, b, ndim(b)), np.tensordot(a, g, ndim(a))


@rule(np.add.outer, kind="general", jvp=(lambda t, y, a, b: np.add.outer(t, np.zeros_like(b)),
                                         lambda t, y, a, b: np.add.outer(np.zeros_like(a), t)))
def _(g, y, a, b):
    return np.sum(g, axis=tuple(range(ndim(a), ndim(g)))), np.sum(g, axis=tuple(range(ndim(a))))


@rule(np.subtract.outer, kind="general", jvp=(lambda t, y, a, b: np.add.outer(t, np.zeros_like(b)),
                                              lambda t, y, a, b: np.subtract.outer(np.zeros_like(a), t)))
def _(g, y, a, b):
    return np.sum(g, axis=tuple(range(ndim(a), ndim(g)))), -np.sum(g, axis=tuple(range(ndim(a))))


def inverse(order: Any) -> tuple[int, ...]:
    """The permutation that undoes ``order``."""
    return tuple(sorted(range(len(order)), key=lambda k: order[k]))


def reorder(x: Any, order: Any) -> Any:
    """``x`` with its axes put where ``order`` says, unless they are there."""
    return x if tuple(order) == tuple(range(len(order))) else np.transpose(x, inverse(order))


def tensordot_entries(g: Any, a: Any, b: Any, in_a: tuple[int, ...], in_b: tuple[int, ...]) -> tuple[Any, Any]:
    """The entries of a contraction of the axes ``in_a`` of ``a`` with ``in_b`` of ``b``."""
    free_a = [k for k in range(ndim(a)) if k not in in_a]
    free_b = [k for k in range(ndim(b)) if k not in in_b]
    n, m = len(free_a), len(free_b)
    da = np.tensordot(g, b, (tuple(range(n, n + m)), tuple(free_b)))
    db = np.tensordot(a, g, (tuple(free_a), tuple(range(n))))
    return (reorder(da, [*free_a, *(in_a[in_b.index(k)] for k in sorted(in_b))]),
            reorder(db, [*(in_b[in_a.index(k)] for k in sorted(in_a)), *free_b]))


@rule(np.tensordot, kind="multilinear", linear_in=(0, 1))
def _(g, y, a, b, axes=2):
    if isinstance(axes, (int, np.integer)):
        axes = tuple(range(ndim(a) - axes, ndim(a))), tuple(range(axes))
    return tensordot_entries(g, a, b, axes_of(axes[0], ndim(a)), axes_of(axes[1], ndim(b)))


@rule(np.kron, kind="multilinear", linear_in=(0, 1))
def _(g, y, a, b):
    dims = max(ndim(a), ndim(b))
    a_shape = (1,) * (dims - ndim(a)) + tuple(a.shape[k] for k in range(ndim(a)))
    b_shape = (1,) * (dims - ndim(b)) + tuple(b.shape[k] for k in range(ndim(b)))
    blocks = np.reshape(g, tuple(n for pair in zip(a_shape, b_shape) for n in pair))
    da = np.sum(blocks * np.reshape(b, tuple(n for m in b_shape for n in (1, m))), axis=tuple(range(1, 2 * dims, 2)))
    db = np.sum(blocks * np.reshape(a, tuple(n for m in a_shape for n in (m, 1))), axis=tuple(range(0, 2 * dims, 2)))
    return da if ndim(a) == dims else like(da, a), db if ndim(b) == dims else like(db, b)


@rule(np.cross, kind="multilinear", linear_in=(0, 1), broadcasts=True)
def _(g, y, a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    if axis is not None:
        axisa = axisb = axisc = axis
    g, a, b = np.moveaxis(g, axisc, -1), np.moveaxis(a, axisa, -1), np.moveaxis(b, axisb, -1)
    return np.moveaxis(np.cross(b, g), -1, axisa), np.moveaxis(np.cross(g, a), -1, axisb)


def full_overlap(g: Any, a: Any, v: Any, mode: Any) -> Any:
    """The cotangent of the full convolution of which ``mode`` kept the middle."""
    if mode in ("full", 2):
        return g
    full = a.size + v.size - 1
    before = (full - g.size) // 2
    return np.pad(g, (before, full - g.size - before))


@rule(np.convolve, kind="multilinear", linear_in=(0, 1))
def _(g, y, a, v, mode="full"):
    left, right = vector(a), vector(v)
    g = full_overlap(g, left, right, mode)
    return like(np.convolve(g, right[::-1], "valid"), a), like(np.convolve(g, left[::-1], "valid"), v)


def correlated(g: Any, a: Any, v: Any, mode: Any) -> Any:
    """The cotangent of the full correlation of which ``mode`` returned the middle. NumPy correlates the longer with the shorter operand and
    reverses the result if they were exchanged, so that the odd extra element is then dropped at the other end."""
    if mode in ("full", 2):
        return g
    full = a.size + v.size - 1
    gone = full - g.size
    before = gone // 2 if mode in ("valid", 0) else (gone + larger(v.size, a.size)) // 2
    return np.pad(g, (before, gone - before))


@rule(np.correlate, kind="multilinear", linear_in=(0, 1))
def _(g, y, a, v, mode="valid"):
    g = correlated(g, a, v, mode)
    dv = np.convolve(g, a[::-1], "valid")[::-1]
    return np.convolve(g, np.conj(v) if is_complex(v) else v, "valid"), np.conj(dv) if is_complex(a) or is_complex(v) else dv


@rule(getattr(np, "matvec", None), kind="multilinear", linear_in=(0, 1), broadcasts=True)
def _(g, y, a, v):
    return np.expand_dims(g, -1) * np.expand_dims(v, -2), np.sum(a * np.expand_dims(g, -1), axis=-2)


@rule(getattr(np, "vecmat", None), kind="general", broadcasts=True, jvp=(
    lambda t, y, v, a: np.vecmat(t, a), lambda t, y, v, a: np.vecmat(v, t)))
def _(g, y, v, a):
    dv = np.sum(a * np.expand_dims(g, -2), axis=-1)
    return np.conj(dv) if is_complex(v) else dv, np.expand_dims(np.conj(v) if is_complex(v) else v, -1) * np.expand_dims(g, -2)


alias(np.matmul, np.linalg.matmul)
alias(np.tensordot, np.linalg.tensordot)
alias(np.cross, np.linalg.cross)

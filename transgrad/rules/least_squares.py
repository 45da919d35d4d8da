"""The pseudo-inverse and least squares, of any rank that does not change nearby."""
from __future__ import annotations

from typing import Any

import numpy as np

from ..runtime import of_rank
from .decompositions import adjoint, conj, refuse_hermitian
from .linalg import eye_of, turned
from .registry import rule
from .static import lifted, ndim, part

whole = lifted(of_rank)


def beside(a: Any, p: Any) -> tuple[Any, Any]:
    """The projections on the orthogonal complement of the range, and on the null space, of the matrix ``a`` with the pseudo-inverse ``p``.
    """
    return eye_of(a, -2) - a @ p, eye_of(a, -1) - p @ a


def pinv_jvp(t, y, a, rcond=None, hermitian=False, *, rtol=None):
    refuse_hermitian(hermitian)
    y = y if rcond is None and rtol is None else whole(y, a)
    unreached, unseen = beside(a, y)
    return -y @ t @ y + y @ adjoint(y) @ adjoint(t) @ unreached + unseen @ adjoint(t) @ adjoint(y) @ y


@rule(np.linalg.pinv, kind="general", jvp=pinv_jvp)
def _(g, y, a, rcond=None, hermitian=False, *, rtol=None):
    """The rank is assumed constant: singular values below ``rcond`` must be zero up to rounding."""
    refuse_hermitian(hermitian)
    y = y if rcond is None and rtol is None else whole(y, a)
    unreached, unseen = beside(a, y)
    w, h = turned(y), turned(g)
    return -w @ g @ w + conj(unreached @ h @ y @ adjoint(y)) + conj(adjoint(y) @ y @ h @ unseen)


def inverse_of(a: Any, rcond: Any) -> Any:
    """The pseudo-inverse that solves the problem; singular values below ``rcond`` of the largest count as zero."""
    return np.linalg.pinv(a) if rcond is None or rcond == -1 else whole(np.linalg.pinv(a, rcond), a)


def pairs(u: Any, v: Any) -> Any:
    """The sum of products over the right-hand sides."""
    return np.outer(u, v) if ndim(u) == 1 else u @ turned(v)


def squares(r: Any, dr: Any, y: Any) -> Any:
    """The tangent of the sums of squared residuals, which are left out where the rank is not full."""
    return np.sum(2.0 * np.real(conj(r) * dr), axis=0, keepdims=ndim(r) == 1)[:y.size]


def lstsq_by_matrix(t, y, a, b, rcond=None):
    x, p = y[0], inverse_of(a, rcond)
    r = b - a @ x
    unseen = adjoint(t) @ (adjoint(p) @ x)
    u, _, vh = np.linalg.svd(a, full_matrices=False)
    return (-p @ (t @ x) + p @ (adjoint(p) @ (adjoint(t) @ r)) + unseen - p @ (a @ unseen), squares(r, -(t @ x), y[1]), None,
            np.real(np.sum(conj(u) * (t @ adjoint(vh)), axis=-2)))


def lstsq_by_values(t, y, a, b, rcond=None):
    return inverse_of(a, rcond) @ t, squares(b - a @ y[0], t, y[1]), None, None


@rule(np.linalg.lstsq, kind="general", jvp=(lstsq_by_matrix, lstsq_by_values))
def _(g, y, a, b, rcond=None):
    """The rank is assumed constant; the minimum-norm solution is differentiated."""
    x, p = y[0], inverse_of(a, rcond)
    r, gx = b - a @ x, part(g, y, 0)
    db = turned(p) @ gx
    unseen = gx - turned(a) @ db
    da = conj(pairs(r, turned(adjoint(p)) @ db)) - pairs(db, x) + conj(pairs(adjoint(p) @ x, unseen))
    if g[3] is not None:
        u, _, vh = np.linalg.svd(a, full_matrices=False)
        da = da + conj((u * g[3]) @ vh)
    if g[1] is None:
        return da, db
    # sums of squares are left out where the rank is not full: no cotangent then
    slope = 2.0 * conj(r) * (np.pad(g[1], (0, r.shape[1] - g[1].size)) if ndim(b) > 1 else np.sum(g[1]))
    return da - pairs(slope, x), db + slope

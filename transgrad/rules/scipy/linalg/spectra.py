"""Eigenvalues of Hermitian matrices, all or some of them, and singular values, with the rules of numpy.linalg."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.linalg

from ...decompositions import eigh_jvp, eigvalsh_jvp, svd_jvp
from ...registry import definition, lookup, rule
from ...static import concatenate, part


def text_of(fn: Callable[..., Any]) -> Any:
    """The vjp of a function's rule."""
    found = lookup(fn)
    assert found is not None
    return found.vjp


eigh_text, eigvalsh_text, svd_text = (text_of(getattr(np.linalg, name)) for name in ("eigh", "eigvalsh", "svd"))


def side(lower: Any) -> Any:
    return "L" if lower else "U"


def chosen(w: Any, subset_by_index: Any, subset_by_value: Any) -> Any:
    """Where in the ascending values those that are asked for start."""
    if subset_by_index is not None:
        return subset_by_index[0]
    return 0 if subset_by_value is None else np.sum(w <= subset_by_value[0])


def completed_pair(g: Any, y: Any, full: Any, start: Any) -> Any:
    """Cotangents and results for all values and vectors, of those of a few from the place ``start`` on."""
    w, v = full
    end = start + y[0].shape[0]
    by_values = concatenate((np.zeros_like(w[:start]), part(g, y, 0), np.zeros_like(w[end:])))
    if g[1] is None:
        return (by_values, None), full
    by_vectors = concatenate((np.zeros_like(v[:, :start]), g[1], np.zeros_like(v[:, end:])), 1)
    return (by_values, by_vectors), (w, concatenate((v[:, :start], y[1], v[:, end:]), 1))


def among_all(y: Any, full: Any, start: Any) -> Any:
    """All values and vectors, with those of a few in place of theirs (LAPACK chooses their signs)."""
    w, v = full
    return w, concatenate((v[:, :start], y[1], v[:, start + y[0].shape[0]:]), 1)


def plain(a: Any, b: Any = None, **how: Any) -> bool:
    """Whether the problem is that of one matrix."""
    return b is None


def symmetric_jvp(t, y, a, b=None, *, lower=True, eigvals_only=False, subset_by_index=None, subset_by_value=None, **how):
    if subset_by_index is None and subset_by_value is None:
        return eigvalsh_jvp(t, y, a, side(lower)) if eigvals_only else eigh_jvp(t, y, a, side(lower))
    full = np.linalg.eigh(a, side(lower))
    start = chosen(full[0], subset_by_index, subset_by_value)
    count = y.shape[0] if eigvals_only else y[0].shape[0]
    all_values, vectors = eigh_jvp(t, full if eigvals_only else among_all(y, full, start), a, side(lower))
    values = all_values[start:start + count]
    return values if eigvals_only else (values, vectors[:, start:start + count])


@rule(scipy.linalg.eigh, kind="general", when=plain, jvp=symmetric_jvp)
def symmetric_pullback(g, y, a, b=None, *, lower=True, eigvals_only=False, overwrite_a=False, overwrite_b=False, type=1, check_finite=True,
                       subset_by_index=None, subset_by_value=None, driver=None):
    """Only the triangle that is read has a derivative. The values are assumed to be distinct if the vectors are
    used, and not to cross the border of a subset."""
    if subset_by_index is None and subset_by_value is None:
        return eigvalsh_text(g, y, a, side(lower)) if eigvals_only else eigh_text(g, y, a, side(lower))
    full = np.linalg.eigh(a, side(lower))
    start = chosen(full[0], subset_by_index, subset_by_value)
    given, held = completed_pair((g, None) if eigvals_only else g, (y, None) if eigvals_only else y, full, start)
    return eigh_text(given, held, a, side(lower))


@rule(scipy.linalg.eigvalsh, kind="general", when=plain, jvp=lambda t, y, a, b=None, *, lower=True, **how: symmetric_jvp(
    t, y, a, lower=lower, eigvals_only=True, **how))
def _(g, y, a, b=None, *, lower=True, overwrite_a=False, overwrite_b=False, type=1, check_finite=True, subset_by_index=None,
      subset_by_value=None, driver=None):
    """Only the triangle that is read has a derivative; of equal values each has that of its own vector."""
    return symmetric_pullback(g, y, a, lower=lower, eigvals_only=True, subset_by_index=subset_by_index, subset_by_value=subset_by_value)


@rule(scipy.linalg.svd, kind="general", jvp=lambda t, y, a, full_matrices=True, compute_uv=True, **how:
      svd_jvp(t, y, a, full_matrices, compute_uv))
def _(g, y, a, full_matrices=True, compute_uv=True, overwrite_a=False, check_finite=True, lapack_driver="gesdd"):
    """The values are assumed to be distinct if the vectors are used."""
    return svd_text(g, y, a, full_matrices, compute_uv)


@definition(scipy.linalg.svdvals)
def svdvals(a: Any, overwrite_a: Any = False, check_finite: Any = True) -> Any:
    """The singular values."""
    return np.linalg.svd(a, compute_uv=False)


def spread_out(d, e):
    """The matrix of a diagonal and the adjacent one."""
    return np.diag(d) + np.diag(e, 1) + np.diag(e, -1)


def by_index(select: Any, select_range: Any) -> Any:
    return select_range if select in ("i", 2) else None


def by_value(select: Any, select_range: Any) -> Any:
    return select_range if select in ("v", 1) else None


def tridiagonal_pullback(g, y, d, e, eigvals_only, select, select_range):
    bar = symmetric_pullback(g, y, spread_out(d, e), eigvals_only=eigvals_only, subset_by_index=by_index(select, select_range),
                             subset_by_value=by_value(select, select_range))
    return np.diagonal(bar), np.diagonal(bar, -1)


def tridiagonal_jvp(change, y, d, e, eigvals_only, select="a", select_range=None, **how):
    return symmetric_jvp(change, y, spread_out(d, e), eigvals_only=eigvals_only, subset_by_index=by_index(select, select_range),
                         subset_by_value=by_value(select, select_range))


@rule(scipy.linalg.eigh_tridiagonal, kind="general", jvp=(
    lambda t, y, d, e, eigvals_only=False, **how: tridiagonal_jvp(np.diag(t), y, d, e, eigvals_only, **how),
    lambda t, y, d, e, eigvals_only=False, **how: tridiagonal_jvp(np.diag(t, -1), y, d, e, eigvals_only, **how)))
def _(g, y, d, e, eigvals_only=False, select="a", select_range=None, check_finite=True, tol=0.0, lapack_driver="auto"):
    """As eigh."""
    by_d, by_e = tridiagonal_pullback(g, y, d, e, eigvals_only, select, select_range)
    return by_d, by_e


@rule(scipy.linalg.eigvalsh_tridiagonal, kind="general", jvp=(
    lambda t, y, d, e, **how: tridiagonal_jvp(np.diag(t), y, d, e, True, **how),
    lambda t, y, d, e, **how: tridiagonal_jvp(np.diag(t, -1), y, d, e, True, **how)))
def _(g, y, d, e, select="a", select_range=None, check_finite=True, tol=0.0, lapack_driver="auto"):
    """As eigvalsh."""
    by_d, by_e = tridiagonal_pullback(g, y, d, e, True, select, select_range)
    return by_d, by_e

"""Eigenvalues and singular values in SciPy's spelling: the texts are those of numpy.linalg."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.linalg

from ...decompositions import eig_jvp, eigh_jvp, eigvals_jvp, eigvalsh_jvp, svd_jvp
from ...registry import definition, lookup, rule
from ...static import NoDerivative, is_complex


def _text(fn: Callable[..., Any]) -> Any:
    """The text of a function's rule."""
    found = lookup(fn)
    assert found is not None
    return found.vjp


eigh_text, eigvalsh_text, eig_text, eigvals_text, svd_text = (
    _text(getattr(np.linalg, name)) for name in ("eigh", "eigvalsh", "eig", "eigvals", "svd"))


def plain(b: Any = None, **how: Any) -> None:
    """Only the problem of one matrix is differentiated, and all of its values."""
    if b is not None or any(v is not None and v is not False for v in how.values()):
        raise NoDerivative("no derivative of a generalized problem or of a subset of the values; transform it to a plain problem")


def side(lower: Any) -> str:
    return "L" if lower else "U"


def symmetric_jvp(t, y, a, b=None, *, lower=True, eigvals_only=False, **how):
    plain(b)
    return eigvalsh_jvp(t, y, a, side(lower)) if eigvals_only else eigh_jvp(t, y, a, side(lower))


@rule(scipy.linalg.eigh, kind="general", jvp=symmetric_jvp)
def _(g, y, a, b=None, *, lower=True, eigvals_only=False, overwrite_a=False, overwrite_b=False, type=1, check_finite=True,
      subset_by_index=None, subset_by_value=None, driver=None):
    """The values are taken to be distinct where the vectors are used."""
    plain(b, index=subset_by_index, value=subset_by_value)
    return eigvalsh_text(g, y, a, side(lower)) if eigvals_only else eigh_text(g, y, a, side(lower))


@rule(scipy.linalg.eigvalsh, kind="general", jvp=lambda t, y, a, b=None, *, lower=True, **how: eigvalsh_jvp(t, y, a, side(lower)))
def _(g, y, a, b=None, *, lower=True, overwrite_a=False, overwrite_b=False, type=1, check_finite=True, subset_by_index=None,
      subset_by_value=None, driver=None):
    plain(b, index=subset_by_index, value=subset_by_value)
    return eigvalsh_text(g, y, a, side(lower))


def real_for(a: Any, entry: Any) -> Any:
    """The cotangent of a real matrix is real, whatever its eigenvalues are."""
    return entry if is_complex(a) else np.real(entry)


@rule(scipy.linalg.eig, kind="general", jvp=lambda t, y, a, b=None, **how: eig_jvp(t, y, a))
def _(g, y, a, b=None, left=False, right=True, overwrite_a=False, overwrite_b=False, check_finite=True, homogeneous_eigvals=False):
    """The values are taken to be distinct."""
    plain(b, left=left, without_right=not right, homogeneous=homogeneous_eigvals)
    return real_for(a, eig_text(g, y, a))


@rule(scipy.linalg.eigvals, kind="general", jvp=lambda t, y, a, b=None, **how: eigvals_jvp(t, a))
def _(g, y, a, b=None, overwrite_a=False, check_finite=True, homogeneous_eigvals=False):
    plain(b, homogeneous=homogeneous_eigvals)
    return real_for(a, eigvals_text(g, y, a))


@rule(scipy.linalg.svd, kind="general", jvp=lambda t, y, a, full_matrices=True, compute_uv=True, **how:
      svd_jvp(t, y, a, full_matrices, compute_uv))
def _(g, y, a, full_matrices=True, compute_uv=True, overwrite_a=False, check_finite=True, lapack_driver="gesdd"):
    """The values are taken to be distinct where the vectors are used."""
    return svd_text(g, y, a, full_matrices, compute_uv)


@definition(scipy.linalg.svdvals)
def svdvals(a: Any, overwrite_a: Any = False, check_finite: Any = True) -> Any:
    """The singular values."""
    return np.linalg.svd(a, compute_uv=False)


def spread_out(d, e):
    """The matrix of a diagonal and its neighbour."""
    return np.diag(d) + np.diag(e, 1) + np.diag(e, -1)


def tridiagonal_entries(bar):
    """Of a cotangent of the lower triangle."""
    return np.diagonal(bar), np.diagonal(bar, -1)


@rule(scipy.linalg.eigh_tridiagonal, kind="general", jvp=(
    lambda t, y, d, e, eigvals_only=False, **how: tridiagonal_jvp(np.diag(t), y, d, e, eigvals_only),
    lambda t, y, d, e, eigvals_only=False, **how: tridiagonal_jvp(np.diag(t, -1), y, d, e, eigvals_only)))
def _(g, y, d, e, eigvals_only=False, select="a", select_range=None, check_finite=True, tol=0.0, lapack_driver="auto"):
    plain(range=select_range)
    full = spread_out(d, e)
    return tridiagonal_entries(eigvalsh_text(g, y, full) if eigvals_only else eigh_text(g, y, full))


def tridiagonal_jvp(change, y, d, e, eigvals_only):
    full = spread_out(d, e)
    return eigvalsh_jvp(change, y, full) if eigvals_only else eigh_jvp(change, y, full)


@rule(scipy.linalg.eigvalsh_tridiagonal, kind="general", jvp=(
    lambda t, y, d, e, **how: tridiagonal_jvp(np.diag(t), y, d, e, True),
    lambda t, y, d, e, **how: tridiagonal_jvp(np.diag(t, -1), y, d, e, True)))
def _(g, y, d, e, select="a", select_range=None, check_finite=True, tol=0.0, lapack_driver="auto"):
    plain(range=select_range)
    return tridiagonal_entries(eigvalsh_text(g, y, spread_out(d, e)))

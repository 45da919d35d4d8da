"""scipy.linalg."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .forms import Case, case, cplx, real, spd_matrix


def regular(n: int = 3) -> Any:
    return real(n, n) + 3 * np.eye(n)


def band(low: int, high: int, n: int) -> Any:
    """The band of a regular matrix, with zeros where it has no elements."""
    ab = real(low + high + 1, n)
    ab[high] += 12.0
    for k in range(high):
        ab[k, :high - k] = 0.0
    for k in range(1, low + 1):
        ab[high + k, n - k:] = 0.0
    return ab


def cases() -> Iterator[Case]:
    import scipy.linalg as la
    square = regular()
    yield from (case(fn, square) for fn in (la.inv, la.det, la.norm, la.pinv, la.expm))
    yield from (case(la.solve, square, b) for b in (real(3), real(3, 2)))
    yield from solving(la)
    yield from factors(la)
    yield from functions(la)
    yield from structured(la)


def solving(la: Any) -> Iterator[Case]:
    square = regular()
    yield from (case(la.solve, spd_matrix(3), real(3), assume_a="pos", lower=low) for low in (False, True))
    yield case(la.solve, square, real(3), transposed=True)
    yield case(la.inv, square, check_finite=False)
    yield from (case(fn, square, check_finite=False) for fn in (la.norm, la.det, la.pinv))
    yield case(la.pinvh, spd_matrix(3))
    yield from (case(la.lstsq, real(5, 3), b, without=(2, 3)) for b in (real(5), real(5, 2)))
    for lower in (False, True):
        for trans in (0, 1):
            yield case(la.solve_triangular, square, real(3), trans=trans, lower=lower)
            yield case(la.solve_triangular, square, real(3, 2), trans=trans, lower=lower, unit_diagonal=True)
        yield case(la.cho_solve, (la.cholesky(spd_matrix(3), lower=lower), lower), real(3))
    yield from (case(la.lu_solve, la.lu_factor(square), real(3), trans=t) for t in (0, 1))
    yield case(la.orthogonal_procrustes, real(5, 3), real(5, 3))
    for low, high in ((1, 1), (2, 1), (0, 2)):
        yield from (case(la.solve_banded, (low, high), band(low, high, 5), b) for b in (real(5), real(5, 2)))
    from transgrad.rules.scipy.linalg import banded
    yield case(banded.turned_band, 1, 2, band(1, 2, 5))
    yield from (case(banded.outer_band, 1, 2, *pair) for pair in ((real(5), real(5)), (real(5, 2), real(5, 2))))
    yield from (case(banded.band_product, 1, 2, band(1, 2, 5), x) for x in (real(5), real(5, 2)))
    for lower in (False, True):
        yield case(banded.mirrored, band(0, 2, 5), lower)
        yield case(banded.folded, band(2, 2, 5), lower)
        half = band(2, 0, 5) if lower else band(0, 2, 5)
        yield from (case(la.solveh_banded, half + 0.0, b, lower=lower) for b in (real(5), real(5, 2)))
    yield case(la.solve_toeplitz, np.array([4.0, 1.0, 0.5]), real(3))
    yield case(la.solve_toeplitz, (np.array([4.0, 1.0, 0.5]), np.array([4.0, 0.3, -0.2])), real(3))
    yield case(la.matmul_toeplitz, real(3), real(3))
    yield case(la.solve_circulant, np.array([4.0, 1.0, 0.5]), real(3))


def factors(la: Any) -> Iterator[Case]:
    square, spd = regular(), spd_matrix(3)
    yield from (case(la.cholesky, spd, lower=lower) for lower in (False, True))
    yield from (case(la.cho_factor, spd, lower=lower) for lower in (False, True))
    yield case(la.eigvals, np.diag([1.0, 2.0, 4.0]) + 0.1 * real(3, 3))
    yield case(la.cho_solve, (la.cholesky(spd), False), real(3, 2))
    yield case(la.lu, real(3, 3), without=(0,))
    yield case(la.lu_factor, real(3, 3))
    yield from (case(la.qr, square, mode=m) for m in ("full", "economic", "r"))
    yield from (case(la.polar, square, side=s) for s in ("right", "left"))
    for lower in (False, True):
        yield case(la.eigh, spd, lower=lower, driver="ev")
        yield case(la.eigh, spd, lower=lower, eigvals_only=True)
        yield case(la.eigvalsh, spd, lower=lower)
    apart = np.diag([1.0, 2.0, 4.0]) + 0.1 * real(3, 3)
    yield case(la.eig, apart + 0.1j, without=(1,))
    yield case(la.eig, apart)
    yield case(la.eigvals, apart)
    yield from (case(la.svd, real(4, 3), full_matrices=False, compute_uv=uv) for uv in (False, True))
    yield case(la.svdvals, real(4, 3))
    yield case(la.eigh_tridiagonal, real(4), real(3))
    yield case(la.eigvalsh_tridiagonal, real(4), real(3))


def functions(la: Any) -> Iterator[Case]:
    near = 0.3 * real(3, 3) + 2.0 * np.eye(3)
    for name in ("sqrtm", "logm", "sinm", "cosm", "tanm", "sinhm", "coshm", "tanhm"):
        yield case(getattr(la, name), near)
    yield case(la.fractional_matrix_power, near, 0.3, fixed=(1,))
    yield case(la.expm_frechet, real(3, 3), real(3, 3), compute_expm=False)
    yield case(la.expm_frechet, real(3, 3), real(3, 3))
    yield case(la.solve_sylvester, regular(), regular(2), real(3, 2))
    yield case(la.solve_sylvester, cplx(3, 3), cplx(2, 2), cplx(3, 2))
    yield case(la.solve_continuous_lyapunov, regular(), real(3, 3))
    yield case(la.solve_discrete_lyapunov, 0.3 * real(3, 3), real(3, 3))
    spd, gain = spd_matrix(3), spd_matrix(2)
    for fn in (la.solve_continuous_are, la.solve_discrete_are):
        yield case(fn, real(3, 3), real(3, 2), spd, gain, fixed=(2, 3))


def structured(la: Any) -> Iterator[Case]:
    yield from (case(fn, real(4)) for fn in (la.toeplitz, la.hankel, la.circulant, la.fiedler))
    yield from (case(fn, real(3), real(4)) for fn in (la.toeplitz, la.hankel))
    yield case(la.companion, 1.0 + np.abs(real(4)))
    yield case(la.leslie, real(3), real(2))
    yield case(la.block_diag, real(2, 2), real(1, 3), real(2))
    if hasattr(la, "kron"):
        yield case(la.kron, real(2, 2), real(3, 2))
    yield case(la.khatri_rao, real(2, 3), real(4, 3))
    yield case(la.convolution_matrix, real(3), 4)
    yield case(la.diagsvd, real(2), 2, 3)

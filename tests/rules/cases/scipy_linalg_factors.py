"""scipy.linalg: factorizations, spectra of every kind, options of the solvers."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .forms import Case, case, cplx, positive, real, spd_matrix
from .scipy_linalg import band, regular

#: a matrix with a pair of complex eigenvalues
SPIN = np.array([[1.0, 2.0, 0.3, 0.1], [-1.5, 0.7, 0.2, 0.4], [0.1, 0.3, 3.0, 0.2], [0.3, 0.1, -0.2, -1.0]])


def cases() -> Iterator[Case]:
    import scipy.linalg as la
    yield from spectra(la)
    yield from forms(la)
    yield from orthogonal(la)
    yield from more_solving(la)


def apart_band(low: int, high: int, n: int) -> Any:
    """A band with eigenvalues that differ."""
    ab = band(low, high, n)
    ab[high] += np.arange(n)
    return ab


def spectra(la: Any) -> Iterator[Case]:
    spd, pair = spd_matrix(4), spd_matrix(4)
    border = float(np.linalg.eigvalsh(spd)[2]) + 0.1
    for some in ({}, {"subset_by_index": [1, 2]}, {"subset_by_value": [0.0, border], "fixed": ("subset_by_value",)}):
        yield case(la.eigh, spd, driver="evr" if some else "ev", **some)
        yield case(la.eigh, spd, eigvals_only=True, **some)
        yield case(la.eigvalsh, spd, **some)
    for kind in (1, 2, 3):
        yield case(la.eigh, real(4, 4), pair, type=kind)
        yield case(la.eigvalsh, real(4, 4), pair, type=kind)
    yield case(la.eigh, real(4, 4), pair, lower=False, eigvals_only=True)
    yield case(la.eigvalsh, real(4, 4), pair, subset_by_index=[0, 1])
    apart = np.diag([1.0, 2.0, 4.0]) + 0.1 * real(3, 3)
    near = np.eye(3) + 0.05 * real(3, 3)
    yield from (case(la.eig, apart, *rest) for rest in ((), (near,)))
    yield case(la.eig, apart, left=True, right=False)
    yield case(la.eig, apart, near, left=True)
    yield case(la.eig, SPIN, right=False)
    yield from (case(la.eigvals, SPIN, *rest) for rest in ((), (regular(4),)))
    for select, span in (("a", None), ("i", (1, 2)), ("v", (-0.5, 9.0))):
        yield case(la.eigh_tridiagonal, np.arange(4.0) + 0.1 * real(4), positive(3), select=select, select_range=span, fixed=("select_range",))
        yield case(la.eigvalsh_tridiagonal, np.arange(4.0) + 0.1 * real(4), positive(3), select=select, select_range=span,
                   fixed=("select_range",))
    for lower in (False, True):
        half = apart_band(2, 0, 5) if lower else apart_band(0, 2, 5)
        yield case(la.cholesky_banded, half, lower=lower)
        yield case(la.cho_solve_banded, (half, lower), real(5))
        yield case(la.eigvals_banded, half, lower=lower)
        yield case(la.eig_banded, half, lower=lower, eigvals_only=True)
        yield case(la.solveh_banded, half + 0.1j, cplx(5), lower=lower)
    for select, span in (("a", None), ("i", (1, 2)), ("v", (13.0, 16.0))):
        yield case(la.eig_banded, apart_band(2, 0, 5), lower=True, select=select, select_range=span, fixed=("select_range",))
    yield case(la.eigvals_banded, apart_band(0, 2, 5), select="i", select_range=(0, 2))
    yield case(la.solve_banded, (1, 2), band(1, 2, 5) + 0.1j, cplx(5))


def forms(la: Any) -> Iterator[Case]:
    apart, pair = np.diag([1.0, 2.0, 4.0]) + 0.1 * real(3, 3), np.eye(3) + 0.05 * real(3, 3)
    yield from (case(la.schur, a) for a in (apart, SPIN))
    yield case(la.schur, apart, "real", sort="rhp")
    yield from (case(la.hessenberg, SPIN, calc_q=q) for q in (False, True))
    yield case(la.qz, apart, pair)
    yield case(la.qz, SPIN, np.eye(4) + 0.05 * real(4, 4))
    yield case(la.ordqz, apart, pair, without=(2, 3))
    yield case(la.matrix_balance, SPIN * np.array([1.0, 100.0, 1.0, 0.01]))
    yield case(la.matrix_balance, SPIN, separate=True)
    yield case(la.cdf2rdf, *np.linalg.eig(SPIN), fixed=(0, 1))
    yield case(la.rsf2csf, *la.schur(SPIN), fixed=(0,))
    indefinite = np.array([[0.1, 2.0, 0.3, 1.0], [2.0, -0.2, 1.1, 0.4], [0.3, 1.1, 0.05, 1.5], [1.0, 0.4, 1.5, 0.3]])
    turned = np.triu(cplx(4, 4), 1)
    for lower in (False, True):
        yield case(la.ldl, spd_matrix(3), lower=lower)
        yield case(la.ldl, indefinite, lower=lower)
        yield case(la.ldl, indefinite + turned + np.conj(turned).T, lower=lower)
        yield case(la.ldl, indefinite + turned + turned.T, lower=lower, hermitian=False)
    yield from (case(la.lu, real(*shape), without=(0,)) for shape in ((4, 3), (3, 5)))
    yield case(la.lu, cplx(3, 3), without=(0,))
    yield case(la.lu, real(4, 3), permute_l=True)
    yield case(la.lu, real(4, 3), p_indices=True, without=(0,))
    yield from (case(la.lu_factor, a) for a in (real(4, 3), real(3, 5), cplx(3, 3)))
    yield from (case(la.cholesky, spd_matrix(3) + 0j, lower=lower) for lower in (False, True))


def orthogonal(la: Any) -> Iterator[Case]:
    yield from (case(la.qr, real(3, 5), mode=mode) for mode in ("full", "economic", "r"))
    yield from (case(la.qr, a, mode="economic") for a in (real(5, 3), cplx(4, 3)))
    yield case(la.qr, real(5, 3), mode="r")
    yield from (case(la.qr, real(*shape), mode=mode, pivoting=True) for shape in ((5, 3), (3, 4)) for mode in ("economic", "r"))
    yield from (case(la.rq, a) for a in (regular(), cplx(3, 3)))
    yield case(la.rq, real(3, 5), mode="economic")
    yield case(la.qr_multiply, real(4, 3), real(2, 4))
    yield case(la.qr_multiply, real(4, 3), real(3, 2), "left", True)
    yield case(la.qr_multiply, real(3, 4), real(2, 3))
    yield case(la.qr_multiply, cplx(3, 3), cplx(2, 3), conjugate=True)
    thin, square = la.qr(real(5, 3), mode="economic"), la.qr(regular())
    yield case(la.qr_update, *thin, real(5), real(3), fixed=(0, 1))
    yield case(la.qr_update, *square, real(3, 2), real(3, 2), fixed=(0, 1))
    yield case(la.qr_delete, *thin, 1, fixed=(0, 1))
    yield case(la.qr_delete, *thin, -2, 1, "col", fixed=(0, 1))
    yield case(la.qr_insert, *thin, real(3), 1, fixed=(0, 1))
    yield case(la.qr_insert, *thin, real(5, 2), 1, "col", fixed=(0, 1))
    yield case(la.null_space, real(3, 4))
    yield case(la.orth, real(4, 3))
    yield from (case(la.subspace_angles, real(5, m), real(5, n)) for m, n in ((2, 3), (3, 2)))


def more_solving(la: Any) -> Iterator[Case]:
    for trans in (0, 1, 2):
        yield from (case(la.solve_triangular, cplx(3, 3) + 3 * np.eye(3), cplx(3), trans=trans, lower=lower) for lower in (False, True))
        yield case(la.lu_solve, la.lu_factor(regular() + 1j), cplx(3), trans=trans)
    yield case(la.cho_solve, (la.cholesky(spd_matrix(3) + 0j), False), cplx(3))
    yield case(la.pinv, real(4, 3), rtol=1e-3, fixed=("rtol",))
    yield case(la.pinv, real(4, 3), return_rank=True)
    yield case(la.pinvh, spd_matrix(3), lower=False)
    yield case(la.pinvh, spd_matrix(3), rtol=1e-8, return_rank=True, fixed=("rtol",))
    yield case(la.solve_continuous_lyapunov, cplx(3, 3), cplx(3, 3))
    yield case(la.solve_discrete_lyapunov, 0.3 * cplx(3, 3), cplx(3, 3))
    spd, gain = spd_matrix(3), spd_matrix(2)
    for fn in (la.solve_continuous_are, la.solve_discrete_are):
        yield case(fn, cplx(3, 3), cplx(3, 2), spd, gain, fixed=(2, 3))
        yield case(fn, real(3, 3), real(3, 2), spd, gain, e=np.eye(3) + 0.05 * real(3, 3), s=0.05 * real(3, 2), balanced=False, fixed=(2, 3))
    yield from (case(la.expm, a) for a in (real(2, 3, 3), cplx(3, 3)))
    yield case(la.expm_cond, 0.5 * real(2, 2))
    yield case(la.signm, regular() - np.diag([6.0, 0.0, 0.0]))
    yield case(la.solve_circulant, np.array([4.0, 1.0, 0.5, 0.2]), real(4), singular="lstsq")
    yield case(la.solve_circulant, np.array([[4.0, 1.0, 0.5, 0.2], [5.0, 1.0, -1.0, 0.3]]), real(3, 1, 4), baxis=-1, outaxis=-1)
    yield case(la.solve_circulant, np.array([4.0, 1.0, 0.5j, 0.2]), cplx(4))
    yield from (case(la.convolution_matrix, real(m), n, mode) for m, n in ((3, 5), (5, 3)) for mode in ("same", "valid"))
    yield from (case(la.fiedler_companion, positive(n)) for n in (3, 4, 5, 6))

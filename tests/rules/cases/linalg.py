"""Linear algebra."""
from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .forms import Case, case, cplx, real, spd_matrix


def cases() -> Iterator[Case]:
    square, stack = real(3, 3) + 2 * np.eye(3), real(2, 3, 3) + 2 * np.eye(3)
    spd = spd_matrix(3)
    for a in (square, stack, cplx(3, 3)):
        yield from (case(fn, a) for fn in (np.linalg.inv, np.linalg.det, np.linalg.slogdet))
    yield from (case(np.linalg.solve, square, b) for b in (real(3), real(3, 2)))
    yield case(np.linalg.solve, stack, real(2, 3, 2))
    yield case(np.linalg.solve, cplx(3, 3), cplx(3))
    yield case(np.linalg.pinv, real(4, 3))
    yield case(np.linalg.pinv, real(3, 4))
    yield case(np.linalg.eigvalsh, spd)
    yield case(np.linalg.eigvalsh, spd, "U")
    yield case(np.linalg.svd, real(4, 3), compute_uv=False)
    yield case(np.linalg.svdvals, real(4, 3))
    yield from (case(np.linalg.matrix_power, square, n) for n in (0, 1, 2, 3, 5, -1, -2))
    yield from (case(np.linalg.norm, real(4)), case(np.linalg.norm, real(3, 4)), case(np.linalg.norm, cplx(4)))
    yield from (case(np.linalg.norm, real(4), o, fixed=(1,)) for o in (1, 2, 3, 2.5, np.inf, -np.inf, 0, -1))
    yield from (case(np.linalg.norm, real(3, 4), o, fixed=(1,)) for o in ("fro", "nuc", 1, -1, np.inf, -np.inf, 2, -2))
    yield from (case(np.linalg.norm, real(3, 4), axis=x, keepdims=k) for x in (0, 1, -1, (0, 1)) for k in (False, True))
    yield from (case(np.linalg.norm, real(3, 4), o, 1, fixed=(1,)) for o in (1, 3, np.inf))
    yield case(np.linalg.norm, real(2, 3, 4), "fro", (1, 2))
    yield case(np.linalg.vector_norm, real(3, 4), axis=1)
    yield case(np.linalg.matrix_norm, real(3, 4))
    yield case(np.linalg.cond, square)
    yield case(np.linalg.lstsq, real(5, 3), real(5), without=(3,))
    yield case(np.linalg.lstsq, real(5, 3), real(5, 2), without=(3,))
    yield case(np.linalg.tensorsolve, square, real(3))
    yield case(np.linalg.qr, real(4, 3))
    yield case(np.linalg.qr, real(3, 3), mode="r")
    yield case(np.linalg.cholesky, spd)
    yield case(np.linalg.cholesky, spd, upper=True)
    yield case(np.linalg.cholesky, np.stack([spd, spd_matrix(3)]))
    yield case(np.linalg.cholesky, spd + 1j * np.array([[0.0, -0.3, 0.1], [0.3, 0.0, 0.2], [-0.1, -0.2, 0.0]]))
    for uplo in ("L", "U"):
        yield case(np.linalg.eigh, spd, uplo)
    yield case(np.linalg.eigh, np.stack([spd, spd_matrix(3)]))
    yield case(np.linalg.eigvalsh, spd + 1j * np.array([[0.0, -0.3, 0.1], [0.3, 0.0, 0.2], [-0.1, -0.2, 0.0]]))
    yield case(np.linalg.eig, np.diag([1.0, 2.0, 4.0]) + 0.1 * real(3, 3))
    yield case(np.linalg.svd, real(4, 3), full_matrices=False)
    yield case(np.linalg.svd, real(3, 4), full_matrices=False)
    yield case(np.linalg.svd, real(3, 3), full_matrices=False)
    yield case(np.linalg.svd, real(3, 3))
    yield case(np.linalg.svd, real(4, 3), without=(0, 2), modes=("reverse",))
    yield case(np.linalg.svd, cplx(4, 3), compute_uv=False)
    yield case(np.linalg.eigvals, np.diag([1.0, 2.0, 4.0]) + 0.1 * real(3, 3))
    yield from (case(np.linalg.cond, x, p, fixed=(1,)) for x in (square, stack) for p in (2, -2, 1, -1, np.inf, "fro"))
    yield from (case(np.linalg.pinv, a) for a in (cplx(4, 3), cplx(3, 4), real(2, 4, 3)))
    low = real(4, 2) @ real(2, 3)
    yield from (case(np.linalg.lstsq, a, b, without=(3,)) for a, b in ((real(3, 5), real(3)), (real(3, 5), real(3, 2)), (cplx(5, 3), cplx(5))))
    yield case(np.linalg.lstsq, low, real(4), 1e-8, without=(3,), fixed=(0, 2))
    yield case(np.linalg.tensorsolve, real(2, 3, 6), real(2, 3))
    yield case(np.linalg.tensorsolve, real(6, 2, 3), real(2, 3), axes=(0,))
    yield case(np.linalg.tensorinv, real(2, 3, 6))
    yield case(np.linalg.tensorinv, real(6, 2, 3), ind=1)
    yield from (case(np.linalg.norm, cplx(3, 4), o, fixed=(1,)) for o in (1, -1, np.inf, "fro", "nuc", 2))
    yield from (case(np.linalg.matrix_norm, real(2, 3, 4), ord=o, keepdims=k, fixed=("ord",)) for o in ("fro", 1, np.inf) for k in (False, True))

"""Products of vectors, matrices and tensors."""
from __future__ import annotations

import operator
from collections.abc import Iterator

import numpy as np

from transgrad.rules.installed import installed

from .forms import Case, case, cplx, real


def cases() -> Iterator[Case]:
    shapes = [((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((2, 3), (3, 4)), ((5, 2, 3), (3, 4)), ((2, 3), (5, 3, 4)), ((5, 2, 3), (5, 3, 4)),
              ((1, 2, 3), (5, 3, 4)), ((5, 2, 3), (3,)), ((3,), (5, 3, 2))]
    for fn in (operator.matmul, np.matmul):
        yield from (case(fn, real(*s), real(*t)) for s, t in shapes)
        yield from (case(fn, cplx(*s), cplx(*t)) for s, t in shapes[:4])
    yield from (case(np.dot, real(*s), real(*t)) for s, t in [*shapes[:6], ((4, 2, 3), (5, 3, 2)), ((), (3,)), ((2, 3), ())])
    yield case(np.ndarray.dot, real(2, 3), real(3))
    yield from (case(fn, [0.3, 0.2], real(2)) for fn in (np.dot, np.vdot, np.inner))
    for fn in (np.vdot,):
        yield from (case(fn, f(3), h(3)) for f in (real, cplx) for h in (real, cplx))
        yield case(fn, real(2, 3), real(2, 3))
    yield from (case(np.inner, real(*s), real(*t)) for s, t in (((3,), (3,)), ((2, 3), (3,)), ((3,), (2, 3)), ((2, 3), (4, 3)), ((5, 2, 3), (4, 3))))
    yield from (case(np.outer, real(*s), real(*t)) for s, t in (((3,), (2,)), ((2, 3), (2,)), ((3,), (2, 2))))
    yield case(np.outer, cplx(3), cplx(2))
    yield case(np.linalg.vecdot, cplx(4, 3), cplx(4, 3))
    yield case(np.linalg.vecdot, real(4, 3), real(3))
    yield from (case(u.outer, real(3), real(2, 2)) for u in (np.multiply, np.add, np.subtract))
    for axes in (0, 1, 2, ((1,), (0,)), ((0, 1), (1, 0)), (-1, 1)):
        yield case(np.tensordot, real(2, 3, 3) if axes == 1 else real(3, 3), real(3, 3), axes=axes)
    yield case(np.tensordot, real(2, 3, 4), real(4, 5, 2), axes=([0, 2], [2, 0]))
    yield from (case(np.kron, real(*s), real(*t)) for s, t in (((2,), (3,)), ((2, 3), (3, 2)), ((2,), (3, 2)), ((2, 3), (2,))))
    yield from (case(np.cross, real(*s), real(*t)) for s, t in (((3,), (3,)), ((4, 3), (3,)), ((4, 3), (4, 3))))
    yield case(np.cross, real(3, 4), real(3, 4), axis=0)
    for fn in (np.convolve, np.correlate):
        yield from (case(fn, real(n), real(m), mode=mode) for n, m in ((5, 3), (3, 5), (6, 2), (4, 4)) for mode in ("full", "same", "valid"))
        yield case(fn, cplx(5), cplx(3), mode="full")
    for text, *ops in (("ij,jk->ik", (2, 3), (3, 4)), ("ij,jk", (2, 3), (3, 4)), ("ii", (3, 3)), ("ii->i", (3, 3)), ("ij->ji", (2, 3)), ("ij->", (2, 3)),
                       ("ij->j", (2, 3)), ("i,i->", (3,), (3,)), ("i,j->ij", (2,), (3,)), ("...ij,...jk->...ik", (2, 2, 3), (3, 4)),
                       ("...ij,jk", (5, 2, 3), (3, 4)), ("bij,bjk,k->bi", (2, 2, 3), (2, 3, 4), (4,)), ("ij,ij,ij->i", (2, 3), (2, 3), (2, 3)),
                       ("iij,j->i", (3, 3, 2), (2,)), ("i...->...", (2, 3, 2)), ("ij,j", (2, 3), (3,)), ("i,->i", (3,), ())):
        yield case(np.einsum, text, *(real(*s) for s in ops))
    yield case(np.einsum, "ij,j->i", cplx(2, 3), cplx(3), optimize=True)
    yield case(np.linalg.multi_dot, [real(2, 3), real(3, 4), real(4, 2)])
    yield case(np.linalg.multi_dot, [real(3), real(3, 4), real(4)])
    yield case(np.linalg.matmul, real(2, 3), real(3, 2))
    yield case(np.linalg.cross, real(3), real(3))
    yield case(np.linalg.tensordot, real(2, 3), real(3, 2), axes=1)
    yield case(np.einsum, real(2, 3), [0, 1], real(3, 4), [1, 2], [0, 2])
    yield case(np.einsum, real(2, 3), [0, 1], real(3, 4), [1, 2])
    yield case(np.einsum, real(2, 2, 3), [Ellipsis, 0], real(3), [0], [Ellipsis])
    yield from (case(installed("numpy.matvec"), f(2, 3), f(3)) for f in (real, cplx))
    yield from (case(installed("numpy.vecmat"), f(5, 3), f(3, 2)) for f in (real, cplx))
    yield case(installed("numpy.matvec"), real(5, 2, 3), real(3))

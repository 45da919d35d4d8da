"""Rules of the functions that torch has and NumPy lacks, against finite differences, in reverse and forward mode."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from transgrad.autograd.functions import (
    activations,
    affine,
    combined,
    complexes,
    distances,
    extrema,
    factors,
    masks,
    moments,
    places,
    rounding,
    shape,
    slabs,
    softmax,
    windows,
)
from transgrad.testing import check_rule

RNG = np.random.default_rng(20)


def real(*sizes: int) -> Any:
    return np.asarray(RNG.normal(size=sizes))


def positive(*sizes: int) -> Any:
    return np.asarray(RNG.uniform(0.2, 0.8, size=sizes))


def cplx(*sizes: int) -> Any:
    return real(*sizes) + 1j * real(*sizes)


def ints(high: int, *sizes: int) -> Any:
    return RNG.integers(0, high, size=sizes)


M = RNG.random((3, 4)) > 0.5
SPD = (lambda a: a @ a.T + 4 * np.eye(3))(real(3, 3))
HPD = (lambda a: a @ a.conj().T + 4 * np.eye(3))(cplx(3, 3))
LOW = np.tril(positive(3, 3)) + np.eye(3)
I1, I2 = np.array([0, 2, 0]), ints(3, 2, 4)
OWN = ((3, 4), (4, 1), 0)
B = cplx(2, 3, 3) + 3 * np.eye(3)

CASES: list[tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]] = [
    *((fn, (real(3, 4) * 3,), {}) for fn in (rounding.floor, rounding.ceil, rounding.trunc, rounding.round_, rounding.sign, rounding.frac)),
    (rounding.round_decimals, (real(3), 1), {}), (rounding.div_rounded, (real(3) * 9, positive(3), "floor"), {}),
    (rounding.div_rounded, (real(3) * 9, positive(3), "trunc"), {}),
    *((fn, (real(3, 4) * 3,), {}) for fn in (activations.relu, activations.sigmoid, activations.log_sigmoid, activations.softplus,
                                             activations.hardshrink, activations.elu, activations.celu)),
    (activations.sigmoid, (cplx(3),), {}), (activations.threshold, (real(6), 0.1, 3.0), {"fixed": (1, 2)}), (activations.elu, (real(6), 1.6, 1.05, 0.5), {"fixed": (1, 2, 3)}),
    (activations.celu, (real(6), 0.7), {"fixed": (1,)}), (activations.prelu, (real(2, 3), positive(3)), {}),
    (combined.rsqrt, (positive(4),), {}), (combined.rsqrt, (cplx(4),), {}), (combined.rsub, (real(3), real(2, 3), 2.0), {"fixed": (2,)}),
    *((fn, (real(2, 3), real(3)), {}) for fn in (combined.clamp_min, combined.clamp_max, combined.fmax, combined.fmin, combined.ldexp)),
    (combined.addcmul, (real(3), real(2, 3), real(3), 2.0), {"fixed": (3,)}), (combined.addcdiv, (real(3), real(2, 3), positive(3), 2.0), {"fixed": (3,)}),
    (combined.addcmul, (cplx(3), cplx(2, 3), real(3)), {}), (combined.lerp, (real(3), real(2, 3), positive(3)), {}),
    (combined.logit, (positive(4),), {}), (combined.logit, (np.array([0.1, 0.4, 0.9]), 0.2), {"fixed": (1,)}), (combined.xlogy, (real(3), positive(3)), {}),
    *((fn, (x, axis), {}) for fn in (softmax.softmax, softmax.log_softmax, softmax.logsumexp, softmax.logcumsumexp)
      for x, axis in ((real(3, 4), 0), (cplx(2, 3), -1))),
    (softmax.logsumexp, (real(3, 4), (0, 1), True), {}),
    (places.gather, (real(3, 4), 0, I2), {}), (places.gather, (cplx(3, 4), 1, ints(4, 3, 2)), {}),
    (places.scatter, (real(3, 4), 0, np.array([[0, 1, 2, 0]]), real(2, 4)), {}), (places.scatter_value, (real(3, 4), 0, I2, 2.0), {"fixed": (3,)}),
    (places.scatter_add, (real(3, 4), 0, I2, real(2, 4)), {}), (places.scatter_add, (real(3, 4), 0, I2[:, :2], real(3, 4)), {}),
    *((places.scatter_reduce, (positive(3, 4), 0, I2, positive(2, 4), how, own), {})
      for how in ("sum", "prod", "mean", "amax", "amin") for own in (True, False)),
    (places.take, (real(3, 4), ints(12, 2, 3)), {}), (places.put, (real(3, 4), np.array([1, 5]), real(2)), {}),
    (places.put_accumulate, (real(3, 4), ints(12, 4), real(4)), {}),
    (slabs.index_select, (real(3, 4), 0, I1), {}), (slabs.index_add, (real(3, 4), 0, I1, real(3, 4), 2.0), {"fixed": (4,)}),
    (slabs.index_copy, (real(3, 4), 0, np.array([0, 2]), real(2, 4)), {}), (slabs.index_fill, (real(3, 4), 0, I1, 2.0), {"fixed": (3,)}),
    (slabs.index_fill_tensor, (real(3, 4), 0, I1, real()), {}), (slabs.index_put, (real(3, 4), (np.array([0, 2]),), real(4)), {}),
    (slabs.index_put_accumulate, (real(3, 4), (I1,), real(3, 4)), {}),
    (masks.masked_fill, (real(3, 4), M, 2.0), {"fixed": (2,)}), (masks.masked_fill_tensor, (real(3, 4), M, real()), {}),
    (masks.masked_select, (real(4), M), {}), (masks.masked_scatter, (real(3, 4), M, real(4, 3)), {}),
    *((fn, (real(3, 4), 1, keep), {"without": (1,)}) for keep in (True, False)
      for fn in (extrema.max_at, extrema.min_at, extrema.median_at, extrema.nanmedian_at, extrema.mode)),
    (extrema.kthvalue, (real(3, 4), 2, 0), {"without": (1,)}), (extrema.sort, (real(3, 4), 0, True), {"without": (1,)}),
    (extrema.sort, (real(5),), {"without": (1,)}), (extrema.topk, (real(3, 4), 2), {"without": (1,)}),
    (extrema.cummax, (real(3, 4), 1), {"without": (1,)}), (extrema.cummin, (real(3, 4), 0), {"without": (1,)}),
    (extrema.median_all, (real(3, 4),), {}), (extrema.nanmedian_all, (np.array([1.0, np.nan, 3.0, 2.0]),), {}),
    (extrema.aminmax, (real(3, 4), 1), {}), (extrema.aminmax, (real(3, 4),), {}),
    *((fn, (x, axis, 1, keep), {}) for fn in (moments.var_mean, moments.std_mean) for x in (real(3, 4), cplx(3, 4))
      for axis, keep in ((None, False), (1, False), ((0, 1), True))),
    (affine.addmm, (real(3), real(3, 2), real(2, 3), 2.0, 3.0), {"fixed": (3, 4)}), (affine.addmm, (cplx(3, 3), cplx(3, 2), cplx(2, 3)), {}),
    (affine.baddbmm, (real(2, 3, 3), real(2, 3, 2), real(2, 2, 3)), {}), (affine.addmv, (real(3), real(3, 2), real(2)), {}),
    (affine.addr, (real(3, 2), real(3), real(2)), {}), (affine.addbmm, (real(3, 3), real(2, 3, 2), real(2, 2, 3)), {}),
    (shape.t, (real(3, 4),), {}), (shape.permute, (real(2, 3, 4), (2, 0, 1)), {}), (shape.transpose, (real(2, 3, 4), 0, 2), {}),
    (shape.view, (real(3, 4), (2, 6)), {}), (shape.unsqueeze, (real(3, 4), 1), {}), (shape.squeeze, (real(3, 1),), {}),
    (shape.squeeze_dim, (real(3, 1), 1), {}), (shape.squeeze_dims, (real(3, 1, 1), (1, 2)), {}), (shape.expand, (real(3, 1), (2, 3, 4)), {}),
    (shape.select, (real(3, 4), 1, -1), {}), (shape.slice_, (real(3, 4), 1, 0, 4, 2), {}), (shape.unbind, (real(3, 4), 1), {}),
    (shape.split, (real(3, 4), 3, 1), {}), (shape.split_with_sizes, (real(3, 4), (1, 2), 0), {}), (shape.clone, (cplx(3),), {}),
    (shape.to_copy, (real(3), np.dtype(np.float64)), {}), (shape.flip, (real(3, 4), (0,)), {}), (shape.roll, (real(3, 4), (1, 2), (0, 1)), {}),
    (shape.rot90, (real(3, 4),), {}), (shape.repeat, (real(3, 4), (2, 1, 3)), {}), (shape.tril, (real(3, 4), 1), {}),
    (shape.triu, (real(3, 4), -1), {}),
    (windows.unfold, (real(3, 7), 1, 3, 2), {}), (windows.unfold_backward, (real(3, 3, 3), (3, 7), 1, 3, 2), {}),
    (windows.diagonal, (real(2, 3, 4), 1, 0, 2), {}), (windows.diag_copy, (real(3, 4),), {}), (windows.diag_embed, (real(2, 3), -1), {}),
    (windows.embed, (real(3, 4), real(4), (1,)), {}), (windows.select_scatter, (real(3, 4), real(3), 1, 2), {}),
    (windows.slice_scatter, (real(3, 4), real(3, 2), 1, 0, 4, 2), {}), (windows.diagonal_scatter, (real(3, 4), real(3)), {}),
    (windows.block_diag, ([real(2, 3), real(3), real(1, 1)],), {}),
    (windows.as_strided, (real(3, 4), (2, 3), (1, 2), 1, OWN), {}), (windows.as_strided, (real(3, 4), (4, 3), (1, 1), 0, OWN), {}),
    (windows.reread, (real(3, 4), OWN, ((5, 2), (2, 1), 1)), {}), (windows.as_strided_scatter, (real(3, 4), real(2, 2), (2, 2), (1, 4), 2), {}),
    (complexes.view_as_real, (cplx(3, 2),), {}), (complexes.view_as_complex, (real(3, 2),), {}), (complexes.complex_, (real(3), real(2, 3)), {}),
    (complexes.polar, (positive(3), real(3)), {}), (complexes.sgn, (cplx(3),), {}), (complexes.sgn, (real(3),), {}),
    (complexes.conj_physical, (cplx(3),), {}), (complexes.angle, (cplx(3),), {}), (complexes.angle, (real(3),), {}),
    *((fn, (real(4, 3), real(4, 3), p), {"fixed": (2,)}) for fn in (distances.dist,) for p in (1.0, 2.0, 3.0, np.inf)),
    *((distances.cdist, (real(2, 4, 3), real(5, 3), p), {"fixed": (2,)}) for p in (1.0, 2.0, 3.0)), (distances.pdist, (real(4, 3),), {}),
    *((factors.solve_triangular, (real(3, 3) + 4 * np.eye(3), real(3, 3), upper, left, unit), {})
      for upper in (True, False) for left in (True, False) for unit in (True, False)),
    (factors.solve_triangular, (B, cplx(3, 2), True), {}),
    *((factors.cholesky_solve, (b, low.conj().T if up else low, up), {}) for up in (True, False)
      for b, low in ((real(3, 2), LOW), (cplx(3, 2), LOW * (1 + 0.5j)))),
    *((factors.cholesky_inverse, (low.conj().T if up else low, up), {}) for up in (True, False) for low in (LOW, LOW * (1 + 0.5j))),
    (factors.matrix_exp, (real(2, 3, 3),), {}), (factors.matrix_exp, (cplx(3, 3),), {}),
]


@pytest.mark.parametrize("fn, args, how", CASES, ids=[f"{c[0].__name__}-{k}" for k, c in enumerate(CASES)])
def test_rule(fn: Callable[..., Any], args: tuple[Any, ...], how: dict[str, Any]) -> None:
    check_rule(fn, *args, **how)


@pytest.mark.parametrize("fn", [factors.cholesky, factors.eigh, factors.eigvalsh])
@pytest.mark.parametrize("matrix", [SPD, HPD], ids=["real", "complex"])
def test_hermitian(fn: Callable[..., Any], matrix: Any) -> None:
    if fn is factors.eigh:      # what does not depend on the phase of the vectors

        def of(a: Any) -> Any:
            w, v = np.linalg.eigh((a + a.conj().T) / 2)
            return w, np.abs(v)

        w, v = fn(matrix)
        np.testing.assert_allclose(of(matrix)[0], w)
        return
    entry = fn.__globals__["lookup"](fn).pullback(np.ones_like(fn(matrix)), fn(matrix), [matrix])[0]
    np.testing.assert_allclose(entry, entry.conj().T)

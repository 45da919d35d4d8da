"""Arguments for every rule: inside domains, away from kinks, of every form that the rule treats apart."""
from __future__ import annotations

import builtins
import cmath
import math
import operator
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from transgrad import runtime


class Case(NamedTuple):
    fn: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any] = {}

    def __str__(self) -> str:
        def show(x: Any) -> str:
            if isinstance(x, np.ndarray):
                return f"{x.dtype}{list(x.shape)}".replace(" ", "")
            if isinstance(x, (list, tuple)):
                return "[" + ",".join(map(show, x)) + "]"
            return str(x).replace(" ", "")
        name = getattr(self.fn, "__qualname__", None) or getattr(self.fn, "__name__", str(self.fn))
        owner = getattr(getattr(self.fn, "__self__", None), "__name__", None)
        module = getattr(self.fn, "__module__", None) or ""
        return f"{module}.{owner + '.' if owner and owner != 'builtins' else ''}{name}({', '.join([*map(show, self.args), *(f'{k}={show(v)}' for k, v in self.kwargs.items())])})"


def case(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Case:
    return Case(fn, args, kwargs)


_rng = np.random.default_rng(5)


def real(*shape: int, low: float = -2.0, high: float = 2.0) -> Any:
    return _rng.uniform(low, high, size=shape)


def positive(*shape: int) -> Any:
    return real(*shape, low=0.3, high=2.0)


def cplx(*shape: int) -> Any:
    return real(*shape) + 1j * real(*shape)


def distinct(*shape: int) -> Any:
    """Numbers that differ by more than any step of a finite difference."""
    n = math.prod(shape)
    return _rng.permutation(np.linspace(-2.0, 2.0, n) if n > 1 else np.array([0.7])).reshape(shape)


def wide() -> Iterator[Any]:
    """Real arguments for functions defined everywhere."""
    yield from (0.7, -1.3, real(3), real(2, 3), np.float64(0.4))


def arithmetic() -> Iterator[Case]:
    pairs = [(0.7, 1.3), (real(3), 0.4), (1.5, real(2, 3)), (real(2, 3), real(3)), (real(2, 1), real(1, 3)), (cplx(3), cplx(3)), (cplx(2, 3), real(3))]
    for fn in (operator.add, operator.sub, operator.mul, operator.truediv, np.add, np.subtract, np.multiply, np.divide):
        yield from (Case(fn, p) for p in pairs)
    for fn in (operator.neg, operator.pos, np.negative, np.positive, np.square, np.reciprocal):
        yield from (case(fn, x) for x in (1.3, positive(2, 3), cplx(3)))
    for fn in (operator.mod, np.mod, np.fmod, math.fmod, math.remainder, divmod, np.divmod):
        yield case(fn, 5.3, 2.1)
        if fn not in (math.fmod, math.remainder):
            yield case(fn, np.array([5.3, -7.3, 0.4]), np.array([2.1, 2.4, 3.0]))
    for fn in (operator.pow, np.power, builtins.pow, np.float_power):
        yield from (case(fn, x, n) for x in (1.3, positive(3), np.array([-1.5, 2.0])) for n in (0, 1, 2, 3, -1, -2, 2.0))
        yield from (case(fn, x, 0.5) for x in (1.3, positive(3)))
        yield from (case(fn, positive(3), n) for n in (1.7, real(3), real(2, 1), np.array([2, 0, 3])))
        yield from (case(fn, cplx(3), n) for n in (2, 3, -1, 0.5, cplx(3)))
        yield case(fn, np.array([0.0, -1.2, 2.0]), np.array([2, 3, 0]))
    yield case(math.pow, 1.3, 2.2)
    yield case(operator.pow, np.array([2, 3]), real(2))
    for fn in (operator.abs, np.absolute, np.fabs, builtins.abs):
        yield from (case(fn, x) for x in (-1.3, real(2, 3)))
        if fn is not np.fabs:
            yield case(fn, cplx(3))
    yield case(math.fabs, -0.3)
    for fn in (np.maximum, np.minimum, np.fmax, np.fmin):
        yield from (case(fn, *p) for p in ((0.7, 1.3), (real(3), 0.4), (real(2, 3), real(3))))
    yield case(np.fmax, np.array([np.nan, 1.0]), np.array([0.5, np.nan]))
    for fn in (np.clip, np.ndarray.clip):
        yield from (case(fn, np.array([-1.5, 0.2, 0.8, 3.0]), *b) for b in ((-0.9, 1.4), (None, 1.4), (-0.9, None), (np.array([-2.0, 0.3, 0.0, 1.0]), 2.5)))
    yield case(np.clip, np.array([-1.5, 0.2]), a_min=0.0, a_max=1.0)
    yield from (case(np.where, np.array([True, False, True]), x, y) for x in (real(3), 0.7) for y in (real(3), real(2, 3), -0.2))
    yield case(np.sign, cplx(3))
    yield case(np.sign, real(3))
    yield case(np.heaviside, np.array([0.0, 1.0, -1.0]), 0.3, fixed=(0,))
    yield case(np.copysign, np.array([1.5, -0.7]), np.array([-2.0, -1.0]))
    yield case(math.copysign, 1.5, -2.0)
    yield case(np.ldexp, real(3), np.array([1, -2, 3]))
    yield case(math.ldexp, 0.7, 3)
    yield case(np.nan_to_num, np.array([1.0, -0.5]))
    yield case(math.modf, 1.7)
    yield case(np.modf, np.array([1.7, -2.3]))
    yield case(np.frexp, np.array([1.7, -5.3]))
    yield case(math.frexp, 5.3)
    for fn in (np.real, np.imag, np.conjugate, np.angle, np.ndarray.conj):
        yield case(fn, cplx(3))
        yield case(fn, real(3))
    yield case(np.angle, cplx(3), deg=True)
    yield from (case(fn, 0.7) for fn in (float, np.float64, float.conjugate))
    yield case(complex, 0.7)
    yield case(complex.conjugate, 0.7 + 0.2j)
    yield case(np.real_if_close, real(3))
    yield case(np.add, real(3), real(3), dtype=np.float64)
    yield case(np.nextafter, real(3), 9.0)
    yield case(np.unwrap, np.array([0.1, 3.0, -3.0, 0.2]))
    yield case(complex, 0.7, -0.3)


def elementary() -> Iterator[Case]:
    everywhere = ["exp", "exp2", "expm1", "sin", "cos", "tan", "arctan", "sinh", "cosh", "tanh", "arcsinh", "cbrt", "deg2rad", "rad2deg", "sinc",
                  "radians", "degrees"]
    for name in everywhere:
        fn = getattr(np, name)
        yield from (case(fn, x) for x in (0.7, -1.3, real(2, 3)))
    for name in ("log", "log2", "log10", "log1p", "sqrt"):
        yield from (case(getattr(np, name), x) for x in (0.7, positive(2, 3)))
    for name in ("arcsin", "arccos", "arctanh"):
        yield from (case(getattr(np, name), x) for x in (0.7, real(2, 3, low=-0.9, high=0.9)))
    yield case(np.arccosh, 1.0 + positive(3))
    for name in ("exp", "sin", "cos", "tan", "sinh", "cosh", "tanh", "log", "sqrt", "arcsin", "arccos", "arctan", "arcsinh", "arccosh", "arctanh",
                 "log10", "log2", "log1p", "expm1", "exp2", "square"):
        yield case(getattr(np, name), cplx(4))
    for name in ("exp", "exp2", "expm1", "sin", "cos", "tan", "atan", "sinh", "cosh", "tanh", "asinh", "cbrt", "radians", "degrees", "erf", "erfc",
                 "log", "log2", "log10", "log1p", "sqrt", "asin", "acos", "atanh", "lgamma", "gamma"):
        yield case(getattr(math, name), 0.7)
    yield case(runtime.digamma, 0.7)
    yield case(math.acosh, 1.7)
    yield case(math.log, 1.7, 3.0)
    yield case(math.log, 1.7, 10)
    for name in ("exp", "log", "sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh", "asin", "acos", "atan", "asinh", "acosh", "atanh", "log10"):
        yield case(getattr(cmath, name), 0.7 + 0.3j)
    for fn in (np.arctan2, np.hypot, np.logaddexp, np.logaddexp2):
        yield from (case(fn, *p) for p in ((0.7, 1.3), (real(3), 0.4), (real(2, 3), real(3))))
    yield case(math.atan2, 0.7, -0.4)
    yield case(math.hypot, 0.7, -0.4, 1.1)
    yield case(math.dist, [0.7, 1.0], [0.2, -0.4])
    yield case(math.fsum, [0.7, 1.0, -0.4])
    yield case(math.prod, [0.7, 1.0, -0.4])
    yield case(np.sinc, np.array([0.0, 1.0, 0.5]))


def _axes(fn: Callable[..., Any], x: Any, **extra: Any) -> Iterator[Case]:
    """A reduction over everything, over an axis (also negative, several), with its dimension kept."""
    yield case(fn, x[0, 0], **extra)
    yield case(fn, x, **extra)
    for axis in (0, -1, (0, 2), 1):
        yield case(fn, x, axis=axis, **extra)
        yield case(fn, x, axis=axis, keepdims=True, **extra)
    yield case(fn, x, keepdims=True, **extra)


def reductions() -> Iterator[Case]:
    for fn in (np.sum, np.mean, np.prod, np.max, np.min, np.var, np.std, np.ptp, np.median, np.nansum, np.nanmean, np.nanvar, np.nanstd, np.nanprod,
               np.nanmax, np.nanmin, np.nanmedian):
        yield from _axes(fn, distinct(2, 3, 4))
    for fn in (np.sum, np.mean, np.var, np.std, np.prod):
        yield case(fn, cplx(2, 3), axis=0)
        yield case(fn, cplx(3))
    for name in ("sum", "mean", "prod", "max", "min", "var", "std"):
        yield case(getattr(np.ndarray, name), distinct(2, 3))
        yield case(getattr(np.ndarray, name), distinct(2, 3), 1)
    for fn in (np.var, np.std):
        yield case(fn, real(3, 4), axis=1, ddof=1)
    mask = np.array([[True, False, True], [True, True, False]])
    for fn in (np.sum, np.mean, np.prod):
        yield case(fn, real(2, 3), axis=0, where=mask) if fn is not np.prod else case(fn, real(2, 3), axis=0)
        yield case(fn, real(2, 3), where=mask) if fn is not np.prod else case(fn, real(2, 3), initial=2)
    yield case(np.mean, real(2, 3), axis=0, where=mask, keepdims=True)
    yield case(np.sum, real(2, 3), axis=0, initial=3)
    yield case(np.max, distinct(2, 3), axis=1, initial=0)
    yield case(np.min, distinct(2, 3), axis=1, initial=5, where=mask)
    for fn in (np.nansum, np.nanmean, np.nanvar, np.nanstd, np.nanprod, np.nanmax, np.nanmin, np.nanmedian, np.nancumsum):
        x = distinct(3, 4)
        x[0, 1] = x[2, 3] = np.nan
        yield case(fn, x)
        yield case(fn, x, axis=1)
    for zeros in ([0], [0, 2], []):
        x = real(4)
        x[zeros] = 0.0
        yield case(np.prod, x)
        yield case(np.cumprod, x)
        yield case(np.prod, np.stack([x, real(4)]), axis=1)
    for fn in (np.add.reduce, np.multiply.reduce, np.maximum.reduce, np.minimum.reduce):
        yield case(fn, distinct(2, 3))
        yield case(fn, distinct(2, 3), axis=1, keepdims=True)
    for fn in (np.quantile, np.percentile):
        scale = 1.0 if fn is np.quantile else 100.0
        yield case(fn, distinct(7), 0.3 * scale, fixed=(1,))
        yield from (case(fn, distinct(3, 4), 0.4 * scale, axis=a, fixed=(1,)) for a in (None, 0, 1, (0, 1)))
    yield from (case(np.average, distinct(2, 3), axis=a) for a in (None, 0))
    yield from (case(np.average, distinct(2, 3), axis=a, weights=w) for a, w in ((None, positive(2, 3)), (0, positive(2)), (1, positive(3)), (0, positive(2, 3))))
    yield case(builtins.sum, [0.7, 1.0, -0.4])
    yield case(builtins.sum, [real(2), real(2)], 0.5)
    yield case(builtins.sum, real(3))
    yield case(builtins.max, 0.7, 1.2, -0.4)
    yield case(builtins.min, 0.7, 1.2, -0.4)
    yield case(builtins.max, [0.7, 1.2, -0.4])
    yield case(builtins.min, distinct(4))


def cumulative() -> Iterator[Case]:
    for fn in (np.cumsum, np.cumprod, np.ndarray.cumsum, np.nancumsum):
        yield from (case(fn, real(4)), case(fn, real(2, 3)), case(fn, real(2, 3), axis=0), case(fn, real(2, 3), axis=-1))
    for ufunc in (np.add, np.multiply, np.maximum, np.minimum):
        yield case(ufunc.accumulate, distinct(5))
        yield case(ufunc.accumulate, distinct(2, 4), axis=1)
    yield from (case(np.diff, real(5), **k) for k in ({}, {"n": 2}))
    yield from (case(np.diff, real(3, 4), axis=a) for a in (0, 1, -1))
    yield case(np.ediff1d, real(2, 3))
    yield from (case(np.gradient, real(6)), case(np.gradient, real(6), 2), case(np.gradient, real(4, 5), axis=1), case(np.gradient, real(6), edge_order=2))
    yield case(np.gradient, real(5), np.array([0, 1, 3, 4, 8]))
    yield case(np.gradient, real(5), np.array([0, 1, 3, 4, 8]), edge_order=2)
    yield case(np.gradient, real(4, 5), 2, 3)
    yield from (case(np.trapezoid, real(5)), case(np.trapezoid, real(5), np.cumsum(positive(5))), case(np.trapezoid, real(3, 4), dx=0.5, axis=0),
                case(np.trapezoid, real(3, 4), np.cumsum(positive(4))))
    yield case(np.interp, np.array([0.3, 1.7, -1.0, 9.0]), np.array([0.0, 1.0, 2.5]), real(3))
    yield case(np.interp, 0.3, np.array([0.0, 1.0, 2.5]), real(3), left=0.4, right=-0.2)
    yield case(np.polyval, real(4), real(3))
    yield case(np.polyval, real(4), 0.7)


def products() -> Iterator[Case]:
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


def shape() -> Iterator[Case]:
    yield from (case(np.reshape, real(2, 3), s) for s in ((3, 2), -1, (6,), (1, -1)))
    yield case(np.ndarray.reshape, real(2, 3), 3, 2)
    yield case(np.ndarray.reshape, real(2, 3), (3, 2), order="F")
    yield from (case(fn, real(2, 3)) for fn in (np.ravel, np.ndarray.ravel, np.ndarray.flatten, np.transpose, np.ndarray.transpose, np.matrix_transpose,
                                                np.flip, np.fliplr, np.flipud, np.rot90, np.tril, np.triu, np.copy, np.ndarray.copy, np.atleast_1d,
                                                np.atleast_2d, np.atleast_3d, np.diag, np.diagflat, np.diagonal, np.trace, np.array, np.asarray,
                                                np.fft.fftshift, np.fft.ifftshift, np.ndarray.tolist, np.ndarray.view))
    yield case(np.ravel, real(2, 3), order="F")
    yield case(np.transpose, real(2, 3, 4), (1, 2, 0))
    yield case(np.ndarray.transpose, real(2, 3, 4), 1, 2, 0)
    yield case(np.ndarray.transpose, real(2, 3, 4), (2, 0, 1))
    yield case(np.swapaxes, real(2, 3, 4), 0, 2)
    yield from (case(np.moveaxis, real(2, 3, 4), *a) for a in ((0, -1), ((0, 1), (2, 0))))
    yield from (case(np.rollaxis, real(2, 3, 4), *a) for a in ((2,), (0, 2), (1, 3), (2, 1)))
    yield from (case(np.squeeze, real(1, 3, 1), **k) for k in ({}, {"axis": 0}, {"axis": (0, 2)}))
    yield from (case(np.expand_dims, real(3), a) for a in (0, 1, (0, 2)))
    yield from (case(fn, x) for fn in (np.atleast_1d, np.atleast_2d, np.atleast_3d) for x in (0.7, real(3)))
    yield from (case(np.broadcast_to, x, (2, 3)) for x in (0.7, real(3), real(2, 1)))
    yield case(np.flip, real(2, 3), axis=1)
    yield case(np.rot90, real(2, 3), k=3)
    yield from (case(np.roll, real(2, 3), *a) for a in ((1,), (1, 0), (-2, 1), ((1, 2), (0, 1))))
    yield from (case(np.tile, real(2, 3), r) for r in (2, (2,), (2, 1), (2, 2, 2)))
    yield case(np.tile, real(3), (2, 2))
    yield from (case(np.repeat, real(2, 3), *a) for a in ((2,), (2, 0), (3, -1), (np.array([1, 2]), 0)))
    yield case(np.repeat, 0.7, 3)
    yield from (case(np.diag, x, k) for x in (real(3), real(3, 3), real(2, 4)) for k in (0, 1, -1))
    yield from (case(np.diagonal, real(2, 3, 4), *a) for a in ((), (1,), (0, 1, 2), (-1, 0, 2)))
    yield from (case(np.trace, x, *a) for x, a in ((real(3, 3), (1,)), (real(2, 4), ()), (real(2, 3, 3), (0, 1, 2))))
    yield case(np.linalg.trace, real(2, 3, 3))
    yield case(np.linalg.diagonal, real(2, 3, 3), offset=1)
    yield from (case(np.tril, real(3, 4), k) for k in (1, -1))
    yield case(np.triu, real(2, 3, 3), 1)
    for width in (1, (1, 2), ((0, 1), (2, 0)), ((1, 1),)):
        yield case(np.pad, real(3, 4), width)
    yield from (case(np.pad, real(5), (2, 1), mode=m) for m in ("edge", "wrap", "reflect", "symmetric"))
    yield case(np.pad, real(3, 4), ((1, 0), (2, 2)), mode="edge")
    yield case(np.pad, real(3), 1, mode="constant", constant_values=7)
    yield case(np.array, [0.7, 1.2, 0.1])
    yield case(np.array, [[0.7, 1.2], [0.1, -0.3]])
    yield case(np.array, [real(3), real(3)])
    yield case(np.array, 0.7)
    yield case(np.asarray, real(3), dtype=np.float64)
    yield case(np.ndarray.astype, real(3), np.float64)
    yield case(np.ndarray.item, np.array(0.7))
    yield case(np.lib.stride_tricks.sliding_window_view, real(6), 3)
    yield case(list, [0.7, 1.0])


def joining() -> Iterator[Case]:
    a, b, c = real(2, 3), real(2, 3), real(2, 1)
    yield from (case(np.concatenate, [a, b], axis=x) for x in (0, 1, -1, None))
    yield case(np.concatenate, (a, c), 1)
    yield case(np.concatenate, [real(3), real(1), real(2)])
    yield from (case(np.stack, [a, b], axis=x) for x in (0, 1, 2, -1))
    yield from (case(fn, [a, b]) for fn in (np.vstack, np.hstack, np.column_stack, np.dstack))
    yield from (case(fn, [real(3), real(3)]) for fn in (np.vstack, np.hstack, np.column_stack, np.dstack))
    yield case(np.column_stack, [a, real(2)])
    yield case(np.hstack, [0.7, real(2), 1.2])
    yield case(np.vstack, [a, real(3)])
    yield from (case(np.append, *x) for x in ((real(3), real(2)), (real(3), 0.7), (a, b)))
    yield case(np.append, a, b, axis=0)
    yield case(np.block, [[a, c], [b, c]])
    yield case(np.block, [real(2), real(3)])
    for fn in (np.split, np.array_split):
        yield case(fn, real(6), 3)
        yield case(fn, real(4, 6), [1, 3], axis=1)
    yield case(np.array_split, real(5), 2)
    yield from (case(fn, real(4, 4, 2), 2) for fn in (np.vsplit, np.hsplit, np.dsplit))
    yield case(np.hsplit, real(4), 2)
    yield case(np.unstack, real(2, 3), axis=1)
    for options in ({}, {"indexing": "ij"}, {"sparse": True}):
        yield case(np.meshgrid, real(3), real(2), **options)
    yield case(np.meshgrid, real(3), real(2), real(2))
    yield case(np.broadcast_arrays, real(3), real(2, 1))
    yield case(np.linspace, 0.3, 1.7, 5)
    yield case(np.linspace, 0.3, 1.7, 5, endpoint=False)
    yield case(np.full, (2, 3), 0.7)
    yield case(np.full_like, np.array([1, 2]), 0.7, dtype=np.float64)
    yield case(np.geomspace, 0.3, 1.7, 5)
    yield case(np.logspace, 0.3, 1.7, 5)
    yield case(np.vander, real(3), 4)


def indexing() -> Iterator[Case]:
    for index in (0, -1, slice(1, None), (0, 1), (slice(None), 2), (Ellipsis, None), np.array([0, 0, 1]), (np.array([0, 1, 0]), np.array([2, 2, 1])),
                  np.array([[True, False, True], [False, True, True]]), [1, 0], (slice(None, None, -1), slice(0, 2))):
        yield case(operator.getitem, real(2, 3), index)
    yield from (case(np.take, real(2, 3), np.array([0, 2, 2]), axis=x) for x in (None, 1))
    yield case(np.take, real(4), 2)
    yield case(np.take_along_axis, real(2, 3), np.array([[0, 2], [1, 1]]), axis=1)
    yield case(np.compress, np.array([True, False, True]), real(2, 3), axis=1)
    yield case(np.ndarray.compress, real(3), np.array([True, False, True]))
    yield case(np.extract, np.array([True, False, True]), real(3))
    yield from (case(np.delete, real(3, 4), *x) for x in ((1, 0), ([0, 2], 1), (3,)))
    yield case(np.insert, real(4), 2, 0.7)
    yield case(np.insert, real(2, 3), 1, 0.7, axis=1)
    yield from (case(np.sort, distinct(2, 5), axis=x) for x in (0, 1, -1))
    yield case(np.sort, distinct(5))
    yield case(np.sort, distinct(2, 3), axis=None)
    yield case(np.partition, distinct(7), 3)
    yield case(sorted, [0.7, -0.2, 1.0])
    yield case(sorted, [0.7, -0.2, 1.0], reverse=True)
    yield case(np.unique, distinct(5))
    conditions = [np.array([True, False, False]), np.array([True, True, False])]
    yield case(np.select, conditions, [real(3), real(3)], 0.7)
    yield case(np.select, conditions, [real(3), real(3)])
    yield case(np.choose, np.array([0, 1, 0]), [real(3), real(3)])
    yield case(runtime.scatter, np.zeros(4), np.array([0, 0, 2]), real(3))
    yield case(runtime.scatter_along, np.zeros((2, 3)), np.array([[0, 2], [1, 1]]), real(2, 2), 1)
    yield case(np.bincount, np.array([0, 1, 1, 3]), weights=real(4))
    yield case(np.take, real(2, 3, 2), np.array([1, 0]), axis=-1)


def second() -> Iterator[Case]:
    """Functions that rules call."""
    yield case(runtime.place_diagonal, np.zeros((3, 4)), real(3))
    yield case(runtime.place_diagonal, np.zeros((3, 4)), real(2), -1)
    yield case(runtime.fold_pad, np.zeros(4), real(7), (2, 1), "edge")
    yield case(runtime.gradient_pullback, real(5), 2)
    for x in (real(4), np.array([0.0, 1.2, -0.7]), np.array([0.0, 1.2, 0.0, 0.4])):
        yield case(runtime.others_product, x)
        yield case(runtime.others_product_pullback, real(x.size), x, fixed=(1,))
        yield case(runtime.cumprod_pullback, real(x.size), x)
        yield case(runtime.cumprod_pushforward, real(x.size), x, modes=("reverse",))
    yield case(runtime.others_product, real(2, 3), 1)
    yield case(runtime.others_product, real(2, 3))
    yield case(runtime.unbroadcast, real(2, 3), real(3), fixed=(1,))
    yield case(np.add.reduceat, real(6), np.array([0, 2, 3]))


def _spd(n: int) -> Any:
    a = real(n, n)
    return a @ a.T + n * np.eye(n)


def linalg() -> Iterator[Case]:
    square, stack = real(3, 3) + 2 * np.eye(3), real(2, 3, 3) + 2 * np.eye(3)
    spd = _spd(3)
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
    yield case(np.linalg.cholesky, np.stack([spd, _spd(3)]))
    yield case(np.linalg.cholesky, spd + 1j * np.array([[0.0, -0.3, 0.1], [0.3, 0.0, 0.2], [-0.1, -0.2, 0.0]]))
    for uplo in ("L", "U"):
        yield case(np.linalg.eigh, spd, uplo)
    yield case(np.linalg.eigh, np.stack([spd, _spd(3)]))
    yield case(np.linalg.eigvalsh, spd + 1j * np.array([[0.0, -0.3, 0.1], [0.3, 0.0, 0.2], [-0.1, -0.2, 0.0]]))
    yield case(np.linalg.eig, np.diag([1.0, 2.0, 4.0]) + 0.1 * real(3, 3))
    yield case(np.linalg.svd, real(4, 3), full_matrices=False)
    yield case(np.linalg.svd, real(3, 4), full_matrices=False)
    yield case(np.linalg.svd, real(3, 3), full_matrices=False)
    yield case(np.linalg.svd, real(4, 3), without=(0, 2), modes=("reverse",))
    yield case(np.linalg.svd, cplx(4, 3), compute_uv=False)
    yield case(np.linalg.eigvals, np.diag([1.0, 2.0, 4.0]) + 0.1 * real(3, 3))


def fft() -> Iterator[Case]:
    for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"):
        fn = getattr(np.fft, name)
        x = real(6) if name in ("rfft", "ihfft") else cplx(6)
        yield case(fn, x)
        yield from (case(fn, x, n) for n in (4, 5, 8))
        yield case(fn, np.stack([x, x[::-1] * 0.5]), axis=1)
        yield from (case(fn, x, norm=norm) for norm in ("ortho", "forward"))
    yield from (case(fn, cplx(3, 4)) for fn in (np.fft.fft2, np.fft.ifft2, np.fft.fftn, np.fft.ifftn))
    yield from (case(fn, real(3, 4)) for fn in (np.fft.rfft2, np.fft.rfftn, np.fft.fft, np.fft.fft2))


FAMILIES: dict[str, Callable[[], Iterator[Case]]] = {
    "arithmetic": arithmetic, "elementary": elementary, "reductions": reductions, "cumulative": cumulative, "products": products, "shape": shape,
    "joining": joining, "indexing": indexing, "second": second, "linalg": linalg, "fft": fft,
}


def scipy() -> Iterator[Case]:
    import scipy.integrate
    import scipy.linalg
    import scipy.special as sp
    for name in ("erf", "erfc", "erfcx", "ndtr", "log_ndtr", "gammaln", "gamma", "rgamma", "digamma", "expit", "log_expit", "exprel", "entr", "j0", "j1",
                 "y0", "y1", "i0", "i1", "i0e", "i1e", "dawsn", "spence", "loggamma"):
        yield case(getattr(sp, name), positive(4))
    yield from (case(getattr(sp, name), real(3, low=0.1, high=0.9)) for name in ("erfinv", "erfcinv", "ndtri", "logit"))
    yield case(sp.lambertw, cplx(3))
    yield from (case(getattr(sp, name), positive(3), positive(3)) for name in ("beta", "betaln", "xlogy", "xlog1py", "rel_entr", "kl_div"))
    yield from (case(getattr(sp, name), positive(3), positive(3), fixed=(0,)) for name in ("gammainc", "gammaincc", "iv", "jv", "yv", "kv"))
    yield case(sp.polygamma, 2, positive(3))
    yield case(sp.multigammaln, 4.2, 3)
    yield case(sp.betainc, 1.2, 0.7, real(3, low=0.1, high=0.9), fixed=(0, 1))
    for axis in (None, 0, 1):
        yield from (case(fn, real(2, 3), axis=axis) for fn in (sp.logsumexp, sp.softmax, sp.log_softmax))
    yield case(sp.logsumexp, real(2, 3), axis=1, keepdims=True)
    yield case(sp.logsumexp, real(3), b=positive(3))
    square = real(3, 3) + 2 * np.eye(3)
    yield from (case(fn, square) for fn in (scipy.linalg.inv, scipy.linalg.det, scipy.linalg.norm, scipy.linalg.expm))
    yield case(scipy.linalg.expm_frechet, square, real(3, 3), compute_expm=False, fixed=(0,))
    yield from (case(scipy.linalg.solve, square, b) for b in (real(3), real(3, 2)))
    for lower in (False, True):
        yield case(scipy.linalg.cholesky, _spd(3), lower=lower)
        for trans in (0, 1):
            yield case(scipy.linalg.solve_triangular, square, real(3), trans=trans, lower=lower)
            yield case(scipy.linalg.solve_triangular, square, real(3, 2), trans=trans, lower=lower, unit_diagonal=True)
    yield from (case(scipy.integrate.trapezoid, real(3, 4), dx=0.5, axis=a) for a in (0, 1))
    yield case(scipy.integrate.trapezoid, real(4), np.cumsum(positive(4)))
    yield from (case(scipy.integrate.cumulative_trapezoid, real(3, 4), axis=a, initial=0) for a in (0, 1))
    yield case(scipy.integrate.cumulative_trapezoid, real(4))


FAMILIES["scipy"] = scipy

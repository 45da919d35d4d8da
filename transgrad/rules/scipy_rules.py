"""SciPy's functions: special functions, linear algebra, integrals of samples.  Read when the first of them is looked up."""
from __future__ import annotations

import math

import numpy as np
import scipy.integrate
import scipy.linalg
import scipy.special as sp

from .decompositions import adjoint, completed, hermitian, lower_half, used_part
from .linalg import turned
from .normalized import log_softmax_jvp, log_softmax_vjp, softmax_jvp, softmax_share, softmax_vjp
from .registry import alias, rule
from .sampling import cut, ends, heights, steps
from .static import NoDerivative, is_complex, lifted, ndim, options, restore, same

TWO_OVER_ROOT_PI = 2.0 / math.sqrt(math.pi)
solve_triangular = lifted(scipy.linalg.solve_triangular)
cho_solve = lifted(scipy.linalg.cho_solve)
polygamma = lifted(sp.polygamma)
expm_frechet = lifted(scipy.linalg.expm_frechet)


@rule(sp.erf)
def _(g, y, x):
    return TWO_OVER_ROOT_PI * np.exp(-x * x) * g


@rule(sp.erfc)
def _(g, y, x):
    return -TWO_OVER_ROOT_PI * np.exp(-x * x) * g


@rule(sp.erfcx)
def _(g, y, x):
    return (2.0 * x * y - TWO_OVER_ROOT_PI) * g


@rule(sp.erfinv)
def _(g, y, x):
    return np.exp(y * y) / TWO_OVER_ROOT_PI * g


@rule(sp.erfcinv)
def _(g, y, x):
    return -np.exp(y * y) / TWO_OVER_ROOT_PI * g


@rule(sp.ndtr)
def _(g, y, x):
    return np.exp(-0.5 * x * x) / math.sqrt(2.0 * math.pi) * g


@rule(sp.log_ndtr)
def _(g, y, x):
    return np.exp(-0.5 * x * x - y) / math.sqrt(2.0 * math.pi) * g


@rule(sp.ndtri)
def _(g, y, x):
    return math.sqrt(2.0 * math.pi) * np.exp(0.5 * y * y) * g


@rule(sp.gammaln, sp.loggamma)
def _(g, y, x):
    return g * sp.digamma(x)


@rule(sp.gamma)
def _(g, y, x):
    return g * y * sp.digamma(x)


@rule(sp.rgamma)
def _(g, y, x):
    return -g * y * sp.digamma(x)


@rule(sp.digamma)
def _(g, y, x):
    return g * polygamma(1, x)


@rule(sp.polygamma)
def _(g, y, n, x):
    return None, g * polygamma(n + 1, x)


@rule(sp.multigammaln)
def _(g, y, a, d):
    return g * sum(sp.digamma(a - 0.5 * k) for k in range(d))


@rule(sp.beta)
def _(g, y, a, b):
    both = sp.digamma(a + b)
    return g * y * (sp.digamma(a) - both), g * y * (sp.digamma(b) - both)


@rule(sp.betaln)
def _(g, y, a, b):
    both = sp.digamma(a + b)
    return g * (sp.digamma(a) - both), g * (sp.digamma(b) - both)


@rule(sp.gammainc)
def _(g, y, a, x):
    return None, g * np.exp((a - 1.0) * np.log(x) - x - sp.gammaln(a))


@rule(sp.gammaincc)
def _(g, y, a, x):
    return None, -g * np.exp((a - 1.0) * np.log(x) - x - sp.gammaln(a))


@rule(sp.betainc)
def _(g, y, a, b, x):
    return None, None, g * np.exp((a - 1.0) * np.log(x) + (b - 1.0) * np.log1p(-x) - sp.betaln(a, b))


@rule(sp.expit)
def _(g, y, x):
    return g * y * (1.0 - y)


@rule(sp.log_expit)
def _(g, y, x):
    return g * sp.expit(-x)


@rule(sp.logit)
def _(g, y, x):
    return g / (x * (1.0 - x))


@rule(sp.exprel)
def _(g, y, x):
    return g * (np.exp(x) - y) / (x + same(x, 0)) + 0.5 * g * same(x, 0)


@rule(sp.xlogy)
def _(g, y, x, z):
    return g * np.log(z + same(z, 0)), g * x / z


@rule(sp.xlog1py)
def _(g, y, x, z):
    return g * np.log1p(z), g * x / (1.0 + z)


@rule(sp.entr)
def _(g, y, x):
    return -g * (np.log(x) + 1.0)


@rule(sp.rel_entr)
def _(g, y, x, z):
    return g * (np.log(x / z) + 1.0), -g * x / z


@rule(sp.kl_div)
def _(g, y, x, z):
    return g * np.log(x / z), g * (1.0 - x / z)


@rule(sp.j0)
def _(g, y, x):
    return -g * sp.j1(x)


@rule(sp.j1)
def _(g, y, x):
    return 0.5 * g * (sp.j0(x) - sp.jv(2, x))


@rule(sp.y0)
def _(g, y, x):
    return -g * sp.y1(x)


@rule(sp.y1)
def _(g, y, x):
    return 0.5 * g * (sp.y0(x) - sp.yv(2, x))


@rule(sp.jv, sp.jn)
def _(g, y, n, x):
    return None, 0.5 * g * (sp.jv(n - 1, x) - sp.jv(n + 1, x))


@rule(sp.yv, sp.yn)
def _(g, y, n, x):
    return None, 0.5 * g * (sp.yv(n - 1, x) - sp.yv(n + 1, x))


@rule(sp.i0)
def _(g, y, x):
    return g * sp.i1(x)


@rule(sp.i1)
def _(g, y, x):
    return 0.5 * g * (sp.i0(x) + sp.iv(2, x))


@rule(sp.iv)
def _(g, y, n, x):
    return None, 0.5 * g * (sp.iv(n - 1, x) + sp.iv(n + 1, x))


@rule(sp.i0e)
def _(g, y, x):
    return g * (sp.i1e(x) - y * np.sign(x))


@rule(sp.i1e)
def _(g, y, x):
    return g * (sp.i0e(x) - y / (x + same(x, 0)) - 0.5 * same(x, 0) - y * np.sign(x))


@rule(sp.kv)
def _(g, y, n, x):
    return None, -0.5 * g * (sp.kv(n - 1, x) + sp.kv(n + 1, x))


@rule(sp.lambertw)
def _(g, y, z, k=0, tol=1e-8):
    return g / (z + np.exp(y))


@rule(sp.dawsn)
def _(g, y, x):
    return g * (1.0 - 2.0 * x * y)


@rule(sp.spence)
def _(g, y, x):
    return g * np.log(x) / (1.0 - x)


def logsumexp_by_a(t, y, a, axis=None, b=None, keepdims=False, return_sign=False):
    return np.sum(softmax_share(y, a, axis, keepdims) * (t if b is None else b * t), **options(axis=axis, keepdims=keepdims))


def logsumexp_by_b(t, y, a, axis=None, b=None, keepdims=False, return_sign=False):
    return np.sum(softmax_share(y, a, axis, keepdims) * t, **options(axis=axis, keepdims=keepdims))


@rule(sp.logsumexp, kind="general", jvp=(logsumexp_by_a, None, logsumexp_by_b))
def _(g, y, a, axis=None, b=None, keepdims=False, return_sign=False):
    if return_sign:
        raise NoDerivative("no derivative of logsumexp with return_sign=True")
    share = softmax_share(y, a, axis, keepdims)
    g = restore(g, axis, keepdims)
    return g * share if b is None else g * b * share, None, None if b is None else g * share


rule(sp.softmax, kind="general", jvp=softmax_jvp)(softmax_vjp)
rule(sp.log_softmax, kind="general", jvp=log_softmax_jvp)(log_softmax_vjp)

for _name in ("inv", "det", "pinv", "norm"):
    alias(getattr(np.linalg, _name), getattr(scipy.linalg, _name))


@rule(scipy.linalg.solve, kind="general", jvp=(
    lambda t, y, a, b, **how: -np.linalg.solve(a, t @ y), lambda t, y, a, b, **how: np.linalg.solve(a, t)))
def _(g, y, a, b, **how):
    if how:
        raise NoDerivative("no derivative of scipy.linalg.solve with options; leave them out")
    s = np.linalg.solve(turned(a), g)
    return -s @ turned(y) if ndim(b) > 1 else -np.outer(s, y), s


def solve_triangular_by_a(t, y, a, b, trans=0, lower=False, unit_diagonal=False, **how):
    half = np.tril(t, -1 if unit_diagonal else 0) if lower else np.triu(t, 1 if unit_diagonal else 0)
    return -solve_triangular(a, (half if trans in (0, "N") else turned(half)) @ y, trans, lower, unit_diagonal)


@rule(scipy.linalg.solve_triangular, kind="general", jvp=(
    solve_triangular_by_a,
    lambda t, y, a, b, trans=0, lower=False, unit_diagonal=False, **how: solve_triangular(a, t, trans, lower, unit_diagonal)))
def _(g, y, a, b, trans=0, lower=False, unit_diagonal=False, **how):
    if is_complex(a) or trans in (2, "C"):
        raise NoDerivative("no derivative of solve_triangular of a complex matrix")
    plain = trans in (0, "N")
    s = solve_triangular(a, g, 1 if plain else 0, lower, unit_diagonal)
    outer = s @ turned(y) if ndim(b) > 1 else np.outer(s, y)
    full = -outer if plain else -turned(outer)
    return np.tril(full, -1 if unit_diagonal else 0) if lower else np.triu(full, 1 if unit_diagonal else 0), s


def scipy_cholesky_jvp(t, y, a, lower=False, **how):
    low = y if lower else adjoint(y)
    s = np.linalg.solve(low, adjoint(np.linalg.solve(low, completed(t, "L" if lower else "U"))))
    out = low @ lower_half(s)
    return out if lower else adjoint(out)


@rule(scipy.linalg.cholesky, kind="general", jvp=scipy_cholesky_jvp)
def _(g, y, a, lower=False, **how):
    if is_complex(a):
        raise NoDerivative("no derivative of scipy.linalg.cholesky of a complex matrix; numpy.linalg.cholesky has one")
    up, bar = (turned(y), g) if lower else (y, turned(g))
    s = np.linalg.solve(up, turned(np.linalg.solve(up, turned(lower_half(up @ bar)))))
    return used_part(hermitian(s), "L" if lower else "U")


@rule(scipy.linalg.expm, kind="general", jvp=lambda t, y, a: expm_frechet(a, t, compute_expm=False))
def _(g, y, a):
    if ndim(a) != 2:
        raise NoDerivative("the derivative of expm is there for one matrix")
    return expm_frechet(turned(a), g, compute_expm=False)


@rule(scipy.linalg.expm_frechet, kind="linear", linear_in=(1,))
def _(g, y, a, e, *, compute_expm=False):
    return None, expm_frechet(turned(a), g, compute_expm=False)


@rule(scipy.integrate.trapezoid, kind="general", jvp=(
    lambda t, r, y, x=None, dx=1.0, axis=-1: np.trapezoid(t, x, dx, axis),
    lambda t, r, y, x=None, dx=1.0, axis=-1: np.sum(heights(y, axis) * steps(t, y, axis), axis=axis),
    lambda t, r, y, x=None, dx=1.0, axis=-1: t * np.sum(heights(y, axis), axis=axis)))
def _(g, _y, y, x=None, dx=1.0, axis=-1):
    spread = restore(g, axis)
    if x is None:
        even = np.zeros_like(cut(y, axis, slice(1, None)))
        return ends(0.5 * dx * spread + even, axis, 1.0), None, np.sum(g * np.sum(heights(y, axis), axis=axis))
    along = ends(spread * heights(y, axis), axis, -1.0)
    if ndim(x) < ndim(y):
        along = np.sum(along, axis=tuple(k for k in range(ndim(y)) if k != axis % ndim(y)))
    return ends(0.5 * spread * steps(x, y, axis), axis, 1.0), along


@rule(scipy.integrate.cumulative_trapezoid, kind="linear")
def _(g, _y, y, x=None, dx=1.0, axis=-1, initial=None):
    if initial is not None:
        g = cut(g, axis, slice(1, None))
    later = np.flip(np.cumsum(np.flip(g, axis), axis), axis)
    return ends(0.5 * later * (dx if x is None else steps(x, y, axis)), axis, 1.0)




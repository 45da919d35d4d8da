"""Orthogonal polynomials by their variable: the derivative of one is a multiple of another.

By the degree they have no derivative (it is a whole number), nor, here, by the parameters of the weight.
"""
from __future__ import annotations

import scipy.special as sp

from ...registry import rule
from ...static import same


@rule(sp.eval_legendre)
def _(g, y, n, x):
    return None, 0.5 * g * (n + 1) * sp.eval_jacobi(n - 1, 1.0, 1.0, x)


@rule(sp.eval_sh_legendre)
def _(g, y, n, x):
    return None, g * (n + 1) * sp.eval_jacobi(n - 1, 1.0, 1.0, 2.0 * x - 1.0)


@rule(sp.eval_chebyt)
def _(g, y, n, x):
    return None, g * n * sp.eval_chebyu(n - 1, x)


@rule(sp.eval_sh_chebyt)
def _(g, y, n, x):
    return None, 2.0 * g * n * sp.eval_chebyu(n - 1, 2.0 * x - 1.0)


@rule(sp.eval_chebyu)
def _(g, y, n, x):
    return None, 2.0 * g * sp.eval_gegenbauer(n - 1, 2.0, x)


@rule(sp.eval_sh_chebyu)
def _(g, y, n, x):
    return None, 4.0 * g * sp.eval_gegenbauer(n - 1, 2.0, 2.0 * x - 1.0)


@rule(sp.eval_chebyc)
def _(g, y, n, x):
    return None, g * n * sp.eval_chebyu(n - 1, 0.5 * x)


@rule(sp.eval_chebys)
def _(g, y, n, x):
    return None, g * sp.eval_gegenbauer(n - 1, 2.0, 0.5 * x)


@rule(sp.eval_gegenbauer)
def _(g, y, n, alpha, x):
    return None, None, 2.0 * g * alpha * sp.eval_gegenbauer(n - 1, alpha + 1.0, x)


@rule(sp.eval_jacobi)
def _(g, y, n, alpha, beta, x):
    return None, None, None, 0.5 * g * (n + alpha + beta + 1.0) * sp.eval_jacobi(n - 1, alpha + 1.0, beta + 1.0, x)


@rule(sp.eval_sh_jacobi)
def _(g, y, n, p, q, x):
    return None, None, None, g * n * sp.eval_sh_jacobi(n - 1 + same(n, 0), p + 2.0, q + 1.0, x)


@rule(sp.eval_laguerre)
def _(g, y, n, x):
    return None, -g * sp.eval_genlaguerre(n - 1, 1.0, x)


@rule(sp.eval_genlaguerre)
def _(g, y, n, alpha, x):
    return None, None, -g * sp.eval_genlaguerre(n - 1, alpha + 1.0, x)


@rule(sp.eval_hermite)
def _(g, y, n, x):
    return None, 2.0 * g * n * sp.eval_hermite(n - 1 + same(n, 0), x)


@rule(sp.eval_hermitenorm)
def _(g, y, n, x):
    return None, g * n * sp.eval_hermitenorm(n - 1 + same(n, 0), x)


@rule(sp.lpmv)
def _(g, y, m, v, x):
    return None, None, g * (v * x * y - (v + m) * sp.lpmv(m, v - 1, x)) / (x * x - 1.0)

"""scipy.linalg."""
from __future__ import annotations

import numpy as np
import scipy.linalg

from ..decompositions import adjoint, completed, hermitian, lower_half, used_part
from ..linalg import turned
from ..registry import alias, rule
from ..static import NoDerivative, is_complex, lifted, ndim

solve_triangular = lifted(scipy.linalg.solve_triangular)
expm_frechet = lifted(scipy.linalg.expm_frechet)

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

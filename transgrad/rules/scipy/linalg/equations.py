"""Matrix equations: Sylvester, Lyapunov, Riccati.  A derivative solves an equation of the same kind, or the linear one beside it."""
from __future__ import annotations

import numpy as np
import scipy.linalg

from ...linalg import turned
from ...registry import alias, rule
from ...static import NoDerivative, is_complex, lifted

sylvester = lifted(scipy.linalg.solve_sylvester)
continuous = lifted(scipy.linalg.solve_continuous_lyapunov)
discrete = lifted(scipy.linalg.solve_discrete_lyapunov)


def real(*matrices):
    if any(map(is_complex, matrices)):
        raise NoDerivative("no derivative of this equation between complex matrices")


@rule(scipy.linalg.solve_sylvester, kind="general", jvp=(
    lambda t, x, a, b, q: -sylvester(a, b, t @ x), lambda t, x, a, b, q: -sylvester(a, b, x @ t), lambda t, x, a, b, q: sylvester(a, b, t)))
def _(g, y, a, b, q):
    z = sylvester(turned(a), turned(b), g)
    return -z @ turned(y), -turned(y) @ z, z


@rule(scipy.linalg.solve_continuous_lyapunov, kind="general", jvp=(
    lambda t, x, a, q: -continuous(a, t @ x + x @ turned(t)), lambda t, x, a, q: continuous(a, t)))
def _(g, y, a, q):
    real(a, q)
    z = continuous(turned(a), g)
    return -(z @ turned(y) + turned(z) @ y), z


alias(scipy.linalg.solve_continuous_lyapunov, getattr(scipy.linalg, "solve_lyapunov", None))


@rule(scipy.linalg.solve_discrete_lyapunov, kind="general", jvp=(
    lambda t, x, a, q, method=None: discrete(a, t @ x @ turned(a) + a @ x @ turned(t)), lambda t, x, a, q, method=None: discrete(a, t)))
def _(g, y, a, q, method=None):
    real(a, q)
    z = discrete(turned(a), g)
    return z @ a @ turned(y) + turned(z) @ a @ y, z


def closed_loop(x, a, b, r):
    """The feedback of the continuous problem, and the system under it."""
    k = np.linalg.solve(r, turned(b) @ x)
    return k, a - b @ k


def riccati_jvp(change):
    """The forward derivative for one of the matrices, from what it adds to the linear equation."""
    def jvp(t, x, a, b, q, r, **how):
        k, loop = closed_loop(x, a, b, r)
        return -continuous(turned(loop), change(t, x, k))
    return jvp


def plain_riccati(e, s):
    if e is not None or s is not None:
        raise NoDerivative("the Riccati equations have a derivative without e and s")


@rule(scipy.linalg.solve_continuous_are, kind="general", jvp=(
    riccati_jvp(lambda t, x, k: turned(t) @ x + x @ t), riccati_jvp(lambda t, x, k: -(x @ t @ k + turned(k) @ turned(t) @ x)),
    riccati_jvp(lambda t, x, k: t), riccati_jvp(lambda t, x, k: turned(k) @ t @ k)))
def _(g, y, a, b, q, r, e=None, s=None, balanced=True):
    plain_riccati(e, s)
    real(a, b, q, r)
    k, loop = closed_loop(y, a, b, r)
    z = continuous(loop, g)
    both = y @ (z + turned(z))
    return -both, both @ turned(k), -z, -k @ z @ turned(k)


def discrete_loop(x, a, b, r):
    """The feedback of the discrete problem, and the system under it."""
    k = np.linalg.solve(r + turned(b) @ x @ b, turned(b) @ x @ a)
    return k, a - b @ k


def discrete_riccati_jvp(change):
    def jvp(t, x, a, b, q, r, **how):
        k, loop = discrete_loop(x, a, b, r)
        return discrete(turned(loop), change(t, x, k, loop))
    return jvp


@rule(scipy.linalg.solve_discrete_are, kind="general", jvp=(
    discrete_riccati_jvp(lambda t, x, k, loop: turned(t) @ x @ loop + turned(loop) @ x @ t),
    discrete_riccati_jvp(lambda t, x, k, loop: -(turned(loop) @ x @ t @ k + turned(k) @ turned(t) @ x @ loop)),
    discrete_riccati_jvp(lambda t, x, k, loop: t), discrete_riccati_jvp(lambda t, x, k, loop: turned(k) @ t @ k)))
def _(g, y, a, b, q, r, e=None, s=None, balanced=True):
    plain_riccati(e, s)
    real(a, b, q, r)
    k, loop = discrete_loop(y, a, b, r)
    z = discrete(loop, g)
    both = y @ loop @ (z + turned(z))
    return both, -both @ turned(k), z, k @ z @ turned(k)

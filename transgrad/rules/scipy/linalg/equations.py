"""Matrix equations: Sylvester, Lyapunov, Riccati.  A derivative solves an equation of the same kind, or the linear one beside it."""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg

from ...decompositions import adjoint, conj
from ...linalg import turned
from ...registry import alias, definition, rule
from ...static import lifted

sylvester = lifted(scipy.linalg.solve_sylvester)
continuous = lifted(scipy.linalg.solve_continuous_lyapunov)
discrete = lifted(scipy.linalg.solve_discrete_lyapunov)


@rule(scipy.linalg.solve_sylvester, kind="general", jvp=(
    lambda t, x, a, b, q: -sylvester(a, b, t @ x), lambda t, x, a, b, q: -sylvester(a, b, x @ t), lambda t, x, a, b, q: sylvester(a, b, t)))
def _(g, y, a, b, q):
    z = sylvester(turned(a), turned(b), g)
    return -z @ turned(y), -turned(y) @ z, z


@rule(scipy.linalg.solve_continuous_lyapunov, kind="general", jvp=(
    lambda t, x, a, q: -continuous(a, t @ x + x @ adjoint(t)), lambda t, x, a, q: continuous(a, t)))
def _(g, y, a, q):
    z = continuous(turned(a), g)
    return -(z @ turned(y) + conj(turned(z) @ y)), z


alias(scipy.linalg.solve_continuous_lyapunov, getattr(scipy.linalg, "solve_lyapunov", None))


@rule(scipy.linalg.solve_discrete_lyapunov, kind="general", jvp=(
    lambda t, x, a, q, method=None: discrete(a, t @ x @ adjoint(a) + a @ x @ adjoint(t)), lambda t, x, a, q, method=None: discrete(a, t)))
def _(g, y, a, q, method=None):
    z = discrete(turned(a), g)
    return z @ conj(a) @ turned(y) + conj(turned(z) @ a @ y), z


def plain_riccati(a: Any, b: Any, q: Any, r: Any, e: Any = None, s: Any = None, balanced: Any = True) -> bool:
    """Whether the equation is that of four matrices; others are transformed to it."""
    return e is None and s is None


def reduced(a: Any, b: Any, q: Any, r: Any, e: Any, s: Any) -> Any:
    """The plain equation with the same solution as one with the descriptor ``e`` and the cross weight ``s``."""
    if e is not None:
        inverse = np.linalg.inv(e)
        a, q = a @ inverse, np.conj(inverse).T @ q @ inverse
        s = None if s is None else np.conj(inverse).T @ s
    if s is None:
        return a, q
    gain = np.linalg.solve(r, np.conj(s).T)
    return a - b @ gain, q - s @ gain


def closed_loop(x, a, b, r):
    """The feedback of the continuous problem, and the system under it."""
    k = np.linalg.solve(r, adjoint(b) @ x)
    return k, a - b @ k


def riccati_jvp(change):
    """The forward derivative for one of the matrices, from its contribution to the linear equation."""
    def jvp(t, x, a, b, q, r, **how):
        k, loop = closed_loop(x, a, b, r)
        return -continuous(adjoint(loop), change(t, x, k))
    return jvp


@rule(scipy.linalg.solve_continuous_are, kind="general", when=plain_riccati, jvp=(
    riccati_jvp(lambda t, x, k: adjoint(t) @ x + x @ t), riccati_jvp(lambda t, x, k: -(x @ t @ k + adjoint(k) @ adjoint(t) @ x)),
    riccati_jvp(lambda t, x, k: t), riccati_jvp(lambda t, x, k: adjoint(k) @ t @ k)))
def _(g, y, a, b, q, r, e=None, s=None, balanced=True):
    """The matrices q and r and their tangents are assumed to be Hermitian."""
    k, loop = closed_loop(y, a, b, r)
    z = continuous(conj(loop), g)
    both = conj(y) @ (z + adjoint(z))
    return -both, both @ turned(k), -z, -conj(k) @ z @ turned(k)


@definition(scipy.linalg.solve_continuous_are)
def continuous_are(a: Any, b: Any, q: Any, r: Any, e: Any = None, s: Any = None, balanced: Any = True) -> Any:
    """The matrices q and r and their tangents are assumed to be Hermitian."""
    plain, weight = reduced(a, b, q, r, e, s)
    return scipy.linalg.solve_continuous_are(plain, b, weight, r)


def discrete_loop(x, a, b, r):
    """The feedback of the discrete problem, and the system under it."""
    k = np.linalg.solve(r + adjoint(b) @ x @ b, adjoint(b) @ x @ a)
    return k, a - b @ k


def discrete_riccati_jvp(change):
    def jvp(t, x, a, b, q, r, **how):
        k, loop = discrete_loop(x, a, b, r)
        return discrete(adjoint(loop), change(t, x, k, loop))
    return jvp


@rule(scipy.linalg.solve_discrete_are, kind="general", when=plain_riccati, jvp=(
    discrete_riccati_jvp(lambda t, x, k, loop: adjoint(t) @ x @ loop + adjoint(loop) @ x @ t),
    discrete_riccati_jvp(lambda t, x, k, loop: -(adjoint(loop) @ x @ t @ k + adjoint(k) @ adjoint(t) @ x @ loop)),
    discrete_riccati_jvp(lambda t, x, k, loop: t), discrete_riccati_jvp(lambda t, x, k, loop: adjoint(k) @ t @ k)))
def _(g, y, a, b, q, r, e=None, s=None, balanced=True):
    """The matrices q and r and their tangents are assumed to be Hermitian."""
    k, loop = discrete_loop(y, a, b, r)
    z = discrete(conj(loop), g)
    both = conj(y @ loop) @ (z + adjoint(z))
    return both, -both @ turned(k), z, conj(k) @ z @ turned(k)


@definition(scipy.linalg.solve_discrete_are)
def discrete_are(a: Any, b: Any, q: Any, r: Any, e: Any = None, s: Any = None, balanced: Any = True) -> Any:
    """The matrices q and r and their tangents are assumed to be Hermitian."""
    plain, weight = reduced(a, b, q, r, e, s)
    return scipy.linalg.solve_discrete_are(plain, b, weight, r)

"""Levels and states of ``D + q V``, tridiagonal matrices behind Mathieu's and the spheroidal equation, differentiated by ``q``.

Any derivative is a coefficient of perturbation theory's series in the basis of all states at ``q``.  The levels of a tridiagonal matrix
are distinct, so that it has no kinks.
"""
from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...registry import rule
from ...static import ZERO, lifted

__all__ = ["along_level", "along_state", "level", "state"]


def matrices(kind: str, m: int, n: int, q: float) -> tuple[Any, Any, Any, int]:
    """The diagonal of D, the matrix V, the numbers of the basis functions, and which level from below is meant."""
    count = n // 2 + 24 + int(2.0 * math.sqrt(abs(q)))
    k = np.arange(count)
    if kind == "spheroidal":
        r = m + (n - m) % 2 + 2 * k
        every = np.arange(m + 2 * count + 4)
        step = np.sqrt(np.maximum(every ** 2 - m * m, 0) / np.abs(4.0 * every ** 2 - 1.0))     # x P_r = step_r P_(r-1) + step_(r+1) P_(r+1)
        coupling = step[r[:-1] + 1] * step[r[:-1] + 2]
        return r * (r + 1.0), np.diag(step[r + 1] ** 2 + step[r] ** 2) + np.diag(coupling, 1) + np.diag(coupling, -1), r, (n - m) // 2
    odd = n % 2
    r = 2 * k + (odd if kind == "even" or odd else 2)
    coupling = np.ones(count - 1)
    if kind == "even" and not odd:
        coupling[0] = math.sqrt(2.0)        # with the constant, which is normalised otherwise
    V = np.diag(coupling, 1) + np.diag(coupling, -1)
    if odd:
        V[0, 0] = 1.0 if kind == "even" else -1.0
    return r.astype(float) ** 2, V, r, n // 2 if kind == "even" or odd else n // 2 - 1


def series(kind: str, m: int, n: int, q: float, order: int) -> tuple[Any, Any, Any]:
    """The coefficients up to an order of the level and of the normalised state, and the numbers of the basis functions."""
    D, V, numbers, k = matrices(kind, m, n, q)
    levels, states = np.linalg.eigh(np.diag(D) + q * V)
    W = states.T @ V @ states
    gaps = levels[k] - levels
    resolvent = np.divide(1.0, gaps, out=np.zeros_like(gaps), where=np.arange(len(gaps)) != k)
    energies, vectors = [levels[k]], [np.eye(len(gaps))[k]]
    for i in range(1, order + 1):
        energies.append(W[k] @ vectors[i - 1])
        vectors.append(resolvent * (W @ vectors[i - 1] - sum((energies[j] * vectors[i - j] for j in range(1, i)), np.zeros(len(gaps)))))
    squares = [sum(vectors[j] @ vectors[i - j] for j in range(i + 1)) for i in range(order + 1)]
    scale = [1.0]       # of the power series of the inverse root
    for i in range(1, order + 1):
        scale.append(sum((-0.5 * j - (i - j)) * squares[j] * scale[i - j] for j in range(1, i + 1)) / i)
    normal = [sum(scale[j] * vectors[i - j] for j in range(i + 1)) for i in range(order + 1)]
    return energies, [states @ v for v in normal], numbers


def _each(fn: Any, *args: Any) -> Any:
    """A function of numbers, of arrays that broadcast."""
    found = np.array([fn(*(v.item() for v in values)) for values in np.broadcast(*args)], float)
    return found.reshape(np.broadcast_shapes(*(np.shape(a) for a in args)))[()]


def level(kind: str, m: Any, n: Any, q: Any, order: int) -> Any:
    """A derivative by ``q`` of a characteristic value."""
    return _each(lambda m, n, q: math.factorial(order) * series(kind, int(m), int(n), q, order)[0][order], *map(np.asarray, (m, n, q)))


def state(kind: str, n: Any, q: Any, x: Any, order: int, bend: int) -> Any:
    """A derivative by ``q``, and as many by ``x`` as ``bend`` says, of Mathieu's cosines ("even") and sines ("odd")."""
    def number(n: float, q: float, x: float) -> float:
        _, vectors, numbers = series(kind, 0, int(n), q, order)
        weight = np.where(numbers == 0, math.sqrt(0.5), 1.0) if kind == "even" else 1.0
        sign = np.sign(np.sum(vectors[0] * weight * (1.0 if kind == "even" else numbers)))
        phase = (0.0 if kind == "even" else -0.5 * math.pi) + 0.5 * math.pi * bend
        waves = weight * numbers.astype(float) ** bend * np.cos(numbers * x + phase)
        return float(math.factorial(order) * sign * (vectors[order] @ waves))
    return _each(number, *map(np.asarray, (n, q, x)))


along_level, along_state = lifted(level), lifted(state)


@rule(level, kind="elementwise")
def _(g, y, kind, m, n, q, order):
    return ZERO, ZERO, ZERO, g * along_level(kind, m, n, q, order + 1)


@rule(state, kind="elementwise")
def _(g, y, kind, n, q, x, order, bend):
    return ZERO, ZERO, g * along_state(kind, n, q, x, order + 1, bend), g * along_state(kind, n, q, x, order, bend + 1)

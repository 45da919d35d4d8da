"""Responses of linear systems to signals, steps and impulses, for systems given by two polynomials or by four matrices."""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg
import scipy.signal as sg

from ...registry import definition
from ...static import NoDerivative
from .conversion import tf2ss


def matrices(system: Any, extra: int) -> Any:
    """The four matrices of a system, which is followed by ``extra`` numbers."""
    if len(system) - extra == 2:
        return tf2ss(system[0], system[1])
    if len(system) - extra != 4:
        raise NoDerivative("answers have a derivative for systems of two polynomials or of four matrices: call zpk2tf before")
    return system[0], system[1], system[2], system[3]


def given_times(t: Any) -> None:
    if t is None:
        raise NoDerivative("the times that scipy.signal chooses follow from the eigenvalues: pass T")


def march(first: Any, step: Any, inputs: Any) -> Any:
    """The states ``x[i + 1] = x[i] @ step + inputs[i]``."""
    x = np.zeros((inputs.shape[0] + 1, first.shape[0])) + 0.0 * first
    x[0] = first
    for i in range(inputs.shape[0]):
        x[i + 1] = x[i] @ step + inputs[i]
    return x


@definition(sg.lsim, lists=True)
def lsim(system: Any, U: Any, T: Any, X0: Any = None, interp: Any = True) -> Any:
    """With respect to the system, the input and the state at the start; the times are even, and through their step."""
    a, b, c, d = matrices(system, 0)
    n, m = a.shape[0], b.shape[1]
    dt = T[1] - T[0]
    count = T.shape[0]
    start = np.zeros(n) if X0 is None else X0
    first = scipy.linalg.expm(a * T[0]) @ start
    u = np.zeros((count, m)) if U is None or np.ndim(U) == 0 else np.reshape(U, (count, -1))
    if interp:
        inside = np.pad(np.concatenate((a * dt, b * dt), axis=1), ((0, 0), (0, m)))
        shift = np.concatenate((np.zeros((m, n + m)), np.eye(m)), axis=1)
        whole = scipy.linalg.expm(np.concatenate((inside, shift, np.zeros((m, n + 2 * m))), axis=0))
        later = whole[:n, n + m:]
        inputs = u[:-1] @ (whole[:n, n:n + m] - later).T + u[1:] @ later.T
    else:
        whole = scipy.linalg.expm(np.pad(np.concatenate((a * dt, b * dt), axis=1), ((0, m), (0, 0))))
        inputs = u[:-1] @ whole[:n, n:].T
    x = march(first, whole[:n, :n].T, inputs)
    return T, np.squeeze(x @ c.T + u @ d.T), np.squeeze(x)


@definition(sg.impulse, lists=True)
def impulse(system: Any, X0: Any = None, T: Any = None, N: Any = None) -> Any:
    """At times that are given."""
    given_times(T)
    a, b, c, d = matrices(system, 0)
    start = b[:, 0] if X0 is None else b[:, 0] + np.reshape(X0, (-1,))
    return T, lsim((a, b, c, d), None, T, start, False)[1]


@definition(sg.step, lists=True)
def step(system: Any, X0: Any = None, T: Any = None, N: Any = None) -> Any:
    """At times that are given."""
    given_times(T)
    return T, lsim(system, np.ones(T.shape[0]), T, X0, False)[1]


@definition(sg.dlsim, lists=True)
def dlsim(system: Any, u: Any, t: Any = None, x0: Any = None) -> Any:
    """With respect to the system, the input and the state at the start, at every time step."""
    if t is not None:
        raise NoDerivative("dlsim has a derivative without t: interpolate the input before")
    a, b, c, d = matrices(system, 1)
    inputs = np.reshape(u, (-1, b.shape[1]))
    x = march(np.zeros(a.shape[0]) if x0 is None else x0, a.T, inputs[:-1] @ b.T)
    times = np.arange(inputs.shape[0]) * system[len(system) - 1]
    y = x @ c.T + inputs @ d.T
    return (times, y, x) if len(system) == 5 else (times, y)


def counted(t: Any, n: Any) -> Any:
    if t is not None:
        raise NoDerivative("answers in discrete time have a derivative without t: pass n")
    return 100 if n is None else n


def answer(system: Any, x0: Any, u: Any) -> Any:
    """The answers to the same signal at each input alone."""
    a, b, c, d = matrices(system, 1)
    start = np.zeros(a.shape[0]) if x0 is None else x0
    found = []
    for k in range(b.shape[1]):
        x = march(start, a.T, u[:-1, None] * b[:, k])
        found.append(x @ c.T + u[:, None] * d[:, k])
    return np.arange(u.shape[0]) * system[len(system) - 1], found


@definition(sg.dimpulse, lists=True)
def dimpulse(system: Any, x0: Any = None, t: Any = None, n: Any = None) -> Any:
    """A number of samples."""
    times, y = answer(system, x0, np.where(np.arange(counted(t, n)) == 0, 1.0, 0.0))
    return times, tuple(y)


@definition(sg.dstep, lists=True)
def dstep(system: Any, x0: Any = None, t: Any = None, n: Any = None) -> Any:
    """A number of samples."""
    times, y = answer(system, x0, np.ones(counted(t, n)))
    return times, tuple(y)

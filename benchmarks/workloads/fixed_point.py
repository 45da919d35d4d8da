"""A fixed point of arrays in a ``while`` loop: the equilibrium of a small recurrent network."""
import numpy as np

from ..workload import Workload


def equilibrium(w, b, target, tol):
    x = np.zeros_like(b)
    change = 1.0
    while change > tol:
        y = np.tanh(w @ x + b)
        change = np.max(np.abs(y - x))
        x = y
    return np.sum((x - target) ** 2)


def by_hand(w, b, target, tol):
    """The states are kept; that the loop converged is not made use of."""
    x = np.zeros_like(b)
    states = [x]
    change = 1.0
    while change > tol:
        y = np.tanh(w @ x + b)
        change = np.max(np.abs(y - x))
        x = y
        states.append(x)

    x_bar = 2.0 * (x - target)
    inner = []
    for y in reversed(states[1:]):
        s = y * y
        np.subtract(1.0, s, out=s)
        s *= x_bar
        inner.append(s)
        x_bar = s @ w
    before = np.array(states[-2::-1])
    inner = np.array(inner)
    return inner.T @ before, inner.sum(axis=0)


def arguments(rng, n):
    return 0.4 * rng.normal(size=(n, n)) / np.sqrt(n), rng.normal(size=n), rng.normal(size=n), 1e-13


workload = Workload(equilibrium, by_hand, arguments, {"50 states": 50}, tiny=4, wrt=(0, 1), limit="loop")

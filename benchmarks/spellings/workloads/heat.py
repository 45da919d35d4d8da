"""The heat equation in one dimension with explicit steps, and the distance from a target."""
import numpy as np

from ..workload import Spellings


def slices_in_place(u0, kappa, target, steps):
    u = u0.copy()
    for _ in range(steps):
        u[1:-1] += kappa * (u[2:] - 2 * u[1:-1] + u[:-2])
    return np.sum((u - target) ** 2)


def new_arrays(u, kappa, target, steps):
    for _ in range(steps):
        inner = u[1:-1] + kappa * (u[:-2] + u[2:] - 2 * u[1:-1])
        u = np.concatenate([u[:1], inner, u[-1:]])
    return np.sum((u - target) ** 2)


def scalar_loops(u0, kappa, target, steps):
    u = u0.copy()
    for _ in range(steps):
        new = u.copy()
        for i in range(1, len(u) - 1):
            new[i] = u[i] + kappa * (u[i - 1] - 2 * u[i] + u[i + 1])
        u = new
    total = 0.0
    for i in range(len(u)):
        total += (u[i] - target[i]) ** 2
    return total


def matrix(u, kappa, target, steps):
    n = len(u)
    second = np.diag(-2 * np.ones(n)) + np.diag(np.ones(n - 1), 1) + np.diag(np.ones(n - 1), -1)
    second[0] = 0
    second[-1] = 0
    step = np.eye(n) + kappa * second
    for _ in range(steps):
        u = step @ u
    r = u - target
    return r @ r


def history(u0, kappa, target, steps):
    u = np.zeros((steps + 1, len(u0)))
    u[0] = u0
    for t in range(steps):
        u[t + 1, 0] = u[t, 0]
        u[t + 1, -1] = u[t, -1]
        u[t + 1, 1:-1] = u[t, 1:-1] + kappa * (u[t, 2:] - 2 * u[t, 1:-1] + u[t, :-2])
    return np.sum((u[steps] - target) ** 2)


def laplacian(u):
    return np.concatenate(([0.0], np.diff(u, 2), [0.0]))


def helper(u, kappa, target, steps):
    for _ in range(steps):
        u = u + kappa * laplacian(u)
    return np.sum(np.square(u - target))


def by_hand(u0, kappa, target, steps):
    u = u0.copy()
    seconds = np.empty((steps, len(u) - 2))
    for t in range(steps):
        d = seconds[t]
        np.add(u[2:], u[:-2], out=d)
        d -= 2 * u[1:-1]
        u[1:-1] += kappa * d
    u_bar = 2 * (u - target)
    kappa_bar = 0.0
    for t in range(steps - 1, -1, -1):
        inner = u_bar[1:-1].copy()
        kappa_bar += inner @ seconds[t]
        inner *= kappa
        u_bar[2:] += inner
        u_bar[:-2] += inner
        inner *= 2
        u_bar[1:-1] -= inner
    return u_bar, kappa_bar


def arguments(rng):
    return rng.normal(size=80), 0.2, rng.normal(size=80), 20


WORKLOAD = Spellings(arguments, by_hand, {
    "slices in place": slices_in_place, "new arrays": new_arrays, "scalar loops": scalar_loops, "matrix": matrix, "history": history,
    "helper": helper}, (0, 1))

"""The energy of bodies that attract each other, pair by pair in a double loop over the elements of their positions."""
import importlib
import math

import numpy as np

from ..workload import Rewritten, Workload


def energy(x, mass, softening):
    total = 0.0
    for i in range(len(x)):
        for j in range(i):
            dx = x[i, 0] - x[j, 0]
            dy = x[i, 1] - x[j, 1]
            dz = x[i, 2] - x[j, 2]
            total -= mass[i] * mass[j] / math.sqrt(dx * dx + dy * dy + dz * dz + softening)
    return total


def by_hand(x, mass, softening):
    """On lists of floats, one pass: nothing has to be kept, as the energy is a sum over pairs."""
    xs, ys, zs = x.T.tolist()
    masses = mass.tolist()
    n = len(masses)
    x_bar, y_bar, z_bar, mass_bar = [0.0] * n, [0.0] * n, [0.0] * n, [0.0] * n
    for i in range(n):
        xi, yi, zi, mi = xs[i], ys[i], zs[i], masses[i]
        gx = gy = gz = gm = 0.0
        for j in range(i):
            dx, dy, dz = xi - xs[j], yi - ys[j], zi - zs[j]
            mj = masses[j]
            inverse = 1.0 / math.sqrt(dx * dx + dy * dy + dz * dz + softening)
            gm -= mj * inverse
            mass_bar[j] -= mi * inverse
            w = mi * mj * inverse * inverse * inverse
            dx *= w
            dy *= w
            dz *= w
            gx += dx
            gy += dy
            gz += dz
            x_bar[j] -= dx
            y_bar[j] -= dy
            z_bar[j] -= dz
        x_bar[i] += gx
        y_bar[i] += gy
        z_bar[i] += gz
        mass_bar[i] += gm
    return np.array([x_bar, y_bar, z_bar]).T, np.array(mass_bar)


def for_numba(x, mass, softening):
    """The same on arrays."""
    n = len(x)
    x_bar, mass_bar = np.zeros((n, 3)), np.zeros(n)
    for i in range(n):
        for j in range(i):
            dx, dy, dz = x[i, 0] - x[j, 0], x[i, 1] - x[j, 1], x[i, 2] - x[j, 2]
            inverse = 1.0 / math.sqrt(dx * dx + dy * dy + dz * dz + softening)
            mass_bar[i] -= mass[j] * inverse
            mass_bar[j] -= mass[i] * inverse
            w = mass[i] * mass[j] * inverse * inverse * inverse
            x_bar[i, 0] += w * dx
            x_bar[i, 1] += w * dy
            x_bar[i, 2] += w * dz
            x_bar[j, 0] -= w * dx
            x_bar[j, 1] -= w * dy
            x_bar[j, 2] -= w * dz
    return x_bar, mass_bar


def in_pairs(numpy, tril_indices):
    """All pairs at once: loops over elements are unrolled, or run one operation after the other."""
    def f(x, mass, softening):
        i, j = tril_indices(len(x))
        d = x[i] - x[j]
        return -(mass[i] * mass[j] / numpy.sqrt((d * d).sum(1) + softening)).sum()
    return f


def below(n):
    return np.tril_indices(n, -1)


def module(name):
    """The function with the root of a module."""
    return Rewritten(lambda: in_pairs(importlib.import_module(name), below))


def in_casadi():
    """The loops as they are, with another root."""
    import casadi

    def f(x, mass, softening):
        total = 0.0
        for i in range(x.shape[0]):
            for j in range(i):
                d = x[i, :] - x[j, :]
                total -= mass[i] * mass[j] / casadi.sqrt(casadi.sumsqr(d) + softening)
        return total
    return f


def arguments(rng, n):
    return rng.normal(size=(n, 3)), rng.uniform(0.5, 2.0, n), 1e-2


workload = Workload(energy, by_hand, arguments, {"50 bodies": 50}, tiny=4, wrt=(0, 1), limit="loop", numba=for_numba,
                    peers={"jax": module("jax.numpy"), "torch": module("torch"), "autograd": module("autograd.numpy"),
                           "mygrad": module("mygrad"), "casadi": Rewritten(in_casadi)},
                    reasons={
                        "by hand": "coordinates are elements of a row for each body; by hand, there is a list for each coordinate",
                        "by hand, Numba": "three divisions a pair; by hand one reciprocal, which rounds otherwise",
                        "primal, Numba": "distances are kept from the forward loop, and six element shadows are written a pair",
                    })

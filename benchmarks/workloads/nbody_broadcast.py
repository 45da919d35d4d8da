"""The energy of bodies that attract each other, all pairs at once by broadcasting; its gradient is the force on each."""
import math

import numpy as np

from ..workload import Cannot, Workload


def energy(x, mass, softening):
    r = x[:, None, :] - x[None, :, :]
    distance = np.sqrt(np.sum(r * r, axis=2) + softening)
    return -0.5 * np.sum(mass[:, None] * mass[None, :] / distance)


def by_hand(x, mass, softening):
    """Pairs weighed by the inverse cube of their distance: a sum and a product of matrices."""
    r = x[:, None, :] - x
    inverse = np.einsum("ijk,ijk->ij", r, r)
    inverse += softening
    np.sqrt(inverse, out=inverse)
    np.divide(1.0, inverse, out=inverse)
    mass_bar = -(inverse @ mass)
    w = inverse * inverse
    w *= inverse
    w *= mass[:, None]
    w *= mass
    x_bar = w.sum(axis=1)[:, None] * x
    x_bar -= w @ x
    return x_bar, mass_bar


def for_numba(x, mass, softening):
    """Each pair once."""
    n, d = x.shape
    x_bar, mass_bar = np.zeros((n, d)), np.zeros(n)
    for i in range(n):
        mass_bar[i] -= mass[i] / math.sqrt(softening)
        for j in range(i):
            square = softening
            for k in range(d):
                square += (x[i, k] - x[j, k]) ** 2
            inverse = 1.0 / math.sqrt(square)
            mass_bar[i] -= mass[j] * inverse
            mass_bar[j] -= mass[i] * inverse
            w = mass[i] * mass[j] * inverse ** 3
            for k in range(d):
                g = w * (x[i, k] - x[j, k])
                x_bar[i, k] += g
                x_bar[j, k] -= g
    return x_bar, mass_bar


def primal_for_numba(x, mass, softening):
    """Numba sums along no axis of what has three."""
    n, d = x.shape
    total = 0.0
    for i in range(n):
        for j in range(n):
            square = softening
            for k in range(d):
                square += (x[i, k] - x[j, k]) ** 2
            total -= 0.5 * mass[i] * mass[j] / math.sqrt(square)
    return total


def arguments(rng, n):
    return rng.normal(size=(n, 3)), rng.uniform(0.5, 2.0, n), 1e-2


workload = Workload(energy, by_hand, arguments, {"200 bodies": 200}, tiny=4, wrt=(0, 1), limit="dense", numba=for_numba,
                    numba_primal=primal_for_numba,
                    peers={"jax": "as written", "torch": "as written", "autograd": "as written", "mygrad": "as written",
                           "casadi": Cannot("arrays with three dimensions are not supported")})

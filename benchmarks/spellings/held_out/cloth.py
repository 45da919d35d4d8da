"""The energy of a network of springs between points in space, pinned by their rest lengths."""
import math

import numpy as np

from ..workload import Spellings


def loop_of_springs(x, stiffness, ends, rest):
    energy = 0.0
    for k in range(len(ends)):
        i, j = ends[k]
        stretch = np.linalg.norm(x[i] - x[j]) - rest[k]
        energy += 0.5 * stiffness[k] * stretch ** 2
    return energy


def gathered(x, stiffness, ends, rest):
    d = x[ends[:, 0]] - x[ends[:, 1]]
    length = np.sqrt(np.sum(d * d, axis=1))
    return np.sum(0.5 * stiffness * (length - rest) ** 2)


def coordinates(x, stiffness, ends, rest):
    energy = 0.0
    for (i, j), k, l in zip(ends, stiffness, rest):
        length = math.sqrt((x[i, 0] - x[j, 0]) ** 2 + (x[i, 1] - x[j, 1]) ** 2 + (x[i, 2] - x[j, 2]) ** 2)
        energy += k * (length - l) ** 2 / 2
    return energy


class Spring:
    def __init__(self, i, j, k, rest):
        self.i, self.j, self.k, self.rest = i, j, k, rest

    def energy(self, x):
        d = x[self.i] - x[self.j]
        return 0.5 * self.k * (np.sqrt(d @ d) - self.rest) ** 2


def objects(x, stiffness, ends, rest):
    springs = [Spring(ends[n, 0], ends[n, 1], stiffness[n], rest[n]) for n in range(len(rest))]
    return sum(spring.energy(x) for spring in springs)


def incidence(x, stiffness, ends, rest):
    b = np.zeros((len(ends), len(x)))
    b[np.arange(len(ends)), ends[:, 0]] = 1.0
    b[np.arange(len(ends)), ends[:, 1]] = -1.0
    d = b @ x
    s = np.sqrt(np.einsum("ij,ij->i", d, d)) - rest
    return 0.5 * np.einsum("i,i,i->", stiffness, s, s)


def by_hand(x, stiffness, ends, rest):
    i, j = ends[:, 0], ends[:, 1]
    d = x[i] - x[j]
    length = np.sqrt(np.einsum("ij,ij->i", d, d))
    stretch = length - rest
    d *= (stiffness * stretch / length)[:, None]
    x_bar = np.zeros_like(x)
    np.add.at(x_bar, i, d)
    np.subtract.at(x_bar, j, d)
    return x_bar, 0.5 * stretch * stretch


def arguments(rng):
    i = rng.integers(0, 15, 40)
    return rng.normal(size=(15, 3)), rng.random(40) + 0.5, np.stack([i, (i + rng.integers(1, 15, 40)) % 15], axis=1), rng.random(40)


WORKLOAD = Spellings(arguments, by_hand, {
    "loop of springs": loop_of_springs, "gathered": gathered, "coordinates": coordinates, "objects": objects,
    "incidence": incidence}, (0, 1))

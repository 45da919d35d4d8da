"""The elastic energy of a mesh of linear triangles in the plane."""
import numpy as np

from ..workload import Spellings

MU, LAM = 1.0, 0.7


def element(a, b, c, inverse, area):
    f = np.column_stack([b - a, c - a]) @ inverse
    e = 0.5 * (f.T @ f - np.eye(2))
    return area * (MU * np.sum(e * e) + 0.5 * LAM * np.trace(e) ** 2)


def elements(x, triangles, inverses, areas):
    energy = 0.0
    for (i, j, k), inverse, area in zip(triangles, inverses, areas):
        energy += element(x[i], x[j], x[k], inverse, area)
    return energy


def scalars(x, triangles, inverses, areas):
    energy = 0.0
    for t in range(len(triangles)):
        i, j, k = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        u0, u1 = x[j, 0] - x[i, 0], x[j, 1] - x[i, 1]
        v0, v1 = x[k, 0] - x[i, 0], x[k, 1] - x[i, 1]
        p, q, r, s = inverses[t, 0, 0], inverses[t, 0, 1], inverses[t, 1, 0], inverses[t, 1, 1]
        f00, f01, f10, f11 = u0 * p + v0 * r, u0 * q + v0 * s, u1 * p + v1 * r, u1 * q + v1 * s
        e00, e11, e01 = 0.5 * (f00 ** 2 + f10 ** 2 - 1), 0.5 * (f01 ** 2 + f11 ** 2 - 1), 0.5 * (f00 * f01 + f10 * f11)
        energy += areas[t] * (MU * (e00 ** 2 + e11 ** 2 + 2 * e01 ** 2) + 0.5 * LAM * (e00 + e11) ** 2)
    return energy


def stacked(x, triangles, inverses, areas):
    p = x[triangles]
    d = np.stack([p[:, 1] - p[:, 0], p[:, 2] - p[:, 0]], axis=2)
    f = d @ inverses
    e = 0.5 * (np.swapaxes(f, 1, 2) @ f - np.eye(2))
    return np.sum(areas * (MU * np.sum(e ** 2, axis=(1, 2)) + 0.5 * LAM * np.trace(e, axis1=1, axis2=2) ** 2))


def einsum(x, triangles, inverses, areas):
    a, b, c = x[triangles[:, 0]], x[triangles[:, 1]], x[triangles[:, 2]]
    f = np.einsum("ni,nj->nij", b - a, inverses[:, 0]) + np.einsum("ni,nj->nij", c - a, inverses[:, 1])
    e = (np.einsum("nki,nkj->nij", f, f) - np.eye(2)) / 2
    return MU * np.einsum("n,nij,nij->", areas, e, e) + 0.5 * LAM * np.einsum("n,n->", areas, np.einsum("nii->n", e) ** 2)


def by_hand(x, triangles, inverses, areas):
    p = x[triangles]
    d = np.empty((len(triangles), 2, 2))
    np.subtract(p[:, 1], p[:, 0], out=d[:, :, 0])
    np.subtract(p[:, 2], p[:, 0], out=d[:, :, 1])
    f = d @ inverses
    e = f.transpose(0, 2, 1) @ f
    e[:, 0, 0] -= 1
    e[:, 1, 1] -= 1
    e *= 0.5
    s = 2 * MU * e
    trace = LAM * (e[:, 0, 0] + e[:, 1, 1])
    s[:, 0, 0] += trace
    s[:, 1, 1] += trace
    g = f @ s * areas[:, None, None]
    d_bar = g @ inverses.transpose(0, 2, 1)
    x_bar = np.zeros_like(x)
    np.add.at(x_bar, triangles[:, 1], d_bar[:, :, 0])
    np.add.at(x_bar, triangles[:, 2], d_bar[:, :, 1])
    np.subtract.at(x_bar, triangles[:, 0], d_bar.sum(axis=2))
    return x_bar


def arguments(rng):
    i = rng.integers(0, 20, 30)
    triangles = np.stack([i, (i + 1) % 20, (i + 2 + rng.integers(0, 16, 30)) % 20], axis=1)
    return rng.normal(size=(20, 2)), triangles, np.eye(2) + 0.3 * rng.normal(size=(30, 2, 2)), rng.random(30) + 0.5


WORKLOAD = Spellings(arguments, by_hand, {"elements": elements, "scalars": scalars, "stacked": stacked, "einsum": einsum})

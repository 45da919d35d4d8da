"""GradBench's ``ht``: distances of measured points to a hand model that 26 numbers pose, and their Jacobian.

Where an input has barycentric coordinates ``us``, a measured point corresponds to a point of a triangle, otherwise to a vertex; the
first two columns of the Jacobian are then the derivatives by the point's own two coordinates.
"""
from __future__ import annotations

import numpy as np

import transgrad as tg

from ..entry import Entry, array, compiled

__all__ = ["functions", "on_triangles", "on_vertices", "positions"]


def euler(x, z, y):
    """Rotation about the first axis, then about the second, then about the third, for homogeneous coordinates."""
    cx, sx, cy, sy, cz, sz = np.cos(x), np.sin(x), np.cos(y), np.sin(y), np.cos(z), np.sin(z)
    about_x = np.array([[1.0, 0.0, 0.0, 0.0], [0.0, cx, -sx, 0.0], [0.0, sx, cx, 0.0], [0.0, 0.0, 0.0, 1.0]])
    about_y = np.array([[cy, 0.0, sy, 0.0], [0.0, 1.0, 0.0, 0.0], [-sy, 0.0, cy, 0.0], [0.0, 0.0, 0.0, 1.0]])
    about_z = np.array([[cz, -sz, 0.0, 0.0], [sz, cz, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]])
    return about_z @ about_y @ about_x


def rotation(r):
    """The rotation about ``r`` by its length; none where that is below 0.0001."""
    angle = np.sqrt(np.sum(r * r))
    if angle < 1e-4:
        return np.eye(3)
    axis = r / angle
    cross = np.array([[0.0, -axis[2], axis[1]], [axis[2], 0.0, -axis[0]], [-axis[1], axis[0], 0.0]])
    return np.cos(angle) * np.eye(3) + np.sin(angle) * cross + (1.0 - np.cos(angle)) * np.outer(axis, axis)


def angles(theta, bones):
    """The angles of each bone about the axes x, z and y: the bones 2 to 4 of a finger bend, and the first of these spreads."""
    pose = np.zeros((bones, 3))
    k = 6
    for finger in range(5):
        for joint in range(3):
            bone = 2 + 4 * finger + joint
            pose[bone, 0] = theta[k]
            k += 1
            if joint == 0:
                pose[bone, 1] = theta[k]
                k += 1
    return pose


def positions(theta, parents, relative, inverse, base, weights, mirrored):
    """The vertices, one per column, of the posed mesh.

    ``relative`` and ``inverse`` hold a 4 x 4 matrix per bone, ``base`` the vertices as columns, ``weights`` a row per bone.
    """
    pose = angles(theta, len(parents))
    frames = []
    placed = np.zeros((3, base.shape[1]))
    for i, parent in enumerate(parents):
        local = relative[i] @ euler(pose[i, 0], pose[i, 1], pose[i, 2])
        frame = local if parent == -1 else frames[parent] @ local
        frames.append(frame)
        placed += weights[i] * ((frame @ inverse[i])[:3] @ base)
    if mirrored:
        placed[0] = -placed[0]
    return rotation(theta[:3]) @ placed + theta[3:6][:, None]


def on_vertices(theta, points, vertices, model):
    """``points`` is 3 x n; the result has three numbers per point."""
    return (points - positions(theta, *model)[:, vertices]).T.ravel()


def on_triangles(theta, us, points, corners, model):
    """``us`` is n x 2 and ``corners`` n x 3, the vertices of the triangle of each point."""
    placed = positions(theta, *model)
    u, v = us[:, 0], us[:, 1]
    touched = u * placed[:, corners[:, 0]] + v * placed[:, corners[:, 1]] + (1.0 - u - v) * placed[:, corners[:, 2]]
    return (points - touched).T.ravel()


def model_of(given):
    """The arguments of `positions` after the first."""
    return (tuple(given["parents"]), array(given["base_relatives"]), array(given["inverse_base_absolutes"]),
            array(given["base_positions"]).T.copy(), array(given["weights"]).T.copy(), bool(given["is_mirrored"]))


def functions(backend: str) -> dict[str, Entry]:
    value = {True: compiled(on_triangles, backend), False: compiled(on_vertices, backend)}
    by_theta = {True: tg.jacfwd(on_triangles, backend=backend), False: tg.jacfwd(on_vertices, backend=backend)}

    def along(theta, us, points, corners, model, direction):
        return tg.jvp(lambda us: on_triangles(theta, us, points, corners, model), (us,), (direction,), backend=backend)[1]

    def arguments(given):
        data = given["data"]
        model, points = model_of(data["model"]), array(data["points"]).T.copy()
        chosen = np.asarray(data["correspondences"], dtype=np.int64)
        theta, us = array(given["theta"]), array(given["us"]).reshape(-1, 2)
        if len(us) == 0:
            return theta, points, chosen, model
        return theta, us, points, np.asarray(data["model"]["triangles"], dtype=np.int64)[chosen], model

    def objective(*args):
        return value[len(args) == 5](*args)

    def jacobian(*args):
        complicated = len(args) == 5
        columns = by_theta[complicated](*args)
        if not complicated:
            return columns
        # a point depends on its own two coordinates alone: one direction for all of the first, one for all of the second
        us = args[1]
        own = [along(*args, np.tile(unit, (len(us), 1))) for unit in np.eye(2)]
        return np.column_stack([*own, columns])

    return {"objective": Entry(arguments, objective), "jacobian": Entry(arguments, jacobian)}

"""GradBench's ``ba``: weighted reprojection errors of a bundle adjustment, and their sparse Jacobian.

An input describes one camera, one point, one weight and one feature, which are repeated; the responses leave out the repetitions.
"""
from __future__ import annotations

import numpy as np

import transgrad as tg

from ...workloads.bundle_adjustment import residual
from ..entry import Entry, array

__all__ = ["functions", "residual", "weight_error"]

CAMERA, POINT = 11, 3
WIDTH = CAMERA + POINT + 1


def weight_error(w):
    return 1.0 - w * w


def functions(backend: str) -> dict[str, Entry]:
    errors = tg.vmap(residual, backend=backend)
    blocks = tg.vmap(tg.jacrev(residual, argnums=(0, 1, 2), backend=backend), backend=backend)
    slopes = tg.vmap(tg.grad(weight_error, backend=backend), backend=backend)

    def arguments(given):
        n, m, p = given["n"], given["m"], given["p"]
        cameras, points = np.tile(array(given["cam"]), (n, 1)), np.tile(array(given["x"]), (m, 1))
        observed = np.arange(p)
        weights, features = np.full(p, float(given["w"])), np.tile(array(given["feat"]), (p, 1))
        return cameras, points, weights, observed % n, observed % m, features

    def objective(cameras, points, weights, camera_of, point_of, features):
        return errors(cameras[camera_of], points[point_of], weights, features), weight_error(weights)

    def objective_output(result):
        reprojection, weight = result
        return {"reproj_error": {"elements": reprojection[0].tolist(), "repeated": len(reprojection)},
                "w_err": {"element": float(weight[0]), "repeated": len(weight)}}

    def jacobian(cameras, points, weights, camera_of, point_of, features):
        """Compressed sparse rows: two rows per observation, then one row per weight."""
        n, m, p = len(cameras), len(points), len(weights)
        by_camera, by_point, by_weight = blocks(cameras[camera_of], points[point_of], weights, features)
        columns = np.empty((p, 2, WIDTH), np.int64)
        columns[:, :, :CAMERA] = (CAMERA * camera_of[:, None] + np.arange(CAMERA))[:, None]
        columns[:, :, CAMERA:-1] = (CAMERA * n + POINT * point_of[:, None] + np.arange(POINT))[:, None]
        columns[:, :, -1] = (CAMERA * n + POINT * m + np.arange(p))[:, None]
        values = np.empty((p, 2, WIDTH))
        values[:, :, :CAMERA], values[:, :, CAMERA:-1], values[:, :, -1] = by_camera, by_point, by_weight
        starts = np.concatenate([WIDTH * np.arange(2 * p), 2 * p * WIDTH + np.arange(p + 1)])
        return (starts, np.concatenate([columns.ravel(), columns[:, 0, -1]]), np.concatenate([values.ravel(), slopes(weights)]))

    def jacobian_output(result):
        def unrepeated(values):
            return [*values[:2 * WIDTH].tolist(), values[-1].item()]
        return dict(zip(("rows", "cols", "vals"), map(unrepeated, result), strict=True))

    return {
        "objective": Entry(arguments, objective, objective_output),
        "jacobian": Entry(arguments, jacobian, jacobian_output),
    }

"""ADBench's bundle adjustment: for each observation the 2 x 15 block of derivatives of its weighed reprojection error.

A camera is a rotation vector, a centre, a focal length, a principal point and two coefficients of radial distortion.
"""
import math

import numpy as np

from ..workload import Cannot, Rewritten, Workload


def rotate(r, x):
    """Rodrigues' formula; to first order where there is no rotation."""
    square = np.sum(r * r)
    if square > 0.0:
        angle = np.sqrt(square)
        axis = r / angle
        return np.cos(angle) * x + np.sin(angle) * np.cross(axis, x) + (1.0 - np.cos(angle)) * np.sum(axis * x) * axis
    return x + np.cross(r, x)


def residual(camera, point, weight, feature):
    """The error of one observation."""
    seen = rotate(camera[0:3], point - camera[3:6])
    flat = seen[0:2] / seen[2]
    square = np.sum(flat * flat)
    distortion = 1.0 + camera[9] * square + camera[10] * square * square
    return weight * (camera[6] * distortion * flat + camera[7:9] - feature)


def by_hand(cameras, points, weights, features):
    """All observations at once, as arrays of one coordinate each; the blocks by the chain rule on 2 x 3 matrices."""
    n = len(weights)
    r0, r1, r2, c0, c1, c2, focal, u0, v0, k1, k2 = cameras.T
    x0, x1, x2 = points[:, 0] - c0, points[:, 1] - c1, points[:, 2] - c2
    square = r0 * r0 + r1 * r1 + r2 * r2
    still = square == 0.0
    square = np.where(still, 1.0, square)
    angle = np.sqrt(square)
    cosine = np.where(still, 1.0, np.cos(angle))
    a = np.where(still, 1.0, np.sin(angle) / angle)
    b = np.where(still, 0.0, (1.0 - cosine) / square)
    slope_a, slope_b = np.where(still, 0.0, (cosine - a) / square), np.where(still, 0.0, (a - 2.0 * b) / square)

    w0, w1, w2 = r1 * x2 - r2 * x1, r2 * x0 - r0 * x2, r0 * x1 - r1 * x0
    dot = r0 * x0 + r1 * x1 + r2 * x2
    b_dot = b * dot
    y0, y1, y2 = cosine * x0 + a * w0 + b_dot * r0, cosine * x1 + a * w1 + b_dot * r1, cosine * x2 + a * w2 + b_dot * r2

    inverse = 1.0 / y2
    p0, p1 = y0 * inverse, y1 * inverse
    rho = p0 * p0 + p1 * p1
    distortion = 1.0 + (k1 + k2 * rho) * rho
    camera_bar = np.empty((n, 2, 11))
    point_bar = np.empty((n, 2, 3))
    weight_bar = np.empty((n, 2))
    scale = weights * focal
    spread = scale * (2.0 * k1 + 4.0 * k2 * rho)
    turning = (r0, r1, r2)
    for k, p in enumerate((p0, p1)):
        # the row of derivatives by what the camera sees
        g0, g1 = spread * p * p0, spread * p * p1
        if k == 0:
            g0 += scale * distortion
        else:
            g1 += scale * distortion
        g0 *= inverse
        g1 *= inverse
        g2 = -(g0 * p0 + g1 * p1)
        # and through the rotation
        along = b * (g0 * r0 + g1 * r1 + g2 * r2)
        by_point = (cosine * g0 + a * (r2 * g1 - r1 * g2) + along * r0, cosine * g1 + a * (r0 * g2 - r2 * g0) + along * r1,
                    cosine * g2 + a * (r1 * g0 - r0 * g1) + along * r2)
        change = (slope_a * (g0 * w0 + g1 * w1 + g2 * w2) - a * (g0 * x0 + g1 * x1 + g2 * x2)
                  + slope_b * dot * (g0 * r0 + g1 * r1 + g2 * r2))
        crossed = (x1 * g2 - x2 * g1, x2 * g0 - x0 * g2, x0 * g1 - x1 * g0)
        for i, (g, x) in enumerate(((g0, x0), (g1, x1), (g2, x2))):
            point_bar[:, k, i] = by_point[i]
            camera_bar[:, k, 3 + i] = -by_point[i]
            camera_bar[:, k, i] = change * turning[i] + a * crossed[i] + b_dot * g + along * x
        camera_bar[:, k, 6] = weights * distortion * p
        camera_bar[:, k, 7 + k] = weights
        camera_bar[:, k, 8 - k] = 0.0
        camera_bar[:, k, 9] = scale * rho * p
        camera_bar[:, k, 10] = scale * rho * rho * p
        weight_bar[:, k] = focal * distortion * p + (u0, v0)[k] - features[:, k]
    return camera_bar, point_bar, weight_bar


def for_numba(cameras, points, weights, features):
    """Observation by observation."""
    n = len(weights)
    camera_bar, point_bar, weight_bar = np.empty((n, 2, 11)), np.empty((n, 2, 3)), np.empty((n, 2))
    for o in range(n):
        camera, weight = cameras[o], weights[o]
        r0, r1, r2, focal, k1, k2 = camera[0], camera[1], camera[2], camera[6], camera[9], camera[10]
        x0, x1, x2 = points[o, 0] - camera[3], points[o, 1] - camera[4], points[o, 2] - camera[5]
        square = r0 * r0 + r1 * r1 + r2 * r2
        if square > 0.0:
            angle = math.sqrt(square)
            cosine = math.cos(angle)
            a = math.sin(angle) / angle
            b = (1.0 - cosine) / square
            slope_a, slope_b = (cosine - a) / square, (a - 2.0 * b) / square
        else:
            cosine, a, b, slope_a, slope_b = 1.0, 1.0, 0.0, 0.0, 0.0
        w0, w1, w2 = r1 * x2 - r2 * x1, r2 * x0 - r0 * x2, r0 * x1 - r1 * x0
        dot = r0 * x0 + r1 * x1 + r2 * x2
        y0 = cosine * x0 + a * w0 + b * dot * r0
        y1 = cosine * x1 + a * w1 + b * dot * r1
        y2 = cosine * x2 + a * w2 + b * dot * r2
        inverse = 1.0 / y2
        p0, p1 = y0 * inverse, y1 * inverse
        rho = p0 * p0 + p1 * p1
        distortion = 1.0 + (k1 + k2 * rho) * rho
        scale = weight * focal
        spread = scale * (2.0 * k1 + 4.0 * k2 * rho)
        for k in range(2):
            p = p0 if k == 0 else p1
            g0, g1 = spread * p * p0, spread * p * p1
            if k == 0:
                g0 += scale * distortion
            else:
                g1 += scale * distortion
            g0 *= inverse
            g1 *= inverse
            g2 = -(g0 * p0 + g1 * p1)
            turned = g0 * r0 + g1 * r1 + g2 * r2
            change = slope_a * (g0 * w0 + g1 * w1 + g2 * w2) - a * (g0 * x0 + g1 * x1 + g2 * x2) + slope_b * dot * turned
            along = b * turned
            row = camera_bar[o, k]
            row[0] = change * r0 + a * (x1 * g2 - x2 * g1) + b * dot * g0 + along * x0
            row[1] = change * r1 + a * (x2 * g0 - x0 * g2) + b * dot * g1 + along * x1
            row[2] = change * r2 + a * (x0 * g1 - x1 * g0) + b * dot * g2 + along * x2
            q0 = cosine * g0 + a * (r2 * g1 - r1 * g2) + along * r0
            q1 = cosine * g1 + a * (r0 * g2 - r2 * g0) + along * r1
            q2 = cosine * g2 + a * (r1 * g0 - r0 * g1) + along * r2
            point_bar[o, k, 0], point_bar[o, k, 1], point_bar[o, k, 2] = q0, q1, q2
            row[3], row[4], row[5] = -q0, -q1, -q2
            row[6] = weight * distortion * p
            row[7], row[8] = (weight, 0.0) if k == 0 else (0.0, weight)
            row[9] = scale * rho * p
            row[10] = scale * rho * rho * p
            weight_bar[o, k] = focal * distortion * p + camera[7 + k] - features[o, k]
    return camera_bar, point_bar, weight_bar


def without_branch(numpy):
    """Components, and both sides of the branch, for tools that batch what they trace."""
    def f(camera, point, weight, feature):
        r0, r1, r2 = camera[0], camera[1], camera[2]
        x0, x1, x2 = point[0] - camera[3], point[1] - camera[4], point[2] - camera[5]
        square = r0 * r0 + r1 * r1 + r2 * r2
        turns = square > 0.0
        safe = numpy.where(turns, square, numpy.ones_like(square))
        angle = numpy.sqrt(safe)
        cosine = numpy.where(turns, numpy.cos(angle), numpy.ones_like(square))
        a = numpy.where(turns, numpy.sin(angle) / angle, numpy.ones_like(square))
        b = numpy.where(turns, (1.0 - numpy.cos(angle)) / safe, numpy.zeros_like(square)) * (r0 * x0 + r1 * x1 + r2 * x2)
        y0 = cosine * x0 + a * (r1 * x2 - r2 * x1) + b * r0
        y1 = cosine * x1 + a * (r2 * x0 - r0 * x2) + b * r1
        y2 = cosine * x2 + a * (r0 * x1 - r1 * x0) + b * r2
        p0, p1 = y0 / y2, y1 / y2
        rho = p0 * p0 + p1 * p1
        scale = camera[6] * (1.0 + camera[9] * rho + camera[10] * rho * rho)
        return numpy.stack([weight * (scale * p0 + camera[7] - feature[0]), weight * (scale * p1 + camera[8] - feature[1])])
    return f


def in_jax():
    import jax.numpy
    return without_branch(jax.numpy)


def in_torch():
    import torch
    return without_branch(torch)


def in_casadi():
    """Components; the first-order side of the branch is left out by a square that is never 0."""
    import types

    import casadi
    return without_branch(types.SimpleNamespace(
        where=casadi.if_else, ones_like=lambda _: 1.0, zeros_like=lambda _: 0.0, sqrt=casadi.sqrt, sin=casadi.sin, cos=casadi.cos,
        stack=lambda items: casadi.vertcat(*items)))


def arguments(rng, n):
    cameras = np.column_stack([0.5 * rng.normal(size=(n, 3)), rng.normal(size=(n, 3)), rng.uniform(0.8, 1.2, n),
                               0.1 * rng.normal(size=(n, 2)), 0.05 * rng.normal(size=(n, 2))])
    points = cameras[:, 3:6] + 0.5 * rng.normal(size=(n, 3)) + [0.0, 0.0, 8.0]
    return cameras, points, rng.uniform(0.5, 1.5, n), rng.normal(size=(n, 2))


workload = Workload(residual, by_hand, arguments, {"1,000 observations": 1_000}, tiny=4, wrt=(0, 1, 2), transform="blocks", numba=for_numba,
                    peers={"jax": Rewritten(in_jax), "torch": Rewritten(in_torch), "autograd": "as written",
                           "mygrad": Cannot("only first derivatives of scalars are supported"), "casadi": Rewritten(in_casadi)})

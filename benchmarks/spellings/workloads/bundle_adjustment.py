"""Reprojection errors: cameras of 11 numbers (rotation, center, focal length, principal point, distortion) and points of 3."""
import math

import numpy as np

from ..workload import Spellings


def rodrigues(r, p):
    theta = np.sqrt(np.sum(r ** 2))
    axis = r / theta
    c, s = np.cos(theta), np.sin(theta)
    return p * c + np.cross(axis, p) * s + axis * (np.dot(axis, p) * (1 - c))


def residual(camera, point, w, feature):
    local = rodrigues(camera[:3], point - camera[3:6])
    xy = local[:2] / local[2]
    r2 = np.sum(xy ** 2)
    distorted = xy * (1 + camera[9] * r2 + camera[10] * r2 ** 2)
    return w * (distorted * camera[6] + camera[7:9] - feature)


def arrays_and_helpers(cameras, points, weights, of_camera, of_point, features):
    total = 0.0
    for k in range(len(features)):
        e = residual(cameras[of_camera[k]], points[of_point[k]], weights[k], features[k])
        total += np.dot(e, e)
    return total


def scalars(cameras, points, weights, of_camera, of_point, features):
    total = 0.0
    for k in range(len(features)):
        r1, r2, r3, c1, c2, c3, f, u0, v0, k1, k2 = cameras[of_camera[k]]
        x, y, z = points[of_point[k]]
        x, y, z = x - c1, y - c2, z - c3
        theta = math.sqrt(r1 * r1 + r2 * r2 + r3 * r3)
        a1, a2, a3 = r1 / theta, r2 / theta, r3 / theta
        c, s = math.cos(theta), math.sin(theta)
        d = (a1 * x + a2 * y + a3 * z) * (1 - c)
        lx = x * c + (a2 * z - a3 * y) * s + a1 * d
        ly = y * c + (a3 * x - a1 * z) * s + a2 * d
        lz = z * c + (a1 * y - a2 * x) * s + a3 * d
        px, py = lx / lz, ly / lz
        q = px * px + py * py
        l = 1 + k1 * q + k2 * q * q
        e1 = weights[k] * (f * l * px + u0 - features[k, 0])
        e2 = weights[k] * (f * l * py + v0 - features[k, 1])
        total += e1 * e1 + e2 * e2
    return total


def broadcasting(cameras, points, weights, of_camera, of_point, features):
    cam = cameras[of_camera]
    p = points[of_point] - cam[:, 3:6]
    r = cam[:, :3]
    theta = np.sqrt(np.sum(r * r, axis=1, keepdims=True))
    axis = r / theta
    c, s = np.cos(theta), np.sin(theta)
    local = p * c + np.cross(axis, p) * s + axis * (np.sum(axis * p, axis=1, keepdims=True) * (1 - c))
    xy = local[:, :2] / local[:, 2:]
    q = np.sum(xy * xy, axis=1, keepdims=True)
    l = 1 + cam[:, 9:10] * q + cam[:, 10:] * q ** 2
    e = weights[:, None] * (cam[:, 6:7] * l * xy + cam[:, 7:9] - features)
    return np.sum(e * e)


class Camera:
    def __init__(self, parameters):
        self.rotation, self.center = parameters[0:3], parameters[3:6]
        self.focal, self.offset, self.distortion = parameters[6], parameters[7:9], parameters[9:11]

    def matrix(self):
        theta = np.linalg.norm(self.rotation)
        a = self.rotation / theta
        skew = np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])
        return np.cos(theta) * np.eye(3) + np.sin(theta) * skew + (1 - np.cos(theta)) * np.outer(a, a)

    def project(self, point):
        x, y, z = self.matrix() @ (point - self.center)
        q = (x / z) ** 2 + (y / z) ** 2
        scale = self.focal * (1 + self.distortion[0] * q + self.distortion[1] * q * q)
        return scale * np.array([x / z, y / z]) + self.offset


def classes(cameras, points, weights, of_camera, of_point, features):
    total = 0.0
    for w, i, j, feature in zip(weights, of_camera, of_point, features):
        error = w * (Camera(cameras[i]).project(points[j]) - feature)
        total = total + np.sum(error ** 2)
    return total


def in_place(cameras, points, weights, of_camera, of_point, features):
    errors = np.empty((len(features), 2))
    for k in range(len(features)):
        camera = cameras[of_camera[k]]
        v = points[of_point[k]] - camera[3:6]
        theta = np.sqrt(camera[0] ** 2 + camera[1] ** 2 + camera[2] ** 2)
        a = camera[0:3] / theta
        t = (1 - np.cos(theta)) * (a[0] * v[0] + a[1] * v[1] + a[2] * v[2])
        local = np.cos(theta) * v + np.sin(theta) * np.cross(a, v) + t * a
        px, py = local[0] / local[2], local[1] / local[2]
        q = px ** 2 + py ** 2
        l = camera[6] * (1 + camera[9] * q + camera[10] * q ** 2)
        errors[k, 0] = weights[k] * (l * px + camera[7] - features[k, 0])
        errors[k, 1] = weights[k] * (l * py + camera[8] - features[k, 1])
    return np.sum(errors ** 2)


def by_hand(cameras, points, weights, of_camera, of_point, features):
    cam = cameras[of_camera]
    r = cam[:, :3]
    p = points[of_point] - cam[:, 3:6]
    theta = np.sqrt(np.einsum("ni,ni->n", r, r))[:, None]
    a = r / theta
    c, s = np.cos(theta), np.sin(theta)
    d = np.einsum("ni,ni->n", a, p)[:, None]
    cross = np.cross(a, p)
    local = p * c + cross * s + a * (d * (1 - c))
    iz = 1 / local[:, 2:]
    xy = local[:, :2] * iz
    q = np.einsum("ni,ni->n", xy, xy)[:, None]
    k1, k2, f = cam[:, 9:10], cam[:, 10:], cam[:, 6:7]
    l = 1 + (k1 + k2 * q) * q
    w = weights[:, None]
    e = w * (f * l * xy + cam[:, 7:9] - features)
    g = 2 * w * e
    cam_bar = np.empty_like(cam)
    cam_bar[:, 7:9] = g
    gxy = np.einsum("ni,ni->n", g, xy)[:, None]
    cam_bar[:, 6:7] = gxy * l
    l_bar = gxy * f
    cam_bar[:, 9:10] = l_bar * q
    cam_bar[:, 10:] = l_bar * q * q
    xy_bar = g * (f * l) + xy * (2 * l_bar * (k1 + 2 * k2 * q))
    local_bar = np.empty_like(local)
    local_bar[:, :2] = xy_bar * iz
    local_bar[:, 2] = -np.einsum("ni,ni->n", xy_bar, xy) * iz[:, 0]
    al = np.einsum("ni,ni->n", a, local_bar)[:, None]
    theta_bar = (np.einsum("ni,ni->n", local_bar, cross)[:, None] * c + (al * d - np.einsum("ni,ni->n", local_bar, p)[:, None]) * s)
    d_bar = al * (1 - c)
    p_bar = local_bar * c + np.cross(local_bar, a) * s + d_bar * a
    a_bar = np.cross(p, local_bar) * s + local_bar * (d * (1 - c)) + d_bar * p
    cam_bar[:, :3] = (a_bar - a * np.einsum("ni,ni->n", a, a_bar)[:, None]) / theta + theta_bar * a
    cam_bar[:, 3:6] = -p_bar
    cameras_bar, points_bar = np.zeros_like(cameras), np.zeros_like(points)
    np.add.at(cameras_bar, of_camera, cam_bar)
    np.add.at(points_bar, of_point, p_bar)
    return cameras_bar, points_bar, 2 * np.einsum("ni,ni->n", e, e / w)


def arguments(rng):
    n = 40
    points = rng.normal(size=(15, 3)) + np.array([0.0, 0.0, 5.0])
    return (0.2 * rng.normal(size=(4, 11)) + 0.3, points, 1 + rng.random(n), rng.integers(0, 4, n), rng.integers(0, 15, n),
            rng.normal(size=(n, 2)))


WORKLOAD = Spellings(arguments, by_hand, {
    "arrays and helpers": arrays_and_helpers, "scalars": scalars, "broadcasting": broadcasting, "classes": classes,
    "in place": in_place}, (0, 1, 2))

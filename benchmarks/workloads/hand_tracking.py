"""ADBench's hand tracking, on a made-up hand of the same structure: the Jacobian of the distances of points to a posed mesh.

A wrist and five fingers of four bones each; 26 numbers pose it: a rotation, a translation, and four angles a finger.
"""
import math

import numpy as np

from ..workload import Workload

FINGERS, JOINTS = 5, 4


def euler(x, z):
    """A turn about the first axis after one about the third, as a matrix for homogeneous coordinates."""
    return np.array([
        [np.cos(z), -np.sin(z), 0.0, 0.0],
        [np.cos(x) * np.sin(z), np.cos(x) * np.cos(z), -np.sin(x), 0.0],
        [np.sin(x) * np.sin(z), np.sin(x) * np.cos(z), np.cos(x), 0.0],
        [0.0, 0.0, 0.0, 1.0],
    ])


def rotation(r):
    """The matrix that turns about ``r`` by its length."""
    angle = np.sqrt(np.sum(r * r) + 1e-16)
    axis = r / angle
    cross = np.array([[0.0, -axis[2], axis[1]], [axis[2], 0.0, -axis[0]], [-axis[1], axis[0], 0.0]])
    return np.cos(angle) * np.eye(3) + np.sin(angle) * cross + (1.0 - np.cos(angle)) * np.outer(axis, axis)


def distances(theta, relative, inverse, base, weights, points):
    """``relative``: each bone in its parent's frame; ``inverse``: from the mesh at rest to each bone; ``base``: its vertices."""
    wrist = relative[0]
    skinned = weights[0] * (wrist @ inverse[0] @ base)
    for f in range(FINGERS):
        frame = wrist
        for j in range(JOINTS):
            k = 1 + JOINTS * f + j
            if j == 0:      # fixed to the wrist
                frame = frame @ relative[k]
            elif j == 1:    # bends and spreads
                frame = frame @ relative[k] @ euler(theta[6 + 4 * f], theta[7 + 4 * f])
            else:
                frame = frame @ relative[k] @ euler(theta[6 + 4 * f + j], 0.0)
            skinned = skinned + weights[k] * (frame @ inverse[k] @ base)
    placed = rotation(theta[:3]) @ skinned[:3] + theta[3:6][:, None]
    return (points - placed).ravel()


def turns(theta):
    """The matrices of ``euler`` for all joints that turn, and their derivatives: by finger, and by angle in the order of ``theta``."""
    angles = theta[6:].reshape(FINGERS, 4)
    c, s = np.cos(angles), np.sin(angles)
    one = np.zeros((FINGERS, 3, 4, 4))
    by = np.zeros((FINGERS, 4, 4, 4))
    one[:, :, 3, 3] = 1.0
    one[:, 0, 0, 0], one[:, 0, 0, 1] = c[:, 1], -s[:, 1]
    one[:, 0, 1, 0], one[:, 0, 1, 1], one[:, 0, 1, 2] = c[:, 0] * s[:, 1], c[:, 0] * c[:, 1], -s[:, 0]
    one[:, 0, 2, 0], one[:, 0, 2, 1], one[:, 0, 2, 2] = s[:, 0] * s[:, 1], s[:, 0] * c[:, 1], c[:, 0]
    one[:, 1:, 0, 0] = 1.0
    one[:, 1:, 1, 1], one[:, 1:, 1, 2] = c[:, 2:], -s[:, 2:]
    one[:, 1:, 2, 1], one[:, 1:, 2, 2] = s[:, 2:], c[:, 2:]
    by[:, 0, 1, :3], by[:, 0, 2, :3] = -one[:, 0, 2, :3], one[:, 0, 1, :3]
    by[:, 1, 0, 0], by[:, 1, 0, 1] = -s[:, 1], -c[:, 1]
    by[:, 1, 1, 0], by[:, 1, 1, 1] = c[:, 0] * c[:, 1], -c[:, 0] * s[:, 1]
    by[:, 1, 2, 0], by[:, 1, 2, 1] = s[:, 0] * c[:, 1], -s[:, 0] * s[:, 1]
    by[:, 2:, 1, 1], by[:, 2:, 1, 2] = -s[:, 2:], -c[:, 2:]
    by[:, 2:, 2, 1], by[:, 2:, 2, 2] = c[:, 2:], -s[:, 2:]
    return one, by


def by_hand(theta, relative, inverse, base, weights, points):
    """Fingers side by side; how a bone moves with an angle is a 4 x 4 matrix, and one product with the mesh makes columns of it."""
    n = base.shape[1]
    wrist = relative[0]
    bones = relative[1:].reshape(FINGERS, JOINTS, 4, 4)
    one, by = turns(theta)
    frames = np.empty((FINGERS, JOINTS, 4, 4))
    moves = np.zeros((FINGERS, 4, JOINTS, 4, 4))            # finger, angle, bone
    frames[:, 0] = wrist @ bones[:, 0]
    for j in range(1, JOINTS):
        ahead = frames[:, j - 1] @ bones[:, j]
        frames[:, j] = ahead @ one[:, j - 1]
        if j == 1:
            moves[:, :2, 1] = ahead[:, None] @ by[:, :2]
        else:
            moves[:, :j, j] = moves[:, :j, j - 1] @ (bones[:, j] @ one[:, j - 1])[:, None]
            moves[:, j, j] = ahead @ by[:, j]
    rest = inverse[1:].reshape(FINGERS, JOINTS, 4, 4)
    frames = frames @ rest
    moves = moves @ rest[:, None]

    mesh = (weights[1:, None, :] * base).reshape(FINGERS, JOINTS * 4, n)
    skinned = (wrist @ inverse[0])[:3] @ (weights[0] * base)
    skinned += (frames[:, :, :3].swapaxes(1, 2).reshape(FINGERS, 3, -1) @ mesh).sum(axis=0)

    r = theta[:3]
    square = r @ r + 1e-16
    angle = math.sqrt(square)
    cosine, a = math.cos(angle), math.sin(angle) / angle
    b = (1.0 - cosine) / square
    slope_a, slope_b = (cosine - a) / square, (a - 2.0 * b) / square
    cross = np.array([[0.0, -r[2], r[1]], [r[2], 0.0, -r[0]], [-r[1], r[0], 0.0]])
    outer = np.outer(r, r)
    turn = cosine * np.eye(3) + a * cross + b * outer

    out = np.empty((3, n, 26))
    for k in range(3):
        d = r[k] * (slope_a * cross + slope_b * outer)
        d[np.arange(3), np.arange(3)] -= a * r[k]
        i, j = (k + 1) % 3, (k + 2) % 3
        d[j, i] += a
        d[i, j] -= a
        d[k] += b * r
        d[:, k] += b * r
        out[:, :, k] = -(d @ skinned)
    out[:, :, 3:6] = -np.eye(3)[:, None, :]
    moved = (-turn) @ moves[:, :, :, :3].transpose(0, 1, 3, 2, 4).reshape(FINGERS, 4, 3, -1)
    columns = moved.reshape(FINGERS, 12, -1) @ mesh
    out[:, :, 6:] = columns.reshape(20, 3, n).transpose(1, 2, 0)
    return out.reshape(3 * n, 26)


def arguments(rng, n):
    relative = np.tile(np.eye(4), (1 + FINGERS * JOINTS, 1, 1))
    relative[:, :3, 3] = 0.3 * rng.normal(size=(len(relative), 3))
    inverse = np.tile(np.eye(4), (len(relative), 1, 1))
    inverse[:, :3, :] += 0.2 * rng.normal(size=(len(relative), 3, 4))
    base = np.vstack([rng.normal(size=(3, n)), np.ones(n)])
    weights = rng.random((len(relative), n))
    return 0.3 * rng.normal(size=26), relative, inverse, base, weights / weights.sum(axis=0), rng.normal(size=(3, n))


workload = Workload(distances, by_hand, arguments, {"500 points": 500}, tiny=3, transform="jacfwd")

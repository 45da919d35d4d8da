"""ADBench's hand tracking, on a made-up hand of the same structure: the Jacobian of the distances of points to a posed mesh.

A wrist and five fingers of four bones each; 26 numbers pose it: a rotation, a translation, and four angles a finger.
"""
import math

import numpy as np

from ..workload import Cannot, Rewritten, Workload

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


def for_numba(theta, relative, inverse, base, weights, points):
    """Point by point: where it goes for each bone, and how that moves with the angles ahead of it."""
    n = base.shape[1]
    bones = len(relative)
    frames = np.empty((bones, 3, 4))
    moves = np.zeros((bones, 4, 3, 4))              # bone, angle of its finger
    frames[0] = (relative[0] @ inverse[0])[:3]
    ahead, d = np.empty((4, 4)), np.zeros((4, 4))
    turn, inner = np.zeros((4, 4)), np.zeros((4, 4, 4))
    turn[3, 3] = 1.0
    for f in range(FINGERS):
        frame = relative[0].copy()
        for j in range(JOINTS):
            k = 1 + JOINTS * f + j
            ahead = frame @ relative[k]
            if j == 0:
                frame = ahead
            else:
                a = 6 + 4 * f + (0 if j == 1 else j)
                cx, sx = math.cos(theta[a]), math.sin(theta[a])
                cz, sz = (math.cos(theta[a + 1]), math.sin(theta[a + 1])) if j == 1 else (1.0, 0.0)
                turn[0, 0], turn[0, 1] = cz, -sz
                turn[1, 0], turn[1, 1], turn[1, 2] = cx * sz, cx * cz, -sx
                turn[2, 0], turn[2, 1], turn[2, 2] = sx * sz, sx * cz, cx
                step = relative[k] @ turn
                for i in range(0 if j == 1 else j):
                    inner[i] = inner[i] @ step
                d[:] = 0.0
                d[1, 0], d[1, 1], d[1, 2] = -sx * sz, -sx * cz, -cx
                d[2, 0], d[2, 1], d[2, 2] = cx * sz, cx * cz, -sx
                inner[0 if j == 1 else j] = ahead @ d
                if j == 1:
                    d[:] = 0.0
                    d[0, 0], d[0, 1] = -sz, -cz
                    d[1, 0], d[1, 1] = cx * cz, -cx * sz
                    d[2, 0], d[2, 1] = sx * cz, -sx * sz
                    inner[1] = ahead @ d
                for i in range(2 if j == 1 else j + 1):
                    moves[k, i] = (inner[i] @ inverse[k])[:3]
                frame = ahead @ turn
            frames[k] = (frame @ inverse[k])[:3]

    r0, r1, r2 = theta[0], theta[1], theta[2]
    square = r0 * r0 + r1 * r1 + r2 * r2 + 1e-16
    angle = math.sqrt(square)
    cosine, a = math.cos(angle), math.sin(angle) / angle
    b = (1.0 - cosine) / square
    slope_a, slope_b = (cosine - a) / square, (a - 2.0 * b) / square
    cross = np.array([[0.0, -r2, r1], [r2, 0.0, -r0], [-r1, r0, 0.0]])
    outer = np.outer(theta[:3], theta[:3])
    whole = cosine * np.eye(3) + a * cross + b * outer
    by = np.empty((3, 3, 3))
    for k in range(3):
        by[k] = theta[k] * (slope_a * cross + slope_b * outer - a * np.eye(3))
        i, j = (k + 1) % 3, (k + 2) % 3
        by[k, j, i] += a
        by[k, i, j] -= a
        by[k, k] += b * theta[:3]
        by[k, :, k] += b * theta[:3]

    for k in range(1, bones):
        for i in range(4):
            moves[k, i] = whole @ moves[k, i]
    out = np.zeros((3, n, 26))
    at = np.empty(3)
    for p in range(n):
        at[:] = 0.0
        x, y, z, w = base[0, p], base[1, p], base[2, p], base[3, p]
        for k in range(bones):
            share = weights[k, p]
            for i in range(3):
                at[i] += share * (frames[k, i, 0] * x + frames[k, i, 1] * y + frames[k, i, 2] * z + frames[k, i, 3] * w)
            if k > 0:
                first = 6 + 4 * ((k - 1) // JOINTS)
                j = (k - 1) % JOINTS
                for c in range(0 if j == 0 else 2 if j == 1 else j + 1):
                    for i in range(3):
                        m = moves[k, c, i]
                        out[i, p, first + c] -= share * (m[0] * x + m[1] * y + m[2] * z + m[3] * w)
        for i in range(3):
            for k in range(3):
                out[i, p, k] = -(by[k, i, 0] * at[0] + by[k, i, 1] * at[1] + by[k, i, 2] * at[2])
            out[i, p, 3 + i] = -1.0
    return out.reshape(3 * n, 26)


def in_torch():
    """Matrices of numbers by stacking, the rest as it is."""
    import torch

    def matrix(rows):
        return torch.stack([torch.stack([torch.as_tensor(x) for x in row]) for row in rows])

    def euler(x, z):
        c, s, cz, sz = torch.cos(x), torch.sin(x), torch.cos(z), torch.sin(z)
        return matrix([[cz, -sz, 0.0, 0.0], [c * sz, c * cz, -s, 0.0], [s * sz, s * cz, c, 0.0], [0.0, 0.0, 0.0, 1.0]])

    def rotation(r):
        angle = torch.sqrt(torch.sum(r * r) + 1e-16)
        axis = r / angle
        cross = matrix([[0.0, -axis[2], axis[1]], [axis[2], 0.0, -axis[0]], [-axis[1], axis[0], 0.0]])
        return torch.cos(angle) * torch.eye(3) + torch.sin(angle) * cross + (1.0 - torch.cos(angle)) * torch.outer(axis, axis)

    def f(theta, relative, inverse, base, weights, points):
        wrist = relative[0]
        skinned = weights[0] * (wrist @ inverse[0] @ base)
        for f in range(FINGERS):
            frame = wrist
            for j in range(JOINTS):
                k = 1 + JOINTS * f + j
                frame = frame @ relative[k]
                if j == 1:
                    frame = frame @ euler(theta[6 + 4 * f], theta[7 + 4 * f])
                elif j > 1:
                    frame = frame @ euler(theta[6 + 4 * f + j], torch.zeros(()))
                skinned = skinned + weights[k] * (frame @ inverse[k] @ base)
        placed = rotation(theta[:3]) @ skinned[:3] + theta[3:6][:, None]
        return (points - placed).ravel()
    return f


def arguments(rng, n):
    relative = np.tile(np.eye(4), (1 + FINGERS * JOINTS, 1, 1))
    relative[:, :3, 3] = 0.3 * rng.normal(size=(len(relative), 3))
    inverse = np.tile(np.eye(4), (len(relative), 1, 1))
    inverse[:, :3, :] += 0.2 * rng.normal(size=(len(relative), 3, 4))
    base = np.vstack([rng.normal(size=(3, n)), np.ones(n)])
    weights = rng.random((len(relative), n))
    return 0.3 * rng.normal(size=26), relative, inverse, base, weights / weights.sum(axis=0), rng.normal(size=(3, n))


workload = Workload(distances, by_hand, arguments, {"500 points": 500}, tiny=3, transform="jacfwd", numba=for_numba,
                    peers={"jax": "as written", "torch": Rewritten(in_torch), "autograd": "as written",
                           "mygrad": Cannot("only first derivatives of scalars are supported"),
                           "casadi": Cannot("a graph of a million scalar operations")})

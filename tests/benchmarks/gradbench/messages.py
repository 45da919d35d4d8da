"""Inputs of every GradBench function, and the answers, computed without transgrad.

Derivatives are closed forms where there is one, and otherwise complex steps or central differences of functions written here.
"""
from __future__ import annotations

import math

import numpy as np
import scipy.special
import scipy.stats
from scipy.spatial.transform import Rotation

__all__ = ["CASES"]

RNG = np.random.default_rng(20)


def complex_step(f, x):
    """The derivatives of ``f`` by the entries of a vector, one row each."""
    return np.array([np.imag(f(x + 1e-30j * unit)) / 1e-30 for unit in np.eye(len(x))])


def differences(f, x):
    """The same by central differences."""
    return np.array([(f(x + 1e-5 * unit) - f(x - 1e-5 * unit)) / 2e-5 for unit in np.eye(len(x))])


def hello():
    return {"square": (3.5, 12.25), "double": (3.5, 7.0)}


def llsq():
    x, n = RNG.normal(size=4), 7
    t = np.array([-1.0 + 2.0 * i / (n - 1) for i in range(n)])
    powers = np.vander(t, 4, increasing=True)
    left = np.sign(t) - powers @ x
    given = {"x": x.tolist(), "n": n}
    return {"primal": (given, 0.5 * left @ left), "gradient": (given, -powers.T @ left)}


def lse():
    x = 40.0 * RNG.normal(size=6)
    given = {"x": x.tolist()}
    return {"primal": (given, scipy.special.logsumexp(x)), "gradient": (given, scipy.special.softmax(x))}


def det():
    a = RNG.normal(size=(4, 4))
    given = {"A": a.ravel().tolist(), "ell": 4}
    value = np.linalg.det(a)
    return {"primal": (given, value), "gradient": (given, (value * np.linalg.inv(a).T).ravel())}


def ode():
    """The components are powers of t, which the method integrates exactly up to the fourth."""
    x = RNG.uniform(0.5, 1.5, 4)
    y = np.array([np.prod(x[:i + 1]) * 2.0 ** (i + 1) / math.factorial(i + 1) for i in range(4)])
    given = {"x": x.tolist(), "s": 5}
    return {"primal": (given, y), "gradient": (given, y[-1] / x)}


def kmeans():
    """Newton's direction leads from each centroid to the mean of its points."""
    points = RNG.random((12, 3))
    centroids = points[-3:]
    squares = [[sum((p - c) ** 2) for c in centroids] for p in points]
    nearest = np.array([int(np.argmin(row)) for row in squares])
    given = {"points": points.tolist(), "centroids": centroids.tolist()}
    direction = [c - points[nearest == k].mean(axis=0) for k, c in enumerate(centroids)]
    return {"cost": (given, sum(min(row) for row in squares)), "dir": (given, np.array(direction))}


def gmm():
    d, k, n, m, gamma = 3, 2, 5, 1, 0.8
    shapes = {"alpha": (k,), "mu": (k, d), "q": (k, d), "l": (k, d * (d - 1) // 2)}
    parts = {name: 0.5 * RNG.normal(size=shape) for name, shape in shapes.items()}
    x = RNG.normal(size=(n, d))

    def log_posterior(flat):
        at, p = 0, {}
        for name, shape in shapes.items():
            size = math.prod(shape)
            p[name], at = flat[at:at + size].reshape(shape), at + size
        total = 0.0
        mixture = np.zeros(n)
        for c in range(k):
            factor = np.diag(np.exp(p["q"][c]))
            entries = iter(p["l"][c])
            for column in range(d):
                for row in range(column + 1, d):
                    factor[row, column] = next(entries)
            precision = factor.T @ factor
            share = np.exp(p["alpha"][c]) / np.sum(np.exp(p["alpha"]))
            mixture += share * scipy.stats.multivariate_normal.pdf(x, p["mu"][c], np.linalg.inv(precision))
            total += scipy.stats.wishart.logpdf(precision, d + m + 1, np.eye(d) / gamma ** 2)
        return total + np.sum(np.log(mixture))
    flat = np.concatenate([part.ravel() for part in parts.values()])
    slopes, at, gradient = differences(log_posterior, flat), 0, {}
    for name, part in parts.items():
        gradient[name], at = slopes[at:at + part.size].reshape(part.shape), at + part.size
    given = {"d": d, "k": k, "n": n, "m": m, "gamma": gamma, "x": x.tolist(), **{name: part.tolist() for name, part in parts.items()}}
    return {"objective": (given, log_posterior(flat)), "jacobian": (given, gradient)}


def lstm():
    layers, length, size = 2, 4, 3
    main, extra, state = RNG.normal(size=(2 * layers, 4 * size)), RNG.normal(size=(3, size)), RNG.normal(size=(2 * layers, size))
    sequence = np.eye(size)[RNG.integers(0, size, length)]

    def loss(flat):
        w, e = flat[:main.size].reshape(layers, 2, 4, size), flat[main.size:].reshape(3, size)
        hidden, cell = list(state[::2].astype(complex)), list(state[1::2].astype(complex))
        total = 0.0
        for now, wanted in zip(sequence, sequence[1:]):
            out = now * e[0]
            for k in range(layers):
                read = np.array([out, hidden[k], out, hidden[k]]) * w[k, 0] + w[k, 1]
                forget, ingate, outgate = 1.0 / (1.0 + np.exp(-read[:3]))
                cell[k] = cell[k] * forget + ingate * np.tanh(read[3])
                hidden[k] = out = outgate * np.tanh(cell[k])
            y = out * e[1] + e[2]
            total += np.sum(wanted * (y - np.log(2.0 + np.sum(np.exp(y)))))
        return -total / ((length - 1) * size)
    flat = np.concatenate([main.ravel(), extra.ravel()])
    given = {"main_params": main.tolist(), "extra_params": extra.tolist(), "state": state.tolist(), "sequence": sequence.tolist()}
    return {"objective": (given, loss(flat).real), "jacobian": (given, complex_step(loss, flat))}


def ba():
    n, m, p = 3, 4, 5
    camera = np.array([0.1, -0.2, 0.3, 0.4, 0.5, -0.6, 1.1, 0.02, 0.03, 0.04, -0.01])
    point, weight, feature = np.array([0.5, -0.3, 6.0]), 0.7, np.array([0.1, 0.2])

    def error(flat):
        seen = Rotation.from_rotvec(flat[:3]).apply(flat[11:14] - flat[3:6])
        plane = seen[:2] / seen[2]
        square = plane @ plane
        return flat[14] * (flat[6] * (1.0 + flat[9] * square + flat[10] * square ** 2) * plane + flat[7:9] - feature)
    flat = np.concatenate([camera, point, [weight]])
    block = differences(error, flat).T
    given = {"n": n, "m": m, "p": p, "cam": camera.tolist(), "x": point.tolist(), "w": weight, "feat": feature.tolist()}
    first = [*range(11), *range(33, 36), 33 + 12]
    return {
        "objective": (given, {"reproj_error": {"elements": error(flat), "repeated": p},
                              "w_err": {"element": 1.0 - weight ** 2, "repeated": p}}),
        "jacobian": (given, {"rows": [*range(0, 151, 15), *range(151, 156), 155], "cols": [*first, *first, 33 + 12 + p - 1],
                             "vals": [*block.ravel(), -2.0 * weight]}),
    }


def hand(complicated):
    bones, vertices, points = 22, 9, 4
    parents = [-1, 0] + [bone for finger in range(5) for bone in (0, *range(2 + 4 * finger, 5 + 4 * finger))]
    relative, inverse = np.zeros((bones, 4, 4)), np.zeros((bones, 4, 4))
    for matrices in (relative, inverse):
        for matrix in matrices:
            matrix[:3, :3], matrix[:3, 3], matrix[3, 3] = Rotation.random(random_state=RNG).as_matrix(), RNG.normal(size=3), 1.0
    base = np.column_stack([RNG.normal(size=(vertices, 3)), np.ones(vertices)])
    weights, measured = RNG.random((vertices, bones)), RNG.normal(size=(points, 3))
    triangles = RNG.integers(0, vertices, (6, 3))
    chosen = RNG.integers(0, 6, points)
    theta, us = 0.5 * RNG.normal(size=26), RNG.random((points, 2))

    def distances(flat):
        theta, us = flat[:26], flat[26:].reshape(-1, 2)
        placed = np.zeros((vertices, 3))
        frames = []
        for bone in range(bones):
            finger, joint = divmod(bone - 2, 4)
            x = z = 0.0
            if 0 <= finger < 5 and joint < 3:
                own = theta[6 + 4 * finger:10 + 4 * finger]
                x, z = (own[0], own[1]) if joint == 0 else (own[joint + 1], 0.0)
            turn = np.eye(4)
            turn[:3, :3] = Rotation.from_euler("xyz", [x, 0.0, z]).as_matrix()
            frame = relative[bone] @ turn
            frames.append(frame if bone == 0 else frames[parents[bone]] @ frame)
            placed += weights[:, bone, None] * (base @ (frames[bone] @ inverse[bone]).T)[:, :3]
        placed[:, 0] *= -1.0
        placed = Rotation.from_rotvec(theta[:3]).apply(placed) + theta[3:6]
        if not complicated:
            return np.concatenate([measured[i] - placed[chosen[i]] for i in range(points)])
        corners = placed[triangles[chosen]]
        return np.concatenate([measured[i] - np.array([*us[i], 1.0 - us[i].sum()]) @ corners[i] for i in range(points)])
    flat = np.concatenate([theta, us.ravel()])
    slopes = differences(distances, flat).T
    if complicated:
        own = np.array([slopes[row, 26 + 2 * (row // 3):28 + 2 * (row // 3)] for row in range(3 * points)])
        columns = np.column_stack([own, slopes[:, :26]])
    else:
        columns = slopes[:, :26]
    model = {"bone_count": bones, "bone_names": [f"bone{i}" for i in range(bones)], "parents": parents,
             "base_relatives": relative.tolist(), "inverse_base_absolutes": inverse.tolist(), "base_positions": base.tolist(),
             "weights": weights.tolist(), "triangles": triangles.tolist(), "is_mirrored": True}
    given = {"theta": theta.tolist(), "us": us.tolist() if complicated else [],
             "data": {"model": model, "correspondences": chosen.tolist(), "points": measured.tolist()}}
    return {"objective": (given, distances(flat)), "jacobian": (given, columns)}


def descend(f, slope, x):
    """The descent of the two evals, with derivatives by hand."""
    step, calm = 1e-5, 0
    while np.linalg.norm(slope(x)) > 1e-5:
        if calm == 10:
            step, calm = 2.0 * step, 0
            continue
        there = x - step * slope(x)
        if np.linalg.norm(x - there) <= 1e-5:
            break
        if f(there) < f(x):
            x, calm = there, calm + 1
        else:
            step, calm = step / 2.0, 0
    return x


def saddle():
    """The maximum over y does not depend on x: both halves are the descent of a square."""
    start = np.array([1.0, 1.0])
    answer = descend(lambda x: x @ x, lambda x: 2.0 * x, start)
    return {mode: ({"start": start.tolist()}, np.concatenate([answer, answer])) for mode in ("ff", "fr", "rf", "rr")}


def particle():
    def missed(w):
        x, v = np.array([0.0, 8.0], dtype=w.dtype), np.array([0.75, 0.0], dtype=w.dtype)
        charges = [np.array([10.0, 0.0 * w[0]]), np.array([10.0, 10.0 - w[0]])]
        while True:
            force = sum((x - c) / np.sum((x - c) ** 2) ** 1.5 for c in charges)
            if (x[1] + 0.1 * v[1]).real <= 0.0:
                return (x[0] - x[1] / v[1] * v[0]) ** 2
            x, v = x + 0.1 * v, v + 0.1 * force
    answer = descend(missed, lambda w: complex_step(missed, w), np.array([0.15]))[0]
    return {mode: ({"w": 0.15}, answer) for mode in ("ff", "fr", "rf", "rr")}


MAKERS = {"hello": hello, "llsq": llsq, "lse": lse, "det": det, "ode": ode, "kmeans": kmeans, "gmm": gmm, "lstm": lstm, "ba": ba,
          "ht": lambda: hand(False), "ht, triangles": lambda: hand(True), "saddle": saddle, "particle": particle}

#: Module, function, input, answer.
CASES = [(label.split(",")[0], function, given, answer)
         for label, make in MAKERS.items() for function, (given, answer) in make().items()]

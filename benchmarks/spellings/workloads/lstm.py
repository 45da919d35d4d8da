"""A layer of long short-term memory, with the squared distance of its outputs from targets."""
import math

import numpy as np

from ..workload import Spellings


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def stacked(w, u, b, x, target):
    n = u.shape[1]
    h, c, loss = np.zeros(n), np.zeros(n), 0.0
    for t in range(len(x)):
        z = w @ x[t] + u @ h + b
        i, f, o, g = sigmoid(z[:n]), sigmoid(z[n:2 * n]), sigmoid(z[2 * n:3 * n]), np.tanh(z[3 * n:])
        c = f * c + i * g
        h = o * np.tanh(c)
        loss += np.sum((h - target[t]) ** 2)
    return loss


def four_matrices(wi, wf, wo, wg, ui, uf, uo, ug, bi, bf, bo, bg, x, target):
    h = np.zeros(len(bi))
    c = np.zeros(len(bi))
    outputs = []
    for xt in x:
        i = sigmoid(np.dot(wi, xt) + np.dot(ui, h) + bi)
        f = sigmoid(np.dot(wf, xt) + np.dot(uf, h) + bf)
        o = sigmoid(np.dot(wo, xt) + np.dot(uo, h) + bo)
        c = f * c + i * np.tanh(np.dot(wg, xt) + np.dot(ug, h) + bg)
        h = o * np.tanh(c)
        outputs.append(h)
    return np.sum((np.array(outputs) - target) ** 2)


class Cell:
    def __init__(self, w, u, b):
        self.w, self.u, self.b = w, u, b
        self.h = np.zeros(u.shape[1])
        self.c = np.zeros(u.shape[1])

    def step(self, x):
        i, f, o, g = np.split(self.w @ x + self.u @ self.h + self.b, 4)
        self.c = sigmoid(f) * self.c + sigmoid(i) * np.tanh(g)
        self.h = sigmoid(o) * np.tanh(self.c)
        return self.h


def classes(w, u, b, x, target):
    cell = Cell(w, u, b)
    loss = 0.0
    for xt, yt in zip(x, target):
        e = cell.step(xt) - yt
        loss += e @ e
    return loss


def cell(weights, state, x):
    w, u, b = weights
    h, c = state
    z = (w @ x + u @ h + b).reshape(4, -1)
    gates = sigmoid(z[:3])
    c = gates[1] * c + gates[0] * np.tanh(z[3])
    return gates[2] * np.tanh(c), c


def functional(w, u, b, x, target):
    state = np.zeros(u.shape[1]), np.zeros(u.shape[1])
    loss = 0.0
    for xt, yt in zip(x, target):
        state = cell((w, u, b), state, xt)
        loss = loss + np.sum(np.square(state[0] - yt))
    return loss


def preallocated(w, u, b, x, target):
    steps, n = target.shape
    hs, cs = np.zeros((steps + 1, n)), np.zeros((steps + 1, n))
    inputs = x @ w.T + b
    for t in range(steps):
        z = inputs[t] + u @ hs[t]
        s = 1 / (1 + np.exp(-z[:3 * n]))
        cs[t + 1] = s[n:2 * n] * cs[t] + s[:n] * np.tanh(z[3 * n:])
        hs[t + 1] = s[2 * n:] * np.tanh(cs[t + 1])
    return np.sum((hs[1:] - target) ** 2)


def scalar_loops(w, u, b, x, target):
    n = u.shape[1]
    h, c, loss = [0.0] * n, [0.0] * n, 0.0
    for t in range(len(x)):
        z = []
        for k in range(4 * n):
            s = b[k]
            for j in range(x.shape[1]):
                s += w[k, j] * x[t, j]
            for j in range(n):
                s += u[k, j] * h[j]
            z.append(math.tanh(s) if k >= 3 * n else 1 / (1 + math.exp(-s)))
        c = [z[n + j] * c[j] + z[j] * z[3 * n + j] for j in range(n)]
        h = [z[2 * n + j] * math.tanh(c[j]) for j in range(n)]
        for j in range(n):
            loss += (h[j] - target[t, j]) ** 2
    return loss


def by_hand(w, u, b, x, target):
    steps, n = target.shape
    inputs = x @ w.T + b
    hs, cs, gates = np.zeros((steps + 1, n)), np.zeros((steps + 1, n)), np.empty((steps, 4 * n))
    tanh_c = np.empty((steps, n))
    for t in range(steps):
        z = gates[t]
        np.add(inputs[t], u @ hs[t], out=z)
        np.tanh(z[3 * n:], out=z[3 * n:])
        z[:3 * n] = 1 / (1 + np.exp(-z[:3 * n]))
        c = cs[t + 1]
        np.multiply(z[n:2 * n], cs[t], out=c)
        c += z[:n] * z[3 * n:]
        np.tanh(c, out=tanh_c[t])
        np.multiply(z[2 * n:3 * n], tanh_c[t], out=hs[t + 1])
    out_bar = 2 * (hs[1:] - target)
    slopes = gates * (1 - gates)
    slopes[:, 3 * n:] = 1 - gates[:, 3 * n:] ** 2
    c_slopes = gates[:, 2 * n:3 * n] * (1 - tanh_c ** 2)
    z_bar = np.empty((steps, 4 * n))
    h_bar, c_bar = np.zeros(n), np.zeros(n)
    for t in range(steps - 1, -1, -1):
        h_bar += out_bar[t]
        c_bar += h_bar * c_slopes[t]
        z, g = gates[t], z_bar[t]
        g[:n] = c_bar * z[3 * n:]
        g[n:2 * n] = c_bar * cs[t]
        g[2 * n:3 * n] = h_bar * tanh_c[t]
        g[3 * n:] = c_bar * z[:n]
        g *= slopes[t]
        c_bar *= z[n:2 * n]
        h_bar = g @ u
    return z_bar.T @ x, z_bar.T @ hs[:-1], z_bar.sum(axis=0)


def arguments(rng):
    n, d, steps = 8, 6, 12
    return (rng.normal(size=(4 * n, d)) / 3, rng.normal(size=(4 * n, n)) / 3, rng.normal(size=4 * n), rng.normal(size=(steps, d)),
            rng.normal(size=(steps, n)))


WORKLOAD = Spellings(arguments, by_hand, {
    "stacked": stacked, "classes": classes, "functional": functional, "preallocated": preallocated,
    "scalar loops": scalar_loops}, (0, 1, 2))

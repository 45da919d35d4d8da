"""The entropic transport cost between two histograms, by Sinkhorn's iterations."""
import math

import numpy as np

from ..workload import Spellings

EPS = 0.5


def scaling(cost, a, b, steps):
    k = np.exp(-cost / EPS)
    v = np.ones(len(b))
    for _ in range(steps):
        u = a / (k @ v)
        v = b / (k.T @ u)
    return np.sum(u[:, None] * k * v[None, :] * cost)


def log_domain(cost, a, b, steps):
    f, g = np.zeros_like(a), np.zeros_like(b)
    for _ in range(steps):
        z = (g[None, :] - cost) / EPS
        m = np.max(z, axis=1)
        f = EPS * (np.log(a) - m - np.log(np.sum(np.exp(z - m[:, None]), axis=1)))
        z = (f[:, None] - cost) / EPS
        m = np.max(z, axis=0)
        g = EPS * (np.log(b) - m - np.log(np.sum(np.exp(z - m), axis=0)))
    plan = np.exp((f[:, None] + g[None, :] - cost) / EPS)
    return np.sum(plan * cost)


def scalar_loops(cost, a, b, steps):
    n, m = len(a), len(b)
    k = [[math.exp(-cost[i, j] / EPS) for j in range(m)] for i in range(n)]
    u, v = [1.0] * n, [1.0] * m
    for _ in range(steps):
        for i in range(n):
            s = 0.0
            for j in range(m):
                s += k[i][j] * v[j]
            u[i] = a[i] / s
        for j in range(m):
            s = 0.0
            for i in range(n):
                s += k[i][j] * u[i]
            v[j] = b[j] / s
    total = 0.0
    for i in range(n):
        for j in range(m):
            total += u[i] * k[i][j] * v[j] * cost[i, j]
    return total


def normalize(plan, a, b):
    plan = plan * (a / plan.sum(axis=1))[:, None]
    return plan * (b / plan.sum(axis=0))


def plans(cost, a, b, steps):
    plan = np.exp(-cost / EPS)
    for _ in range(steps):
        plan = normalize(plan, a, b)
    return np.einsum("ij,ij->", plan, cost)


def in_place(cost, a, b, steps):
    plan = np.exp(cost / -EPS)
    for _ in range(steps):
        for i in range(len(a)):
            plan[i] *= a[i] / np.sum(plan[i])
        for j in range(len(b)):
            plan[:, j] *= b[j] / np.sum(plan[:, j])
    return (plan * cost).sum()


def by_hand(cost, a, b, steps):
    k = np.exp(-cost / EPS)
    vs, us = np.empty((steps + 1, len(b))), np.empty((steps, len(a)))
    vs[0] = 1.0
    for t in range(steps):
        np.divide(a, k @ vs[t], out=us[t])
        np.divide(b, us[t] @ k, out=vs[t + 1])
    u, v = us[-1], vs[-1]
    kv = k * v
    kc = k * cost
    u_bar, v_bar = kc @ v, u @ kc
    rows, columns = np.empty((2 * steps + 1, len(a))), np.empty((2 * steps + 1, len(b)))
    for t in range(steps - 1, -1, -1):
        g = v_bar * vs[t + 1]
        g *= vs[t + 1]
        g /= -b
        rows[2 * t], columns[2 * t] = us[t], g
        u_bar = k @ g + (u_bar if t == steps - 1 else 0)
        h = u_bar * us[t]
        h *= us[t]
        h /= -a
        rows[2 * t + 1], columns[2 * t + 1] = h, vs[t]
        v_bar = h @ k
    k_bar = rows[:-1].T @ columns[:-1]
    p = u[:, None] * kv
    k_bar += u[:, None] * v * cost
    k_bar *= k
    k_bar /= -EPS
    k_bar += p
    return k_bar


def arguments(rng):
    a, b = rng.random(12) + 0.2, rng.random(10) + 0.2
    return rng.random((12, 10)), a / a.sum(), b / b.sum(), 15


WORKLOAD = Spellings(arguments, by_hand, {
    "scaling": scaling, "log domain": log_domain, "scalar loops": scalar_loops, "plans": plans, "in place": in_place})

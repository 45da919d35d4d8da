"""Longer functions of the kind that people have: filters, likelihoods, solvers, simulations, networks."""
from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from .helpers import check_array, softmax
from .registry import case

rng = np.random.default_rng(11)
SERIES = rng.normal(size=8)


@case(args=(np.array([0.3, 0.8, -0.5]), SERIES))
def kalman_local_level(theta, y):
    q, r = np.exp(theta[0]), np.exp(theta[1])
    phi = np.tanh(theta[2])
    mean, var = 0.0, 1.0
    loglik = 0.0
    for obs in y:
        mean, var = phi * mean, phi * var * phi + q
        s = var + r
        innovation = obs - mean
        gain = var / s
        loglik += -0.5 * (np.log(2 * np.pi * s) + innovation ** 2 / s)
        mean = mean + gain * innovation
        var = (1 - gain) * var
    return loglik


@case(args=(np.array([0.05, 0.1, 0.8]), SERIES))
def garch_loglik(params, returns):
    omega, alpha, beta = params
    n = len(returns)
    sigma2 = np.zeros(n)
    sigma2[0] = np.var(returns)
    for t in range(1, n):
        sigma2[t] = omega + alpha * returns[t - 1] ** 2 + beta * sigma2[t - 1]
    return 0.5 * np.sum(np.log(sigma2) + returns ** 2 / sigma2)


@case(args=(rng.normal(size=(3, 3)), rng.normal(size=(3, 2))), wrt=(0, 1))
def hidden_markov_forward(trans_logits, emit_logits):
    trans = softmax(trans_logits, axis=1)
    emit = softmax(emit_logits, axis=1)
    observations = [0, 1, 1, 0, 1]
    alpha = np.ones(3) / 3 * emit[:, observations[0]]
    loglik = 0.0
    for o in observations[1:]:
        norm = alpha.sum()
        loglik += np.log(norm)
        alpha = (alpha / norm) @ trans * emit[:, o]
    return loglik + np.log(alpha.sum())


def normal_cdf(x):
    return 0.5 * (1.0 + math.erf(x / math.sqrt(2.0)))


@case(args=(100.0, 95.0, 0.5, 0.03, 0.25), kwargs={"kind": "put"}, wrt=(0, 1, 2, 3, 4), name="black_scholes_put")
@case(args=(100.0, 95.0, 0.5, 0.03, 0.25), wrt=(0, 4), name="black_scholes_call")
def black_scholes(s, k, t, r, sigma, *, kind="call"):
    if t <= 0 or sigma <= 0:
        return max(0.0, s - k) if kind == "call" else max(0.0, k - s)
    d1 = (math.log(s / k) + (r + 0.5 * sigma ** 2) * t) / (sigma * math.sqrt(t))
    d2 = d1 - sigma * math.sqrt(t)
    if kind == "call":
        return s * normal_cdf(d1) - k * math.exp(-r * t) * normal_cdf(d2)
    elif kind == "put":
        return k * math.exp(-r * t) * normal_cdf(-d2) - s * normal_cdf(-d1)
    raise ValueError(kind)


@case(args=(1.0, 1.05, 0.3), wrt=(0, 1, 2))
def binomial_tree(s0, k, sigma):
    n, dt, r = 5, 0.1, 0.02
    u = np.exp(sigma * np.sqrt(dt))
    d = 1.0 / u
    p = (np.exp(r * dt) - d) / (u - d)
    prices = np.array([s0 * u ** j * d ** (n - j) for j in range(n + 1)])
    values = np.maximum(k - prices, 0.0)
    for i in range(n - 1, -1, -1):
        values = np.exp(-r * dt) * (p * values[1:] + (1 - p) * values[:-1])
        exercise = k - s0 * u ** np.arange(i + 1) * d ** (i - np.arange(i + 1))
        values = np.maximum(values, exercise)
    return values[0]


@case(args=({"wf": rng.normal(size=(2, 3)), "wi": rng.normal(size=(2, 3)), "wo": rng.normal(size=(2, 3)), "wc": rng.normal(size=(2, 3))},
            rng.normal(size=(4, 1))), wrt=(0, 1))
def lstm(params, xs):
    def sigmoid(z):
        return 1.0 / (1.0 + np.exp(-z))
    h, c = np.zeros(2), np.zeros(2)
    for x in xs:
        z = np.concatenate([h, x])
        f = sigmoid(params["wf"] @ z)
        i = sigmoid(params["wi"] @ z)
        o = sigmoid(params["wo"] @ z)
        c = f * c + i * np.tanh(params["wc"] @ z)
        h = o * np.tanh(c)
    return np.sum(h ** 2) + np.sum(c)


@case(args=(rng.normal(size=(3, 2)), rng.normal(size=(2, 2)), rng.normal(size=(2, 2))), wrt=(0, 1, 2))
def attention(x, wq, wk):
    q, k = x @ wq, x @ wk
    scores = q @ k.T / np.sqrt(k.shape[-1])
    mask = np.tril(np.ones((3, 3), dtype=bool))
    scores = np.where(mask, scores, -1e9)
    return np.sum((softmax(scores) @ x) ** 2)


@case(args=(np.array([0.5, -0.2, 0.8]), rng.normal(size=(6, 3)), np.array([0, 1, 1, 0, 1, 1])))
def logistic_regression(w, x, y):
    z = np.clip(x @ w, -30, 30)
    p = 1.0 / (1.0 + np.exp(-z))
    eps = 1e-12
    nll = -np.mean(y * np.log(p + eps) + (1 - y) * np.log(1 - p + eps))
    return nll + 0.01 * np.dot(w, w)


@case(args=(np.array([0.4, 0.9, -0.3]), np.array([0.0, 0.3, 0.7, 1.0]), np.array([0.1, 0.5, 0.2, -0.4])), wrt=(0, 1))
def gaussian_process(theta, x, y):
    amp, length, noise = np.exp(theta)
    diff = x[:, None] - x[None, :]
    k = amp ** 2 * np.exp(-0.5 * diff ** 2 / length ** 2)
    k[np.diag_indices_from(k)] += noise
    low = np.linalg.cholesky(k)
    alpha = np.linalg.solve(low.T, np.linalg.solve(low, y))
    return 0.5 * y @ alpha + np.sum(np.log(np.diag(low))) + 0.5 * len(y) * np.log(2 * np.pi)


@case(args=(np.array([1.0, 3.0, -0.5, 2.0]), np.array([4.0, 4.5, 5.0, 4.2]), np.array([0.5, -1.0, 0.3])), wrt=(0, 1, 2))
def thomas_algorithm(d, b, off):
    n = len(d)
    c, y = np.zeros(n - 1), np.zeros(n)
    c[0] = off[0] / b[0]
    y[0] = d[0] / b[0]
    for i in range(1, n):
        denom = b[i] - off[i - 1] * c[i - 1]
        if i < n - 1:
            c[i] = off[i] / denom
        y[i] = (d[i] - off[i - 1] * y[i - 1]) / denom
    for i in range(n - 2, -1, -1):
        y[i] -= c[i] * y[i + 1]
    return float(y @ y)


@case(args=(rng.normal(size=(3, 2)), rng.normal(size=(3, 2))), wrt=(0, 1))
def n_body(pos, vel):
    mass = np.array([1.0, 0.5, 0.2])

    def acceleration(pos):
        acc = np.zeros_like(pos)
        for i in range(len(mass)):
            for j in range(len(mass)):
                if i == j:
                    continue
                r = pos[j] - pos[i]
                acc[i] += mass[j] * r / (np.dot(r, r) + 0.1) ** 1.5
        return acc

    dt = 0.05
    acc = acceleration(pos)
    for _ in range(3):
        vel = vel + 0.5 * dt * acc
        pos = pos + dt * vel
        acc = acceleration(pos)
        vel = vel + 0.5 * dt * acc
    return 0.5 * np.sum(mass[:, None] * vel ** 2) + np.sum(pos[0] * pos[2])


@case(args=(rng.normal(size=4), rng.normal(size=3)), wrt=(0, 1))
def soft_dynamic_time_warping(a, b, gamma=0.7):
    n, m = len(a), len(b)
    r = np.full((n + 1, m + 1), 1e3)
    r[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            cost = (a[i - 1] - b[j - 1]) ** 2
            best = min(r[i - 1, j], r[i, j - 1], r[i - 1, j - 1])
            soft = sum(math.exp(-(v - best) / gamma) for v in (r[i - 1, j], r[i, j - 1], r[i - 1, j - 1]))
            r[i, j] = cost + best - gamma * math.log(soft)
    return r[n, m]


@case(args=(0.3, 0.7, 70.0), wrt=(0, 1, 2), step=5e-4)
def luminosity_distance(omega_m, omega_l, h0, z=0.8, steps=20):
    c = 299792.458
    omega_k = 1.0 - omega_m - omega_l

    def inv_e(z):
        return 1.0 / math.sqrt(omega_m * (1 + z) ** 3 + omega_k * (1 + z) ** 2 + omega_l)

    dz = z / steps
    integral = 0.5 * (inv_e(0.0) + inv_e(z))
    for k in range(1, steps):
        integral += inv_e(k * dz)
    return (1 + z) * c / h0 * integral * dz / 1e3


@case(args=(0.05,), kwargs={"face": 100.0, "years": 4})
def bond_price_and_duration(rate, face=1000.0, years=10, coupon=0.04, frequency=2):
    flows = [coupon * face / frequency] * (years * frequency)
    flows[-1] += face
    price = sum(cf / (1 + rate / frequency) ** (k + 1) for k, cf in enumerate(flows))
    weighted = sum((k + 1) / frequency * cf / (1 + rate / frequency) ** (k + 1) for k, cf in enumerate(flows))
    return weighted / price + price / face


@case(args=(np.array([0.2, 0.5, 0.9]),))
def srgb_to_lab_lightness(rgb):
    rgb = check_array(rgb)
    mask = rgb > 0.04045
    linear = np.empty_like(rgb)
    linear[mask] = ((rgb[mask] + 0.055) / 1.055) ** 2.4
    linear[~mask] = rgb[~mask] / 12.92
    xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]) @ linear
    t = xyz / np.array([0.95047, 1.0, 1.08883])
    f = np.where(t > 0.008856, np.cbrt(t), 7.787 * t + 16.0 / 116.0)
    return 116.0 * f[1] - 16.0 + 500.0 * (f[0] - f[1]) * 0.01 + 2.0 * (f[1] - f[2])


@dataclass
class Member:
    """A bar of a truss between two nodes."""

    i: int
    j: int
    area: float


@case(args=(np.array([1.0, 1.4, 0.8]), np.array([[0.0, 0.0], [1.0, 0.1], [0.4, 0.9]])), wrt=(0, 1))
def truss_compliance(areas, nodes):
    members = [Member(0, 1, areas[0]), Member(1, 2, areas[1]), Member(0, 2, areas[2])]
    k = np.eye(6) * 0.1
    for m in members:
        d = nodes[m.j] - nodes[m.i]
        length = np.linalg.norm(d)
        e = d / length
        b = np.outer(e, e) * m.area / length
        dofs = {m.i: slice(2 * m.i, 2 * m.i + 2), m.j: slice(2 * m.j, 2 * m.j + 2)}
        for p in (m.i, m.j):
            for q in (m.i, m.j):
                k[dofs[p], dofs[q]] += b if p == q else -b
    load = np.zeros(6)
    load[5] = -1.0
    u = np.linalg.solve(k, load)
    return load @ u


@case(args=(np.array([0.7, -0.3]), SERIES[:6]))
def iir_filter(a, x):
    y = []
    for n in range(len(x)):
        value = x[n]
        for k in range(1, len(a) + 1):
            if n - k >= 0:
                value -= a[k - 1] * y[n - k]
        y.append(value)
    return sum(v * v for v in y)


@case(args=(rng.normal(size=(3, 2)), np.array([0.4, 0.9])), wrt=(0, 1))
def value_iteration(rewards, weights):
    gamma = 0.9
    v = np.zeros(3)
    for _ in range(6):
        q = rewards * weights + gamma * np.stack([v, np.roll(v, 1)], axis=1)
        new = 0.2 * np.log(np.sum(np.exp(q / 0.2), axis=1))
        if np.max(np.abs(new - v)) < 1e-9:
            break
        v = new
    return v.sum()


@case(args=(np.array([-1.2, 1.0, 0.7]),), name="rosenbrock_sliced")
def rosenbrock(x):
    x = np.asarray(x)
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


@case(args=(np.array([0.8, 1.3]),))
def ackley(xx, a=20, b=0.2, c=2 * math.pi):
    d = len(xx)
    sum_sq = sum(x ** 2 for x in xx)
    sum_cos = sum(np.cos(c * x) for x in xx)
    return -a * np.exp(-b * np.sqrt(sum_sq / d)) - np.exp(sum_cos / d) + a + np.exp(1)


@case(args=(0.9, 1.1), wrt=(0, 1), name="lennard_jones_trimer")
def lennard_jones(sigma, epsilon):
    atoms = [(0.0, 0.0), (1.2, 0.1), (0.5, 1.0)]
    total = 0.0
    for i, p in enumerate(atoms):
        for q in atoms[i + 1:]:
            r2 = sum((u - v) ** 2 for u, v in zip(p, q))
            sr6 = (sigma ** 2 / r2) ** 3
            total += 4.0 * epsilon * (sr6 ** 2 - sr6)
    return total

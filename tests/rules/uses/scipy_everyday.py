"""Models as they are written with SciPy: fits, likelihoods, differential equations that return lists, filters, images, sparse systems."""
from __future__ import annotations

from typing import Any

import numpy as np
from scipy import integrate, interpolate, linalg, ndimage, optimize, signal, sparse, special, stats
from scipy.sparse.linalg import spsolve
from scipy.spatial import distance

from . import use

_rng = np.random.default_rng(3)
T = np.linspace(0.0, 4.0, 15)
Y = 1.3 * np.exp(-0.7 * T) * np.cos(2.0 * T) + 0.02 * _rng.normal(size=15)
POINTS = _rng.normal(size=(10, 2))
TARGETS = np.sin(POINTS[:, 0])
SAMPLE = _rng.normal(size=20)
IMAGE = _rng.normal(size=(8, 9))


def predators(t: Any, z: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
    x, y = z
    return [a * x - b * x * y, -c * y + d * x * y]


@use(np.array([1.0, 0.5, 0.8, 0.6]))
def rates_by_solve_ivp(th: Any) -> Any:
    sol = integrate.solve_ivp(predators, (0, 1.5), [1.0, 0.5], t_eval=np.linspace(0.0, 1.5, 4), args=tuple(th), rtol=1e-10, atol=1e-10)
    return np.sum((sol.y.T - 0.9) ** 2)


@use(np.array([1.0, 0.5, 0.8, 0.6]))
def rates_by_odeint(th: Any) -> Any:
    y = integrate.odeint(lambda z, t: predators(t, z, *th), [1.0, 0.5], np.linspace(0.0, 1.5, 4), rtol=1e-10, atol=1e-10)
    return np.mean((y - 0.9) ** 2)


@use(np.array([0.8, 1.2]))
def equilibrium(p: Any) -> Any:
    x = optimize.root(lambda x: [x[0] ** 2 + p[0] * x[1] - 2.0, x[1] ** 3 - p[1] * x[0]], [1.0, 1.0], tol=1e-13).x
    return x @ np.array([1.0, 2.0])


@use(np.array([0.1, 0.2, -1.0]))
def gaussian_process(th: Any) -> Any:
    length, scale, noise = np.exp(th)
    k = scale ** 2 * np.exp(-0.5 * distance.cdist(POINTS / length, POINTS / length, "sqeuclidean")) + noise ** 2 * np.eye(10)
    c, low = linalg.cho_factor(k, lower=True)
    return 0.5 * TARGETS @ linalg.cho_solve((c, low), TARGETS) + np.sum(np.log(np.diag(c)))


@use(np.array([1.2, 0.3]))
def matern_process(th: Any) -> Any:
    r = np.sqrt(3.0) * distance.squareform(distance.pdist(POINTS))      # constant, and of a type that has to be found
    root = linalg.cholesky(th[0] * (1.0 + r) * np.exp(-r) + th[1] * np.eye(10), lower=True)
    a = linalg.solve_triangular(root, TARGETS, lower=True)
    return 0.5 * np.sum(a ** 2) + np.log(root.diagonal()).sum()


@use(np.array([0.3, -0.5, 0.1, 0.8]))
def mixture(p: Any) -> Any:
    w = special.softmax(np.array([p[0], 0.0]))
    parts = np.stack([stats.norm.logpdf(SAMPLE, p[1], np.exp(p[2])), stats.norm.logpdf(SAMPLE, p[3], 1.0)])
    return -np.sum(special.logsumexp(parts, axis=0, b=w[:, None]))


@use(np.array([0.8, 0.7]))
def censored(p: Any) -> Any:
    x = np.exp(SAMPLE)
    scale = np.exp(p[1])
    return -np.sum(np.where(x > 1.5, stats.lognorm.logsf(1.5, p[0], scale=scale), stats.lognorm.logpdf(np.minimum(x, 1.5), p[0], scale=scale)))


@use(np.array([1.2, 0.1, 0.1]))
def student(p: Any) -> Any:
    return -np.mean(stats.t.logpdf(SAMPLE, df=np.exp(p[0]), loc=p[1], scale=np.exp(p[2])))


@use(np.array([0.1, 0.2, -0.1, 0.3, 0.1]))
def correlated(p: Any) -> Any:
    root = np.array([[np.exp(p[0]), 0.0], [p[1], np.exp(p[2])]])
    return -np.sum(stats.multivariate_normal(p[3:], root @ root.T).logpdf(POINTS))


@use(np.array([0.1, 0.5, -0.3]))
def logistic(w: Any) -> Any:
    z = np.c_[np.ones(10), POINTS] @ w
    return -np.sum(special.log_expit(np.where(TARGETS > 0.0, z, -z))) + 0.5 * w @ w


@use(np.linspace(-1.0, 1.0, 6))
def spline_with_penalty(c: Any) -> Any:
    f = interpolate.CubicSpline(np.linspace(0.0, 4.0, 6), c, bc_type="natural")
    return np.sum((f(T) - Y) ** 2) + 1e-2 * np.sum(f(T, 2) ** 2)


@use(np.linspace(-1.0, 1.0, 6))
def splines_on_given_knots(c: Any) -> Any:
    s = interpolate.BSpline(np.r_[[0] * 4, 1.3, 2.6, [4] * 4], c, 3)
    return np.sum((s(T) - Y) ** 2) + s.integrate(0.0, 4.0)


@use(np.array([0.5, 0.2, 0.3]))
def recursive_filter(p: Any) -> Any:
    return np.sum((signal.lfilter(p[:2], np.array([1.0, -p[2]]), Y) - Y) ** 2)


@use(np.array([-0.5]))
def cutoff(p: Any) -> Any:
    sections = signal.butter(4, special.expit(p[0]), output="sos")
    return np.sum((signal.sosfiltfilt(sections, np.tile(Y, 4)) - np.tile(Y, 4)) ** 2)


@use(np.array([0.3, 0.813]))
def registration(p: Any) -> Any:
    rows, cols = np.mgrid[0:8, 0:9].astype(float)
    return np.sum((ndimage.map_coordinates(IMAGE, [rows + p[0], cols * p[1]], order=1, mode="nearest") - IMAGE) ** 2)


@use(np.array([1.1, 0.3]))
def blur(p: Any) -> Any:
    return np.sum((ndimage.gaussian_filter(IMAGE, p[0]) - IMAGE * p[1]) ** 2)


@use(np.array([1.2, 0.3]))
def diffusion(k: Any) -> Any:
    main, beside = 2.0 * np.ones(12) * k[0] + k[1], -k[0] * np.ones(11)
    return np.sum(spsolve(sparse.diags([main, beside, beside], [0, 1, -1], format="csc"), np.ones(12)) ** 2)


@use(np.array([0.7, 1.1]))
def area(p: Any) -> Any:
    return integrate.quad(lambda x: np.exp(-p[0] * x ** 2) * np.cos(p[1] * x), 0.0, np.inf)[0]


@use(np.array([1.05, 0.12]))
def implied_volatility(p: Any) -> Any:
    def price(s: Any) -> Any:
        d = (np.log(p[0]) + 0.5 * s * s) / s
        return p[0] * special.ndtr(d) - special.ndtr(d - s)
    return optimize.newton(lambda s: price(s) - p[1], 0.3, tol=1e-13)


@use(np.array([-1.0, -2.0]))
def kalman(p: Any) -> Any:
    q, r = np.exp(p)
    cov, mean, step, seen, total = np.eye(2), np.zeros(2), np.array([[1.0, 0.1], [0.0, 1.0]]), np.array([[1.0, 0.0]]), 0.0
    for y in Y:
        mean, cov = step @ mean, step @ cov @ step.T + q * np.eye(2)
        s, v = seen @ cov @ seen.T + r, y - seen @ mean
        total += stats.norm.logpdf(v[0], 0.0, np.sqrt(s[0, 0]))
        gain = linalg.solve(s, seen @ cov, assume_a="pos").T
        mean, cov = mean + gain @ v, cov - gain @ seen @ cov
    return -total

"""The negative log marginal likelihood of a Gaussian process with a squared-exponential kernel."""
import math

import numpy as np

from ..workload import Spellings


def broadcasting(theta, x, y):
    d = (x[:, None, :] - x[None, :, :]) / np.exp(theta[2:])
    k = np.exp(2 * theta[0] - 0.5 * np.sum(d ** 2, axis=2)) + np.exp(2 * theta[1]) * np.eye(len(x))
    l = np.linalg.cholesky(k)
    alpha = np.linalg.solve(l.T, np.linalg.solve(l, y))
    return 0.5 * y @ alpha + np.sum(np.log(np.diag(l))) + 0.5 * len(x) * math.log(2 * math.pi)


def gram(theta, x, y):
    scaled = x * np.exp(-theta[2:])
    s = np.sum(scaled * scaled, axis=1)
    squares = s[:, None] + s[None, :] - 2 * scaled @ scaled.T
    k = np.exp(2 * theta[0]) * np.exp(-squares / 2)
    k = k + np.exp(2 * theta[1]) * np.identity(len(y))
    _, log_det = np.linalg.slogdet(k)
    return 0.5 * (np.dot(y, np.linalg.solve(k, y)) + log_det + len(y) * np.log(2 * np.pi))


def kernel(a, b, theta):
    return np.exp(2 * theta[0] - 0.5 * np.sum(((a - b) / np.exp(theta[2:])) ** 2))


def entries(theta, x, y):
    n = len(x)
    k = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            k[i, j] = kernel(x[i], x[j], theta)
            k[j, i] = k[i, j]
        k[i, i] += np.exp(2 * theta[1])
    l = np.linalg.cholesky(k)
    z = np.linalg.solve(l, y)
    return 0.5 * np.sum(z ** 2) + np.sum(np.log(np.diagonal(l))) + n * 0.5 * np.log(2 * np.pi)


def rows(theta, x, y):
    scale = np.exp(-theta[2:])
    k = np.stack([np.exp(2 * theta[0]) * np.exp(-0.5 * np.sum(((x - xi) * scale) ** 2, axis=1)) for xi in x])
    k += np.diag(np.full(len(x), np.exp(2 * theta[1])))
    inverse = np.linalg.inv(k)
    return 0.5 * y @ inverse @ y + 0.5 * np.linalg.slogdet(k)[1] + 0.5 * len(x) * np.log(2 * np.pi)


def dimensions(theta, x, y):
    squares = 0.0
    for j in range(x.shape[1]):
        squares = squares + (np.subtract.outer(x[:, j], x[:, j]) / np.exp(theta[2 + j])) ** 2
    k = np.exp(theta[0]) ** 2 * np.exp(-0.5 * squares)
    k[np.diag_indices(len(x))] += np.exp(theta[1]) ** 2
    l = np.linalg.cholesky(k)
    z = np.linalg.solve(l, y)
    return np.dot(z, z) / 2 + np.log(l.diagonal()).sum() + len(x) / 2 * np.log(2 * np.pi)


def by_hand(theta, x, y):
    scaled = x * np.exp(-theta[2:])
    d = scaled[:, None, :] - scaled
    k = np.einsum("ijk,ijk->ij", d, d)
    k *= -0.5
    k += 2 * theta[0]
    np.exp(k, out=k)
    noise = math.exp(2 * theta[1])
    full = k.copy()
    full.ravel()[::len(x) + 1] += noise
    inverse = np.linalg.inv(full)
    alpha = inverse @ y
    g = inverse - np.outer(alpha, alpha)
    theta_bar = np.empty_like(theta)
    theta_bar[1] = noise * np.trace(g)
    g *= k
    theta_bar[0] = g.sum()
    row = g.sum(axis=1)
    theta_bar[2:] = row @ scaled ** 2 - np.einsum("ij,ij->j", scaled, g @ scaled)
    return theta_bar


def arguments(rng):
    return np.array([0.1, -1.0, 0.2, 0.3, -0.1]), rng.normal(size=(30, 3)), rng.normal(size=30)


WORKLOAD = Spellings(arguments, by_hand, {
    "broadcasting": broadcasting, "gram": gram, "entries": entries, "rows": rows, "dimensions": dimensions})

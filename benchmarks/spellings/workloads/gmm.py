"""The log-likelihood of a mixture of Gaussians with diagonal covariances."""
import math

import numpy as np

from ..workload import Spellings

LOG_2_PI = math.log(2 * math.pi)


def scalar_loops(alphas, means, log_sigmas, x):
    total = 0.0
    for i in range(len(x)):
        terms = []
        for k in range(len(alphas)):
            q = alphas[k]
            for j in range(x.shape[1]):
                q -= log_sigmas[k, j] + 0.5 * ((x[i, j] - means[k, j]) / math.exp(log_sigmas[k, j])) ** 2
            terms.append(q)
        top = max(terms)
        total += top + math.log(sum(math.exp(t - top) for t in terms))
    normalizer = math.log(sum(math.exp(a) for a in alphas))
    return total - len(x) * (normalizer + 0.5 * x.shape[1] * LOG_2_PI)


def loop_over_points(alphas, means, log_sigmas, x):
    total = 0.0
    for point in x:
        z = (point - means) / np.exp(log_sigmas)
        q = alphas - np.sum(log_sigmas, axis=1) - 0.5 * np.sum(z ** 2, axis=1)
        m = np.max(q)
        total += m + np.log(np.sum(np.exp(q - m)))
    return total - x.shape[0] * (np.log(np.sum(np.exp(alphas))) + 0.5 * x.shape[1] * LOG_2_PI)


def loop_over_components(alphas, means, log_sigmas, x):
    columns = []
    for a, mu, s in zip(alphas, means, log_sigmas):
        columns.append(a - np.sum(s) - 0.5 * np.sum(((x - mu) * np.exp(-s)) ** 2, axis=1))
    q = np.stack(columns, axis=1)
    m = np.max(q, axis=1)
    each = m + np.log(np.sum(np.exp(q - m[:, None]), axis=1))
    return np.sum(each) - len(x) * (np.log(np.sum(np.exp(alphas))) + 0.5 * x.shape[1] * LOG_2_PI)


def broadcasting(alphas, means, log_sigmas, x):
    z = (x[:, None, :] - means[None, :, :]) * np.exp(-log_sigmas)[None, :, :]
    q = alphas - log_sigmas.sum(axis=1) - 0.5 * (z * z).sum(axis=2)
    m = q.max(axis=1, keepdims=True)
    log_likelihood = (m[:, 0] + np.log(np.exp(q - m).sum(axis=1))).sum()
    return log_likelihood - len(x) * (np.log(np.exp(alphas).sum()) + 0.5 * x.shape[1] * LOG_2_PI)


def log_sum_exp(q):
    m = np.max(q)
    return m + np.log(np.sum(np.exp(q - m)))


def log_density(point, mu, s):
    z = (point - mu) / np.exp(s)
    return -0.5 * np.dot(z, z) - np.sum(s)


def helpers(alphas, means, log_sigmas, x):
    normalizer = log_sum_exp(alphas) + 0.5 * x.shape[1] * LOG_2_PI
    total = 0.0
    for point in x:
        q = np.array([alphas[k] + log_density(point, means[k], log_sigmas[k]) for k in range(len(alphas))])
        total += log_sum_exp(q) - normalizer
    return total


def products(alphas, means, log_sigmas, x):
    precision = np.exp(-2 * log_sigmas)
    squares = (x ** 2) @ precision.T - 2 * x @ (means * precision).T + np.einsum("kd,kd->k", means ** 2, precision)
    q = alphas - np.einsum("kd->k", log_sigmas) - 0.5 * squares
    m = q.max(axis=1)
    return np.sum(m + np.log(np.einsum("nk->n", np.exp(q - m[:, None])))) - len(x) * (
        np.log(np.sum(np.exp(alphas))) + 0.5 * x.shape[1] * LOG_2_PI)


def by_hand(alphas, means, log_sigmas, x):
    scale = np.exp(-log_sigmas)
    z = (x[:, None, :] - means) * scale
    q = alphas - log_sigmas.sum(axis=1) - 0.5 * np.einsum("nkd,nkd->nk", z, z)
    q -= q.max(axis=1, keepdims=True)
    w = np.exp(q, out=q)
    w /= w.sum(axis=1, keepdims=True)
    weight = w.sum(axis=0)
    prior = np.exp(alphas)
    alphas_bar = weight - (len(x) / prior.sum()) * prior
    wz = w[:, :, None] * z
    return alphas_bar, wz.sum(axis=0) * scale, np.einsum("nkd,nkd->kd", wz, z) - weight[:, None]


def arguments(rng):
    return rng.normal(size=5), rng.normal(size=(5, 3)), 0.3 * rng.normal(size=(5, 3)), rng.normal(size=(60, 3))


WORKLOAD = Spellings(arguments, by_hand, {
    "scalar loops": scalar_loops, "loop over points": loop_over_points, "loop over components": loop_over_components,
    "broadcasting": broadcasting, "helpers": helpers, "products": products}, (0, 1, 2))

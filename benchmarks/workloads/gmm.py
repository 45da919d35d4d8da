"""ADBench's Gaussian mixture: the log posterior under a Wishart prior on the inverse covariances, given by their triangular factors.

The prior has the sign that makes this the logarithm of a density; the first versions of the benchmark had the opposite one.
"""
import math

import numpy as np

from ..workload import Cannot, Rewritten, Workload


def log_posterior(alphas, means, factors, x, gamma, m):
    """``factors`` holds, a component a row, logarithms of the diagonal and then what is below it, column by column."""
    k, d = means.shape
    columns, rows = np.triu_indices(d, 1)
    log_diagonal = factors[:, :d]
    log_determinants = np.sum(log_diagonal, axis=1)
    diagonal = np.exp(log_diagonal)
    lower = np.zeros((k, d, d))
    lower[:, np.arange(d), np.arange(d)] = diagonal
    lower[:, rows, columns] = factors[:, d:]

    z = (x - means[:, None, :]) @ np.swapaxes(lower, 1, 2)
    inner = (alphas + log_determinants)[:, None] - 0.5 * np.sum(z * z, axis=2)
    top = np.max(inner, axis=0)
    log_sum = np.sum(top + np.log(np.sum(np.exp(inner - top), axis=0)))
    most = np.max(alphas)
    log_weights = most + np.log(np.sum(np.exp(alphas - most)))
    likelihood = log_sum - len(x) * (log_weights + 0.5 * d * math.log(2.0 * math.pi))

    dof = d + m + 1
    log_gammas = 0.25 * d * (d - 1) * math.log(math.pi) + sum(math.lgamma(0.5 * (dof - j)) for j in range(d))
    constant = dof * d * (math.log(gamma) - 0.5 * math.log(2.0)) - log_gammas
    squares = np.sum(diagonal ** 2) + np.sum(factors[:, d:] ** 2)
    return likelihood + k * constant + m * np.sum(log_determinants) - 0.5 * gamma ** 2 * squares


def by_hand(alphas, means, factors, x, gamma, m):
    """Responsibilities weigh everything; two products of stacks of matrices on the way back."""
    k, d = means.shape
    columns, rows = np.triu_indices(d, 1)
    on = np.arange(d)
    diagonal = np.exp(factors[:, :d])
    lower = np.zeros((k, d, d))
    lower[:, on, on] = diagonal
    lower[:, rows, columns] = factors[:, d:]

    centred = x - means[:, None, :]
    z = centred @ lower.swapaxes(1, 2)
    r = np.einsum("kni,kni->kn", z, z)
    r *= -0.5
    r += (alphas + factors[:, :d].sum(axis=1))[:, None]
    r -= r.max(axis=0)
    np.exp(r, out=r)
    r /= r.sum(axis=0)

    total = r.sum(axis=1)
    weights = np.exp(alphas - alphas.max())
    weights *= -len(x) / weights.sum()
    weights += total
    z *= r[:, :, None]
    means_bar = (z.sum(axis=1)[:, None, :] @ lower)[:, 0]
    lower_bar = z.swapaxes(1, 2) @ centred
    factors_bar = np.empty_like(factors)
    factors_bar[:, :d] = (total + m)[:, None] - diagonal * (lower_bar[:, on, on] + gamma ** 2 * diagonal)
    factors_bar[:, d:] = -lower_bar[:, rows, columns] - gamma ** 2 * factors[:, d:]
    return weights, means_bar, factors_bar


def for_numba(alphas, means, factors, x, gamma, m):
    """Point by point, with nothing kept but the row of one point."""
    k, d = means.shape
    n = len(x)
    diagonal = np.exp(factors[:, :d])
    offset = np.empty(k)
    for c in range(k):
        offset[c] = alphas[c]
        for i in range(d):
            offset[c] += factors[c, i]
    weights_bar, means_bar, lower_bar = np.zeros(k), np.zeros((k, d)), np.zeros((k, d, d))
    lower = np.zeros((k, d, d))
    for c in range(k):
        at = d
        for j in range(d):
            lower[c, j, j] = diagonal[c, j]
            for i in range(j + 1, d):
                lower[c, i, j] = factors[c, at]
                at += 1
    z, r = np.empty((k, d)), np.empty(k)
    centred = np.empty((k, d))
    for p in range(n):
        for c in range(k):
            square = 0.0
            for i in range(d):
                centred[c, i] = x[p, i] - means[c, i]
            for i in range(d):
                s = 0.0
                for j in range(i + 1):
                    s += lower[c, i, j] * centred[c, j]
                z[c, i] = s
                square += s * s
            r[c] = offset[c] - 0.5 * square
        top = np.max(r)
        total = 0.0
        for c in range(k):
            r[c] = math.exp(r[c] - top)
            total += r[c]
        for c in range(k):
            share = r[c] / total
            weights_bar[c] += share
            for i in range(d):
                s = share * z[c, i]
                means_bar[c, i] += s
                for j in range(i + 1):
                    lower_bar[c, i, j] += s * centred[c, j]

    most = np.max(alphas)
    total = 0.0
    for c in range(k):
        total += math.exp(alphas[c] - most)
    factors_bar = np.empty_like(factors)
    for c in range(k):
        at = d
        for j in range(d):
            factors_bar[c, j] = weights_bar[c] + m - diagonal[c, j] * (lower_bar[c, j, j] + gamma ** 2 * diagonal[c, j])
            for i in range(j + 1, d):
                factors_bar[c, at] = -lower_bar[c, i, j] - gamma ** 2 * factors[c, at]
                at += 1
        means_bar[c] = means_bar[c] @ lower[c]
        weights_bar[c] -= n * math.exp(alphas[c] - most) / total
    return weights_bar, means_bar, factors_bar


def primal_for_numba(alphas, means, factors, x, gamma, m):
    """Stacks of matrices, and reductions with an axis for a maximum, are not there in Numba."""
    k, d = means.shape
    lower = np.zeros((k, d, d))
    squares = determinants = 0.0
    offset = alphas.copy()
    for c in range(k):
        at = d
        for j in range(d):
            lower[c, j, j] = math.exp(factors[c, j])
            squares += lower[c, j, j] ** 2
            offset[c] += factors[c, j]
            determinants += factors[c, j]
            for i in range(j + 1, d):
                lower[c, i, j] = factors[c, at]
                squares += factors[c, at] ** 2
                at += 1
    r = np.empty(k)
    log_sum = 0.0
    for p in range(len(x)):
        for c in range(k):
            square = 0.0
            for i in range(d):
                s = 0.0
                for j in range(i + 1):
                    s += lower[c, i, j] * (x[p, j] - means[c, j])
                square += s * s
            r[c] = offset[c] - 0.5 * square
        top = np.max(r)
        log_sum += top + math.log(np.sum(np.exp(r - top)))
    most = np.max(alphas)
    log_weights = most + math.log(np.sum(np.exp(alphas - most)))
    dof = d + m + 1
    log_gammas = 0.25 * d * (d - 1) * math.log(math.pi)
    for j in range(d):
        log_gammas += math.lgamma(0.5 * (dof - j))
    constant = dof * d * (math.log(gamma) - 0.5 * math.log(2.0)) - log_gammas
    return (log_sum - len(x) * (log_weights + 0.5 * d * math.log(2.0 * math.pi)) + k * constant + m * determinants
            - 0.5 * gamma ** 2 * squares)


def without_writes(numpy, softmax_of):
    """The factors by picking from a row, as these arrays are not written to; ``numpy`` is the tool's own."""
    def f(alphas, means, factors, x, gamma, m):
        k, d = means.shape
        columns, rows = np.triu_indices(d, 1)
        table = np.full((d, d), d * (d + 1) // 2)
        table[np.arange(d), np.arange(d)] = np.arange(d)
        table[rows, columns] = np.arange(d, d * (d + 1) // 2)
        diagonal = numpy.exp(factors[:, :d])
        packed = numpy.concatenate([diagonal, factors[:, d:], 0.0 * factors[:, :1]], 1)
        lower = packed[:, table]
        z = (x - means[:, None, :]) @ numpy.swapaxes(lower, 1, 2)
        log_determinants = factors[:, :d].sum(1)
        inner = (alphas + log_determinants)[:, None] - 0.5 * (z * z).sum(2)
        likelihood = softmax_of(inner, 0).sum() - len(x) * (softmax_of(alphas, 0) + 0.5 * d * math.log(2.0 * math.pi))
        dof = d + m + 1
        log_gammas = 0.25 * d * (d - 1) * math.log(math.pi) + sum(math.lgamma(0.5 * (dof - j)) for j in range(d))
        constant = dof * d * (numpy.log(gamma) - 0.5 * math.log(2.0)) - log_gammas
        squares = (diagonal ** 2).sum() + (factors[:, d:] ** 2).sum()
        return likelihood + k * constant + m * log_determinants.sum() - 0.5 * gamma ** 2 * squares
    return f


def in_jax():
    import jax
    return without_writes(jax.numpy, jax.scipy.special.logsumexp)


def in_torch():
    import types

    import torch
    numpy = types.SimpleNamespace(exp=torch.exp, concatenate=torch.cat, swapaxes=torch.swapaxes, log=math.log)
    return without_writes(numpy, torch.logsumexp)


def in_autograd():
    import autograd.numpy as anp
    from autograd.scipy.special import logsumexp
    return without_writes(anp, logsumexp)


def in_mygrad():
    import mygrad

    def logsumexp(x, axis):
        top = x.data.max(axis=axis)
        return top + mygrad.log(mygrad.exp(x - top).sum(axis))
    return without_writes(mygrad, logsumexp)


def arguments(rng, size):
    n, d, k = size
    return rng.normal(size=k), rng.random((k, d)), 0.3 * rng.normal(size=(k, d * (d + 1) // 2)), rng.normal(size=(n, d)), 1.0, 0


workload = Workload(log_posterior, by_hand, arguments, {"n=1,000 d=10 K=25": (1_000, 10, 25)}, tiny=(6, 3, 2), wrt=(0, 1, 2), limit="dense",
                    numba=for_numba, numba_primal=primal_for_numba,
                    peers={"jax": Rewritten(in_jax), "torch": Rewritten(in_torch), "autograd": Rewritten(in_autograd),
                           "mygrad": Rewritten(in_mygrad), "casadi": Cannot("a graph of millions of scalar operations")},
                    reasons={
                        "by hand": "memory traffic: temporary arrays of n times K",
                        "primal": "memory traffic: temporary arrays of n times K times d",
                        "ADBench": "the Numba back end does not take it: on NumPy, arrays of n times K times d are passed over "
                            "some twenty times",
                        "JAX, jitted": "fusion",
                    })

"""The marginal likelihood of a Gaussian process with a length for each dimension of its inputs."""
import math

import numpy as np

from ..workload import Cannot, Workload


def negative_log_likelihood(log_lengths, log_amplitude, log_noise, x, y):
    n = len(x)
    scaled = x / np.exp(log_lengths)
    squared = np.sum((scaled[:, None, :] - scaled[None, :, :]) ** 2, axis=2)
    kernel = np.exp(2.0 * log_amplitude - 0.5 * squared) + np.exp(2.0 * log_noise) * np.eye(n)
    factor = np.linalg.cholesky(kernel)
    z = np.linalg.solve(factor, y)
    return 0.5 * z @ z + np.sum(np.log(np.diag(factor))) + 0.5 * n * math.log(2.0 * math.pi)


def by_hand(log_lengths, log_amplitude, log_noise, x, y):
    """By the formula with the inverse; sums of weighed squared differences are matrix products."""
    scaled = x / np.exp(log_lengths)
    squared = np.sum((scaled[:, None, :] - scaled[None, :, :]) ** 2, axis=2)
    squared *= -0.5
    squared += 2.0 * log_amplitude
    smooth = np.exp(squared, out=squared)
    noise = math.exp(2.0 * log_noise)
    kernel = smooth.copy()
    kernel.flat[::len(x) + 1] += noise
    weights = np.linalg.inv(kernel)
    alpha = weights @ y
    weights -= np.outer(alpha, alpha)
    trace = np.trace(weights)
    weights *= smooth
    sums = weights.sum(axis=1)
    lengths_bar = sums @ scaled ** 2 - np.einsum("ij,ij->j", scaled, weights @ scaled)
    return lengths_bar, sums.sum(), noise * trace


def primal_for_numba(log_lengths, log_amplitude, log_noise, x, y):
    """The kernel in a loop: Numba sums along no axis of what has three."""
    n, d = x.shape
    scaled = x / np.exp(log_lengths)
    kernel = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            squared = 0.0
            for k in range(d):
                squared += (scaled[i, k] - scaled[j, k]) ** 2
            kernel[i, j] = math.exp(2.0 * log_amplitude - 0.5 * squared)
        kernel[i, i] += math.exp(2.0 * log_noise)
    factor = np.linalg.cholesky(kernel)
    z = np.linalg.solve(factor, y)
    return 0.5 * z @ z + np.sum(np.log(np.diag(factor))) + 0.5 * n * math.log(2.0 * math.pi)


def for_numba(log_lengths, log_amplitude, log_noise, x, y):
    """The kernel and everything weighed by it in loops over pairs."""
    n, d = x.shape
    scaled = x / np.exp(log_lengths)
    smooth = np.empty((n, n))
    for i in range(n):
        for j in range(i + 1):
            squared = 0.0
            for k in range(d):
                squared += (scaled[i, k] - scaled[j, k]) ** 2
            smooth[i, j] = smooth[j, i] = math.exp(2.0 * log_amplitude - 0.5 * squared)
    noise = math.exp(2.0 * log_noise)
    kernel = smooth.copy()
    for i in range(n):
        kernel[i, i] += noise
    inverse = np.linalg.inv(kernel)
    alpha = inverse @ y
    lengths_bar = np.zeros(d)
    amplitude_bar = trace = 0.0
    for i in range(n):
        w = inverse[i, i] - alpha[i] * alpha[i]
        trace += w
        amplitude_bar += w * smooth[i, i]
        for j in range(i):
            w = (inverse[i, j] - alpha[i] * alpha[j]) * smooth[i, j]
            amplitude_bar += 2.0 * w
            for k in range(d):
                lengths_bar[k] += w * (scaled[i, k] - scaled[j, k]) ** 2
    return lengths_bar, amplitude_bar, noise * trace


def arguments(rng, size):
    n, d = size
    x = rng.normal(size=(n, d))
    return 0.3 * rng.normal(size=d), 0.1, -1.0, x, np.sin(x.sum(axis=1)) + 0.3 * rng.normal(size=n)


workload = Workload(negative_log_likelihood, by_hand, arguments, {"200 points": (200, 3)}, tiny=(5, 2), wrt=(0, 1, 2), limit="dense",
                    numba=for_numba, numba_primal=primal_for_numba,
                    peers={"jax": "as written", "torch": "as written", "autograd": "as written",
                           "mygrad": Cannot("linear algebra is not supported"),
                           "casadi": Cannot("a graph of millions of scalar operations")},
                    reasons={
                        "by hand": "through the factor: its inverse and two products of triangular matrices; by hand, one inverse",
                        "by hand, Numba": "through the factor: two triangular systems with a right-hand side for each point; by hand, one "
                            "inverse, and each pair of points once",
                        "JAX, jitted": "JAX solves with a triangular factor in its rule of cholesky by one call of LAPACK; ours "
                            "solve generally",
                        "PyTorch": "PyTorch's rule of cholesky solves with triangular factors; ours solve generally",
                    })

"""GradBench's ``gmm``: the log posterior of a Gaussian mixture under a Wishart prior on the inverse covariances.

Each inverse covariance is given by the logarithms ``q`` of the diagonal of its triangular factor and by the entries ``l`` below the
diagonal, column by column.
"""
from __future__ import annotations

import numpy as np

import transgrad as tg

from ...workloads.gmm import log_posterior
from ..entry import Entry, array, compiled, encoded

__all__ = ["functions", "objective"]

NAMES = ("alpha", "mu", "q", "l")


def objective(alpha, mu, q, l, x, gamma, m):
    return log_posterior(alpha, mu, np.concatenate([q, l], axis=1), x, gamma, m)


def functions(backend: str) -> dict[str, Entry]:
    def arguments(given):
        k, d, n = given["k"], given["d"], given["n"]
        return (array(given["alpha"]), array(given["mu"]).reshape(k, d), array(given["q"]).reshape(k, d),
                array(given["l"]).reshape(k, d * (d - 1) // 2), array(given["x"]).reshape(n, d), float(given["gamma"]), int(given["m"]))

    def by_name(gradient):
        return {name: encoded(part) for name, part in zip(NAMES, gradient, strict=True)}

    return {
        "objective": Entry(arguments, compiled(objective, backend)),
        "jacobian": Entry(arguments, tg.grad(objective, argnums=(0, 1, 2, 3), backend=backend), by_name),
    }

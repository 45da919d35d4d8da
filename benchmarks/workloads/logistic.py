"""Logistic regression with a ridge."""
import math

import numpy as np

from ..workload import Cannot, Rewritten, Workload


def loss(w, b, x, y, ridge):
    z = x @ w + b
    return np.mean(np.logaddexp(0.0, z) - y * z) + ridge * np.sum(w * w)


def by_hand(w, b, x, y, ridge):
    g = x @ w
    g += b
    np.negative(g, out=g)
    np.exp(g, out=g)
    g += 1.0
    np.divide(1.0, g, out=g)
    g -= y
    g /= len(y)
    w_bar = g @ x
    w_bar += 2.0 * ridge * w
    return w_bar, g.sum()


def for_numba(w, b, x, y, ridge):
    """Two products, and one loop between them."""
    g = x @ w
    b_bar = 0.0
    for i in range(len(y)):
        g[i] = (1.0 / (1.0 + math.exp(-(g[i] + b))) - y[i]) / len(y)
        b_bar += g[i]
    return g @ x + 2.0 * ridge * w, b_bar


def in_torch():
    import torch

    def f(w, b, x, y, ridge):
        z = x @ w + b
        return torch.mean(torch.nn.functional.softplus(z) - y * z) + ridge * torch.sum(w * w)
    return f


def arguments(rng, size):
    n, d = size
    return rng.normal(size=d), 0.3, rng.normal(size=(n, d)), (rng.random(n) < 0.5).astype(float), 1e-3


workload = Workload(loss, by_hand, arguments, {"10,000 x 50": (10_000, 50)}, tiny=(6, 3), wrt=(0, 1), limit="dense", numba=for_numba,
                    peers={"jax": "as written", "torch": Rewritten(in_torch), "autograd": "as written", "mygrad": "as written",
                           "casadi": Cannot("a graph of a million scalar operations")},
                    reasons={
                        "by hand": "memory traffic: one pass more, so that no exponential overflows",
                        "by hand, Numba": "the loss itself is computed; by hand, one exponential",
                        "JAX, jitted": "fusion",
                    })

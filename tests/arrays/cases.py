"""Functions that take their namespace from their argument, each with NumPy arrays to call it with."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from array_api_compat import array_namespace

RNG = np.random.default_rng(7)
V = RNG.uniform(0.2, 1.5, 6)
W = RNG.normal(size=6)
M = RNG.normal(size=(6, 4))
N = RNG.normal(size=(4, 6))
S = RNG.normal(size=(6, 6)) + 5 * np.eye(6)
B = RNG.normal(size=6)
T = RNG.normal(size=(3, 2, 4))
P = RNG.uniform(0.5, 2.0, size=(6, 4))


@dataclass(frozen=True)
class Case:
    """A function and its arguments; the first is differentiated."""

    fn: Callable[..., Any]
    args: tuple[Any, ...]
    without: tuple[str, ...] = ()       # libraries that lack what it needs


def rosenbrock(x):
    xp = array_namespace(x)
    return xp.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def logistic(w, x, y):
    xp = array_namespace(w, x)
    z = x @ w
    return xp.mean(xp.logaddexp(0.0 * z, z) - y * z)


def network(w, x, v):
    xp = array_namespace(w)
    h = xp.tanh(x @ w)
    return xp.sum((h @ v) ** 2)


def softmax_loss(x):
    xp = array_namespace(x)
    e = xp.exp(x - xp.max(x, axis=1, keepdims=True))
    p = e / xp.sum(e, axis=1, keepdims=True)
    return -xp.sum(p * xp.log(p))


def logsumexp(x):
    xp = array_namespace(x)
    m = xp.max(x)
    return m + xp.log(xp.sum(xp.exp(x - m)))


def loop(x):
    xp = array_namespace(x)
    total = 0.0
    for i in range(x.shape[0]):
        total = total + x[i] ** 2 * xp.sin(x[i])
    return total


def steps(x):
    xp = array_namespace(x)
    for _ in range(8):
        x = x - 0.1 * xp.sin(x) * x
    return xp.sum(x ** 2)


def rolling(x):
    xp = array_namespace(x)
    return xp.sum(xp.roll(x, 1) * x ** 2)


def diffusion(u):
    xp = array_namespace(u)
    for _ in range(5):
        inner = u[1:-1] + 0.1 * (u[2:] - 2.0 * u[1:-1] + u[:-2])
        u = xp.concat([u[:1], inner, u[-1:]])
    return xp.sum(u ** 2)


def branch(x):
    xp = array_namespace(x)
    if x.ndim == 1:
        return xp.prod(x)
    return xp.sum(x)


def trig(x):
    xp = array_namespace(x)
    return xp.sum(xp.sin(x) * xp.cos(x) + xp.tan(0.3 * x) - xp.atan(x) + xp.asin(0.3 * x) * xp.acos(0.3 * x))


def hyperbolic(x):
    xp = array_namespace(x)
    return xp.sum(xp.sinh(x) + xp.cosh(x) * xp.tanh(x) + xp.asinh(x) + xp.acosh(x + 2.0) + xp.atanh(0.3 * x))


def logs(x):
    xp = array_namespace(x)
    return xp.sum(xp.log(x) + xp.log1p(x) * xp.log2(x) - xp.log10(x) + xp.expm1(x) + xp.sqrt(x))


def powers(x, y):
    xp = array_namespace(x)
    return xp.sum(x ** 2.5 + xp.pow(x, y) + xp.square(x) / xp.sqrt(x) + 2.0 ** x)


def two_arguments(x, y):
    xp = array_namespace(x)
    return xp.sum(xp.atan2(x, y) + xp.hypot(x, y) + xp.logaddexp(x, y) + xp.maximum(x, y) * xp.minimum(x, y))


def absolute(x):
    xp = array_namespace(x)
    return xp.sum(xp.abs(x) * xp.sign(x - 0.5))


def clipped(x):
    xp = array_namespace(x)
    return xp.sum(xp.clip(x, 0.3, 1.2) ** 2)


def masked(x):
    xp = array_namespace(x)
    return xp.sum(xp.where(x > 0.7, x ** 2, xp.sqrt(x)))


def choice_of_numbers(x):
    xp = array_namespace(x)
    return xp.sum(x * xp.where(x > 0.7, 0.1, 0.3))


def reductions(x):
    xp = array_namespace(x)
    return xp.sum(xp.mean(x, axis=0) ** 2) + xp.sum(xp.sum(x, axis=1, keepdims=True) * x)


def variance(x):
    xp = array_namespace(x)
    return xp.var(x) + xp.sum(xp.std(x, axis=0))


def extrema(x):
    xp = array_namespace(x)
    return xp.sum(xp.max(x, axis=0) * xp.min(x, axis=0)) + xp.max(x)


def products(x):
    xp = array_namespace(x)
    return xp.sum(xp.prod(x, axis=1))


def cumulative(x):
    xp = array_namespace(x)
    return xp.sum(xp.cumulative_sum(x) ** 2)


def matrix_product(a, b):
    xp = array_namespace(a)
    return xp.sum(xp.matmul(a, b) ** 2)


def transposed(a):
    xp = array_namespace(a)
    return xp.sum((a.T @ a) ** 2) + xp.sum(xp.matrix_transpose(a)[0, :])


def outer(x, y):
    xp = array_namespace(x)
    return xp.sum((x[:, None] * y[None, :]) ** 2 + xp.sin(x)[:, None])


def contraction(a, b):
    xp = array_namespace(a)
    return xp.sum(xp.tensordot(a, b, axes=1) ** 3)


def inner(x, y):
    xp = array_namespace(x)
    return xp.vecdot(x, y) * xp.sum(x * y)


def solve(a, b):
    xp = array_namespace(a)
    return xp.sum(xp.linalg.solve(a, b) ** 2)


def inverse(a):
    xp = array_namespace(a)
    return xp.sum(xp.linalg.inv(a) ** 2)


def log_determinant(a):
    xp = array_namespace(a)
    return xp.linalg.slogdet(a)[1]


def determinant(a):
    xp = array_namespace(a)
    return xp.linalg.det(a)


def gaussian(a, b):
    xp = array_namespace(a)
    c = a @ a.T + xp.eye(6, dtype=a.dtype, device=a.device)
    low = xp.linalg.cholesky(c)
    return xp.sum(xp.log(xp.linalg.diagonal(low))) + xp.sum(b * xp.linalg.solve(c, b))


def eigenvalues(a):
    xp = array_namespace(a)
    return xp.sum(xp.linalg.eigh(a + a.T)[0] ** 3)


def trace(a):
    xp = array_namespace(a)
    return xp.linalg.trace(a @ a)


def triangle(a):
    xp = array_namespace(a)
    return xp.sum(xp.tril(a) ** 2 - xp.triu(a, k=1))


def joined(x):
    xp = array_namespace(x)
    return xp.sum(xp.concat([x, 2.0 * x])[2:8] ** 2)


def stacked(x):
    xp = array_namespace(x)
    return xp.sum(xp.stack([x, x ** 2, xp.sin(x)], axis=1)[:, 1:] ** 2)


def reshaped(x):
    xp = array_namespace(x)
    return xp.sum(xp.reshape(x, (2, 3)) @ xp.reshape(x, (3, 2)))


def permuted(x):
    xp = array_namespace(x)
    return xp.sum(xp.permute_dims(x, (2, 0, 1))[1, :, :] ** 2) + xp.sum(xp.squeeze(xp.expand_dims(x, axis=1), axis=1))


def broadcast(x):
    xp = array_namespace(x)
    return xp.sum(xp.broadcast_to(x, (4, 6)) ** 2) + xp.sum(xp.flip(x, axis=0) * x)


def slices(x):
    xp = array_namespace(x)
    return xp.sum(x[::2, 1:3] ** 2) + xp.sum(x[1, :] * x[-1, :]) + x[2, 3] ** 3


def in_place(x):
    xp = array_namespace(x)
    y = xp.zeros_like(x)
    y[1:-1] = x[2:] * x[:-2]
    y[0] = x[0]
    return xp.sum(y ** 2)


def gathered(x):
    xp = array_namespace(x)
    return xp.sum(xp.take(x, xp.asarray([0, 2, 2, 5], device=x.device), axis=0) ** 2)


def helper(x, k):
    return x * k + x ** 2


def calls(x):
    xp = array_namespace(x)
    return xp.sum(helper(helper(x, 2.0), 0.5))


def structure(p):
    xp = array_namespace(p["w"])
    return xp.sum(xp.tanh(p["x"] @ p["w"] + p["b"]) ** 2)


def norms(x):
    xp = array_namespace(x)
    return xp.linalg.vector_norm(x) + xp.sum(xp.linalg.vector_norm(x, axis=0) ** 3)


_NO_DASK = ("dask",)
CASES = [
    Case(rosenbrock, (V,)), Case(logistic, (M[0], M, W)), Case(network, (N, M, B)), Case(softmax_loss, (M,)), Case(logsumexp, (V,)),
    Case(loop, (V,)), Case(steps, (V,)), Case(rolling, (V,)), Case(diffusion, (V,)), Case(branch, (V,)), Case(trig, (V,)),
    Case(hyperbolic, (V,)), Case(logs, (V,)), Case(powers, (V, W)), Case(two_arguments, (V, W)), Case(absolute, (W,)), Case(clipped, (V,)),
    Case(masked, (V,)), Case(choice_of_numbers, (V,)), Case(reductions, (M,)), Case(variance, (M,)), Case(extrema, (M,)),
    Case(products, (P,)), Case(cumulative, (V,)), Case(matrix_product, (M, N)), Case(transposed, (M,)), Case(outer, (V, B)),
    Case(contraction, (T, N)), Case(inner, (V, W)), Case(solve, (S, B)), Case(inverse, (S,)), Case(log_determinant, (S,), _NO_DASK),
    Case(determinant, (S,), _NO_DASK), Case(gaussian, (S, B)), Case(eigenvalues, (S,), _NO_DASK), Case(trace, (S,)), Case(triangle, (S,)),
    Case(joined, (V,)), Case(stacked, (V,)), Case(reshaped, (V,)), Case(permuted, (T,)), Case(broadcast, (V,)), Case(slices, (M,)),
    Case(in_place, (V,), ("jax",)), Case(gathered, (V,), ()), Case(calls, (V,)), Case(structure, ({"w": N, "x": M, "b": B},)),
    Case(norms, (M,)),
]

"""Functions that call ``jax.numpy`` by name, each with NumPy arrays to call it with."""
from __future__ import annotations

import jax
import jax.numpy as jnp
import jax.scipy.linalg
import jax.scipy.special
import numpy as np

from .cases import B, Case, M, N, P, S, V, W


def polynomial(x):
    return jnp.sum(3.0 * x ** 3 - x + jnp.sin(x))


def mse(w, x, y):
    return jnp.mean((jnp.dot(x, w) - y) ** 2)


def mlp(p, x):
    h = jax.nn.relu(x @ p["w"] + p["b"])
    return jnp.sum(jax.nn.sigmoid(h) ** 2)


def cross_entropy(z):
    return -jnp.sum(jax.nn.log_softmax(z, axis=1)[:, 0])


def probabilities(z):
    return jnp.sum(jax.nn.softmax(z) ** 2)


def activations(x):
    return jnp.sum(jax.nn.softplus(x) + jax.nn.silu(x) + jax.nn.elu(x) + jax.nn.gelu(x) + jax.nn.leaky_relu(x))


def lse(x):
    return jax.scipy.special.logsumexp(x)


def special(x):
    return jnp.sum(jax.scipy.special.erf(x) + jax.scipy.special.gammaln(x) + jax.scipy.special.expit(x))


def update(x):
    y = jnp.zeros_like(x)
    y = y.at[1:-1].set(x[2:] * x[:-2])
    y = y.at[0].add(x[0] ** 2)
    return jnp.sum(y ** 2)


def update_argument(x):
    y = x.at[0].multiply(3.0)
    return jnp.sum(y * x)


def gather(x):
    return jnp.sum(x[jnp.array([0, 2, 2, 5])] ** 2)


def augmented(x):
    y = x
    y += x ** 2
    return jnp.sum(x * y)


def einsum(a, b):
    return jnp.sum(jnp.einsum("ij,jk->ik", a, b) ** 2)


def einsum_trace(a):
    return jnp.einsum("ij,ji->", a, a)


def loops(x):
    for k in range(4):
        x = jnp.tanh(x) * (k + 1.0)
    return jnp.sum(x)


def list_of_states(x):
    states = [x]
    for _ in range(3):
        states.append(jnp.cos(states[-1]))
    return jnp.sum(jnp.stack(states) ** 2)


def matrix(a):
    return jnp.trace(a @ a.T) + jnp.linalg.norm(a)


def solve(a, b):
    return jnp.sum(jnp.linalg.solve(a, b) ** 2)


def triangular(a, b):
    low = jnp.linalg.cholesky(a @ a.T + jnp.eye(6))
    return jnp.sum(jax.scipy.linalg.solve_triangular(low, b, lower=True) ** 2)


def logdet(a):
    return jnp.linalg.slogdet(a)[1]


def eigen(a):
    w, v = jnp.linalg.eigh(a + a.T)
    return jnp.sum(w ** 2 * v[0] ** 2)


def statistics(x):
    return jnp.var(x) + jnp.std(x, axis=0).sum() + jnp.mean(x ** 2)


def choose(x):
    return jnp.sum(jnp.where(x > 0, x ** 2, -x))


def clipped(x):
    return jnp.sum(jnp.clip(x, -0.5, 0.5) ** 2 + jnp.maximum(x, 0.1))


def shapes(x):
    return jnp.sum(jnp.reshape(x, (4, 6)) @ x) + jnp.sum(jnp.ravel(x)[3:] ** 2)


def methods(x):
    return (x.T @ x).sum() + x.mean() + x.max(axis=0).sum() + x.reshape(-1)[2]


def joined(x):
    return jnp.sum(jnp.concatenate([x, x[::-1]]) ** 2 * jnp.arange(12.0))


def cumulative(x):
    return jnp.sum(jnp.cumsum(x) ** 2) + jnp.sum(jnp.cumprod(x))


def outer(x, y):
    return jnp.sum(jnp.outer(x, y) ** 2) + jnp.vdot(x, y)


def padded(x):
    return jnp.sum(jnp.pad(x, 2) ** 2) + jnp.sum(jnp.roll(x, 1) * x)


def triangles(a):
    return jnp.sum(jnp.tril(a) ** 2) + jnp.sum(jnp.diag(a) ** 3)


def typed(x):
    return jnp.sum(jnp.asarray(x, dtype=jnp.float64) ** 2) * jnp.pi


def sorted_values(x):
    return jnp.sum(jnp.sort(x) * jnp.arange(6.0))


_P = {"w": N, "b": B}
CASES = [Case(f, a) for f, a in (
    (polynomial, (V,)), (mse, (M[0], M, W)), (mlp, (_P, M)), (cross_entropy, (M,)), (probabilities, (M,)), (activations, (W,)), (lse, (V,)),
    (special, (V,)), (update, (V,)), (update_argument, (V,)), (gather, (V,)), (augmented, (V,)), (einsum, (M, N)), (einsum_trace, (S,)),
    (loops, (V,)), (list_of_states, (V,)), (matrix, (S,)), (solve, (S, B)), (triangular, (S, B)), (logdet, (S,)), (eigen, (S,)),
    (statistics, (M,)), (choose, (W,)), (clipped, (W,)), (shapes, (M,)), (methods, (P,)), (joined, (V,)), (cumulative, (V,)),
    (outer, (V, W)), (padded, (V,)), (triangles, (S,)), (typed, (V,)), (sorted_values, (np.array([0.3, 2.0, 1.0, -1.0, 0.5, 4.0]),)))]

"""Programs as people write them, and their derivatives: what the generated source looks like is recorded in ``sources``."""
from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import transgrad as tg
from transgrad.transforms.derivative import Derivative
from transgrad.transforms.options import Options
from transgrad.transforms.transformations import Forward

R = np.random.default_rng(0)
V3, U3, W3, P4 = R.normal(size=3), R.normal(size=3), R.normal(size=3), R.uniform(0.5, 1.5, size=4)
M33, M43, M53, M34 = R.normal(size=(3, 3)), R.normal(size=(4, 3)), R.normal(size=(5, 3)), R.normal(size=(3, 4))
V4, U4, V5, V8, P3 = R.normal(size=4), R.normal(size=4), R.normal(size=5), R.normal(size=8), R.uniform(0.5, 1.5, size=3)
LABELS, SPD = np.array([0, 1, 2, 1, 0]), M33 @ M33.T + 3.0 * np.eye(3)


# losses

def mean_squared_error(w, X, y):
    r = X @ w - y
    return np.mean(r ** 2)


def ridge(w, b, X, y, lam):
    r = X @ w + b - y
    return 0.5 * np.sum(r * r) + lam * np.sum(w ** 2)


def logistic_loss(w, X, y):
    score = X @ w
    return np.mean(np.logaddexp(0.0, score) - y * score)


def cross_entropy(w, X, y):
    p = 1.0 / (1.0 + np.exp(-(X @ w)))
    return -np.mean(y * np.log(p) + (1 - y) * np.log(1 - p))


def softmax_loss(W, X, labels):
    z = X @ W
    z = z - np.max(z, axis=1, keepdims=True)
    lse = np.log(np.sum(np.exp(z), axis=1))
    return np.mean(lse - z[np.arange(len(labels)), labels])


def softmax(x):
    e = np.exp(x - np.max(x))
    return e / np.sum(e)


def huber(r, delta):
    a = np.abs(r)
    return np.sum(np.where(a < delta, 0.5 * r ** 2, delta * (a - 0.5 * delta)))


def hinge(w, X, y):
    return np.mean(np.maximum(0.0, 1.0 - y * (X @ w))) + 0.01 * w @ w


def kl_divergence(p, q):
    return np.sum(p * np.log(p / q))


def poisson_loss(w, X, counts):
    rate = np.exp(X @ w)
    return np.sum(rate - counts * np.log(rate))


def quantile_loss(q, y, tau):
    d = y - q
    return np.mean(np.maximum(tau * d, (tau - 1.0) * d))


# norms and statistics

def distance(x, c):
    return np.linalg.norm(x - c)


def cosine_similarity(a, b):
    return a @ b / (np.linalg.norm(a) * np.linalg.norm(b))


def normalized(x):
    return x / np.linalg.norm(x)


def frobenius(A, B):
    return np.linalg.norm(A - B) ** 2


def spread(x):
    return np.std(x) + np.var(x)


def z_scores(x):
    return np.sum(((x - x.mean()) / x.std()) ** 3)


def layer_norm(x, gain, bias):
    m = np.mean(x, axis=-1, keepdims=True)
    s = np.std(x, axis=-1, keepdims=True)
    return np.sum((gain * (x - m) / (s + 1e-5) + bias) ** 2)


def correlation(x, y):
    xm = x - x.mean()
    ym = y - y.mean()
    return np.sum(xm * ym) / np.sqrt(np.sum(xm ** 2) * np.sum(ym ** 2))


def geometric_mean(x):
    return np.exp(np.mean(np.log(x)))


def log_sum_exp(x):
    m = np.max(x)
    return m + np.log(np.sum(np.exp(x - m)))


def mixture(alpha, mu, log_s, x):
    d = (x[:, None] - mu) / np.exp(log_s)
    t = alpha - log_s - 0.5 * d ** 2
    m = np.max(t, axis=1)
    return np.sum(np.log(np.sum(np.exp(t - m[:, None]), axis=1)) + m)


def gaussian(x, mu, S):
    d = x - mu
    _, logdet = np.linalg.slogdet(S)
    return -0.5 * (d @ np.linalg.solve(S, d) + logdet)


def gaussian_cholesky(x, mu, S):
    L = np.linalg.cholesky(S)
    z = np.linalg.solve(L, x - mu)
    return -0.5 * z @ z - np.sum(np.log(np.diag(L)))


# selections

def safe_sqrt(x):
    return np.sum(np.where(x > 0, np.sqrt(x), 0.0))


def soft_threshold(x, lam):
    return np.sum(np.sign(x) * np.maximum(np.abs(x) - lam, 0.0))


def clipped(x, low, high):
    return np.sum(np.clip(x, low, high) ** 2)


def leaky(x, slope):
    return np.sum(np.where(x > 0, x, slope * x) ** 2)


def positive_part(x):
    return np.sum(x[x > 0] ** 2)


def piecewise(x):
    if x < 0.0:
        return x * x
    elif x < 1.0:
        return math.sin(x)
    return math.sqrt(x)


def largest(x):
    return np.max(x) - np.min(x)


# networks

def two_layers(W1, b1, W2, b2, x, y):
    h = np.tanh(W1 @ x + b1)
    r = W2 @ h + b2 - y
    return np.sum(r ** 2)


def relu_network(W1, b1, W2, x, y):
    h = np.maximum(W1 @ x + b1, 0.0)
    return np.sum((W2 @ h - y) ** 2)


def recurrent(W, U, xs):
    h = np.zeros(len(W))
    for x in xs:
        h = np.tanh(W @ h + U @ x)
    return np.sum(h ** 2)


def attention(Q, K, V):
    s = Q @ K.T / np.sqrt(Q.shape[1])
    e = np.exp(s - np.max(s, axis=1, keepdims=True))
    return np.sum(e / np.sum(e, axis=1, keepdims=True) @ V)


def layers(params, x):
    for W, b in params:
        x = np.tanh(W @ x + b)
    return np.sum(x)


# physics and loops

def heat(u0, c, steps):
    u = u0.copy()
    for _ in range(steps):
        u[1:-1] += c * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(u ** 2)


def spring(x, v, k, dt, n):
    for _ in range(n):
        a = -k * x
        v = v + dt * a
        x = x + dt * v
    return np.sum(x ** 2)


def pendulum(theta, omega, dt, n):
    for _ in range(n):
        omega = omega - dt * np.sin(theta)
        theta = theta + dt * omega
    return theta, omega


def epidemic(beta, gamma, s, i, n):
    total = 0.0
    for _ in range(n):
        new = beta * s * i
        recovered = gamma * i
        s = s - new
        i = i + new - recovered
        total += i ** 2
    return total


def runge_kutta(y, k, dt, n):
    for _ in range(n):
        k1 = -k * y
        k2 = -k * (y + 0.5 * dt * k1)
        y = y + dt * k2
    return np.sum(y)


def potential(pos):
    e = 0.0
    n = len(pos)
    for i in range(n):
        for j in range(i):
            d = pos[i] - pos[j]
            e -= 1.0 / np.sqrt(d @ d)
    return e


def pairwise(pos):
    d = pos[:, None, :] - pos[None, :, :]
    return np.sum(1.0 / np.sqrt(np.sum(d ** 2, axis=-1) + 1e-3))


def newton_root(a, x):
    while abs(x * x - a) > 1e-12:
        x = 0.5 * (x + a / x)
    return x


def polynomial_fit(c, x, y):
    p = np.zeros_like(x)
    for a in c:
        p = p * x + a
    return np.mean((p - y) ** 2)


def cumulative(x):
    out = np.zeros(len(x))
    acc = 0.0
    for i in range(len(x)):
        acc = 0.9 * acc + x[i]
        out[i] = acc
    return np.sum(out ** 2)


def prefix(x):
    return np.sum(np.cumsum(x) ** 2)


def portfolio(returns, w, risk):
    m = np.mean(returns, axis=0)
    c = np.cov(returns.T)
    return w @ m - risk * w @ c @ w


# numbers, containers, helpers

def banana(x):
    return (1.0 - x[0]) ** 2 + 100.0 * (x[1] - x[0] ** 2) ** 2


def black_scholes(s, k, r, sigma, t):
    d1 = (math.log(s / k) + (r + 0.5 * sigma ** 2) * t) / (sigma * math.sqrt(t))
    d2 = d1 - sigma * math.sqrt(t)
    return s * 0.5 * math.erfc(-d1 / math.sqrt(2)) - k * math.exp(-r * t) * 0.5 * math.erfc(-d2 / math.sqrt(2))


def in_a_dict(params, x):
    return np.sum(params["scale"] * np.exp(-params["rate"] * x))


@dataclass
class Lens:
    radius: float
    index: float


def focal(lens, distance):
    power = 2.0 * (lens.index - 1.0) / lens.radius
    return 1.0 / (power - 1.0 / distance)


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


def gated(w, v, x):
    return np.sum(sigmoid(w * x) * np.tanh(v * x))


def factorial_like(x, n):
    return x if n <= 1 else x * factorial_like(x + 1.0, n - 1)


def quadratic(A, b, x):
    return 0.5 * x @ A @ x - b @ x


def trace_of_inverse(A):
    return np.trace(np.linalg.inv(A))


def rotation(angle, x):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s], [s, c]]) @ x


def joined(a, b):
    z = np.concatenate([a, b])
    return np.sum(z[1:] * z[:-1])


@dataclass(frozen=True)
class Case:
    """A derivative, and arguments for whose types its source is recorded."""

    derivative: Callable[[], Any]
    args: tuple[Any, ...]
    needs: str | None = None


def _gradients() -> dict[str, Case]:
    params = [(M33, V3), (M33, U3)]
    of: list[tuple[Any, Any, tuple[Any, ...]]] = [
        (mean_squared_error, 0, (V3, M53, V5)), (ridge, (0, 1), (V3, 0.1, M53, V5, 0.2)), (logistic_loss, 0, (V3, M53, V5)),
        (cross_entropy, 0, (V3, M53, V5)), (softmax_loss, 0, (M34, M53, LABELS)), (huber, 0, (V3, 0.5)), (hinge, 0, (V3, M53, V5)),
        (kl_divergence, (0, 1), (P3, P3)), (poisson_loss, 0, (V3, M53, V5)), (quantile_loss, 0, (0.1, V5, 0.3)),
        (distance, (0, 1), (V3, U3)), (cosine_similarity, (0, 1), (V3, U3)), (frobenius, 0, (M33, SPD)), (spread, 0, (V3,)),
        (z_scores, 0, (V5,)), (layer_norm, (0, 1, 2), (M43, V3, U3)), (correlation, (0, 1), (V4, P4)), (geometric_mean, 0, (P4,)),
        (log_sum_exp, 0, (V4,)), (mixture, (0, 1, 2), (V3, U3, W3, V5)), (gaussian, (0, 1, 2), (V3, U3, SPD)),
        (gaussian_cholesky, (0, 1, 2), (V3, U3, SPD)), (safe_sqrt, 0, (V3,)), (soft_threshold, 0, (V3, 0.3)), (clipped, 0, (V3, -1.0, 1.0)),
        (leaky, (0, 1), (V3, 0.1)), (positive_part, 0, (V3,)), (piecewise, 0, (0.5,)), (largest, 0, (V4,)),
        (two_layers, (0, 1, 2, 3), (M43, V4, M34, V3, U3, W3)), (relu_network, (0, 1, 2), (M43, V4, M34, V3, U3)),
        (recurrent, (0, 1), (M33, M33, M43)), (attention, (0, 1, 2), (M43, M53, M53)), (layers, 0, (params, V3)), (heat, (0, 1), (V8, 0.2, 4)),
        (spring, (0, 1, 2), (V3, U3, 0.3, 0.1, 5)), (epidemic, (0, 1), (0.3, 0.1, 0.9, 0.1, 5)), (runge_kutta, (0, 1), (V3, 0.3, 0.1, 5)),
        (potential, 0, (M43,)), (pairwise, 0, (M43,)), (newton_root, 0, (2.0, 1.0)), (polynomial_fit, 0, (V4, V5, V5)), (cumulative, 0, (V5,)),
        (prefix, 0, (V5,)), (portfolio, (0, 1), (M53, V3, 0.5)), (banana, 0, (V3,)), (black_scholes, (0, 3), (100.0, 95.0, 0.01, 0.2, 1.0)),
        (in_a_dict, 0, ({"scale": 1.0, "rate": 0.5}, V3)), (focal, 0, (Lens(1.0, 1.5), 4.0)), (gated, (0, 1), (V3, U3, W3)),
        (factorial_like, 0, (1.5, 3)), (quadratic, 2, (M33, V3, U3)), (trace_of_inverse, 0, (M33,)), (joined, (0, 1), (V3, V4)),
    ]
    return {f"grad_{f.__name__}": Case(lambda f=f, wrt=wrt: tg.grad(f, wrt, fallback="error"), args) for f, wrt, args in of}


def _others() -> dict[str, Case]:
    E: dict[str, Any] = {"fallback": "error"}
    return {
        "value_and_grad_logistic_loss": Case(lambda: tg.value_and_grad(logistic_loss, **E), (V3, M53, V5)),
        "value_and_grad_two_layers": Case(lambda: tg.value_and_grad(two_layers, (0, 1), **E), (M43, V4, M34, V3, U3, W3)),
        "value_and_grad_distance": Case(lambda: tg.value_and_grad(distance, **E), (V3, U3)),
        "jvp_softmax": Case(lambda: Derivative(Forward(), softmax, 0, None, Options("error")), (V4, U4)),
        "jvp_heat": Case(lambda: Derivative(Forward(), heat, (0, 1), None, Options("error")), (V8, 0.2, 4, V8, 1.0)),
        "jvp_distance": Case(lambda: Derivative(Forward(), distance, 0, None, Options("error")), (V3, U3, W3)),
        "jacrev_normalized": Case(lambda: tg.jacrev(normalized, **E), (V3,)),
        "jacobian_pendulum": Case(lambda: tg.jacobian(pendulum, (0, 1), **E), (0.5, 0.1, 0.05, 10)),
        "jacobian_rotation": Case(lambda: tg.jacobian(rotation, **E), (0.5, np.ones(2))),
        "jacobian_softmax": Case(lambda: tg.jacobian(softmax, **E), (V4,)),
        "hessian_banana": Case(lambda: tg.hessian(banana, **E), (np.ones(2),)),
        "hessian_logistic_loss": Case(lambda: tg.hessian(logistic_loss, **E), (V3, M53, V5)),
        "hessian_distance": Case(lambda: tg.hessian(distance, **E), (V3, U3)),
        "hessian_black_scholes": Case(lambda: tg.hessian(black_scholes, **E), (100.0, 95.0, 0.01, 0.2, 1.0)),
        "vmap_normalized": Case(lambda: tg.vmap(normalized, **E), (M53,)),
        "vmap_grad_logistic_loss": Case(lambda: tg.vmap(tg.grad(logistic_loss), in_axes=(0, None, None), **E), (M43, M53, V5)),
        "vmap_grad_black_scholes": Case(lambda: tg.vmap(tg.grad(black_scholes), in_axes=(0, None, None, None, None), **E),
                                        (100.0 + V5, 95.0, 0.01, 0.2, 1.0)),
        "checkpoint_spring": Case(lambda: tg.grad(spring, checkpoint=3, **E), (V3, U3, 0.3, 0.1, 9)),
        "grad_of_grad_safe_sqrt": Case(lambda: tg.jacobian(tg.grad(safe_sqrt), **E), (P3,)),
        "compile_heat": Case(lambda: tg.compile(heat, **E), (V8, 0.2, 4)),
        "numba_heat": Case(lambda: tg.grad(heat, (0, 1), backend="numba", **E), (V8, 0.2, 4), "numba"),
        "numba_potential": Case(lambda: tg.grad(potential, backend="numba", **E), (M43,), "numba"),
        "numba_logistic_loss": Case(lambda: tg.grad(logistic_loss, backend="numba", **E), (V3, M53, V5), "numba"),
    }


CASES = {**_gradients(), **_others()}


def source(name: str) -> str:
    """The source of a derivative, as it is recorded."""
    case = CASES[name]
    text: str = case.derivative().source_for(*case.args)
    if text.startswith("# for Numba, with "):       # the version of the package
        text = text.partition("\n")[2]
    return "# Written by python -m tests.golden\n# ruff: noqa\n" + text

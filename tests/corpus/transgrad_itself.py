"""Transformations called inside the function being differentiated.

Each function has a twin without transgrad, written out by hand, that the oracle differentiates.
"""
from __future__ import annotations

import numpy as np

import transgrad as tg

from .registry import case

X = np.array([0.6, -0.8, 1.1])


def energy(x, k):
    return 0.5 * k * np.sum(x ** 2) + np.sum(np.cos(x))


def energy_grad(x, k):
    return k * x - np.sin(x)


def force_by_hand(x, k):
    return np.sum(energy_grad(x, k) ** 2 * x)


@case(args=(X, 1.5), wrt=(0, 1), twin=force_by_hand)
def force_of_energy(x, k):
    g = tg.grad(energy)(x, k)
    return np.sum(g ** 2 * x)


def descent_by_hand(x, rate):
    for _ in range(3):
        x = x - rate * energy_grad(x, 1.2)
    return energy(x, 1.2)


@case(args=(X, 0.1), wrt=(0, 1), twin=descent_by_hand)
def unrolled_gradient_descent(x, rate):
    step = tg.grad(energy, argnums=0)
    for _ in range(3):
        x = x - rate * step(x, 1.2)
    return energy(x, 1.2)


def cubic_newton_by_hand(a):
    x = 1.0
    for _ in range(4):
        x = x - (x ** 3 - a) / (3.0 * x ** 2)
    return x


@case(args=(2.4,), twin=cubic_newton_by_hand)
def newton_with_derivative(a):
    def f(x):
        return x ** 3 - a
    df = tg.grad(f)
    x = 1.0
    for _ in range(4):
        x = x - f(x) / df(x)
    return x


def value_by_hand(x, k):
    return energy(x, k) * np.sum(energy_grad(x, k))


@case(args=(X, 0.7), wrt=(0, 1), twin=value_by_hand)
def value_and_grad_inside(x, k):
    value, g = tg.value_and_grad(energy)(x, k)
    return value * np.sum(g)


def jvp_by_hand(x, v):
    return np.sum((1.0 - np.tanh(x) ** 2) * v) * np.sum(np.tanh(x) ** 2)


@case(args=(X, np.array([0.3, 0.1, -0.5])), wrt=(0, 1), twin=jvp_by_hand)
def jvp_inside(x, v):
    y, y_dot = tg.jvp(np.tanh, (x,), (v,))
    return np.sum(y_dot) * np.sum(y ** 2)


def pull(x, a):
    return np.sin(a * x)


def vjp_by_hand(x, a):
    return np.sum(a * np.cos(a * x) * np.array([1.0, 2.0, 3.0]) * x) + np.sum(np.sin(a * x))


@case(args=(X, 0.9), wrt=(0, 1), twin=vjp_by_hand)
def vjp_inside(x, a):
    y, pullback = tg.vjp(lambda z: pull(z, a), x)
    g, = pullback(np.array([1.0, 2.0, 3.0]))
    return np.sum(g * x) + np.sum(y)


def third_by_hand(x):
    return -np.cos(x) * x


@case(args=(0.8,), twin=third_by_hand)
def third_derivative(x):
    return tg.grad(tg.grad(tg.grad(np.sin)))(x) * x


def perturbation_by_hand(x):
    return x * 1.0


@case(args=(1.3,), twin=perturbation_by_hand)
def perturbation_confusion(x):
    return x * tg.grad(lambda y: x + y)(2.0)


def perturbation_forward_by_hand(x):
    return x * (x + 2.0 * x)


@case(args=(1.3,), twin=perturbation_forward_by_hand)
def perturbation_confusion_forward(x):
    _, d = tg.jvp(lambda y: x * y + x * y * y, (1.0,), (1.0,))
    return x * d


def hessian_by_hand(x):
    h = 1.4 * np.eye(3) - np.diag(np.cos(x))
    return np.linalg.det(h) + np.sum(h @ x)


@case(args=(X,), twin=hessian_by_hand)
def hessian_inside(x):
    h = tg.hessian(energy)(x, 1.4)
    return np.linalg.det(h) + np.sum(h @ x)


def residuals(p, t):
    return p[0] * np.exp(-p[1] * t) + p[2]


def gauss_newton_by_hand(p):
    t = np.array([0.0, 0.5, 1.0, 2.0])
    e = np.exp(-p[1] * t)
    j = np.stack([e, -p[0] * t * e, np.ones(4)], axis=1)
    return np.sum(np.linalg.solve(j.T @ j + 0.1 * np.eye(3), j.T @ residuals(p, t)) ** 2)


@case(args=(np.array([1.2, 0.7, 0.3]),), twin=gauss_newton_by_hand)
def jacobian_inside(p):
    t = np.array([0.0, 0.5, 1.0, 2.0])
    j = tg.jacrev(residuals)(p, t)
    step = np.linalg.solve(j.T @ j + 0.1 * np.eye(3), j.T @ residuals(p, t))
    return np.sum(step ** 2)


@case(args=(np.array([1.2, 0.7, 0.3]),), twin=gauss_newton_by_hand)
def forward_jacobian_inside(p):
    t = np.array([0.0, 0.5, 1.0, 2.0])
    j = tg.jacfwd(residuals)(p, t)
    step = np.linalg.solve(j.T @ j + 0.1 * np.eye(3), j.T @ residuals(p, t))
    return np.sum(step ** 2)


def hvp_by_hand(x, v):
    return np.sum((1.4 - np.cos(x)) * v * x)


@case(args=(X, np.array([0.3, 0.1, -0.5])), wrt=(0, 1), twin=hvp_by_hand)
def hvp_inside(x, v):
    hv = tg.hvp(lambda z: energy(z, 1.4), (x,), (v,))
    return np.sum(hv[0] * x)


@tg.grad
def slope(x):
    return x ** 3 * np.sin(x)


def slope_by_hand(x):
    return (3 * x ** 2 * np.sin(x) + x ** 3 * np.cos(x)) ** 2


@case(args=(0.9,), twin=slope_by_hand)
def decorated_derivative_called(x):
    return slope(x) ** 2


def pendulum_by_hand(q, p):
    for _ in range(4):
        p = p - 0.1 * np.sin(q)
        q = q + 0.1 * p
    return q * p


@case(args=(0.5, 0.2), wrt=(0, 1), twin=pendulum_by_hand)
def hamiltonian_dynamics(q, p):
    def hamiltonian(q, p):
        return 0.5 * p ** 2 - np.cos(q)
    dh = tg.grad(hamiltonian, argnums=(0, 1))
    for _ in range(4):
        p = p - 0.1 * dh(q, p)[0]
        q = q + 0.1 * dh(q, p)[1]
    return q * p


def penalty_by_hand(w, x):
    g = 2.0 * (w @ x - 1.0) * w
    return (w @ x - 1.0) ** 2 + 0.1 * np.sqrt(np.sum(g ** 2))


@case(args=(X, np.array([1.0, 0.4, -0.2])), wrt=(0, 1), twin=penalty_by_hand)
def gradient_penalty(w, x):
    def critic(z):
        return (w @ z - 1.0) ** 2
    return critic(x) + 0.1 * np.sqrt(np.sum(tg.grad(critic)(x) ** 2))


def has_aux_by_hand(x):
    return 2.0 * x * (x + 3.0 * x)


@case(args=(1.1,), twin=has_aux_by_hand)
def aux_inside(x):
    def f(v):
        return v ** 2, {"triple": 3.0 * v}
    g, aux = tg.grad(f, has_aux=True)(x)
    return g * (x + aux["triple"])


def stopped_by_hand(x):
    return 1.21 * x


@case(args=(1.1,), twin=stopped_by_hand, value=False)
def stopped(x):
    return tg.stop_gradient(x ** 2) * x

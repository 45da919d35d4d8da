"""The log-likelihood of observations under a hidden Markov model, by the forward algorithm."""
import math

import numpy as np

from ..workload import Spellings


def scaled(initial, transition, emission, observed):
    alpha = initial * emission[:, observed[0]]
    total = 0.0
    for o in observed[1:]:
        c = np.sum(alpha)
        total += np.log(c)
        alpha = (alpha / c) @ transition * emission[:, o]
    return total + np.log(np.sum(alpha))


def log_domain(initial, transition, emission, observed):
    log_t, log_e = np.log(transition), np.log(emission)
    alpha = np.log(initial) + log_e[:, observed[0]]
    for t in range(1, len(observed)):
        z = alpha[:, None] + log_t
        m = np.max(z, axis=0)
        alpha = m + np.log(np.sum(np.exp(z - m), axis=0)) + log_e[:, observed[t]]
    m = np.max(alpha)
    return m + np.log(np.sum(np.exp(alpha - m)))


def scalar_loops(initial, transition, emission, observed):
    n = len(initial)
    alpha = [initial[i] * emission[i, observed[0]] for i in range(n)]
    total = 0.0
    for t in range(1, len(observed)):
        c = sum(alpha)
        total += math.log(c)
        new = []
        for j in range(n):
            s = 0.0
            for i in range(n):
                s += alpha[i] / c * transition[i, j]
            new.append(s * emission[j, observed[t]])
        alpha = new
    return total + math.log(sum(alpha))


def preallocated(initial, transition, emission, observed):
    steps, n = len(observed), len(initial)
    alpha = np.zeros((steps, n))
    scale = np.zeros(steps)
    alpha[0] = initial * emission[:, observed[0]]
    scale[0] = alpha[0].sum()
    alpha[0] /= scale[0]
    for t in range(1, steps):
        for j in range(n):
            alpha[t, j] = np.dot(alpha[t - 1], transition[:, j]) * emission[j, observed[t]]
        scale[t] = alpha[t].sum()
        alpha[t] /= scale[t]
    return np.sum(np.log(scale))


def step(state, likelihood, transition):
    alpha, total = state
    alpha = np.einsum("i,ij,j->j", alpha, transition, likelihood)
    c = alpha.sum()
    return alpha / c, total + np.log(c)


def functional(initial, transition, emission, observed):
    first = initial * emission[:, observed[0]]
    state = first / np.sum(first), np.log(np.sum(first))
    for likelihood in emission.T[observed[1:]]:
        state = step(state, likelihood, transition)
    return state[1]


def by_hand(initial, transition, emission, observed):
    steps, n = len(observed), len(initial)
    e = emission.T[observed]
    alpha, prior, scale = np.empty((steps, n)), np.empty((steps, n)), np.empty(steps)
    a = initial
    for t in range(steps):
        prior[t] = a
        a = a * e[t]
        scale[t] = c = a.sum()
        a /= c
        alpha[t] = a
        if t + 1 < steps:
            a = a @ transition
    beta = np.ones(n)
    e_bar, prior_bar = np.empty((steps, n)), np.empty((steps, n))
    for t in range(steps - 1, -1, -1):
        scaled_beta = beta / scale[t]
        e_bar[t] = scaled_beta * prior[t]
        prior_bar[t] = scaled_beta * e[t]
        beta = transition @ prior_bar[t]
    emission_bar = np.zeros_like(emission.T)
    np.add.at(emission_bar, observed, e_bar)
    return prior_bar[0], alpha[:-1].T @ prior_bar[1:], emission_bar.T


def arguments(rng):
    initial, transition, emission = rng.random(5) + 0.1, rng.random((5, 5)) + 0.1, rng.random((5, 7)) + 0.1
    return (initial / initial.sum(), transition / transition.sum(axis=1, keepdims=True), emission / emission.sum(axis=1, keepdims=True),
            rng.integers(0, 7, 25))


WORKLOAD = Spellings(arguments, by_hand, {
    "scaled": scaled, "log domain": log_domain, "scalar loops": scalar_loops, "preallocated": preallocated,
    "functional": functional}, (0, 1, 2))

"""Causal attention of one head, with the squared distance from a target."""
import math

import numpy as np

from ..workload import Spellings


def products(q, k, v, target):
    scores = q @ k.T / np.sqrt(q.shape[1])
    scores = np.where(np.tril(np.ones(scores.shape, dtype=bool)), scores, -np.inf)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    p = e / e.sum(axis=-1, keepdims=True)
    return np.sum((p @ v - target) ** 2)


def softmax(x):
    e = np.exp(x - np.max(x))
    return e / np.sum(e)


def loop_over_queries(q, k, v, target):
    loss = 0.0
    for t in range(len(q)):
        p = softmax(k[:t + 1] @ q[t] / math.sqrt(q.shape[1]))
        loss += np.sum((p @ v[:t + 1] - target[t]) ** 2)
    return loss


def einsum(q, k, v, target):
    scores = np.einsum("id,jd->ij", q, k) / math.sqrt(q.shape[1])
    scores = scores + np.triu(np.full((len(q), len(q)), -1e30), 1)
    weights = np.exp(scores - np.max(scores, axis=1)[:, None])
    weights = weights / np.einsum("ij->i", weights)[:, None]
    out = np.einsum("ij,jd->id", weights, v)
    return np.einsum("id,id->", out - target, out - target)


def scalar_loops(q, k, v, target):
    n, d = q.shape
    loss = 0.0
    for i in range(n):
        scores = []
        for j in range(i + 1):
            s = 0.0
            for c in range(d):
                s += q[i, c] * k[j, c]
            scores.append(s / math.sqrt(d))
        top = max(scores)
        e = [math.exp(s - top) for s in scores]
        total = sum(e)
        for c in range(d):
            out = 0.0
            for j in range(i + 1):
                out += e[j] / total * v[j, c]
            loss += (out - target[i, c]) ** 2
    return loss


def in_place(q, k, v, target):
    out = np.zeros_like(v)
    for i in range(len(q)):
        e = np.zeros(i + 1)
        for j in range(i + 1):
            e[j] = np.dot(q[i], k[j]) / math.sqrt(q.shape[1])
        e = np.exp(e - e.max())
        for j in range(i + 1):
            out[i] += e[j] / e.sum() * v[j]
    return np.sum((out - target) ** 2)


def by_hand(q, k, v, target):
    scale = 1 / math.sqrt(q.shape[1])
    p = q @ k.T
    p *= scale
    p[np.triu_indices(len(q), 1)] = -np.inf
    p -= p.max(axis=1, keepdims=True)
    np.exp(p, out=p)
    p /= p.sum(axis=1, keepdims=True)
    out_bar = 2 * (p @ v - target)
    p_bar = out_bar @ v.T
    s_bar = p * (p_bar - np.einsum("ij,ij->i", p, p_bar)[:, None])
    s_bar *= scale
    return s_bar @ k, s_bar.T @ q, p.T @ out_bar


def arguments(rng):
    return tuple(rng.normal(size=(12, 6)) for _ in range(4))


WORKLOAD = Spellings(arguments, by_hand, {
    "products": products, "loop over queries": loop_over_queries, "einsum": einsum, "scalar loops": scalar_loops,
    "in place": in_place}, (0, 1, 2))

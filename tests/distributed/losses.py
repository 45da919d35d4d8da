"""Losses that are sums over data, in a module that workers import."""
from __future__ import annotations

import os
import time
from typing import NamedTuple

import numpy as np


class Params(NamedTuple):
    w: object
    b: object


def logistic(params, x, y):
    z = x @ params["w"] + params["b"]
    return np.sum(np.logaddexp(0.0, z) - y * z)


def named(params, x, y, scale=1.0):
    return scale * np.sum((np.tanh(x @ params.w[0]) * params.w[1] + params.b - y) ** 2)


def of_columns(w, data):
    return np.sum((data["a"] * w[0] + data["b"] * w[1] - data["c"]) ** 2)


def of_items(w, data):
    return np.sum((data[0] * w - data[1]) ** 2)


def of_numbers(w, data):
    return np.sum((data - w) ** 4)


def moments(w, x):
    """Not a number: sums of arrays in a dict."""
    return {"first": np.sum(x * w, axis=0), "second": (np.sum((x * w) ** 2), np.sum(w) * len(x))}


def wells(p):
    return (p["x"] ** 2 - 1.0) ** 2 + 0.3 * p["x"] + np.sum(p["y"] ** 2)


def energy(x, k):
    return k * np.sum(x ** 2) + np.prod(x)


def chunk(k, rows, columns=4, wait=0.0):
    """Generated data: the same in every process."""
    time.sleep(wait)
    r = np.random.default_rng(k)
    x = r.standard_normal((rows, columns))
    return x, (r.random(rows) < 1.0 / (1.0 + np.exp(-x @ np.arange(1.0, columns + 1)))).astype(float)


def features(k, rows, columns=4, wait=0.0):
    return chunk(k, rows, columns, wait)[0]


def labels(k, rows, columns=4):
    return chunk(k, rows, columns)[1]


def compilations(_):
    """In a worker: its process, and how many variants of the gradient it has compiled."""
    from transgrad.distributed import engine
    found = engine._read.cache_info()
    return os.getpid(), found.misses

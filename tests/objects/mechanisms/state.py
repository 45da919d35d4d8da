"""Objects from outside of the function that it writes differentiated values to."""
from __future__ import annotations

import collections
from types import SimpleNamespace

import numpy as np

from ..registry import Program


class Grid:
    def __init__(self, n):
        self.u = np.linspace(0.1, 0.5, n)
        self.hist = []
        self.total = 0.0
    def kick(self, k, a):
        self.u[k] += a
        self.u *= 0.9
        self.hist.append(self.u[k] * 2.0)
        self.total += a * a

def grid_passed(a, b, g):
    g.kick(1, a)
    g.kick(2, a * b)
    return np.sum(g.u ** 2) + sum(g.hist) * g.total

TABLE = np.array([1.0, 2.0, 3.0])
def _reset_table():
    TABLE[:] = [1.0, 2.0, 3.0]
def global_array(a):
    TABLE[1] = a * TABLE[0]
    TABLE[2] += TABLE[1] ** 2
    return np.sum(TABLE * a)

CACHE = {"k": 2.0}
def _reset_cache():
    CACHE.clear(); CACHE["k"] = 2.0
def global_dict(a):
    CACHE["k"] = CACHE["k"] * a + 1.0
    if "v" not in CACHE:
        CACHE["v"] = a * a
    return CACHE["v"] * CACHE["k"] + a

LOG = []
def global_list(a, b):
    LOG.append(a)
    LOG.append(a * b)
    return sum(LOG) * LOG[-1] + len(LOG)

class Registry:
    seen = {}
    buffer = np.zeros(3)
    def put(self, k, v):
        self.seen[k] = v
        self.buffer[0] += v
def _reset_registry():
    Registry.seen.clear(); Registry.buffer[:] = 0
def class_level(a, b):
    r = Registry()
    r.put("x", a)
    r.put("y", a * b)
    return r.seen["x"] * r.seen["y"] + r.buffer[0] ** 2

WIN = collections.deque(maxlen=3)
def _reset_win():
    WIN.clear(); WIN.extend([1.0, 0.5])
def global_deque(a, b):
    WIN.append(a)
    WIN.append(b * a)
    return sum(WIN) / len(WIN) * WIN[0]

class Filter:
    def __init__(self):
        self.state = {"x": 0.5, "P": [1.0, 2.0]}
        self.win = collections.deque([0.1, 0.2], maxlen=3)
        self.ns = SimpleNamespace(k=0.3)
def filter_passed(a, f):
    f.state["x"] = f.state["x"] * a
    f.state["P"][0] += a
    f.win.append(f.state["x"])
    f.ns.k *= a
    return sum(f.win) * f.state["P"][0] + f.ns.k

def memo(fn):
    cache = {}
    def wrapped(x):
        key = round(float(x), 3)
        if key not in cache:
            cache[key] = fn(x)
        return cache[key]
    wrapped.cache = cache
    return wrapped
@memo
def square_plus(x):
    return x * x + 1.0
def memo_call(a):
    return square_plus(a) * square_plus(a * 2.0)

PROGRAMS = [Program(grid_passed, (0.7, 1.2), lambda: [Grid(4)]), Program(global_array, (0.6,), outside=lambda: TABLE, reset=_reset_table),
     Program(global_dict, (0.6,), outside=lambda: CACHE, reset=_reset_cache),
     Program(global_list, (0.6, 1.1), outside=lambda: LOG, reset=LOG.clear),
     Program(class_level, (0.6, 1.1), outside=lambda: [Registry.seen, Registry.buffer], reset=_reset_registry),
     Program(global_deque, (0.6, 1.1), outside=lambda: list(WIN), reset=_reset_win),
     Program(filter_passed, (0.6,), lambda: [Filter()])]

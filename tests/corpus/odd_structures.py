"""Odd programs around lists, dicts, tuples and objects that hold differentiated values."""
from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from .registry import case

X = np.array([0.6, 1.3, 0.8, 1.7])


@case(args=(X,))
def set_default(x):
    d = {}
    for k, t in enumerate(x):
        d.setdefault(k % 2, []).append(t)
    return sum(d[0]) * sum(d[1])


@case(args=(X,))
def tuple_of_array(x):
    t = tuple(x)
    u = tuple(v * 2 for v in x)
    return t[0] * u[1] + sum(t) + t[-1]


@case(args=(X,))
def del_item(x):
    v = [t * 2 for t in x]
    del v[1]
    del v[-1]
    v.sort()
    d = {"a": x[0], "b": x[1]}
    del d["a"]
    return v[0] * v[1] ** 2 + sum(d.values())


@case(args=(X,))
def list_of_tuples(x):
    pts = [(t, t ** 2) for t in x]
    pts[1] = (x[0], x[3])
    pts.append((x[2] * 2, 1.0))
    s = 0.0
    for (a, b), (c, d) in zip(pts, pts[1:]):
        s += a * d - b * c
    last = pts.pop()
    return s * last[0]


@case(args=(X,))
def dict_of_tuples(x):
    d = {k: (t, t * 2) for k, t in enumerate(x)}
    d[1] = (x[0], x[1])
    a, b = d[2]
    return sum(p * q for p, q in d.values()) + a * b + d[1][0]


@case(args=(X,))
def stack_machine(x):
    prog = ["push0", "push1", "mul", "push2", "add", "dup", "mul"]
    st = []
    for p in prog:
        if p.startswith("push"):
            st.append(x[int(p[4:])])
        elif p == "mul":
            a, b = st.pop(), st.pop()
            st.append(a * b)
        elif p == "add":
            a = st.pop(); st[-1] += a
        elif p == "dup":
            st.append(st[-1])
    return st[0]


@case(args=(X,))
def memo_dict(x):
    memo = {}
    def f(n):
        if n in memo:
            return memo[n]
        r = x[n] if n < 2 else f(n - 1) * 0.5 + f(n - 2) * x[n % 4]
        memo[n] = r
        return r
    return f(5)


class Node:
    def __init__(self, value, children=()):
        self.value = value
        self.children = list(children)
    def total(self):
        return self.value + sum(c.total() * 0.5 for c in self.children)


@case(args=(X,))
def object_tree(x):
    t = Node(x[0], [Node(x[1]), Node(x[2] ** 2, [Node(x[3])])])
    return t.total()


class Vec:
    def __init__(self, x, y): self.x, self.y = x, y
    def __add__(self, o): return Vec(self.x + o.x, self.y + o.y)
    def __mul__(self, s): return Vec(self.x * s, self.y * s)
    __rmul__ = __mul__
    def __neg__(self): return Vec(-self.x, -self.y)
    def __getitem__(self, k): return (self.x, self.y)[k]
    def __len__(self): return 2
    def __iter__(self): yield self.x; yield self.y
    def __eq__(self, o): return self.x == o.x
    def __abs__(self): return math.hypot(self.x, self.y)


@case(args=(X,))
def operator_overloads(x):
    a, b = Vec(x[0], x[1]), Vec(x[2], x[3])
    c = 2.0 * (a + b) * x[0] + -a
    s = c
    for _ in range(3):
        s = s + a * 0.1
    p, q = s
    return abs(c) + s[0] * s[1] + p * q + sum(c) + len(c)


@case(args=(X,))
def dynamic_index_obj(x):
    v = Vec(x[0], x[1])
    s = 0.0
    for k in range(2):
        s += v[k] ** 2 * (k + 1)
    return s


@case(args=(X,))
def dynamic_index_tuple(x):
    t = (x[0], x[1] ** 2, x[2])
    s = 0.0
    for k in range(3):
        s = s + t[k] * t[(k + 1) % 3]
    return s


class Integrator:
    order = 2
    def __init__(self, f, dt): self.f, self.dt, self.hist = f, dt, []
    def step(self, y):
        k1 = self.f(y); k2 = self.f(y + self.dt * k1)
        out = y + 0.5 * self.dt * (k1 + k2)
        self.hist.append(out)
        return out
    @staticmethod
    def norm(v): return np.sqrt(np.sum(v ** 2))
    @classmethod
    def make(cls, f): return cls(f, 0.1 * cls.order)


@case(args=(X,))
def integrator(x):
    it = Integrator.make(lambda y: np.array([y[1], -y[0] * x[2]]))
    y = x[:2]
    for _ in range(4):
        y = it.step(y)
    return Integrator.norm(y) + sum(h[0] for h in it.hist)


@dataclass
class Params:
    w: np.ndarray
    b: float
    hist: list = field(default_factory=list)


@case(args=(X,))
def dataclass_list_field(x):
    p = Params(x[:2], x[2])
    for k in range(3):
        p.hist.append(p.w * k + p.b)
        p.b = p.b * 1.1
    return np.sum(sum(p.hist)) * p.b


@case(args=(X,))
def getattr_setattr(x):
    p = Params(x, 1.0)
    setattr(p, "b", x[1])
    return getattr(p, "b") * getattr(p, "missing", x[2]) * (2 if hasattr(p, "w") else 1)


@case(args=(X,))
def min_max_key(x):
    best = max(x, key=lambda t: -t)
    k = min(range(4), key=lambda i: abs(x[i] - 1.0))
    return best * 3 + x[k] ** 2 + max(x[0], x[1], 0.5) + min([x[2], x[3]], default=0.0) + max([], default=x[0])


@case(args=(X,))
def string_format(x):
    name = "a" + str(int(x[1]))
    d = {"a1": x[0] * 2, "a2": x[1]}
    return d[name] * len(f"{x[0]:.2f}") + d.get("zz", x[3])


@case(args=(X,))
def del_everything(x):
    v = [t * 2 for t in x]
    del v[1]
    v.append(x[0] * x[1])
    del v[-2]
    k = int(x[1])
    del v[k]
    d = {"a": x[0], "b": x[1] ** 2}
    e = {}
    for k in d:
        e[k] = d[k] * x[2]
    del e["a"]
    return sum(v) * sum(e.values()) + len(v) * v[0]


@case(args=(X,))
def del_arrays(x):
    rows = []
    for k in range(4):
        rows.append(x[k:] * x[k])
    del rows[1]
    rows[0][0] = x[3] ** 2
    del rows[-1]
    return sum(np.sum(r ** 2) for r in rows)


@case(args=(X,))
def pop_dynamic(x):
    v = [t * t for t in x]
    s = 0.0
    while len(v) > 1:
        k = int(v[0] * 10) % len(v)
        s += v.pop(k) * (k + 1)
        s += v.pop(-1) if len(v) > 2 else 0.0
    return s * v[0]


@case(args=(X,))
def sort_inplace_loop(x):
    v = list(x)
    for k in range(3):
        v.sort(reverse=k % 2 == 0)
        v[0] = v[0] * v[1]
    v.sort(key=lambda t: -t)
    return v[0] * 2 + v[1] + v[3]


@case(args=(X,))
def tuple_ops(x):
    t = tuple(x)
    a, *b = t
    u = t + (x[0],)
    return a * sum(b) + u[-1] * t[2] + max(t) + len(t)


class Grid:
    def __init__(self, data): self.data = data
    def __getitem__(self, k): return self.data[k]


@case(args=(X,))
def obj_tuple_dynamic(x):
    g = Grid((x[0] * 2, x[1], x[2] ** 2))
    s = 0.0
    for k in range(3):
        s += g[k] * g.data[(k + 1) % 3]
    return s


@case(args=(X,))
def set_default_scalar(x):
    d = {}
    for k, t in enumerate(x):
        d.setdefault(k % 3, t * 2)
        d[k % 3] += t
    return sum(v * v for v in d.values())

"""Programs as people write them every day: a running best, dicts that count, lists of lists, recursion with a memo, generators."""
from __future__ import annotations

import collections
import dataclasses
import functools
import itertools
import math

import numpy as np

from .registry import case

X = np.array([0.31, 0.5, 0.2])


@case(args=(X,))
def running_best(x):
    best = None
    for v in x:
        w = v * v - v
        if best is None or w < best:
            best = w
    return best * 2


@case(args=(X,))
def argbest(x):
    best, where = float("inf"), -1
    for i, v in enumerate(x):
        if v ** 2 < best:
            best, where = v ** 2, i
    return best + x[where] * 3


@case(args=(X,))
def dict_counts(x):
    d = {}
    for i, v in enumerate(x):
        k = "even" if i % 2 == 0 else "odd"
        d[k] = d.get(k, 0.0) + v * v
    return d["even"] * d["odd"]


@case(args=(X,))
def defaultdict_sum(x):
    d = collections.defaultdict(float)
    for i, v in enumerate(x):
        d[i % 2] += v ** 2
    return d[0] - d[1] * d[0]


@case(args=(X,))
def setdefault_lists(x):
    d = {}
    for i, v in enumerate(x):
        d.setdefault(i % 2, []).append(v)
    return sum(a * b for a, b in zip(d[0], d[1] + d[1]))


@case(args=(X,))
def list_matrix(x):
    n = len(x)
    m = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(n):
            m[i][j] = x[i] * x[j] + (i == j)
    return sum(m[i][i] * m[0][i] for i in range(n))


@case(args=(X,))
def lu_list(x):
    a = [[2 + x[0], x[1], 0.1], [x[1], 3 + x[2], x[0]], [0.1, x[0], 4.0]]
    det = 1.0
    n = 3
    for k in range(n):
        piv = max(range(k, n), key=lambda r: abs(a[r][k]))
        if piv != k:
            a[k], a[piv] = a[piv], a[k]
            det = -det
        det *= a[k][k]
        for i in range(k + 1, n):
            f = a[i][k] / a[k][k]
            for j in range(k, n):
                a[i][j] -= f * a[k][j]
    return det


@case(args=(X,))
def newton_tol(x):
    r = 1.0
    while True:
        new = 0.5 * (r + (x[0] + 2) / r)
        if abs(new - r) < 1e-14:
            break
        r = new
    else:
        r = 0.0
    return r * x[1]


@case(args=(X,))
def bisect(x):
    lo, hi = 0.0, 4.0
    for _ in range(3):
        mid = (lo + hi) / 2
        if mid * mid > x[0] + 2:
            hi = mid
        else:
            lo = mid
    return lo * x[1] + hi * x[2]


@case(args=(X,))
def sorted_key(x):
    pairs = sorted(((v, i) for i, v in enumerate(x)), key=lambda t: -t[0])
    return sum(v * (k + 1) * (i + 1) for k, (v, i) in enumerate(pairs))


@case(args=(X,))
def memo_fib(x):
    memo = {}
    def fib(n):
        if n in memo:
            return memo[n]
        memo[n] = x[n] if n < 2 else fib(n - 1) * x[2] + fib(n - 2)
        return memo[n]
    return fib(6)


@functools.lru_cache(maxsize=None)
def binom(n, k):
    return 1 if k in (0, n) else binom(n - 1, k - 1) + binom(n - 1, k)


@case(args=(X,))
def bezier(x):
    t = x[0]
    pts = [1.0, x[1], x[2], 2.0]
    n = len(pts) - 1
    return sum(binom(n, k) * (1 - t) ** (n - k) * t ** k * q for k, q in enumerate(pts))


class Particle:
    mass = 2.0
    def __init__(self, q, v): self.q, self.v = q, v
    def kick(self, f, dt): self.v += f / self.mass * dt
    def drift(self, dt): self.q += self.v * dt
    @property
    def energy(self): return 0.5 * self.mass * self.v ** 2 + self.q ** 2


@case(args=(X,))
def leapfrog(x):
    a = Particle(x[0], x[1])
    for _ in range(4):
        a.kick(-2 * a.q * x[2], 0.05)
        a.drift(0.1)
        a.kick(-2 * a.q, 0.05)
    return a.energy


def gen(x):
    acc = 0.0
    for v in x:
        acc = acc * 0.5 + v
        yield acc


@case(args=(X,))


def generators(x):
    return max(gen(x)) + sum(g * i for i, g in enumerate(gen(x)))


@case(args=(X,))
def islice_count(x):
    c = itertools.count(1)
    return sum(v * k for v, k in zip(x, c)) + sum(a * b for a, b in itertools.combinations(x, 2))


@case(args=(X,))
def accumulate(x):
    return sum(itertools.accumulate(x, lambda a, b: a * b)) + functools.reduce(lambda a, b: a + b * b, x, 0.0)


@case(args=(X,))
def piecewise(x):
    return np.sum(np.piecewise(x, [x < 0.25, x >= 0.25], [lambda t: t ** 2, lambda t: np.sin(t)])) + np.sum(np.select([x > 0.4, x > 0.1], [x, x ** 3], 0.0))


@case(args=(X,))
def vectorized(x):
    f = np.vectorize(lambda t: t ** 2 if t > 0.25 else 3 * t)
    return np.sum(f(x) * x)


@case(args=(X,))
def along(x):
    a = np.outer(x, x + 1)
    return np.sum(np.apply_along_axis(lambda r: r / np.linalg.norm(r), 1, a) ** 3)


@case(args=(X,))
def mask_assign(x):
    a = np.zeros((3, 3))
    a[np.triu_indices(3)] = np.concatenate([x, x * x])
    a = a + a.T
    a[np.diag_indices(3)] += 5.0
    a[a > 5.2] *= 1.5
    return np.linalg.det(a)


@case(args=(X,))
def views(x):
    a = np.zeros(6)
    a[::2] = x
    a[1::2] += x[::-1] * a[::2]
    b = a.reshape(2, 3)
    b[1] -= b[0]
    b.T[0] *= 2
    return (a ** 2).sum()


@case(args=(X,))
def flat_write(x):
    a = np.ones((2, 3))
    a.flat[[0, 4]] = x[:2]
    a[..., None][1, 2, 0] = x[2]
    return np.prod(a + 1.0)


@case(args=(X,))
def swap(x):
    a, b, c = x
    for _ in range(3):
        a, b, c = b * c, a + c, a
    return a * b + c


@case(args=(X,))
def thomas(x):
    n = 4
    a, b, c, d = np.full(n, -1.0), np.full(n, 2.5) * x[0] + 2, np.full(n, -1.0), np.array([x[0], x[1], x[2], 1.0])
    for i in range(1, n):
        w = a[i] / b[i - 1]
        b[i] -= w * c[i - 1]
        d[i] -= w * d[i - 1]
    y = np.empty(n)
    y[-1] = d[-1] / b[-1]
    for i in range(n - 2, -1, -1):
        y[i] = (d[i] - c[i] * y[i + 1]) / b[i]
    return y @ y


@case(args=(X,))
def complex_fft(x):
    z = np.fft.fft(np.concatenate([x, x ** 2]))
    s = np.abs(z) ** 2
    return s[1] + np.angle(z[2]) + np.abs(np.exp(1j * x[0]) + x[1])


@case(args=(X,))
def polys(x):
    return np.polyval(x, 1.7) + np.trapezoid(x ** 2, dx=0.3) + np.interp(0.37, [0.0, 0.5, 1.0], x) + np.convolve(x, x, "same").sum()


@dataclasses.dataclass


class Cfg:
    lr: float = 0.1
    steps: int = 3
    name: str = "sgd"


@case(args=(X,))
def optimiser(x, cfg=Cfg()):
    w = x.copy()
    m = np.zeros_like(w)
    for t in range(1, cfg.steps + 1):
        g = 2 * (w - 1) * x
        m = 0.9 * m + 0.1 * g
        if cfg.name == "sgd":
            w = w - cfg.lr * g
        else:
            w -= cfg.lr * m
    return np.sum(w ** 2)


State = collections.namedtuple("State", "pos vel")


@case(args=(X,))
def named_state(x):
    s = State(x[0], x[1])
    for _ in range(3):
        s = s._replace(pos=s.pos + 0.1 * s.vel)
        s = State(s.pos, vel=s.vel - 0.1 * s.pos * x[2])
    return s.pos * s.vel


def step(state, dt, *, k=1.0, **kw):
    q, v = state
    return (q + dt * v, v - dt * k * q * kw.get("damp", 1.0))


@case(args=(X,))
def kwargs_step(x):
    s = (x[0], x[1])
    opts = {"k": x[2], "damp": 0.5}
    for dt in np.linspace(0.1, 0.3, 3):
        s = step(s, dt, **opts)
    return s[0] ** 2 + s[1]


@case(args=(X,))
def for_else(x):
    for i, v in enumerate(x):
        if v > 10:
            r = v
            break
    else:
        r = x.sum() ** 2
    return r


@case(args=(X,))
def nested_break(x):
    t = 0.0
    for i in range(3):
        for j in range(3):
            if j > i:
                break
            if (i + j) % 3 == 2:
                continue
            t += x[i] * x[j]
        else:
            t += 1.0
            continue
        t *= 1.1
    return t


@case(args=(X,))
def minmax(x):
    return min(x[0], x[1] * 2, 3.0) * max([abs(v) for v in x]) + min(x, key=lambda v: (v - 0.3) ** 2) * max(x.tolist())


@case(args=(X,))
def stringy(x):
    total = 0.0
    for op in "+-*":
        if op == "+": total += x[0]
        elif op == "-": total -= x[1] ** 2
        else: total *= x[2]
    return total


@case(args=(X,))
def viterbi(x):
    T = np.array([[0.7, 0.3], [0.4, 0.6]])
    lp = np.log(np.array([0.5, 0.5]))
    for v in x:
        e = np.log(np.array([1 + v * v, 2 + v]) ** 2)
        lp = (lp[:, None] + np.log(T)).max(axis=0) + e
    return lp.max()


@case(args=(X,))
def forward_hmm(x):
    T = np.array([[0.7, 0.3], [0.4, 0.6]])
    alpha = np.array([0.5, 0.5]); ll = 0.0
    for v in x:
        alpha = (alpha @ T) * np.array([v * v, 1 + v * v])
        s = alpha.sum()
        ll += math.log(s)
        alpha /= s
    return ll


@case(args=(X,))
def gram_schmidt(x):
    A = np.array([[1, x[0], 0.3], [x[1], 1, 0.2], [0.1, x[2], 1]])
    Q = np.zeros_like(A)
    for j in range(3):
        v = A[:, j].copy()
        for k in range(j):
            v -= (Q[:, k] @ A[:, j]) * Q[:, k]
        Q[:, j] = v / np.sqrt(v @ v)
    return Q[0, 1] + Q[2, 2] * Q[1, 0]

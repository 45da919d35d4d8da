"""Small models as people write them: networks, filters, solvers, clusters."""
from __future__ import annotations

import dataclasses
import functools
import math

import numpy as np

from .registry import program

rng = np.random.default_rng(0)


def softmax(z):
    z = z - z.max(axis=-1, keepdims=True)
    e = np.exp(z)
    return e / e.sum(axis=-1, keepdims=True)


W1, W2 = rng.normal(size=(3, 5)) * .5, rng.normal(size=(5, 4)) * .5


XB, YB = rng.normal(size=(6, 3)), rng.integers(0, 4, 6)


@program({"w1": W1, "b1": np.zeros(5), "w2": W2, "b2": np.zeros(4)})
def mlp(params, x=XB, y=YB):
    h = np.maximum(x @ params["w1"] + params["b1"], 0)
    logp = np.log(softmax(h @ params["w2"] + params["b2"]))
    return -logp[np.arange(len(y)), y].mean() + 1e-2 * sum((v ** 2).sum() for v in params.values())


@program([(W1, np.zeros(5)), (W2, np.zeros(4))])
def mlp_layers(layers, x=XB):
    for k, (w, b) in enumerate(layers):
        x = x @ w + b
        if k < len(layers) - 1:
            x = np.tanh(x)
    return np.mean(x ** 2)


@program(rng.normal(size=(4, 3)), rng.normal(size=(4, 3)), rng.normal(size=(4, 3)))
def attention(q, k, v):
    s = q @ k.T / np.sqrt(q.shape[1])
    mask = np.tril(np.ones_like(s)).astype(bool)
    s = np.where(mask, s, -1e9)
    a = softmax(s)
    o = a @ v
    mu = o.mean(-1, keepdims=True)
    return np.sum(((o - mu) / np.sqrt(o.var(-1, keepdims=True) + 1e-5)) ** 3)


@program(rng.normal(size=(6, 6)), rng.normal(size=(3, 3)))
def conv2d(img, ker):
    kh, kw = ker.shape
    oh, ow = img.shape[0] - kh + 1, img.shape[1] - kw + 1
    out = np.zeros((oh, ow))
    for i in range(oh):
        for j in range(ow):
            out[i, j] = np.sum(img[i:i + kh, j:j + kw] * ker)
    pool = out.reshape(2, 2, 2, 2).max(axis=(1, 3))
    return np.sum(np.maximum(0, pool) ** 2)


@program(rng.normal(size=(5, 2)), rng.normal(size=(8, 10)) * .4, rng.normal(size=8) * .1)
def lstm(xs, W, b):
    H = 2
    h = c = np.zeros(H)
    out = []
    Wx = W[:, :2]; Wh = W[:, 2:4]
    for x in xs:
        z = Wx @ x + Wh @ h + b
        i, f, o, g = np.split(z, 4)
        i, f, o = (1 / (1 + np.exp(-t)) for t in (i, f, o))
        c = f * c + i * np.tanh(g)
        h = o * np.tanh(c)
        out.append(h)
    return np.sum(np.array(out) ** 2)


@program(np.array([0.5, 1.0, 0.3]))
def kalman(th, zs=np.array([1.0, 1.3, 0.9, 1.1])):
    a, q, r = th
    x, P, ll = 0.0, 1.0, 0.0
    for z in zs:
        x, P = a * x, a * P * a + q
        S = P + r
        K = P / S
        ll -= 0.5 * (math.log(2 * math.pi * S) + (z - x) ** 2 / S)
        x += K * (z - x)
        P *= 1 - K
    return ll


@program(np.array([1.2, 0.4]))
def adaptive_heun(th):
    f = lambda t, y: np.array([y[1], -th[0] * np.sin(y[0]) - th[1] * y[1]])
    t, y, h, n = 0.0, np.array([1.0, 0.0]), 0.1, 0
    while t < 1.0 and n < 200:
        h = min(h, 1.0 - t)
        k1 = f(t, y)
        k2 = f(t + h, y + h * k1)
        err = np.max(np.abs(k2 - k1)) * h / 2
        if err < 1e-3:
            t += h
            y = y + h * (k1 + k2) / 2
            n += 1
        h = float(np.clip(0.9 * h * math.sqrt(1e-3 / 1e-3), 0.01, 0.1)) if err > 1e-12 else h
        if err >= 1e-3: h *= 0.5
    return y @ y


@program(100.0, 0.2, 0.05)
def black_scholes_mc(s0, sigma, r, z=rng.normal(size=(64, 4))):
    dt = 0.25
    paths = s0 * np.exp(np.cumsum((r - 0.5 * sigma ** 2) * dt + sigma * np.sqrt(dt) * z, axis=1))
    payoff = np.maximum(paths.mean(axis=1) - 95, 0)
    return np.exp(-r) * payoff.mean()


@program(rng.uniform(0.5, 2, 4))
def fem(k):
    n = len(k)
    K = np.zeros((n + 1, n + 1))
    for e in range(n):
        ke = k[e] * np.array([[1.0, -1.0], [-1.0, 1.0]])
        dofs = [e, e + 1]
        K[np.ix_(dofs, dofs)] += ke
    f = np.zeros(n + 1); f[-1] = 1.0
    free = np.arange(1, n + 1)
    u = np.zeros(n + 1)
    u[free] = np.linalg.solve(K[np.ix_(free, free)], f[free])
    return u @ K @ u


@program(rng.normal(size=(5, 2)), rng.normal(size=(2, 2)))
def kmeans(pts, centers):
    d = ((pts[:, None, :] - centers[None]) ** 2).sum(-1)
    lab = d.argmin(1)
    return sum(d[lab == k, k].sum() for k in range(len(centers)))


@program(np.array([0.7, 0.2]), np.linspace(0, 1, 5), np.sin(np.linspace(0, 1, 5)))
def gp(th, x, y):
    l, s = th
    K = np.exp(-0.5 * (x[:, None] - x) ** 2 / l ** 2) + s ** 2 * np.eye(len(x))
    L = np.linalg.cholesky(K)
    al = np.linalg.solve(L.T, np.linalg.solve(L, y))
    return 0.5 * y @ al + np.log(np.diag(L)).sum()


@dataclasses.dataclass
class Net:
    w: np.ndarray
    b: float
    act: str = "tanh"
    def __call__(self, x):
        z = x @ self.w + self.b
        return np.tanh(z) if self.act == "tanh" else np.maximum(z, 0)


@program(rng.normal(size=3), 0.3)
def dataclass_net(w, b):
    return np.mean(Net(w, b)(XB) ** 2) + np.mean(Net(w * 2, b, act="relu")(XB))


class Layer:
    def __init__(self, w): self.w = w; self.cache = None
    def forward(self, x):
        self.cache = x
        return np.tanh(x @ self.w)


class Seq:
    def __init__(self, *ls): self.ls = list(ls)
    def forward(self, x):
        for l in self.ls:
            x = l.forward(x)
        return x
    def penalty(self): return sum(np.sum(l.w ** 2) + np.mean(l.cache) for l in self.ls)


@program(W1, W2)
def object_net(a, b):
    s = Seq(Layer(a), Layer(b))
    return np.mean(s.forward(XB)) + 0.1 * s.penalty()


@program(rng.normal(size=(3, 4)), rng.normal(size=(4, 3)))
def factorise(U, V, R=rng.normal(size=(3, 3)), M=np.array([[1, 0, 1], [1, 1, 0], [0, 1, 1]], bool)):
    E = (R - U @ V)[M]
    return E @ E + 0.1 * (np.linalg.norm(U) + np.linalg.norm(V, "fro") ** 2)


@program(rng.normal(size=(4, 3)))
def pca(X):
    Xc = X - X.mean(0)
    u, s, vt = np.linalg.svd(Xc, full_matrices=False)
    w, v = np.linalg.eigh(Xc.T @ Xc)
    return s[0] ** 2 * w[-1] + np.abs(vt[0]).sum() * 0.1


@program(rng.normal(size=(4, 3)))
def nbody(q):
    n = len(q); a = np.zeros_like(q); e = 0.0
    for i in range(n):
        for j in range(i):
            d = q[i] - q[j]
            r2 = d @ d + 0.1
            a[i] -= d / r2 ** 1.5
            a[j] += d / r2 ** 1.5
            e -= 1 / np.sqrt(r2)
    return e + (a ** 2).sum()


@program(np.array([0.3, 0.5, 0.2, 0.9]))
def spline(y):
    n = len(y); x = np.arange(n) * 1.0
    h = np.diff(x); al = np.zeros(n)
    for i in range(1, n - 1):
        al[i] = 3 / h[i] * (y[i + 1] - y[i]) - 3 / h[i - 1] * (y[i] - y[i - 1])
    l, mu, z = np.ones(n), np.zeros(n), np.zeros(n)
    for i in range(1, n - 1):
        l[i] = 2 * (x[i + 1] - x[i - 1]) - h[i - 1] * mu[i - 1]
        mu[i] = h[i] / l[i]
        z[i] = (al[i] - h[i - 1] * z[i - 1]) / l[i]
    b, c, d = np.zeros(n - 1), np.zeros(n), np.zeros(n - 1)
    for j in reversed(range(n - 1)):
        c[j] = z[j] - mu[j] * c[j + 1]
        b[j] = (y[j + 1] - y[j]) / h[j] - h[j] * (c[j + 1] + 2 * c[j]) / 3
        d[j] = (c[j + 1] - c[j]) / (3 * h[j])
    t = 1.4; k = int(np.searchsorted(x, t)) - 1; dx = t - x[k]
    return y[k] + b[k] * dx + c[k] * dx ** 2 + d[k] * dx ** 3


@program(rng.normal(size=6))
def ising_like(s):
    s = np.tanh(s)
    return -sum(s[i] * s[(i + 1) % len(s)] for i in range(len(s))) - 0.1 * s.sum() + np.roll(s, 2) @ s


@program(rng.normal(size=(3, 4)))
def stats(a):
    z = (a - a.mean(axis=0)) / a.std(axis=0, ddof=1)
    return np.percentile(z, 30) + np.median(a) + np.cov(a)[0, 1] + np.corrcoef(a.T)[1, 2] + np.quantile(a, [0.2, 0.7], axis=1).sum()


@program(rng.normal(size=(2, 3)))
def quaternionish(qs):
    def mul(a, b):
        return np.array([a[0] * b[0] - a[1:] @ b[1:], *(a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:]))])
    q = np.array([1.0, *qs[0]]); r = np.array([0.5, *qs[1]])
    q = q / np.linalg.norm(q)
    return mul(mul(q, r), q * np.array([1, -1, -1, -1]))[1:].sum()


@program(0.3, 1.2)
def recursion_int(a, b, n=10):
    def simpson(f, lo, hi, depth):
        m = 0.5 * (lo + hi)
        s1 = (hi - lo) / 6 * (f(lo) + 4 * f(m) + f(hi))
        s2 = (m - lo) / 6 * (f(lo) + 4 * f(0.5 * (lo + m)) + f(m)) + (hi - m) / 6 * (f(m) + 4 * f(0.5 * (m + hi)) + f(hi))
        if depth == 0 or abs(s1 - s2) < 1e-6:
            return s2
        return simpson(f, lo, m, depth - 1) + simpson(f, m, hi, depth - 1)
    return simpson(lambda t: math.exp(-a * t * t) * b, 0.0, 2.0, 6)


@program(rng.uniform(0.1, 1, (3, 3)))
def dtw(c):
    n, m = c.shape
    D = np.full((n + 1, m + 1), np.inf)
    D[0, 0] = 0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            D[i, j] = c[i - 1, j - 1] + min(D[i - 1, j], D[i, j - 1], D[i - 1, j - 1])
    return D[n, m] ** 2


@program(rng.normal(size=(3, 2, 2)))
def chained(ms):
    return np.trace(functools.reduce(np.matmul, ms)) + np.linalg.multi_dot(list(ms))[0, 1] + np.linalg.slogdet(ms[0] + 3 * np.eye(2))[1]


@program(rng.normal(size=4).astype(np.float32))
def single(x):
    y = np.zeros(4, dtype=np.float32)
    for i in range(4):
        y[i] = x[i] * x[i - 1] + np.float32(0.5)
    return y.sum()


@program(rng.normal(size=(2, 5)))
def fft2(x):
    X = np.fft.rfft(x, axis=1)
    f = X * np.exp(-np.arange(X.shape[1]) * 0.1)
    y = np.fft.irfft(f, n=5, axis=1)
    return np.sum(y ** 2) + np.abs(X[0, 1])


@program(rng.normal(size=5), 0.7)
def exp_smooth(x, al):
    s = [x[0]]
    for t in range(1, len(x)):
        s.append(al * x[t] + (1 - al) * s[-1])
    s = np.asarray(s)
    return np.mean((s[:-1] - x[1:]) ** 2)


@program(rng.normal(size=(4,)))
def strsort(x):
    order = np.argsort(x)[::-1]
    r = x[order]
    w = np.cumprod(np.linspace(1, .5, 4))
    top, rest = r[:2], r[2:]
    return (w * r).sum() + np.max(top) * np.min(rest) + np.sort(x)[1] ** 2

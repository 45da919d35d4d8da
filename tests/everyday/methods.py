"""Numerical methods and the ways of Python: Welford, Jacobi, conjugate gradients, enums, operators, stacks, SciPy."""
from __future__ import annotations

import enum
import functools

import numpy as np

from .registry import program

rng = np.random.default_rng(1)


class Mode(enum.Enum): A = 1; B = 2


@program(0.7, 1.3)
def enums(a, b):
    t = 0.0
    for m in Mode:
        t += a ** m.value if m is Mode.A else b * m.value
    return t


@program(rng.normal(size=5))
def early_continue(x):
    s = 0.0; n = 0
    for v in x:
        if v < 0:
            continue
        n += 1
        s += (v - s) / n
    return s if n else x[0] * 0


@program(rng.normal(size=5))
def welford(x):
    mean = m2 = 0.0
    for n, v in enumerate(x, start=1):
        d = v - mean
        mean += d / n
        m2 += d * (v - mean)
    return m2 / (len(x) - 1) + mean


@program(rng.normal(size=(3, 3)))
def jacobi_eig(a):
    a = (a + a.T) / 2
    for _ in range(3):
        for p_ in range(2):
            for q in range(p_ + 1, 3):
                if abs(a[p_, q]) < 1e-12: continue
                th = 0.5 * np.arctan2(2 * a[p_, q], a[q, q] - a[p_, p_])
                c, s = np.cos(th), np.sin(th)
                J = np.eye(3); J[p_, p_] = J[q, q] = c; J[p_, q] = s; J[q, p_] = -s
                a = J.T @ a @ J
    return np.sort(np.diag(a)) @ np.array([1., 2., 3.])


@program(rng.normal(size=(4, 4)) + 4 * np.eye(4), rng.normal(size=4))
def gauss_seidel(A, b):
    x = np.zeros(4)
    for it in range(50):
        old = x.copy()
        for i in range(4):
            s = sum(A[i][j] * x[j] for j in range(4) if j != i)
            x[i] = (b[i] - s) / A[i, i]
        if np.linalg.norm(x - old) < 1e-13:
            break
    return x @ x


@program(rng.normal(size=(4, 4)) + 4 * np.eye(4), rng.normal(size=4))
def cg(A, b):
    A = A @ A.T
    x = np.zeros_like(b); r = b - A @ x; d = r.copy(); rs = r @ r
    for _ in range(4):
        Ad = A @ d
        al = rs / (d @ Ad)
        x = x + al * d
        r = r - al * Ad
        new = r @ r
        if np.sqrt(new) < 1e-12: break
        d = r + (new / rs) * d
        rs = new
    return x.sum()


@program(np.array([0.1, 0.2, 0.3]))
def poly_horner(c):
    def horner(x, *cs):
        r = 0
        for k in cs[::-1]:
            r = r * x + k
        return r
    return horner(2.0, *c) * horner(c[0], 1, 2, 3)


@program(np.array([1.0, 2.0, 0.5]))
def compose(x):
    fs = [np.sin, np.exp, lambda t: t ** 2, functools.partial(np.multiply, 3.0)]
    def comp(*fns):
        return functools.reduce(lambda f, g: lambda t: g(f(t)), fns)
    return np.sum(comp(*fs)(x))


@program(np.array([0.3, 0.6]))
def logistic_map(th):
    x, r = th
    r = 3 + r
    traj = np.empty(8)
    for t in range(8):
        traj[t] = x
        x = r * x * (1 - x)
    return traj[1::2].sum() - traj[:4].prod()


@program(rng.uniform(0.2, 1, 4))
def simplex_proj(v):
    u = np.sort(v)[::-1]
    css = np.cumsum(u)
    rho = np.nonzero(u * np.arange(1, len(u) + 1) > (css - 1))[0][-1]
    theta = (css[rho] - 1) / (rho + 1.0)
    return np.sum(np.maximum(v - theta, 0) ** 2 * np.arange(4))


@program(rng.normal(size=(4, 2)))
def polygon_area(pts):
    x, y = pts.T
    return 0.5 * abs(np.dot(x, np.roll(y, 1)) - np.dot(y, np.roll(x, 1))) + np.hypot(*np.diff(pts, axis=0).T).sum()


@program(rng.normal(size=3), rng.normal(size=3))
def rodrigues(w, v):
    th = np.sqrt(w @ w)
    k = w / th
    K = np.array([[0, -k[2], k[1]], [k[2], 0, -k[0]], [-k[1], k[0], 0]])
    R = np.eye(3) + np.sin(th) * K + (1 - np.cos(th)) * K @ K
    return (R @ v) @ np.array([1., 2, 3])


@program({"a": 0.3, "b": {"c": np.array([1.0, 2.0]), "d": (0.5, [0.1, 0.2])}})
def nested(pp):
    b = pp["b"]
    out = pp["a"] * b["c"].sum()
    for k, v in b.items():
        if k == "d":
            s, l = v
            out += s * sum(l) + l[-1] ** 2
    pp = {**pp, "a": out}
    return pp["a"] ** 2


@program(rng.normal(size=6))
def windows(x):
    w = np.lib.stride_tricks.sliding_window_view(x, 3)
    return np.sum(w.max(axis=1) * w.mean(axis=-1)) + np.ptp(x)


@program(rng.normal(size=(3, 4)))
def logsoft(z):
    from scipy.special import expit, logsumexp, xlogy
    lp = z - logsumexp(z, axis=1, keepdims=True)
    return -np.take_along_axis(lp, np.array([[0], [2], [1]]), axis=1).mean() + expit(z).sum() + xlogy(expit(z), expit(z)).sum()


@program(np.array([2.0, 1.5]))
def dists(th):
    from scipy import stats
    a, b = th
    return stats.norm(a, b).logpdf(np.array([0.5, 1.0])).sum() + stats.gamma.logpdf(1.3, a, scale=b) + stats.norm.cdf(a * b) + stats.beta.logpdf(.3, a, b)


@program(np.array([0.5, 1.2]))
def solvers(th):
    from scipy import integrate, optimize
    r = optimize.brentq(lambda t, a: t ** 3 - a, 0, 3, args=(th[0],))
    s = integrate.quad(lambda t: np.exp(-th[1] * t), 0, th[0])[0]
    return r * s


@program(np.array([0.5, 1.2]))
def ode(th):
    from scipy.integrate import solve_ivp
    sol = solve_ivp(lambda t, y, a, b: [a * y[0] - b * y[0] * y[1], -y[1] + y[0] * y[1]], (0, 1), [1.0, 0.5], args=tuple(th), rtol=1e-9, atol=1e-10)
    return sol.y[0, -1] * sol.y[1, -1]


@program(rng.normal(size=(3, 3)))
def linalgs(a):
    from scipy import linalg
    e = linalg.expm(a * 0.3)
    q, r = np.linalg.qr(e)
    lu = linalg.lu_factor(e)
    return np.abs(np.diag(r)).sum() + linalg.lu_solve(lu, np.ones(3)) @ np.ones(3) + linalg.solve_triangular(r, np.ones(3))[0] ** 2


@program(rng.normal(size=4))
def warn_and_assert(x):
    assert x.ndim == 1, "vector"
    if not np.isfinite(x).all():
        raise ValueError("bad")
    with np.errstate(divide="ignore"):
        y = np.where(x == 0, 0.0, 1 / x)
    return float(np.sum(y * y))


@program(3.0)
def int_loop(x):
    n = 0
    while x > 1.0:
        x = x / 1.7
        n += 1
    return x * n


@program(rng.normal(size=(2, 3, 4)))
def shapes(a):
    b = a.transpose(1, 0, 2).reshape(3, -1)
    c = np.moveaxis(a, -1, 0).swapaxes(0, 1)
    d = np.concatenate([b[:, ::2], b[:, 1::2]], axis=1).ravel(order="F")
    e = np.tile(a[0], (2, 1)) + np.repeat(a[1], 2, axis=0)
    return (d[:5] ** 2).sum() + np.flip(c, 0)[0].prod() * 0.1 + e.max(axis=0).sum() + np.squeeze(a[:1]).trace() + np.rot90(b)[0].sum()


@program(rng.normal(size=3))
def property_setter(x):
    class Acc:
        def __init__(self): self._v = 0.0
        @property
        def v(self): return self._v
        @v.setter
        def v(self, t): self._v = t ** 2
        def __iadd__(self, o): self._v += o; return self
        def __enter__(self): self._v += 1; return self
        def __exit__(self, *a): self._v *= 2
    a = Acc()
    a.v = x[0]
    a += x[1]
    with a as b:
        b += x[2] ** 2
    return a.v


class Dual:
    def __init__(self, a, b=0.0): self.a, self.b = a, b
    def __mul__(self, o):
        o = o if isinstance(o, Dual) else Dual(o)
        return Dual(self.a * o.a, self.a * o.b + self.b * o.a)
    __rmul__ = __mul__
    def __add__(self, o):
        o = o if isinstance(o, Dual) else Dual(o)
        return Dual(self.a + o.a, self.b + o.b)
    def __getitem__(self, k): return (self.a, self.b)[k]


@program(0.7)
def operator_overload(x):
    d = Dual(x, 1.0)
    y = 3.0 * d * d + d
    return y[1] * y.a


@program(rng.normal(size=5))
def stack_machine(x):
    stack = []
    prog = ["push 0", "push 1", "mul", "push 2", "add", "push 3", "mul"]
    for ins in prog:
        op, *arg = ins.split()
        if op == "push": stack.append(x[int(arg[0])])
        else:
            b, a = stack.pop(), stack.pop()
            stack.append(a * b if op == "mul" else a + b)
    return stack[-1]


@program(rng.normal(size=(3, 2)))
def dict_of_arrays(a):
    cache = {}
    for i in range(3):
        for j in range(2):
            cache[i, j] = a[i, j] * (cache[i - 1, j] if (i - 1, j) in cache else 1.0)
    return sum(v * (i + 1) for (i, j), v in cache.items())


@program(rng.uniform(.5, 2, 4))
def geometric(x):
    return np.exp(np.log(x).mean()) + len(x) / np.sum(1 / x) + np.linalg.norm(x, 3) + np.average(x, weights=x ** 2)


@program(rng.normal(size=4))
def accumulate_nested(x):
    total = np.zeros(2)
    def add(i, v):
        nonlocal count
        total[i] += v
        count += v
    count = 0.0
    for k, v in enumerate(x):
        add(k % 2, v * v)
    return total[0] * total[1] + count


@program(rng.normal(size=4))
def ufunc_methods(x):
    return np.add.reduce(x ** 2) + np.multiply.accumulate(x)[-1] + np.multiply.outer(x, x).sum() + np.maximum.reduce(x) + np.add.reduceat(x, [0, 2])[1] ** 2


@program(rng.normal(size=4))
def where_idx(x):
    i, = np.where(x > -0.5)
    y = x[i].copy()
    y[y > 0.3] = 0.3
    k = np.flatnonzero(x < 0)
    return y.sum() + (x[k] ** 2).sum() + np.count_nonzero(x > 0) * x[0]

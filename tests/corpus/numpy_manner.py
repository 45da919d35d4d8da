"""NumPy's manner: out=, where=, ufunc methods, array methods and attributes, views, indexing, linear algebra."""
from __future__ import annotations

import numpy as np

from .registry import case

X = np.array([0.6, -0.8, 1.7, 2.2, 0.3])
M = np.array([[0.4, 1.1, -0.6], [1.5, -0.2, 0.7]])
SPD = np.array([[2.0, 0.3, 0.1], [0.3, 1.5, -0.2], [0.1, -0.2, 1.1]])


@case(args=(X, 0.5), wrt=(0, 1))
def out_argument(x, c):
    buf = np.empty_like(x)
    np.multiply(x, c, out=buf)
    np.exp(buf, out=buf)
    np.add(buf, x, buf)
    return np.sum(buf * x)


@case(args=(X,))
def where_argument(x):
    y = np.zeros_like(x)
    np.log(x, out=y, where=x > 0)
    s = np.sum(x * x, where=x < 1.0)
    return np.sum(y * x) * s + np.mean(x, where=[True, True, False, True, False])


@case(args=(X,))
def ufunc_methods(x):
    total = np.add.reduce(x * x)
    path = np.add.accumulate(x)
    prod = np.multiply.reduce(x[2:])
    table = np.multiply.outer(x[:2], x[1:])
    return total * prod + np.sum(path ** 2) + np.sum(table[1])


@case(args=(X, np.array([1.0, 2.0, 3.0, 0.5, -1.0])), wrt=(0, 1))
def add_at(x, v):
    idx = np.array([0, 2, 0, 1, 2])
    bins = np.zeros(3)
    np.add.at(bins, idx, x * v)
    np.subtract.at(bins, [1, 1], x[:2])
    return np.sum(bins ** 2)


@case(args=(M,))
def array_methods(m):
    a = m.T.reshape(-1)
    b = m.sum(axis=0) + m.mean(axis=0, keepdims=True)
    c = m.ravel().cumsum().reshape(3, 2)
    d = m.max(axis=1) - m.min()
    return a.dot(a) + b.std() + c.prod() + d.var() + m.swapaxes(0, 1).trace()


@case(args=(M,))
def attributes(m):
    n = m.shape[0] * m.ndim + m.size
    rows, cols = m.shape
    return (m.T @ m).sum() / n + m.real.sum() * rows + m.flat[3] * cols + len(m)


@case(args=(M, X), wrt=(0, 1))
def broadcasting(m, x):
    col = x[:2, None]
    row = x[np.newaxis, 2:]
    y = m * col + row
    z = y - y.mean(axis=1, keepdims=True)
    return np.sum(z ** 2 * np.array([[1.0], [2.0]])) + np.sum(m + 1.0)


@case(args=(SPD, np.array([1.0, -0.5, 0.3])), wrt=(0, 1))
def gaussian_loglik(cov, r):
    sign, logdet = np.linalg.slogdet(cov)
    quad = r @ np.linalg.solve(cov, r)
    return -0.5 * (logdet + quad + len(r) * np.log(2.0 * np.pi))


@case(args=(SPD,))
def linear_algebra(a):
    sym = 0.5 * (a + a.T)
    low = np.linalg.cholesky(sym)
    vals, _ = np.linalg.eigh(sym)
    s = np.linalg.svd(a, compute_uv=False)
    q, r = np.linalg.qr(a)
    return np.sum(np.log(np.diag(low))) + vals[0] * s[-1] + np.linalg.det(a) + np.trace(np.linalg.inv(a)) + np.sum(np.abs(np.diag(r)))


@case(args=(M, SPD), wrt=(0, 1))
def einsum_and_friends(m, a):
    t = np.einsum("ij,jk,lk->il", m, a, m)
    u = np.tensordot(m, a, axes=1)
    v = np.outer(m[0], m[1]) + np.kron(np.eye(1), a)
    return np.trace(t) + np.sum(u ** 2) + np.vdot(v, a) + np.inner(m[0], m[1]) + np.linalg.norm(u)


@case(args=(X,))
def shape_functions(x):
    a = np.concatenate([x, x[:1]])
    b = np.stack([a, 2.0 * a], axis=-1)
    c = np.tile(b, (1, 2)).reshape(4, 6)
    d = np.roll(c, 1, axis=0)[:, ::-1]
    e = np.pad(d, ((1, 0), (0, 1)))
    f = np.repeat(x, 2)[::3]
    return np.sum(e * np.arange(35.0).reshape(5, 7)) + np.sum(np.squeeze(f[None]) ** 2) + np.sum(np.vstack([x, x]).transpose()[1])


@case(args=(X,))
def sorting_and_searching(x):
    y = np.sort(x)
    k = np.argmax(x)
    order = np.argsort(x)
    m = np.median(x)
    return y[0] * y[-1] + x[k] ** 2 + np.sum(x[order] * np.arange(5)) + m * np.percentile(x, 50)


@case(args=(X,))
def clipping_and_selection(x):
    a = np.clip(x, -0.5, 1.0)
    b = np.where(x > 0.5, x ** 2, -x)
    c = np.select([x < 0, x < 1], [x ** 3, 2.0 * x], default=0.5)
    return np.sum(a * b) + np.sum(c * b) + np.maximum(x, 0.4).sum() + np.sum(np.minimum(a, b)) + np.sum(np.abs(x)) + np.sum(np.sign(x) * x)


@case(args=(X,))
def cumulative_and_differences(x):
    path = np.cumsum(x)
    d = np.diff(x)
    p = np.cumprod(x[2:])
    g = np.gradient(path)
    return np.sum(path[1:] * d) + p[-1] + np.sum(g ** 2) + np.trapezoid(path, dx=0.5) + np.interp(0.7, [0.0, 1.0, 2.0, 3.0, 4.0], x)


@case(args=(np.linspace(0.1, 1.2, 12).reshape(3, 4),))
def noncontiguous(m):
    v = m[::2, 1::2]
    w = m.T[1:3]
    v[0, 0] = 3.0 * m[1, 1]
    w *= 2.0
    return np.sum(v * w[:, :2]) + np.sum(m[:, ::-1][1] ** 2)


@case(args=(np.array(1.3), X), wrt=(0, 1))
def zero_dimensional(s, x):
    t = np.asarray(s * x[0])
    z = np.sum(x) * s + t[()]
    e = np.sum(x[:0]) + np.prod(x[5:])
    return z * e + s ** 2 + float(t)


@case(args=(np.array([0.5, 1.5, -0.2], dtype=np.float32), np.float32(0.7)), wrt=(0, 1), rtol=3e-4)
def single_precision(x, c):
    y = np.tanh(x * c) + 1
    return np.sum(y * y) / 3


@case(args=(np.array([0.5 + 0.2j, -1.0 + 0.7j]),))
def complex_spectrum(z):
    w = z * np.conj(z[::-1]) + 1j * z
    return np.sum(np.abs(w) ** 2) + np.sum(w.real * w.imag) + np.angle(z[0])


@case(args=(X,))
def spectrum_of_real(x):
    f = np.fft.rfft(x)
    return np.sum(np.abs(f) ** 2 * np.array([1.0, 0.5, 0.2]))


@case(args=(X, M), wrt=(0, 1))
def index_arithmetic(x, m):
    i, j = np.triu_indices(3, k=1)
    a = np.outer(x[:3], x[2:])[i, j]
    b = np.take(m, [0, 2], axis=1)
    c = np.take_along_axis(m, np.argsort(m, axis=1), axis=1)
    d = m[np.ix_([0, 1], [2, 0])]
    n = np.nonzero(x > 0.5)[0]
    return np.sum(a) + np.sum(b * d) + np.sum(c[:, 0] * c[:, -1]) + np.sum(x[n]) + x[np.argmin(x)]


@case(args=(X, 1.2), wrt=(0, 1))
def special_elementwise(x, c):
    a = np.arctan2(x, c) + np.hypot(x, c) + np.logaddexp(x, c)
    b = np.sinh(0.1 * x) + np.arcsinh(x) + np.expm1(x * 0.1) + np.square(x) + np.cbrt(x + 2.0)
    d = np.float_power(np.abs(x), c) + np.reciprocal(x + 3.0) + np.log2(x + 2.0) + np.sinc(x)
    return np.sum(a * b) + np.sum(d) + np.polyval([1.0, 0.5, c], 0.3) + np.sum(np.deg2rad(x)) + np.sum(np.nan_to_num(x))


@case(args=(np.linspace(0.1, 0.9, 6), np.array([0.2, 0.5, 0.3])), wrt=(0, 1))
def convolution_and_windows(x, k):
    y = np.convolve(x, k, mode="valid")
    m = np.meshgrid(x[:2], k, indexing="ij")
    p = np.correlate(x, k)
    return np.sum(y ** 2) + np.sum(m[0] * m[1]) + np.sum(p) + np.average(x[:3], weights=k)

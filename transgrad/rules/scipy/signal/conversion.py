"""One form of a filter from another: polynomials, zeros and poles, sections, matrices; transformations of frequency."""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg
import scipy.signal as sg

from ...registry import constant, definition
from ...static import NoDerivative


def leading(v: Any) -> int:
    """How many zeros are in front."""
    kept = np.flatnonzero(np.abs(np.atleast_1d(v)) > 1e-14)
    return int(kept[0]) if len(kept) else len(np.atleast_1d(v)) - 1


constant(leading)


@definition(sg.normalize)
def normalize(b: Any, a: Any) -> Any:
    """Leading zeros are removed; their number is constant. The numerator is one polynomial."""
    if np.ndim(b) > 1:
        raise NoDerivative("normalize has a derivative for one numerator")
    den, num = np.atleast_1d(a), np.atleast_1d(b)
    den = den[leading(den):]
    num = num / den[0]
    return num[leading(num):], den / den[0]


@definition(sg.tf2zpk)
def tf2zpk(b: Any, a: Any) -> Any:
    """At a multiple root the derivative is infinite."""
    b, a = normalize(b, a)
    return np.roots(b), np.roots(a), b[0]


@definition(sg.zpk2tf)
def zpk2tf(z: Any, p: Any, k: Any) -> Any:
    """Of zeros and poles that are real, or in conjugate pairs: the polynomials are real."""
    return k * real_polynomial(z), real_polynomial(p)


def real_polynomial(z: Any) -> Any:
    """The real polynomial with given zeros."""
    a = np.atleast_1d(np.poly(z))
    if not np.iscomplexobj(a):
        return a
    if not np.allclose(np.imag(a), 0.0, atol=1e-9 * np.max(np.abs(a))):
        raise ValueError("zeros and poles that are not in conjugate pairs have a derivative through numpy.poly")
    return np.real(a)


@definition(sg.sos2tf)
def sos2tf(sos: Any) -> Any:
    """The products of the sections."""
    b, a = np.ones(1), np.ones(1)
    for k in range(sos.shape[0]):
        b, a = np.convolve(b, sos[k, leading(sos[k, :3]):3]), np.convolve(a, sos[k, 3:])
    return b, a


@definition(sg.sos2zpk)
def sos2zpk(sos: Any) -> Any:
    """At a multiple root of a section the derivative is infinite."""
    parts = [quadratic_roots(sos[k, 0], sos[k, 1], sos[k, 2]) for k in range(sos.shape[0])]
    poles = [quadratic_roots(sos[k, 3], sos[k, 4], sos[k, 5]) for k in range(sos.shape[0])]
    return np.concatenate(parts), np.concatenate(poles), np.prod(sos[:, 0] / sos[:, 3])


def quadratic_roots(a: Any, b: Any, c: Any) -> Any:
    """Both roots, in the order of numpy.roots."""
    return np.roots(np.stack((a, b, c)) + 0j)


@definition(sg.lp2lp)
def lp2lp(b: Any, a: Any, wo: Any = 1.0) -> Any:
    """Another cutoff."""
    n, d = b.shape[0], a.shape[0]
    first = max(n - d, 0)
    powers = wo ** np.arange(max(n, d) - 1.0, -1.0, -1.0)
    return normalize(b * powers[first] / powers[max(d - n, 0):], a * powers[first] / powers[first:])


@definition(sg.lp2hp)
def lp2hp(b: Any, a: Any, wo: Any = 1.0) -> Any:
    """High frequencies in place of low ones."""
    n, d = b.shape[0], a.shape[0]
    m = max(n, d)
    powers = wo ** np.arange(m)
    return normalize(np.pad(np.flip(b), (0, m - n)) * powers, np.pad(np.flip(a), (0, m - d)) * powers)


def band_powers(c: Any, m: Any, wo: Any, bw: Any) -> Any:
    """The polynomial ``sum_i c_i s ** (m - i) ((s ** 2 + wo ** 2) / bw) ** i``, the highest power first."""
    n = c.shape[0] - 1
    total = np.zeros(n + m + 1, c.dtype)
    factor = np.stack((1.0, 0.0, wo * wo)) / bw
    power = np.ones(1)
    for i in range(n + 1):
        term = c[n - i] * np.pad(power, (0, m - i))
        total = total + np.pad(term, (n + m + 1 - term.shape[0], 0))
        power = np.convolve(power, factor)
    return total


@definition(sg.lp2bp)
def lp2bp(b: Any, a: Any, wo: Any = 1.0, bw: Any = 1.0) -> Any:
    """A band in place of low frequencies."""
    m = max(b.shape[0], a.shape[0]) - 1
    return normalize(band_powers(b, m, wo, bw), band_powers(a, m, wo, bw))


def stop_powers(c: Any, m: Any, wo: Any, bw: Any) -> Any:
    """The polynomial ``sum_i c_i (s bw) ** i (s ** 2 + wo ** 2) ** (m - i)``, the highest power first."""
    n = c.shape[0] - 1
    total = np.zeros(2 * m + 1, c.dtype)
    factor = np.stack((1.0, 0.0, wo * wo))
    for i in range(n + 1):
        power = np.ones(1)
        for _ in range(m - i):
            power = np.convolve(power, factor)
        term = c[n - i] * bw ** i * np.pad(power, (0, i))
        total = total + np.pad(term, (2 * m + 1 - term.shape[0], 0))
    return total


@definition(sg.lp2bs)
def lp2bs(b: Any, a: Any, wo: Any = 1.0, bw: Any = 1.0) -> Any:
    """All but a band in place of low frequencies."""
    m = max(b.shape[0], a.shape[0]) - 1
    return normalize(stop_powers(b, m, wo, bw), stop_powers(a, m, wo, bw))


@definition(sg.bilinear)
def bilinear(b: Any, a: Any, fs: Any = 1.0) -> Any:
    """``2 fs (z - 1) / (z + 1)`` in place of s."""
    m = max(b.shape[0], a.shape[0]) - 1
    return normalize(substituted(b, m, fs), substituted(a, m, fs))


def substituted(c: Any, m: Any, fs: Any) -> Any:
    """``sum_i c_i (2 fs (z - 1)) ** i (z + 1) ** (m - i)``, the highest power first."""
    n = c.shape[0] - 1
    total = np.zeros(m + 1, c.dtype)
    for i in range(n + 1):
        power = np.ones(1)
        for k in range(m):
            power = np.convolve(power, np.array([1.0, -1.0 if k < i else 1.0]))
        total = total + c[n - i] * (2.0 * fs) ** i * power
    return total


def missing(z: Any, p: Any) -> Any:
    """How many poles more than zeros."""
    return p.shape[0] - z.shape[0]


@definition(sg.lp2lp_zpk)
def lp2lp_zpk(z: Any, p: Any, k: Any, wo: Any = 1.0) -> Any:
    """Another cutoff."""
    return wo * z, wo * p, k * wo ** missing(z, p)


def quotient(z: Any, p: Any) -> Any:
    """The real part of a quotient of products."""
    return np.real(np.prod(z) / np.prod(p))


@definition(sg.lp2hp_zpk)
def lp2hp_zpk(z: Any, p: Any, k: Any, wo: Any = 1.0) -> Any:
    """High frequencies in place of low ones."""
    return np.concatenate((wo / z, np.zeros(missing(z, p)))), wo / p, k * quotient(-z, -p)


def split(v: Any, wo: Any) -> Any:
    """Each root, as two."""
    held = v.astype(complex)
    root = np.sqrt(held ** 2 - wo ** 2)
    return np.concatenate((held + root, held - root))


@definition(sg.lp2bp_zpk)
def lp2bp_zpk(z: Any, p: Any, k: Any, wo: Any = 1.0, bw: Any = 1.0) -> Any:
    """A band in place of low frequencies."""
    degree = missing(z, p)
    return np.concatenate((split(z * bw / 2, wo), np.zeros(degree))), split(p * bw / 2, wo), k * bw ** degree


@definition(sg.lp2bs_zpk)
def lp2bs_zpk(z: Any, p: Any, k: Any, wo: Any = 1.0, bw: Any = 1.0) -> Any:
    """All but a band in place of low frequencies."""
    ones = np.ones(missing(z, p))
    zeros = np.concatenate((split(bw / 2 / z, wo), 1j * wo * ones, -1j * wo * ones))
    return zeros, split(bw / 2 / p, wo), k * quotient(-z, -p)


@definition(sg.bilinear_zpk)
def bilinear_zpk(z: Any, p: Any, k: Any, fs: Any) -> Any:
    """``2 fs (z - 1) / (z + 1)`` in place of s."""
    fast = 2.0 * fs
    zeros = np.concatenate(((fast + z) / (fast - z), -np.ones(missing(z, p))))
    return zeros, (fast + p) / (fast - p), k * quotient(fast - z, fast - p)


@definition(sg.tf2ss)
def tf2ss(num: Any, den: Any) -> Any:
    """The controller form, of one numerator and a denominator of degree 1 at least."""
    num, den = normalize(num, den)
    n = den.shape[0]
    num = np.pad(num, (n - num.shape[0], 0))
    a = np.concatenate((-den[None, 1:], np.eye(n - 2, n - 1)), axis=0)
    return a, np.eye(n - 1, 1), (num[1:] - num[0] * den[1:])[None, :], num[None, :1]


@definition(sg.zpk2ss)
def zpk2ss(z: Any, p: Any, k: Any) -> Any:
    """The controller form, by way of the polynomials."""
    b, a = zpk2tf(z, p, k)
    return tf2ss(b, a)


@definition(sg.abcd_normalize)
def abcd_normalize(A: Any = None, B: Any = None, C: Any = None, D: Any = None) -> Any:
    """Of four matrices that are all given."""
    if A is None or B is None or C is None or D is None:
        raise NoDerivative("abcd_normalize has a derivative where all four matrices are given")
    return np.atleast_2d(A), np.atleast_2d(B), np.atleast_2d(C), np.atleast_2d(D)


def characteristic(a: Any) -> Any:
    """The characteristic polynomial, by Faddeev and LeVerrier."""
    n = a.shape[0]
    coefficients = [1.0]
    m = np.eye(n)
    for k in range(1, n + 1):
        step = a @ m
        c = -np.trace(step) / k
        coefficients.append(c)
        m = step + c * np.eye(n)
    return np.stack(coefficients)


@definition(sg.ss2tf)
def ss2tf(A: Any, B: Any, C: Any, D: Any, input: Any = 0) -> Any:
    """The numerators of the outputs, and the denominator."""
    b, d = B[:, input:input + 1], D[:, input]
    den = characteristic(A)
    num = np.stack([characteristic(A - b @ C[k:k + 1]) + (d[k] - 1.0) * den for k in range(C.shape[0])])
    return num, den


@definition(sg.ss2zpk)
def ss2zpk(A: Any, B: Any, C: Any, D: Any, input: Any = 0) -> Any:
    """Of one output, by way of the polynomials."""
    num, den = ss2tf(A, B, C, D, input)
    return tf2zpk(num[0], den)


@definition(sg.cont2discrete, lists=True)
def cont2discrete(system: Any, dt: Any, method: Any = "zoh", alpha: Any = None) -> Any:
    """Of a system given by four matrices, by any of the methods."""
    if len(system) != 4:
        raise NoDerivative("cont2discrete has a derivative for a system of four matrices: call tf2ss or zpk2ss before")
    a, b, c, d = system
    n, m = a.shape[0], b.shape[1]
    if method in ("gbt", "bilinear", "tustin", "euler", "forward_diff", "backward_diff"):
        share = alpha if method == "gbt" else 0.5 if method in ("bilinear", "tustin") else 1.0 if method == "backward_diff" else 0.0
        ima = np.eye(n) - share * dt * a
        bd = np.linalg.solve(ima, dt * b)
        return (np.linalg.solve(ima, np.eye(n) + (1.0 - share) * dt * a), bd, np.linalg.solve(ima.T, c.T).T, d + share * (c @ bd), dt)
    if method == "impulse":
        ad = scipy.linalg.expm(dt * a)
        return ad, ad @ b * dt, c, c @ b * dt, dt
    inside = dt * np.concatenate((a, b), axis=1)
    if method == "zoh":
        both = scipy.linalg.expm(np.pad(inside, ((0, m), (0, 0))))
        return both[:n, :n], both[:n, n:], c, d, dt
    top = np.pad(inside, ((0, 0), (0, m)))
    middle = np.concatenate((np.zeros((m, n + m)), np.eye(m)), axis=1)
    three = scipy.linalg.expm(np.concatenate((top, middle, np.zeros((m, n + 2 * m))), axis=0))
    last = three[:n, n + m:]
    ad = three[:n, :n]
    return ad, three[:n, n:n + m] - last + ad @ last, c, d + c @ last, dt

"""Partial fractions, of simple poles; peaks, whose places are constant; splines of samples."""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.signal as sg

from ....ir.infer_shapes import SHAPES
from ....ir.types import ANY, Arr
from ...registry import constant, definition


def order_of_poles(b: Any, a: Any, delayed: Any) -> Any:
    """The permutation of the roots into the order that partial fractions have."""
    roots = np.roots(a + 0j)
    found = (sg.residuez if delayed else sg.residue)(b, a)[1]
    if len(found) != len(roots) or np.min(np.abs(roots[:, None] - roots) + np.eye(len(roots)) * 10.0) < 1e-3:
        raise ValueError("partial fractions have a derivative for simple poles, more than 1e-3 apart")
    at = np.argmin(np.abs(found[:, None] - roots), axis=1)
    return np.eye(len(roots))[at]


def groups(p: Any, tol: Any) -> Any:
    """Which of the roots are taken to be the same: the matrix that averages them."""
    left, rows = list(range(len(p))), []
    while left:
        near = [k for k in left if abs(p[k] - p[left[0]]) <= tol]
        rows.append([1.0 / len(near) if k in near else 0.0 for k in range(len(p))])
        left = [k for k in left if k not in near]
    return np.array(rows)


def extreme(p: Any, tol: Any, rtype: Any) -> Any:
    """The place of the smallest or largest root of each group."""
    share = groups(p, tol)
    pick = np.argmin if rtype in ("min", "minimum") else np.argmax
    return np.array([np.flatnonzero(row)[pick(np.asarray(p)[row > 0.0])] for row in share])


constant(order_of_poles, groups, extreme)
SHAPES.update({order_of_poles: lambda *args: Arr("float64", (ANY, ANY)), extreme: lambda *args: Arr("int64", (ANY,)),
               groups: lambda p, tol: Arr("float64", (ANY, ANY))})


@definition(sg.residue)
def residue(b: Any, a: Any, tol: Any = 1e-3, rtype: Any = "avg") -> Any:
    """Of simple poles; residues and poles come as complex numbers."""
    poles = order_of_poles(b, a, False) @ np.roots(a + 0j)
    if b.shape[0] < a.shape[0]:
        direct, rest = np.zeros(0), b
    else:
        direct, rest = long_division(b, a)
    slope = np.polyder(a)
    return np.polyval(rest + 0j, poles) / np.polyval(slope + 0j, poles), poles, direct


def long_division(b: Any, a: Any) -> Any:
    """The quotient, and the remainder with as many coefficients as the divisor has, less one."""
    n, m = b.shape[0], a.shape[0]
    rest, quotient = b * 1.0, np.zeros(n - m + 1, b.dtype)
    for k in range(n - m + 1):
        factor = rest[k] / a[0]
        quotient[k] = factor
        rest = rest - np.pad(factor * a, (k, n - m - k))
    return quotient, rest[n - m + 1:]


@definition(sg.residuez)
def residuez(b: Any, a: Any, tol: Any = 1e-3, rtype: Any = "avg") -> Any:
    """Of simple poles; residues and poles come as complex numbers."""
    poles = order_of_poles(b, a, True) @ np.roots(a + 0j)
    turned, divisor = np.flip(b), np.flip(a)
    if b.shape[0] < a.shape[0]:
        direct, rest = np.zeros(0), turned
    else:
        direct, rest = long_division(turned, divisor)
    found = np.polyval(rest + 0j, 1.0 / poles) / np.polyval(np.polyder(divisor) + 0j, 1.0 / poles)
    return -found * poles, poles, np.flip(direct)


def others(p: Any) -> Any:
    """For each root the polynomial with all the other ones, and that with all of them."""
    n = p.shape[0]
    rows = []
    for k in range(n):
        rows.append(np.poly(np.concatenate((p[:k], p[k + 1:]))) + 0j)
    return np.stack(rows), np.poly(p) + 0j


@definition(sg.invres)
def invres(r: Any, p: Any, k: Any, tol: Any = 1e-3, rtype: Any = "avg") -> Any:
    """Of simple poles; the polynomials are complex."""
    factors, den = others(p)
    num = r @ factors
    if k.shape[0] == 0:
        return num, den
    direct = np.convolve(k, den)
    return direct + np.pad(num, (direct.shape[0] - num.shape[0], 0)), den


@definition(sg.invresz)
def invresz(r: Any, p: Any, k: Any, tol: Any = 1e-3, rtype: Any = "avg") -> Any:
    """Of simple poles; the polynomials are complex."""
    factors, den = others(p)
    num = r @ factors
    if k.shape[0] == 0:
        return num, den
    direct = np.convolve(k, den)
    return direct + np.pad(num, (0, direct.shape[0] - num.shape[0])), den


@definition(sg.unique_roots)
def unique_roots(p: Any, tol: Any = 1e-3, rtype: Any = "min") -> Any:
    """Which roots are taken to be the same, and how often, is constant."""
    share = groups(p, tol)
    count = np.sum(share > 0.0, axis=1)
    return (share @ p if rtype in ("avg", "mean") else p[extreme(p, tol, rtype)]), count


def bases_of(x: Any, peaks: Any, wlen: Any) -> Any:
    """Where the lowest points beside peaks are."""
    _, left, right = sg.peak_prominences(x, peaks, wlen)
    return np.stack((left, right))


def crossings(x: Any, peaks: Any, rel_height: Any, wlen: Any) -> Any:
    """Between which samples a signal crosses the height at which peaks are measured."""
    left, right = sg.peak_widths(x, peaks, rel_height, None, wlen)[2:]
    return np.stack((np.floor(left).astype(int), np.ceil(right).astype(int)))


constant(bases_of, crossings)
SHAPES.update(dict.fromkeys((bases_of, crossings), lambda *args: Arr("int64", (ANY, ANY))))


@definition(sg.peak_prominences)
def peak_prominences(x: Any, peaks: Any, wlen: Any = None) -> Any:
    """The places of the bases are constant."""
    at = bases_of(x, peaks, wlen)
    return x[peaks] - np.maximum(x[at[0]], x[at[1]]), at[0], at[1]


@definition(sg.peak_widths)
def peak_widths(x: Any, peaks: Any, rel_height: Any = 0.5, prominence_data: Any = None, wlen: Any = None) -> Any:
    """The samples between which the height is crossed are constant."""
    at = bases_of(x, peaks, wlen)
    height = x[peaks] - rel_height * (x[peaks] - np.maximum(x[at[0]], x[at[1]]))
    near = crossings(x, peaks, rel_height, wlen)
    left, right = near[0], near[1]
    inner, outer = x[np.minimum(left + 1, x.shape[0] - 1)], x[right - 1]
    first = np.where(x[left] < height, left + (height - x[left]) / np.where(inner == x[left], 1.0, inner - x[left]), left)
    last = np.where(x[right] < height, right - (height - x[right]) / np.where(outer == x[right], 1.0, outer - x[right]), right)
    return last - first, height, first, last


def places_of_peaks(x: Any, height: Any, threshold: Any, distance: Any, prominence: Any, width: Any, wlen: Any, rel_height: Any,
                    plateau_size: Any) -> Any:
    """Where peaks are."""
    return sg.find_peaks(x, height, threshold, distance, prominence, width, wlen, rel_height, plateau_size)[0]


constant(places_of_peaks)
SHAPES[places_of_peaks] = lambda *args: Arr("int64", (ANY,))


@definition(sg.find_peaks)
def find_peaks(x: Any, height: Any = None, threshold: Any = None, distance: Any = None, prominence: Any = None, width: Any = None,
               wlen: Any = None, rel_height: Any = 0.5, plateau_size: Any = None) -> Any:
    """The places are constant; heights, thresholds, prominences and widths have a derivative."""
    at = places_of_peaks(x, height, threshold, distance, prominence, width, wlen, rel_height, plateau_size)
    said = {}
    if height is not None:
        said["peak_heights"] = x[at]
    if threshold is not None:
        said["left_thresholds"], said["right_thresholds"] = x[at] - x[at - 1], x[at] - x[at + 1]
    if prominence is not None or width is not None:
        said["prominences"], said["left_bases"], said["right_bases"] = peak_prominences(x, at, wlen)
    if width is not None:
        said["widths"], said["width_heights"], said["left_ips"], said["right_ips"] = peak_widths(x, at, rel_height, None, wlen)
    return at, said


def there_and_back(v: Any, z1: Any, c0: Any) -> Any:
    """A filter with one pole along the last axis, there and back, from states that mirror the signal."""
    n = v.shape[-1]
    powers = z1 ** np.arange(1.0, n + 1.0)
    first = v[..., :1] + (v @ powers)[..., None]
    a = np.stack((1.0, -z1))
    there = sg.lfilter(np.ones(1), a, np.concatenate((first, v[..., 1:]), axis=-1))
    last = -c0 / (z1 - 1.0) * there[..., -1:]
    turned = np.flip(np.concatenate((c0 * there[..., :-1], last), axis=-1), -1)
    return np.flip(sg.lfilter(np.ones(1), a, turned), -1)


def plain_spline(lamb: Any) -> None:
    if lamb != 0.0:
        raise ValueError("splines of samples have a derivative with lamb=0")


@definition(sg.symiirorder1)
def symiirorder1(signal: Any, c0: Any, z1: Any, precision: Any = -1.0) -> Any:
    """Through the signal, the pole and the factor; the sum at the start is taken whole, to any precision."""
    return there_and_back(signal, z1, c0)


CUBIC, QUADRATIC = -2.0 + 3.0 ** 0.5, -3.0 + 2.0 * 2.0 ** 0.5


@definition(sg.cspline1d)
def cspline1d(signal: Any, lamb: Any = 0.0) -> Any:
    """Of interpolating splines."""
    plain_spline(lamb)
    return there_and_back(signal, CUBIC, -6.0 * CUBIC)


@definition(sg.qspline1d)
def qspline1d(signal: Any, lamb: Any = 0.0) -> Any:
    """Of interpolating splines."""
    plain_spline(lamb)
    return there_and_back(signal, QUADRATIC, -8.0 * QUADRATIC)


def within(newx: Any, n: Any, dx: Any, x0: Any) -> Any:
    """Places in units of samples, mirrored at either end."""
    t = (newx - x0) / dx
    period = 2.0 * (n - 1)
    folded = t - period * np.floor(t / period)
    return np.where(folded > n - 1, period - folded, folded)


@definition(sg.cspline1d_eval)
def cspline1d_eval(cj: Any, newx: Any, dx: Any = 1.0, x0: Any = 0) -> Any:
    """Through the coefficients and the places."""
    n = cj.shape[0]
    t = within(newx, n, dx, x0)
    first = np.floor(t - 2.0).astype(int) + 1
    total = 0.0 * t
    for k in range(4):
        d = np.abs(t - (first + k))
        weight = np.where(d < 1.0, 2.0 / 3.0 - 0.5 * d * d * (2.0 - d), np.where(d < 2.0, (2.0 - d) ** 3 / 6.0, 0.0))
        total = total + cj[np.clip(first + k, 0, n - 1)] * weight
    return total


@definition(sg.qspline1d_eval)
def qspline1d_eval(cj: Any, newx: Any, dx: Any = 1.0, x0: Any = 0) -> Any:
    """Through the coefficients and the places."""
    n = cj.shape[0]
    t = within(newx, n, dx, x0)
    first = np.floor(t - 1.5).astype(int) + 1
    total = 0.0 * t
    for k in range(3):
        d = np.abs(t - (first + k))
        weight = np.where(d < 0.5, 0.75 - d * d, np.where(d < 1.5, 0.5 * (d - 1.5) ** 2, 0.0))
        total = total + cj[np.clip(first + k, 0, n - 1)] * weight
    return total


@definition(sg.sepfir2d)
def sepfir2d(input: Any, hrow: Any, hcol: Any) -> Any:
    """An image that is mirrored at its edges, through the image and both filters."""
    rows, columns = hcol.shape[0] // 2, hrow.shape[0] // 2
    wide = np.pad(input, ((rows, rows), (columns, columns)), mode="symmetric")
    return sg.convolve2d(wide, np.outer(hcol, hrow), "valid")

"""Partial fractions, of simple poles."""
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
        raise ValueError("partial fractions have a derivative for simple poles whose distance exceeds 1e-3")
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
    """The grouping of the roots and their multiplicities are constant."""
    share = groups(p, tol)
    count = np.sum(share > 0.0, axis=1)
    return (share @ p if rtype in ("avg", "mean") else p[extreme(p, tol, rtype)]), count

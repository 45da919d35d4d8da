"""Functions of matrices: the derivative in a direction is a block of the function of a block matrix."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.linalg

from ...linalg import turned
from ...registry import definition, rule
from ...static import concatenate, is_complex, lifted, ndim

expm_frechet = lifted(scipy.linalg.expm_frechet)


def corner(fn: Callable[..., Any], a: Any, e: Any, *options: Any) -> Any:
    """The derivative of ``fn`` at ``a`` along ``e``."""
    n = a.shape[-1]
    upper, lower = concatenate((a, e + 0.0 * a), -1), concatenate((np.zeros_like(a), a), -1)
    return fn(concatenate((upper, lower), -2), *options)[..., :n, n:]


def register(fn: Callable[..., Any]) -> None:
    """The rule of a function of one matrix."""
    call = lifted(fn)

    @rule(fn, kind="general", jvp=lambda t, y, a, *options: corner(call, a, t, *options))
    def _(g: Any, y: Any, a: Any, *options: Any) -> Any:
        out = corner(call, turned(a), g, *options)
        return out if is_complex(a) else np.real(out)


for _name in ("sqrtm", "logm", "sinm", "cosm", "tanm", "sinhm", "coshm", "tanhm", "fractional_matrix_power"):
    register(getattr(scipy.linalg, _name))


@rule(scipy.linalg.expm, kind="general", jvp=lambda t, y, A: frechet_of(A, t))
def _(g, y, A):
    return frechet_of(turned(A), g)


def frechet_of(a: Any, e: Any) -> Any:
    """The derivative of the exponential, of one matrix or of a stack of them."""
    return expm_frechet(a, e, compute_expm=False) if ndim(a) == 2 else corner(exponential, a, e)


@definition(scipy.linalg.expm_frechet)
def frechet(A: Any, E: Any, method: Any = None, compute_expm: Any = True, check_finite: Any = True) -> Any:
    """The derivative of the exponential along a direction, in the corner of one of twice the size."""
    n = A.shape[0]
    both = scipy.linalg.expm(np.block([[A, E], [np.zeros_like(A), A]]))
    return (both[:n, :n], both[:n, n:]) if compute_expm else both[:n, n:]


def expm_frechet_by_a(t, y, a, e, compute_expm=False):
    """The second derivative of the exponential, along two directions."""
    n = a.shape[0]
    zero = np.zeros_like(a)
    four = np.block([[a, e, t, zero], [zero, a, zero, t], [zero, zero, a, e], [zero, zero, zero, a]])
    return exponential(four)[:n, 3 * n:]


exponential = lifted(scipy.linalg.expm)


@rule(scipy.linalg.expm_frechet, kind="general", when=lambda a, e, compute_expm=True, **how: not compute_expm, jvp=(
    expm_frechet_by_a, lambda t, y, a, e, compute_expm=False: expm_frechet(a, t, compute_expm=False)))
def _(g, y, a, e, *, compute_expm=False):
    return expm_frechet_by_a(g, y, turned(a), turned(e)), expm_frechet(turned(a), g, compute_expm=False)


@definition(scipy.linalg.expm_cond)
def expm_cond(A: Any, check_finite: Any = True) -> Any:
    """The norm of the derivative, a matrix of as many columns as A has elements, relative to those of A and its exponential."""
    n = A.shape[0]
    units = np.reshape(np.eye(n * n), (n * n, n, n))
    columns = np.stack([np.ravel(scipy.linalg.expm_frechet(A, unit, compute_expm=False)) for unit in units], axis=1)
    return np.linalg.norm(columns, 2) * np.linalg.norm(A) / np.linalg.norm(scipy.linalg.expm(A))


sylvester = lifted(scipy.linalg.solve_sylvester)


def signm_jvp(t, y, A, **how):
    modulus = A @ y
    return sylvester(modulus, modulus, t - y @ t @ y)


@rule(scipy.linalg.signm, kind="general", jvp=signm_jvp)
def _(g, y, A):
    """No eigenvalue is assumed to lie on the imaginary axis."""
    s, modulus = turned(y), turned(A @ y)
    z = sylvester(modulus, modulus, g)
    return z - s @ z @ s


def of_real(found: Any) -> Any:
    """A function of a real matrix that comes out complex is real where the function is real on the real line."""
    if not np.allclose(np.imag(found), 0.0, atol=1e-8 * np.max(np.abs(found))):
        raise ValueError("funm of a real matrix has a derivative where the result is real: make the matrix complex")
    return np.real(found)


@definition(scipy.linalg.funm)
def funm(A: Any, func: Any, disp: Any = True) -> Any:
    """By eigenvalues and vectors: of matrices whose eigenvalues are distinct."""
    held = A if np.iscomplexobj(A) else A.astype(complex)
    w, v = np.linalg.eig(held)
    found = (v * func(w)) @ np.linalg.inv(v)
    return found if np.iscomplexobj(A) else of_real(found)

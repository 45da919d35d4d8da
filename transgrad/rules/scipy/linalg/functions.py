"""Functions of matrices: the derivative along a direction stands in the corner of the function of a block matrix."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.linalg

from ...linalg import turned
from ...registry import definition, rule
from ...static import NoDerivative, is_complex, lifted, ndim

expm_frechet = lifted(scipy.linalg.expm_frechet)


def one_matrix(a: Any) -> None:
    if ndim(a) != 2:
        raise NoDerivative("this function has a derivative for one matrix, not for a stack of them")


def corner(fn: Callable[..., Any], a: Any, e: Any, *options: Any) -> Any:
    """The derivative of ``fn`` at ``a`` along ``e``."""
    one_matrix(a)
    n = a.shape[0]
    return fn(np.block([[a, e], [np.zeros_like(a), a]]), *options)[:n, n:]


def register(fn: Callable[..., Any]) -> None:
    """The rule of a function of one matrix."""
    call = lifted(fn)

    @rule(fn, kind="general", jvp=lambda t, y, a, *options: corner(call, a, t, *options))
    def _(g: Any, y: Any, a: Any, *options: Any) -> Any:
        out = corner(call, turned(a), g, *options)
        return out if is_complex(a) else np.real(out)


for _name in ("sqrtm", "logm", "sinm", "cosm", "tanm", "sinhm", "coshm", "tanhm", "fractional_matrix_power"):
    register(getattr(scipy.linalg, _name))


@rule(scipy.linalg.expm, kind="general", jvp=lambda t, y, a: expm_frechet(a, t, compute_expm=False))
def _(g, y, a):
    one_matrix(a)
    return expm_frechet(turned(a), g, compute_expm=False)


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

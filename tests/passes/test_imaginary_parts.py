"""Imaginary parts that are written to: their adjoints are no part of that of the array, which is refused or runs on the tape."""
import numpy as np
import pytest

import transgrad as tg

from .by_differences import Programs, check

tried = Programs()


def turned(w, x):
    w.imag[1:] = x[:-1]


def turned_by_name(w, x):
    v = w.imag
    v[1:] *= x[:-1]


@tried
def in_a_call(x):
    w = np.exp(x * (1.0 + 2.0j))
    turned(w, x)
    return np.abs(np.sum(w)) ** 2


@tried
def in_a_call_by_name(x):
    w = np.exp(x * (1.0 + 2.0j))
    turned_by_name(w, x)
    return np.abs(np.sum(w * w))


@tried
def in_place(x):
    w = np.exp(x * (1.0 + 2.0j))
    w.imag[1:] *= x[:-1]
    return np.abs(np.sum(w)) ** 2


@pytest.mark.parametrize("f", tried, ids=lambda f: f.__name__)
def test_refused(f):
    with pytest.raises(tg.TransgradError, match="its derivative is not part"):
        tg.grad(f, fallback="error")(np.array([0.3, 0.7, 1.1]))


@pytest.mark.parametrize("f", tried, ids=lambda f: f.__name__)
@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
def test_derivatives(f):
    check(f, np.array([0.3, 0.7, 1.1]))

"""The bytes of an array that is differentiated, read as other numbers: they are read, and what is written to them is refused."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import transgrad as tg

X = np.array([0.5, 1.5, -2.0, 1.0])
THREE = int(np.array(3.0).view(np.int64))


def element(x: Any) -> Any:
    z = x * 1.0
    z.view(np.int64)[0] = THREE
    return np.sum(z * z)


def part(x: Any) -> Any:
    z = x * 1.0
    v = z.view(np.int64)
    v[1:] = THREE
    return np.sum(z * z)


def by_name(x: Any) -> Any:
    z = x * 1.0
    z[:2].view("u8")[x[:2] > 1] = THREE
    return np.sum(z * z)


def filled(x: Any) -> Any:
    z = x * 1.0
    z.view(np.int64).fill(THREE)
    return np.sum(z * z)


def copied(x: Any) -> Any:
    z = x * 1.0
    np.copyto(z.view(np.int64), THREE)
    return np.sum(z * z)


def added(x: Any) -> Any:
    z = x * 1.0
    v = z.view(np.int64)
    v *= 0
    v += THREE
    return np.sum(z * z)


def handed_out(x: Any) -> Any:
    z = x * 1.0
    np.add(z.view(np.int64) * 0, THREE, out=z.view(np.int64))
    return np.sum(z * z)


def put(x: Any) -> Any:
    z = x * 1.0
    np.put(z.view(np.int64), [0, 1], THREE)
    return np.sum(z * z)


def in_order(x: Any) -> Any:
    z = x * 1.0
    z.view(np.int64).sort()
    return np.sum(z * np.arange(4.0))


def of_another_kind(x: Any) -> Any:
    z = x.copy()
    z.dtype = np.int64
    z[0] = THREE
    z.dtype = np.float64
    return np.sum(z * z)


def of_other_strides(x: Any) -> Any:
    z = x * 1.0
    z.strides = (0,)
    return np.sum(z * x)


WRITES = [element, part, by_name, filled, copied, added, handed_out, put, in_order, of_another_kind, of_other_strides]


@pytest.mark.parametrize("f", WRITES)
@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
def test_writes_are_refused(f: Callable[[Any], Any]) -> None:
    for derive in (tg.grad, tg.jacfwd, lambda f: lambda x: tg.jvp(f, (x,), (x,))):
        with pytest.raises(tg.TransgradError, match="test_bytes_of_arrays.py"):
            derive(f)(X)
    assert tg.compile(f)(X.copy()) == f(X.copy())


def signs(x: Any) -> Any:
    z = x * 1.0
    bits = z.view(np.int64)
    negative = bits < 0
    return np.sum(np.where(negative, z * z, z))


def bits_as_numbers(x: Any) -> Any:
    bits = (x * 1.0).view(np.int64).copy()
    bits &= 1
    return np.sum(x) + np.sum(bits)


@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
def test_they_are_read() -> None:
    for derive in (tg.grad, tg.jacfwd):
        np.testing.assert_allclose(derive(signs)(X), [1.0, 1.0, -4.0, 1.0])


@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
def test_numbers_made_of_bits_are_refused() -> None:
    for derive in (tg.grad, tg.jacfwd):
        with pytest.raises(tg.TransgradError, match="integers"):
            derive(bits_as_numbers)(X)

"""Derivatives of what does not depend on the free choices in a factorization."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import transgrad
from tests.oracles import directional

RNG = np.random.default_rng(3)


@pytest.mark.parametrize("shape", [(2, 4), (5, 3)])
@pytest.mark.parametrize("dtype", [float, complex])
def test_full_singular_vectors(shape: tuple[int, int], dtype: type) -> None:
    """The projector on what the matrix does not reach, or does not see, is a function of the extra vectors alone."""
    rows, columns = shape
    a: Any = RNG.normal(size=shape) + (1j * RNG.normal(size=shape) if dtype is complex else 0.0)
    weights = RNG.normal(size=(max(shape), max(shape)))
    t: Any = RNG.normal(size=shape) + (1j * RNG.normal(size=shape) if dtype is complex else 0.0)

    def of(lib: Any, matrix: Any) -> Any:
        u, _, vh = lib.linalg.svd(matrix)
        extra = vh[rows:].swapaxes(0, 1).conj() if columns > rows else u[:, columns:]
        return (extra @ extra.conj().swapaxes(0, 1)).real

    x = transgrad.tensor(a, requires_grad=True)
    (of(transgrad, x) * transgrad.tensor(weights)).sum().backward()
    want, error = directional(lambda s: np.sum(of(np, a + s[0] * t) * weights), np.zeros(1), np.ones(1))
    got = np.sum((x.grad._array.conj() * t).real)
    assert got == pytest.approx(want, abs=max(1e-7, 10 * error))

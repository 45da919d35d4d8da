"""Every operation's value, dtype, shape, strides of views, node name and need of gradients, against PyTorch."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import transgrad

from .deviations import NAMES, NEEDS, VIEWS
from .harness import Seen, assert_same, evaluate, inputs, seen
from .programs import programs

torch = pytest.importorskip("torch")
PROGRAMS = programs()
#: what single precision leaves of a comparison of two algorithms
RTOL = {"float64": 1e-9, "float32": 2e-4}


def compare(mine: Any, theirs: Any, program: str, rtol: float) -> None:
    if not isinstance(theirs, Seen):
        assert mine == theirs
        return
    assert (mine.dtype, mine.shape) == (theirs.dtype, theirs.shape), program
    if program not in NEEDS:
        assert (mine.requires_grad, mine.name) == (theirs.requires_grad, NAMES.get(program, theirs.name) if theirs.name else None), program
    if program not in VIEWS:
        assert (mine.view, mine.strides) == (theirs.view, theirs.strides), program
    assert_same(mine.value, theirs.value, rtol, program)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("family, program", PROGRAMS, ids=[p for _, p in PROGRAMS])
def test_operation(family: str, program: str, dtype: str) -> None:
    theirs = [seen(t) for t in evaluate(torch, program, inputs(torch, dtype))]
    mine = [seen(t) for t in evaluate(transgrad, program, inputs(transgrad, dtype))]
    assert len(mine) == len(theirs)
    for a, b in zip(mine, theirs):
        low = isinstance(b, Seen) and b.dtype in ("float32", "complex64", "float16")
        compare(a, b, program, 1e-2 if "half" in program else RTOL["float32" if low else dtype])


@pytest.mark.parametrize("family, program", PROGRAMS, ids=[p for _, p in PROGRAMS])
def test_without_grad(family: str, program: str) -> None:
    """Values of tensors that require no grad are the same, and no graph is made."""
    for a, b in zip(evaluate(transgrad, program, inputs(transgrad, "float64", False)), evaluate(transgrad, program, inputs(transgrad, "float64"))):
        if hasattr(a, "grad_fn"):
            assert a.grad_fn is None and not a.requires_grad
            np.testing.assert_array_equal(a._array, b._array)

"""Every operation's gradient and gradient of gradient against PyTorch, and forward mode against reverse."""
from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import transgrad
from transgrad.autograd import forward_ad

from .deviations import NO_GRADIENT, NO_SECOND
from .harness import assert_same, evaluate, gradients, inputs, loss, values
from .programs import programs

torch = pytest.importorskip("torch")
PROGRAMS = [(family, p) for family, p in programs() if p not in NO_GRADIENT]
ALL = programs()


@pytest.mark.parametrize("family, program", PROGRAMS, ids=[p for _, p in PROGRAMS])
def test_gradients(family: str, program: str) -> None:
    order = 1 if program in NO_SECOND else 2
    theirs = gradients(torch, program, "float64", order)
    mine = gradients(transgrad, program, "float64", order)
    for name in sorted(set(theirs) | set(mine)):
        zero = np.zeros_like(theirs.get(name, mine.get(name)))      # torch leaves out more of what is zero, or less
        assert_same(mine.get(name, zero), theirs.get(name, zero), 1e-6 if "float32" in program else 1e-7, f"{program}: {name}")
        if name in mine and name in theirs:
            assert mine[name].dtype == theirs[name].dtype


@pytest.mark.parametrize("family, program", PROGRAMS, ids=[p for _, p in PROGRAMS])
def test_single_precision(family: str, program: str) -> None:
    theirs, mine = gradients(torch, program, "float32", 1), gradients(transgrad, program, "float32", 1)
    for name in set(theirs) & set(mine):
        assert mine[name].dtype == theirs[name].dtype, program
        assert_same(mine[name], theirs[name], 2e-2 if "half" in program else 2e-3, f"{program}: {name}")


@pytest.mark.parametrize("family, program", ALL, ids=[p for _, p in ALL])
def test_forward_against_reverse(family: str, program: str) -> None:
    leaves = inputs(transgrad, "float64")
    total = loss(transgrad, evaluate(transgrad, program, leaves), 5)
    if total is None:
        return
    rng = np.random.default_rng(8)
    tangents = {k: tangent(rng, a) for k, a in values().items()}
    with np.errstate(all="ignore"):
        grads = transgrad.autograd.grad(total, list(leaves.values()), allow_unused=True)
    want = sum(float(np.sum((g._array.conj() * tangents[k]).real)) for k, g in zip(leaves, grads) if g is not None)
    with forward_ad.dual_level(), warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        duals = {k: forward_ad.make_dual(x, transgrad.tensor(tangents[k])) for k, x in leaves.items()}
        got = forward_ad.unpack_dual(loss(transgrad, evaluate(transgrad, program, duals), 5)).tangent
    low = any(word in program for word in ("float()", "float32", "complex64", "half"))
    assert_same(np.float64(0.0 if got is None else got.item()), np.array(want), 1e-2 if "half" in program else 1e-5 if low else 1e-8, program)


def tangent(rng: Any, a: Any) -> Any:
    """A random tangent of an input."""
    t = rng.normal(size=a.shape)
    return t + 1j * rng.normal(size=a.shape) if a.dtype.kind == "c" else t

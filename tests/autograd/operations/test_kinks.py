"""Derivatives at kinks, ties, zeros, infinities and NaN, against PyTorch: NaN is compared."""
from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import transgrad

from .harness import array

torch = pytest.importorskip("torch")
INF, NAN = float("inf"), float("nan")

#: points by name: ``a`` and ``b`` tie, ``zero`` is zero, ``edge`` holds what is out of the ordinary
POINTS = {"a": [1.0, 2.0, 2.0, -1.0], "b": [1.0, 1.0, 3.0, -1.0], "zero": [0.0, 0.0, 0.0, 0.0], "edge": [0.0, INF, -INF, NAN],
          "tied": [[3.0, 1.0, 3.0], [2.0, 2.0, 2.0]]}
PROGRAMS = """
a.maximum(b) a.minimum(b) a.fmax(b) a.fmin(b) a.max(b) tied.max() tied.min() tied.amax() tied.amin(1) tied.amax((0,1)) tied.max(1)[0] tied.min(1)[0]
tied.aminmax()[1] tied.aminmax(dim=1)[0] tied.median() tied.median(1)[0] tied.mode(1)[0] tied.kthvalue(2,1)[0] tied.sort(1)[0] tied.topk(2,1)[0] tied.cummax(1)[0]
tied.cummin(1)[0] tied.norm(float('inf')) tied.norm(float('-inf')) a.clamp(min=1.) a.clamp(max=2.) a.clamp(1.,2.) a.clamp(min=b) a.clamp(b,b) a.clamp_min(1.)
a.clamp_max(b) zero.abs() zero.relu() zero.sign() zero.sqrt() zero.rsqrt() zero.norm() zero.norm(1) zero.norm(3) zero.norm(float('inf')) zero.norm(dim=0) zero.sinc()
zero.log() zero.reciprocal() zero.prod() zero.cumprod(0) zero.std() zero.var() zero.pow(2) zero.pow(0) zero.pow(1) zero.pow(0.5) zero.pow(-1) zero.pow(b) a.pow(zero)
zero.atan2(zero) zero.hypot(zero) zero.dist(zero) zero.dist(zero,1) torch.cdist(tied,tied) torch.pdist(tied) zero.xlogy(a.abs()) zero.xlogy(zero) zero.logit() zero.angle()
zero.sgn() zero.frac() zero.floor() zero.round() zero.logsumexp(0) zero.softmax(0) torch.threshold(zero,0.,5.) zero.hardshrink(0.) torch.celu(zero) torch.selu(zero)
torch.prelu(zero,b[:1]) zero.copysign(a) zero.fmod(a) zero.remainder(a) zero.lerp(a,0.5) (a*zero).prod() tied.prod(0) (tied-3).prod() (tied-3).prod(1) (tied-2).cumprod(1)
zero.nan_to_num() edge.nan_to_num() edge.abs() edge.relu() edge.sigmoid() edge.tanh() edge.clamp(-1.,1.) edge.clamp(min=0.) edge.maximum(zero) edge.fmax(zero)
edge.fmin(zero) edge.exp() edge.sign() edge.softmax(0) edge.logsumexp(0) edge.nansum() edge.nanmean() edge.nanmedian() edge.isnan() edge.max() edge.amax() edge.cummax(0)[0]
edge.median() edge.sort()[0] edge[:3].logcumsumexp(0) edge[2:3].logsumexp(0) edge[:3].softmax(0) edge[:3].log_softmax(0) torch.where(zero>0,zero.sqrt(),zero)
edge.logaddexp(zero) edge.floor() zero.deg2rad() edge.where(edge.isnan(),zero)
"""
#: where PyTorch gives NaN or infinity for what has a limit, or none for what has one
DIFFERS = {
    "tied.kthvalue(2,1)[0]": "which of equal elements is taken",
    "a.clamp(b,b)": "PyTorch loses the derivative by bounds that are equal",
    "zero.pow(b)": "at a pole",
    "edge.abs()": "the derivative at NaN is NaN, not 0", "edge.maximum(zero)": "at NaN", "edge.amax()": "at NaN",
    "edge[:3].logcumsumexp(0)": "the share of what is infinitely small is 0, not NaN",
    "edge.logaddexp(zero)": "at infinity",
}


def both(lib: Any, program: str) -> tuple[Any, dict[str, Any]]:
    leaves = {k: lib.tensor(p, dtype=lib.float64, requires_grad=True) for k, p in POINTS.items()}
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        out = eval(program, {"torch": lib, **leaves})
        grads = lib.autograd.grad(out.sum(), list(leaves.values()), allow_unused=True) if out.requires_grad else [None] * len(leaves)
    return np.array(array(out)), {k: np.array(array(g)) for k, g in zip(leaves, grads) if g is not None}


@pytest.mark.parametrize("program", PROGRAMS.split())
def test_kink(program: str) -> None:
    mine, my_grads = both(transgrad, program)
    theirs, their_grads = both(torch, program)
    np.testing.assert_allclose(mine, theirs, rtol=1e-12, equal_nan=True)
    assert set(my_grads) == set(their_grads)
    for name, grad in their_grads.items():
        if program not in DIFFERS:
            np.testing.assert_allclose(my_grads[name], grad, rtol=1e-12, atol=1e-15, equal_nan=True, err_msg=f"{program}: {name}")

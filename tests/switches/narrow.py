"""Gradients of functions at arrays of float32: of that precision, and close to those at the same numbers as float64."""
from __future__ import annotations

import copy
from typing import Any

import numpy as np

import transgrad as tg
from tests import oracles
from tests.corpus.registry import Case
from tests.outcomes import Outcome

__all__ = ["compare"]

#: relative to the largest number of all: how close values have to be for slopes to be compared, and slopes have to be
_VALUES, _SLOPES = 1e-3, 2e-2


def _as(dtype: type, x: Any) -> Any:
    """``x`` with its arrays and NumPy's numbers of floats in a dtype."""
    if isinstance(x, (np.ndarray, np.generic)) and x.dtype.kind == "f":
        return x.astype(dtype)
    if type(x) in (list, tuple):
        return type(x)(_as(dtype, item) for item in x)
    return {k: _as(dtype, item) for k, item in x.items()} if type(x) is dict else x


def _dtypes(x: Any) -> list[Any]:
    """The dtypes of the arrays in something."""
    parts = oracles.children(x)
    if parts is None:
        return [x.dtype] if isinstance(x, (np.ndarray, np.generic)) and np.ndim(x) else []
    return [dtype for _, part in parts for dtype in _dtypes(part)]


def compare(case: Case) -> Any:
    """The gradient at arrays of float32; functions of something else, or that are far from those of float64 there, are unfit."""
    narrow = _as(np.float32, case.args)
    wide = _as(np.float64, narrow)
    try:
        a, b = (case.f(*copy.deepcopy(args), **case.kwargs) for args in (narrow, wide))
    except Exception as error:      # what NumPy does not do with float32
        return Outcome("unfit", type(error).__name__)
    if np.ndim(a) or np.iscomplexobj(a) or not abs(a - b) <= _VALUES * (1.0 + abs(b)) or not _dtypes([narrow[k] for k in case.wrt]):
        return Outcome("unfit")
    found, exact = (tg.grad(case.f, argnums=case.wrt, fallback="error")(*copy.deepcopy(args), **case.kwargs) for args in (narrow, wide))
    assert _dtypes(found) == _dtypes([narrow[k] for k in case.wrt]), f"gradients of {_dtypes(found)}"
    got, want = oracles.flatten(found), oracles.flatten(exact)
    np.testing.assert_allclose(got, want, rtol=_SLOPES, atol=0.1 * _SLOPES * float(np.max(np.abs(want), initial=0.0)))
    return Outcome("right")

"""Derivatives by machine code, beside those that the corpus is compared with, and those written by hand."""
from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import transgrad as tg
from benchmarks import workload
from benchmarks.tools import agree, ours
from tests.corpus import modes as corpus_modes
from tests.corpus.registry import Case, load

__all__ = ["derivatives"]


def derivatives() -> Iterator[tuple[str, Callable[[], Any]]]:
    """The workloads, and the functions of the corpus: a name, and what compiles and compares."""
    for name in workload.names():
        yield name, lambda name=name: _by_hand(workload.load(name))  # type: ignore[misc]
    for case in load():
        yield f"{case.row}-{case.name}", lambda case=case: _by_differences(case)  # type: ignore[misc]


def _by_hand(w: workload.Workload) -> Any:
    args = w.args(w.tiny)
    found = ours.derivative(w, backend="numba")(*args)
    assert agree(found, w.by_hand(*args))
    return found


def _by_differences(case: Case) -> Any:
    """The value, and the gradient."""
    args = copy.deepcopy(case.args)
    want = case.f(*copy.deepcopy(case.args), **copy.deepcopy(case.kwargs))
    value, found = tg.value_and_grad(case.f, argnums=case.wrt, fallback="error", backend="numba")(*args, **copy.deepcopy(case.kwargs))
    rtol = 1e-6 if np.asarray(want).dtype == np.float32 else 1e-9       # sums are in another order
    np.testing.assert_allclose(value, want, rtol=rtol, atol=rtol, err_msg="value")
    corpus_modes.compare(case, found)
    return value, found

"""MyGrad: gradients on tensors that may be written to."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..workload import Workload
from .twins import Left, function_for

__all__ = ["prepare"]


def prepare(workload: Workload, args: tuple[Any, ...]) -> Callable[[], Any]:
    """A forward and a backward pass."""
    import mygrad
    f = function_for(workload, "mygrad", mygrad)
    if workload.transform != "grad":
        raise Left("only first derivatives of scalars are supported")

    def tensors(x: Any) -> Any:
        return type(x)(map(tensors, x)) if isinstance(x, (tuple, list)) else mygrad.tensor(x)

    def gradients(x: Any) -> Any:
        return type(x)(map(gradients, x)) if isinstance(x, (tuple, list)) else np.zeros(x.shape) if x.grad is None else x.grad

    def run() -> Any:
        given = [tensors(a) if k in workload.wrt else a for k, a in enumerate(args)]
        f(*given).backward()
        out = [gradients(given[k]) for k in workload.wrt]
        return tuple(out) if len(out) > 1 else out[0]
    return run

"""PyTorch eager, in double precision, on one thread."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..workload import Workload
from .twins import function_for

__all__ = ["prepare"]


def _tensors(torch: Any, x: Any, active: bool) -> Any:
    """Arrays as tensors; numbers too where they are differentiated."""
    if isinstance(x, (tuple, list)):
        return type(x)(_tensors(torch, item, active) for item in x)
    if isinstance(x, np.ndarray) or active and isinstance(x, float):
        return torch.tensor(x, requires_grad=active)
    return x


def prepare(workload: Workload, args: tuple[Any, ...]) -> Callable[[], Any]:
    """A forward and a backward pass, or what ``torch.func`` makes of it."""
    import torch
    torch.set_num_threads(1)
    torch.set_default_dtype(torch.float64)
    f, argnums = function_for(workload, "torch", torch), workload.argnums
    if workload.transform == "grad":
        given = [_tensors(torch, a, k in workload.wrt) for k, a in enumerate(args)]
        leaves, structure = torch.utils._pytree.tree_flatten([given[k] for k in workload.wrt])

        def run() -> Any:
            gradients = torch.utils._pytree.tree_unflatten(list(torch.autograd.grad(f(*given), leaves)), structure)
            return gradients if len(gradients) > 1 else gradients[0]
        return run
    derivative = {
        "hessian": lambda: torch.func.hessian(f, argnums),
        "hvp": lambda: lambda x, v: torch.func.jvp(torch.func.grad(f), (x,), (v,))[1],
        "jacfwd": lambda: torch.func.jacfwd(f, argnums),
        "blocks": lambda: torch.func.vmap(torch.func.jacrev(f, argnums)),
    }[workload.transform]()
    given = [_tensors(torch, a, False) for a in args]
    return lambda: derivative(*given)

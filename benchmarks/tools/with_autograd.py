"""HIPS autograd."""
from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from ..workload import Workload
from .twins import function_for

__all__ = ["prepare"]


def prepare(workload: Workload, args: tuple[Any, ...]) -> Callable[[], Any]:
    """Its transformations; a batch is a loop, and Jacobians by columns are one forward pass each."""
    autograd, anp = importlib.import_module("autograd"), importlib.import_module("autograd.numpy")
    f, argnums = function_for(workload, "autograd", anp), workload.argnums

    def columns(x: Any, *rest: Any) -> Any:
        push = autograd.make_jvp(lambda x: f(x, *rest))(x)
        return np.stack([push(e)[1] for e in np.eye(len(x))], axis=-1)

    def blocks(*batches: Any) -> Any:
        jacobians = [autograd.jacobian(f, k) for k in workload.wrt]
        rows = [[jacobian(*example) for jacobian in jacobians] for example in zip(*batches)]
        return [np.stack(column) for column in zip(*rows)]

    derivative = {
        "grad": lambda: autograd.grad(f, argnums),
        "hessian": lambda: autograd.hessian(f, argnums),
        "hvp": lambda: autograd.hessian_vector_product(f),
        "jacfwd": lambda: columns,
        "blocks": lambda: blocks,
    }[workload.transform]()
    return lambda: derivative(*args)

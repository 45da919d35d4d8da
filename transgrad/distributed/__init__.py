"""Derivatives on more than one machine, on Dask.

A loss that is a sum over data is differentiated chunk by chunk: each worker runs the compiled derivative on the chunks that Dask gives it,
and a tree reduction adds the results. Without a `distributed.Client`, the same functions run on Dask's scheduler for one machine.

Examples
--------
>>> import dask.array as da
>>> import numpy as np
>>> import transgrad as tg
>>> def loss(w, x):
...     return np.sum((x @ w) ** 2)
>>> x = da.ones((1000, 3), chunks=(100, 3))
>>> value, gradient = tg.distributed.value_and_grad(loss, over="x")(np.ones(3), x)
>>> value, gradient
(np.float64(9000.0), array([6000., 6000., 6000.]))
"""
from .ensembles import vmap
from .losses import SumOverData, grad, hvp, jvp, value_and_grad
from .starts import minimize_from

__all__ = ["SumOverData", "grad", "hvp", "jvp", "minimize_from", "value_and_grad", "vmap"]


def __dir__() -> list[str]:
    return sorted(__all__)

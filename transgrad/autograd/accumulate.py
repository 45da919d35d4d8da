"""Adding a gradient to ``.grad`` of a leaf, in the layout that torch promises."""
from __future__ import annotations

import sys
from typing import Any

import numpy as np

from .nodes import AccumulateGrad
from .record import apply
from .tensor import Tensor, wrap

__all__ = ["accumulate", "is_dense", "laid_out"]

Array = np.ndarray[Any, Any]


def is_dense(array: Array) -> bool:
    """Whether the elements fill their memory without gaps and overlap, in whatever order of dimensions."""
    if array.flags.c_contiguous:
        return True
    expected = array.itemsize
    for stride, length in sorted((s, n) for s, n in zip(array.strides, array.shape) if n != 1):
        if stride != expected:
            return False
        expected *= length
    return True


def laid_out(g: Array, like: Array) -> Array:
    """A copy of ``g`` with the strides of ``like`` where that is dense, row-major otherwise."""
    out: Array = np.empty_like(like, dtype=g.dtype, order="K", subok=False) if is_dense(like) else np.empty(like.shape, g.dtype)
    out[...] = g
    return out


def accumulate(node: AccumulateGrad, g: Any, create_graph: bool) -> None:
    """Adds ``g`` to the gradient of the leaf, in place where the sweep is not recorded."""
    variable = node.variable
    with node.lock:
        have = variable._grad
        if have is not None and have.is_sparse and not isinstance(g, Tensor):
            g = wrap(g)
        if isinstance(g, Tensor):
            _accumulate_tensor(variable, have, g, create_graph)
        elif have is None:
            variable._grad = wrap(g if _may_keep(g, variable._array) else laid_out(g, variable._array))
        else:
            np.add(have._array, g, out=have._array, casting="unsafe")
            if have._counter is not None or have._edge is not None:
                have.counter()[0] += 1
            else:
                have._counter = [1]
    if variable._more is not None:
        for hook in list(variable._more.post_accumulate.values()):
            got = hook(variable)
            if got is not None:
                raise TypeError(f"a post accumulate grad hook is to return None, but hook returned {type(got).__name__!r}")


def _accumulate_tensor(variable: Tensor, have: Tensor | None, g: Tensor, create_graph: bool) -> None:
    if have is None:
        variable._grad = g.clone()
    elif have.is_sparse and not g.is_sparse:
        variable._grad = g + have
    elif create_graph:
        variable._grad = have + g if g.is_sparse else apply(np.add, have, g)
    else:
        have.add_(g.to_dense() if g.is_sparse and not have.is_sparse else g)


def _references(g: Any, like: Any) -> int:
    return sys.getrefcount(g)


def _may_keep(g: Any, like: Array) -> bool:
    """Whether nobody else can see ``g`` and it is laid out as the gradient of ``like`` should be."""
    return False

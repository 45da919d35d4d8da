"""Adding a gradient to ``.grad`` of a leaf, in the layout that torch promises."""
from __future__ import annotations

from typing import Any

import numpy as np

from ..pickling import reentrant_lock
from .dtypes import title
from .fit import is_dense, refuse_overlap
from .nodes import AccumulateGrad
from .record import apply
from .tensor import Tensor, wrap
from .wording import misfit

__all__ = ["accumulate", "after_accumulation", "empty_like", "laid_out"]

Array = np.ndarray[Any, Any]
#: backward may run on several threads: a leaf has one of these, whichever of its accumulators a graph holds
_LOCKS = tuple(reentrant_lock() for _ in range(64))


def laid_out(g: Array, like: Array) -> Array:
    """Copy ``g`` with the strides of ``like`` if that is dense, else in row-major order."""
    out = empty_like(g.dtype, like)
    out[...] = g
    return out


def empty_like(dtype: np.dtype[Any], like: Array) -> Array:
    """Allocate an array with the strides of ``like`` if that is dense, else in row-major order."""
    if like.flags.c_contiguous or not is_dense(like):
        return np.empty(like.shape, dtype)
    return np.empty_like(like, dtype=dtype, order="K", subok=False)


def accumulate(node: AccumulateGrad, g: Any, create_graph: bool, owned: bool = False) -> tuple[()]:
    """Add ``g`` to the gradient of the leaf, in place where the sweep is not recorded; there is nothing to pass on.

    ``owned`` says that nothing else refers to ``g``, so that it may become the gradient without a copy.
    """
    variable = node.variable
    if type(variable._edge) is tuple:
        raise RuntimeError("leaf variable has been moved into the graph interior")
    if variable._edge is not None:      # else it has since been frozen
        _add(variable, g, create_graph, owned)
    after_accumulation(variable)
    return ()


def after_accumulation(variable: Tensor) -> None:
    """Run the hooks of a leaf that are called after its gradient has been added to, even by nothing."""
    if variable._more is not None:
        for hook in list(variable._more.post_accumulate.values()):
            got = hook(variable)
            if got is not None:
                raise TypeError(f"a post accumulate grad hook is to return None, but hook returned {type(got).__name__!r}")


def _add(variable: Tensor, g: Any, create_graph: bool, owned: bool) -> None:
    with _LOCKS[id(variable) // 64 % len(_LOCKS)]:
        have = variable._grad
        if have is None and not _broadcasts(g.shape, variable._array.shape):
            raise RuntimeError(f"Function AccumulateGrad returned an invalid gradient at index 0 - got {list(g.shape)} but expected shape "
                               f"compatible with {list(variable._array.shape)}")
        if have is not None and (have.is_sparse or isinstance(g, Tensor) and g.is_sparse):
            from .sparse.operations import accumulated
            variable._grad = accumulated(have, g, create_graph)
        elif isinstance(g, Tensor):
            _accumulate_tensor(variable, have, g, create_graph)
        elif have is None:
            variable._grad = _first(g, variable._array, owned)
        else:
            total = have._array
            if g.shape != total.shape or g.dtype is not total.dtype:
                _fits(total, g)
            if not total.flags.c_contiguous:
                refuse_overlap(total)
            np.add(total, g, total, casting="unsafe")
            if have._counter is not None or have._edge is not None:
                have.counter()[0] += 1
            else:
                have._counter = [1]


def _broadcasts(shape: tuple[int, ...], into: tuple[int, ...]) -> bool:
    return shape == into or len(shape) <= len(into) and all(n in (1, m) for n, m in zip(shape[::-1], into[::-1]))


def _fits(have: Array, g: Array) -> None:
    """RuntimeError where the leaf has since been given another shape, or complex numbers."""
    if g.shape != have.shape and (total := shape_together(have, g)) != have.shape:
        raise RuntimeError(f"output with shape {list(have.shape)} doesn't match the broadcast shape {list(total)}")
    if g.dtype.kind == "c" != have.dtype.kind:
        raise RuntimeError(f"result type {title(g.dtype)} can't be cast to the desired output type {title(have.dtype)}")


def shape_together(a: Array, b: Array) -> tuple[int, ...]:
    """The shape that two broadcast to; RuntimeError where they do not."""
    try:
        return np.broadcast_shapes(a.shape, b.shape)
    except ValueError as error:
        raise misfit(error, (a, b)) from None


def _accumulate_tensor(variable: Tensor, have: Tensor | None, g: Tensor, create_graph: bool) -> None:
    if have is not None:
        _fits(have._array, g._memory)
    if have is None:
        variable._grad = g.clone() if g.is_sparse else wrap(empty_like(g._array.dtype, variable._array)).copy_(g)
    elif create_graph:
        variable._grad = total = apply(np.add, have, g)
        if total._array.strides != have._array.strides:
            total._array = laid_out(total._array, have._array)
    else:
        have.add_(g)


def _is_whole(g: Array) -> bool:
    """Return whether an array keeps no more memory alive than it shows."""
    return g.base is None or type(g.base) is np.ndarray and g.base.base is None and g.base.size == g.size


def _first(g: Any, like: Array, owned: bool) -> Tensor:
    """The first gradient of a leaf: ``g`` itself if the sweep owns it and it is laid out as it should be, otherwise a copy."""
    if owned and type(g) is np.ndarray and g.strides == like.strides and g.flags.writeable and _is_whole(g):
        return wrap(g)
    made = wrap(laid_out(np.asarray(g), like))
    if made._counter is None:
        made._counter = [1]     # it has been copied into, as torch counts
    return made

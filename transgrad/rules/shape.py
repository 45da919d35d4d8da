"""Functions that rearrange the elements of one array."""
from __future__ import annotations

from typing import Any

import numpy as np

from ..ir.types import ListT, Obj, TupleT, ndim_of
from ..runtime import place_diagonal, scatter
from .lists import scatter_entry
from .registry import constant, rule
from .static import NoDerivative, as_array, eye, inverse_order, lifted, ndim, ones, turned

on_diagonal = lifted(place_diagonal)
windows: Any = lifted(np.lib.stride_tricks.sliding_window_view)
put = lifted(scatter)
indices = lifted(np.arange)


def like(g: Any, a: Any) -> Any:
    """``g`` in the shape of ``a``."""
    if ndim(a) == 0:
        return g[(0,) * ndim(g)] if ndim(g) else g
    return np.reshape(g, a.shape) if ndim(a) != 1 or ndim(g) != 1 else g


@rule(np.reshape, kind="linear")
def _(g, y, a, shape=None, order="C", *, copy=None):
    refuse_order(order)
    return np.reshape(g, a.shape) if order == "C" else np.reshape(g, a.shape, order=order)


@rule(np.ndarray.reshape, kind="linear")
def _(g, y, a, *shape, order="C"):
    refuse_order(order)
    return np.reshape(g, a.shape) if order == "C" else np.reshape(g, a.shape, order=order)


def places_in_memory(a: Any, order: Any) -> Any:
    """The places, counted in rows, of the elements that ``np.ravel(a, order)`` takes one after the other."""
    places = np.empty_like(a, dtype=np.intp)
    places[...] = np.arange(a.size).reshape(a.shape)
    return np.ravel(places, order)


constant(places_in_memory)
memory_order = lifted(places_in_memory)


def refuse_order(order: Any) -> None:
    """``order="A"`` depends on how the elements lie in memory."""
    if order == "A":
        raise NoDerivative('no derivative of reshape with order="A", which depends on how the array lies in memory: say "C" or "F"')


def ravel_jvp(t: Any, y: Any, a: Any, order: Any = "C") -> Any:
    return np.ravel(t)[memory_order(a, order)] if order in ("A", "K") else np.ravel(t) if order == "C" else np.ravel(t, order)


@rule(np.ravel, np.ndarray.ravel, np.ndarray.flatten, kind="general", jvp=ravel_jvp)
def _(g, y, a, order="C"):
    if order in ("A", "K"):     # as the elements lie in memory
        return like(put(np.ravel(a), memory_order(a, order), g), a)
    return like(g, a) if order == "C" else np.reshape(g, a.shape, order=order)


@rule(np.transpose, np.permute_dims, kind="linear")
def _(g, y, a, axes=None):
    return g.T if axes is None else np.transpose(g, inverse_order(axes, ndim(a)))


@rule(np.ndarray.transpose, kind="linear")
def _(g, y, a, *axes):
    axes = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes
    return np.transpose(g, inverse_order(axes, ndim(a))) if axes else g.T


@rule(np.matrix_transpose, np.linalg.matrix_transpose, kind="linear")
def _(g, y, a):
    return g.mT


@rule(np.swapaxes, np.ndarray.swapaxes, kind="linear")
def _(g, y, a, axis1, axis2):
    return np.swapaxes(g, axis1, axis2)


@rule(np.moveaxis, kind="linear")
def _(g, y, a, source, destination):
    return np.moveaxis(g, destination, source)


@rule(np.rollaxis, kind="linear")
def _(g, y, a, axis, start=0):
    order = [k for k in range(ndim(a)) if k != axis % ndim(a)]
    start = start % ndim(a) if start < 0 else start
    order.insert(start - (axis % ndim(a) < start), axis % ndim(a))
    return np.transpose(g, inverse_order(tuple(order), ndim(a)))


@rule(np.squeeze, np.ndarray.squeeze, kind="linear")
def _(g, y, a, axis=None):
    if ndim(a) == 0:        # which NumPy takes with axis 0, too
        return g
    return np.reshape(g, a.shape) if axis is None else np.expand_dims(g, axis)


@rule(np.expand_dims, kind="linear")
def _(g, y, a, axis):
    return np.squeeze(g, tuple(axis) if isinstance(axis, list) else axis)


@rule(np.atleast_1d, np.atleast_2d, np.atleast_3d, kind="linear")
def _(g, y, a):
    return g if ndim(g) == ndim(a) else like(g, a)


@rule(np.broadcast_to, kind="linear", broadcasts=True)
def _(g, y, a, shape):
    return g


@rule(np.flip, kind="linear")
def _(g, y, m, axis=None):
    return turned(g, axis)


@rule(np.fliplr, kind="linear")
def _(g, y, m):
    return np.fliplr(g)


@rule(np.flipud, kind="linear")
def _(g, y, m):
    return np.flipud(g)


@rule(np.rot90, kind="linear")
def _(g, y, m, k=1, axes=(0, 1)):
    return np.rot90(g, -k, axes)


@rule(np.roll, kind="linear")
def _(g, y, a, shift, axis=None):
    if isinstance(shift, (tuple, list)):
        return np.roll(g, tuple(-s for s in shift), axis)
    # a tuple or list of which nothing else is known has no negative
    back = np.negative(shift) if isinstance(getattr(shift, "type", None), (Obj, TupleT, ListT)) else -shift
    return np.roll(g, back) if axis is None else np.roll(g, back, axis)


@rule(np.fft.fftshift, kind="linear")
def _(g, y, x, axes=None):
    return np.fft.ifftshift(g, axes)


@rule(np.fft.ifftshift, kind="linear")
def _(g, y, x, axes=None):
    return np.fft.fftshift(g, axes)


@rule(np.tile, kind="linear")
def _(g, y, A, reps):
    reps = tuple(reps) if isinstance(reps, (tuple, list)) else (reps,)
    dims = max(len(reps), ndim(A))
    reps = (1,) * (dims - len(reps)) + reps
    shape = (1,) * (dims - ndim(A)) + tuple(A.shape[k] for k in range(ndim(A)))
    total = np.sum(np.reshape(g, tuple(n for pair in zip(reps, shape) for n in pair)), axis=tuple(range(0, 2 * dims, 2)))
    return total if dims == ndim(A) else np.reshape(total, A.shape)


@rule(np.repeat, np.ndarray.repeat, kind="linear")
def _(g, y, a, repeats, axis=None):
    if isinstance(repeats, int):
        if axis is None:
            return like(np.sum(np.reshape(g, (-1, repeats)), axis=1), a)
        at = axis % ndim(a)
        shape = tuple(n for k in range(ndim(a)) for n in ((a.shape[k], repeats) if k == at else (a.shape[k],)))
        return np.sum(np.reshape(g, shape), axis=at + 1)
    if axis is None:
        return like(put(np.ravel(a), np.repeat(indices(a.size), repeats), g), a)
    at = axis % ndim(a)
    return put(a, (slice(None),) * at + (np.repeat(indices(a.shape[at]), repeats),), g)


@rule(np.diag, kind="linear")
def _(g, y, v, k=0):
    return np.diagonal(g, k) if ndim(v) == 1 else on_diagonal(v, g, k)


@rule(np.diagflat, kind="linear")
def _(g, y, v, k=0):
    return like(np.diagonal(g, k), v)


@rule(np.diagonal, np.ndarray.diagonal, kind="linear")
def _(g, y, a, offset=0, axis1=0, axis2=1):
    return on_diagonal(a, g, offset, axis1, axis2)


@rule(np.linalg.diagonal, kind="linear")
def _(g, y, x, *, offset=0):
    return on_diagonal(x, g, offset, -2, -1)


@rule(np.trace, np.ndarray.trace, kind="linear")
def _(g, y, a, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    if ndim(a) == 2 and offset == 0:
        return g * eye(a.shape[0], a.shape[1])
    return on_diagonal(a, np.expand_dims(g, -1) * ones(ones_length(a, offset, axis1, axis2)), offset, axis1, axis2)


def ones_length(a: Any, offset: int, axis1: int, axis2: int) -> Any:
    """The length of a diagonal."""
    return np.diagonal(a, offset, axis1, axis2).shape[-1]


@rule(np.linalg.trace, kind="linear")
def _(g, y, x, *, offset=0, dtype=None):
    return on_diagonal(x, np.expand_dims(g, -1) * ones(ones_length(x, offset, -2, -1)), offset, -2, -1)


@rule(np.tril, kind="linear")
def _(g, y, m, k=0):
    return np.tril(g, k) if ndim(m) > 1 else np.sum(np.tril(g, k), axis=0)


@rule(np.triu, kind="linear")
def _(g, y, m, k=0):
    return np.triu(g, k) if ndim(m) > 1 else np.sum(np.triu(g, k), axis=0)


@rule(np.copy, np.ndarray.copy, np.array, np.asarray, np.asanyarray, np.ascontiguousarray, np.asfortranarray, np.require,
      np.asarray_chkfinite, kind="linear", lists=True)
def _(g, y, a, dtype=None, *options_, **options):
    if options.get("ndmin"):
        g = first_of(g, ndim(y) - depth_of(a))
    return entries_of(g, a)


def first_of(g: Any, extra: int) -> Any:
    """``g`` without so many dimensions of size 1 in front."""
    return g[(0,) * extra] if extra > 0 else g


def depth_of(a: Any) -> int:
    """The number of dimensions of the array that is made of ``a``."""
    t = getattr(a, "type", None)
    if isinstance(a, (list, tuple)):
        return 1 + depth_of(a[0]) if a else 1
    return depth_of_type(t) if isinstance(t, ListT) else ndim(a)


def depth_of_type(t: Any) -> int:
    """The number of dimensions of the array that is made of a list of lists."""
    if isinstance(t, ListT):
        return 1 + depth_of_type(t.elem)
    if isinstance(t, TupleT) and t.elems:
        return 1 + depth_of_type(t.elems[0])
    dims = ndim_of(t)
    if dims is None:
        raise NoDerivative("np.array has no derivative with ndmin where the number of dimensions of the items is not known")
    return dims


def entries_of(g: Any, a: Any) -> Any:
    """The elements of ``g``, in the structure of the nested display ``a``."""
    return [entries_of(g[k], item) for k, item in enumerate(a)] if isinstance(a, (list, tuple)) else scatter_entry(g, a)


@rule(np.ndarray.astype, np.astype, kind="linear")
def _(g, y, a, dtype=None, *rest, **options):
    return g


@rule(np.ndarray.view, kind="linear")
def _(g, y, a):
    return g


@rule(np.ndarray.item, kind="linear")
def _(g, y, a, *index):
    if index:
        raise NoDerivative("no derivative of item() with an index; write a[i]")
    return g if ndim(a) == 0 else np.reshape(g, a.shape)


@rule(np.ndarray.tolist, list, tuple, kind="linear", lists=True)
def _(g, y, a):
    return entries_of(g, a) if isinstance(a, (list, tuple)) else as_array(g)


@rule(np.lib.stride_tricks.sliding_window_view, kind="linear")
def _(g, y, x, window_shape, axis=None):
    source = windows(np.reshape(indices(x.size), x.shape), window_shape, axis)
    return like(put(np.ravel(x), source, g), x)



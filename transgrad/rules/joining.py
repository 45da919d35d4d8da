"""Functions that join several arrays or take one apart."""
from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ..ir.build import current
from ..ir.ops import Value
from ..ir.types import Arr, ListT, ndim_of
from ..runtime import split_blocks, split_like
from .lists import scatter_entry
from .registry import definition, rule
from .static import broadcast_to, concatenate, ndim, part


def pieces(g: Any, arrays: Any, axis: int, dims: int = 0) -> Any:
    """Split ``g`` along ``axis`` into the parts that came from each array; arrays with fewer than ``dims`` dimensions are one layer."""
    if isinstance(arrays, Value):
        return split(g, arrays, axis, dims)
    out, start = [], None
    for k, a in enumerate(arrays):
        if k == len(arrays) - 1:
            cut = slice(start, None)
        else:
            n = len(a) if isinstance(a, (list, tuple)) else 1 if ndim(a) < dims else a.shape[axis]
            stop = n if start is None else start + n
            cut = slice(start, stop)
            start = stop
        out.append(cut_out(g, (slice(None),) * (axis % ndim(g)) + (cut,) if axis % ndim(g) else cut, a))
    return out


def cut_out(g: Any, index: Any, like: Any) -> Any:
    """``g[index]``, which has the shape of ``like`` where it has as many dimensions."""
    if isinstance(g, Value) and isinstance(like, Value) and isinstance(g.type, Arr) and isinstance(like.type, Arr) and (
            len(g.type.dims) == len(like.type.dims)):
        return current().call(operator.getitem, g, index, type=Arr(g.type.dtype, like.type.dims))
    return g[index]


def split(g: Any, arrays: Value, *how: Any) -> Any:
    """The cotangents of a list of arrays of unknown length, which were joined."""
    while how[-1:] == (0,):
        how = how[:-1]
    return current().call(split_like, g, arrays, *how, type=arrays.type)


@rule(np.concatenate, getattr(np, "concat", np.concatenate), kind="linear", joins=True)
def _(g, y, arrays, axis=0, out=None, *, dtype=None, casting="same_kind"):
    if axis is None and isinstance(arrays, Value):
        return split(g, arrays, None)
    if axis is None:
        sized = flat_pieces(g, arrays)
        return [trimmed(p, a) for p, a in zip(sized, arrays)]
    return pieces(g, arrays, axis)


def flat_pieces(g: Any, arrays: Any) -> list[Any]:
    """The parts of a vector that came from each array."""
    out, start = [], None
    for k, a in enumerate(arrays):
        n = 1 if not ndim(a) else a.size if hasattr(a, "size") else np.size(a)
        stop = None if k == len(arrays) - 1 else n if start is None else start + n
        out.append(g[start:stop])
        start = stop
    return out


def layers(g: Any, arrays: Any, axis: int) -> Any:
    """Take the slices of ``g`` along a new axis apart."""
    if isinstance(arrays, Value):
        return scatter_entry(g if axis == 0 else np.moveaxis(g, axis, 0), arrays)
    at = axis % ndim(g)
    return [g[(slice(None),) * at + (k,)] if at else g[k] for k in range(len(arrays))]


@rule(np.stack, kind="linear", joins=True)
def _(g, y, arrays, axis=0, out=None, *, dtype=None, casting="same_kind"):
    return layers(g, arrays, axis)


def all_vectors(arrays: Any) -> bool:
    """Whether every array is known to have one dimension."""
    if isinstance(arrays, Value):
        return isinstance(arrays.type, ListT) and ndim_of(arrays.type.elem) == 1
    return all(ndim(a) == 1 for a in arrays)


@rule(np.vstack, getattr(np, "row_stack", None), kind="linear", joins=True)
def _(g, y, tup, *, dtype=None, casting="same_kind"):
    if all_vectors(tup):
        return layers(g, tup, 0)
    if isinstance(tup, Value):
        return split(g, tup, 0, 2)
    return [p[0] if ndim(a) == 1 else trimmed(p, a) for p, a in zip(pieces(g, tup, 0, 2), tup)]


@rule(np.hstack, kind="linear", joins=True)
def _(g, y, tup, *, dtype=None, casting="same_kind"):
    axis = 0 if ndim(g) == 1 else 1
    if isinstance(tup, Value):
        return split(g, tup, axis, 1)
    return [trimmed(p, a) for p, a in zip(pieces(g, tup, axis, 1), tup)]


@rule(np.column_stack, kind="linear", joins=True)
def _(g, y, tup):
    if all_vectors(tup):
        return layers(g, tup, 1)
    if isinstance(tup, Value):
        return split(g, tup, 1, 2)
    return [p[:, 0] if ndim(a) == 1 else trimmed(p, a) for p, a in zip(pieces(g, tup, 1, 2), tup)]


@rule(np.dstack, kind="linear", joins=True)
def _(g, y, tup):
    if isinstance(tup, Value):
        return split(g, tup, 2, 3)
    return [p[:, :, 0] if ndim(a) == 2 else trimmed(p, a) for p, a in zip(pieces(g, tup, 2, 3), tup)]


@rule(np.append, kind="linear", linear_in=(0, 1))
def _(g, y, arr, values, axis=None):
    if axis is None:
        a, b = flat_pieces(g, [arr, values])
        return trimmed(a, arr), trimmed(b, values)
    a, b = pieces(g, [arr, values], axis)
    return a, b


@rule(np.block, kind="linear", lists=True)
def _(g, y, arrays):
    if isinstance(arrays, Value) and isinstance(arrays.type, ListT):
        return current().call(split_blocks, g, arrays, type=arrays.type)
    return block_entries(g, arrays, depth_of(arrays)) if isinstance(arrays, list) else g


def depth_of(arrays: Any) -> int:
    """How deeply lists are nested."""
    return 1 + depth_of(arrays[0]) if isinstance(arrays, list) else 0


def first_leaf(arrays: Any) -> Any:
    return first_leaf(arrays[0]) if isinstance(arrays, list) else arrays


def block_entries(g: Any, arrays: Any, depth: int) -> Any:
    """The parts of a block array that its nested blocks were put into: a list ``depth`` levels above is laid out along axis ``-depth``."""
    if not isinstance(arrays, list):
        return trimmed(g, arrays)
    return [block_entries(p, a, depth - 1) for p, a in zip(pieces(g, list(map(first_leaf, arrays)), -depth, depth), arrays)]


def trimmed(p: Any, a: Any) -> Any:
    """A part with the dimensions of the operand from which it was made."""
    return p if ndim(p) == ndim(a) else np.reshape(p, a.shape if hasattr(a, "shape") else np.shape(a)) if ndim(a) else p[(0,) * ndim(p)]


def joined(g: Any, y: Any, axis: int) -> Any:
    """The parts of a cotangent put together again."""
    if isinstance(g, Value):        # a list of cotangents
        return concatenate(g, axis) if axis else concatenate(g)
    parts = [part(g, y, k) for k in range(len(y))]
    return np.concatenate(parts, axis) if axis else np.concatenate(parts)


def split_jvp(split):
    return lambda t, y, ary, *where, **options: split(t, *where, **options)


@rule(np.split, kind="general", jvp=split_jvp(np.split))
def _(g, y, ary, indices_or_sections, axis=0):
    return joined(g, y, axis)


@rule(np.array_split, kind="general", jvp=split_jvp(np.array_split))
def _(g, y, ary, indices_or_sections, axis=0):
    return joined(g, y, axis)


@rule(np.vsplit, kind="general", jvp=split_jvp(np.vsplit))
def _(g, y, ary, indices_or_sections):
    return joined(g, y, 0)


@rule(np.hsplit, kind="general", jvp=split_jvp(np.hsplit))
def _(g, y, ary, indices_or_sections):
    return joined(g, y, 1 if ndim(ary) > 1 else 0)


@rule(np.dsplit, kind="general", jvp=split_jvp(np.dsplit))
def _(g, y, ary, indices_or_sections):
    return joined(g, y, 2)


@definition(getattr(np, "unstack", None))
def unstack(x: Any, /, *, axis: int = 0) -> Any:
    """The layers along an axis, one by one."""
    return tuple(np.moveaxis(x, axis, 0))


def meshgrid_jvp(k):
    return lambda t, y, *xi, copy=True, sparse=False, indexing="xy": tuple(
        broadcast_to(along(t, n, len(xi), indexing), r.shape) if n == k else None for n, r in enumerate(y))


def along(x: Any, k: int, dims: int, indexing: str) -> Any:
    """The vector ``x`` along the axis of a grid that it belongs to."""
    at = {0: 1, 1: 0}.get(k, k) if indexing == "xy" and dims > 1 else k
    return np.reshape(x, tuple(-1 if n == at else 1 for n in range(dims)))


@rule(np.meshgrid, kind="general", jvp=tuple(meshgrid_jvp(k) for k in range(8)))
def _(g, y, *xi, copy=True, sparse=False, indexing="xy"):
    out = []
    for k, x in enumerate(xi):
        at = {0: 1, 1: 0}.get(k, k) if indexing == "xy" and len(xi) > 1 else k
        total = part(g, y, k)
        total = np.reshape(total, (-1,)) if sparse else np.sum(total, axis=tuple(n for n in range(len(xi)) if n != at))
        out.append(trimmed(total, x))
    return tuple(out)


def broadcast_jvp(k):
    return lambda t, y, *args: tuple(broadcast_to(t, r.shape) if n == k else None for n, r in enumerate(y))


@rule(np.broadcast_arrays, kind="general", jvp=tuple(broadcast_jvp(k) for k in range(8)), broadcasts=True)
def _(g, y, *args):
    return tuple(part(g, y, k) for k in range(len(args)))

"""Helpers of generated source for arrays of any library, which use only functions of the Python array API standard.

Each takes the library's namespace as its first argument and creates new arrays instead of writing into those it is given.
"""
from __future__ import annotations

import math
from typing import Any

__all__ = ["cumprod_pullback", "cumprod_pushforward", "fit", "flipped", "kept_where", "length_of", "others_product", "place_diagonal",
           "scatter", "scatter_add", "scatter_along", "share_of_larger", "share_of_smaller", "shape_of", "size_of", "take", "unbroadcast"]


def shape_of(x: Any) -> tuple[Any, ...]:
    """The shape of an array, or of a number."""
    return tuple(getattr(x, "shape", ()))


def size_of(xp: Any, x: Any) -> Any:
    """The number of elements of a lazy array, or an array that counts them if the number is not known yet."""
    return xp.sum(xp.ones_like(x)) if math.isnan(x.size) else x.size


def length_of(xp: Any, x: Any, axis: int) -> Any:
    """The length of an axis of a lazy array, or an array that counts the elements if the length is not known yet."""
    n = x.shape[axis]
    return size_of(xp, x) / math.prod(m for m in x.shape if not math.isnan(m)) if math.isnan(n) else n


def _permute(xp: Any, x: Any, order: tuple[int, ...]) -> Any:
    permute = getattr(xp, "permute_dims", None) or xp.transpose
    return permute(x, order)


def _concat(xp: Any, parts: Any, axis: int) -> Any:
    return (getattr(xp, "concat", None) or xp.concatenate)(parts, axis=axis)


def _cumprod(xp: Any, x: Any, axis: int) -> Any:
    return (getattr(xp, "cumulative_prod", None) or xp.cumprod)(x, axis=axis)


def _flip(xp: Any, x: Any, axis: int) -> Any:
    return xp.flip(x, axis=axis)


def _front(xp: Any, x: Any, axis: int) -> Any:
    n = len(x.shape)
    return _permute(xp, x, (axis % n, *(k for k in range(n) if k != axis % n)))


def _behind(xp: Any, x: Any, axis: int) -> Any:
    n = len(x.shape)
    rest = iter(range(1, n))
    return _permute(xp, x, tuple(0 if k == axis % n else next(rest) for k in range(n)))


def unbroadcast(xp: Any, g: Any, like: Any) -> Any:
    """``g`` summed to the shape of ``like``."""
    shape, own = shape_of(like), shape_of(g)
    extra = len(own) - len(shape)
    axes = tuple(range(extra)) + tuple(k for k, n in enumerate(own[extra:], extra) if shape[k - extra] == 1 and n != 1)
    if own == shape or extra < 0 or not axes:
        return g
    return xp.reshape(xp.sum(g, axis=axes), shape)


def fit(xp: Any, g: Any, like: Any) -> Any:
    """The cotangent ``g`` with the shape and dtype of ``like``."""
    g = unbroadcast(xp, g, like)
    if not hasattr(like, "dtype"):
        return g
    if not hasattr(g, "dtype"):
        g = xp.asarray(g, dtype=like.dtype)
    if g.dtype != like.dtype:
        g = xp.astype(g, like.dtype) if hasattr(xp, "astype") else g.astype(like.dtype)
    return xp.broadcast_to(g, like.shape) if shape_of(g) != shape_of(like) else g


def others_product(xp: Any, x: Any, axis: Any = None) -> Any:
    """At each element, the product of the others along ``axis`` (None, one axis or several)."""
    n = len(x.shape)
    if n == 0:
        return xp.ones_like(x)
    if axis is None and n == 1:
        axis = 0
    if axis is None or isinstance(axis, tuple):
        axes = tuple(range(n)) if axis is None else tuple(k % n for k in axis)
        order = tuple(k for k in range(n) if k not in axes) + axes
        moved = _permute(xp, x, order)
        flat = xp.reshape(moved, (*moved.shape[:n - len(axes)], math.prod(moved.shape[n - len(axes):])))
        back = tuple(sorted(range(n), key=lambda k: order[k]))
        return _permute(xp, xp.reshape(others_product(xp, flat, -1), moved.shape), back)
    moved = _front(xp, x, axis)
    one = xp.ones_like(moved[:1, ...])
    before = _cumprod(xp, _concat(xp, [one, moved[:-1, ...]], 0), 0)
    after = _flip(xp, _cumprod(xp, _concat(xp, [one, _flip(xp, moved[1:, ...], 0)], 0), 0), 0)
    return _behind(xp, before * after, axis)


def cumprod_pullback(xp: Any, g: Any, x: Any, axis: Any = None) -> Any:
    """The cotangent of ``x`` for a cumulative product; right where elements are zero."""
    if axis is None:
        size = math.prod(x.shape)
        return xp.reshape(cumprod_pullback(xp, xp.reshape(g, (size,)), xp.reshape(x, (size,)), 0), x.shape)
    x, g = _front(xp, x, axis), _front(xp, g, axis)
    if x.shape[0] == 0:
        return _behind(xp, x, axis)
    before = _concat(xp, [xp.ones_like(x[:1, ...]), _cumprod(xp, x[:-1, ...], 0)], 0)
    total = g[-1, ...]
    totals = [total]
    for k in range(x.shape[0] - 1, 0, -1):
        total = g[k - 1, ...] + x[k, ...] * total
        totals.append(total)
    return _behind(xp, before * xp.stack(totals[::-1], axis=0), axis)


def cumprod_pushforward(xp: Any, t: Any, x: Any, axis: Any = None) -> Any:
    """The tangent of a cumulative product; right where elements are zero."""
    if axis is None:
        size = math.prod(x.shape)
        return cumprod_pushforward(xp, xp.reshape(t, (size,)), xp.reshape(x, (size,)), 0)
    x, t = _front(xp, x, axis), _front(xp, t, axis)
    if x.shape[0] == 0:
        return _behind(xp, t, axis)
    product, slope = x[0, ...], t[0, ...]
    slopes = [slope]
    for k in range(1, x.shape[0]):
        slope = slope * x[k, ...] + product * t[k, ...]
        product = product * x[k, ...]
        slopes.append(slope)
    return _behind(xp, xp.stack(slopes, axis=0), axis)


def kept_where(xp: Any, condition: Any, g: Any) -> Any:
    """``g`` where the condition holds, and 0 elsewhere."""
    return xp.where(condition, g, 0.0)


def share_of_larger(xp: Any, a: Any, b: Any, g: Any) -> Any:
    """The part of the cotangent of a maximum that ``a`` receives: half of it where both are equal."""
    return xp.where(a < b, 0.0, xp.where(a == b, 0.5 * g, g))


def share_of_smaller(xp: Any, a: Any, b: Any, g: Any) -> Any:
    """The part of the cotangent of a minimum that ``a`` receives."""
    return xp.where(a > b, 0.0, xp.where(a == b, 0.5 * g, g))


def place_diagonal(xp: Any, x: Any, g: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Zeros like ``x`` with ``g`` on a diagonal of the last two axes."""
    n = len(x.shape)
    first, second = axis1 % n, axis2 % n
    order = (*(k for k in range(n) if k not in (first, second)), first, second)
    rows, columns = x.shape[first], x.shape[second]
    start = max(-offset, 0), max(offset, 0)
    length = g.shape[-1]
    padded = _padded(xp, g, start[0], rows - length - start[0])[..., None]
    where = _place_of(xp, g)
    on_diagonal = xp.arange(rows, **where)[:, None] + offset == xp.arange(columns, **where)[None, :]
    back = tuple(sorted(range(n), key=lambda k: order[k]))
    return _permute(xp, xp.where(on_diagonal, padded, 0.0), back)


def _place_of(xp: Any, x: Any) -> dict[str, Any]:
    """The device of an array, where it has one that is not the default."""
    device = getattr(x, "device", None)
    return {"device": device} if device is not None and "torch" in xp.__name__ else {}


def _padded(xp: Any, g: Any, before: int, after: int) -> Any:
    """An array with zeros before and after the last axis."""
    parts = [xp.zeros_like(g[..., :1]) * xp.ones((n,), dtype=g.dtype, **_place_of(xp, g)) for n in (before, after)]
    return _concat(xp, [p for p in (parts[0], g, parts[1]) if p.shape[-1]], -1)


def _indices(index: Any) -> tuple[Any, ...]:
    """The entries of an index, with arrays for lists."""
    import numpy as np
    return tuple(np.asarray(i) if isinstance(i, list) else i for i in (index if isinstance(index, tuple) else (index,)))


def scatter_add(xp: Any, out: Any, index: Any, g: Any) -> None:
    """Add ``g`` into ``out[index]``, once for each time an element is indexed; the library assigns elements."""
    items = _indices(index)
    name = xp.__name__
    if name.endswith("torch"):
        if all(hasattr(i, "shape") and not isinstance(i, slice) for i in items):
            import torch
            places = tuple(i if isinstance(i, torch.Tensor) else torch.as_tensor(i, device=out.device) for i in items)
            if all(p.dtype is not torch.bool for p in places):
                out.index_put_(places, xp.broadcast_to(g, out[places].shape).to(out.dtype), accumulate=True)
                return
    elif name == "cupy":
        xp.add.at(out, index, g)
        return
    if len(items) == 1 and hasattr(items[0], "shape") and "bool" not in str(items[0].dtype):
        _add_rows(xp, out, items[0], g)
        return
    if any(hasattr(i, "shape") and "bool" not in str(i.dtype) for i in items):
        raise NotImplementedError(f"an element that is read with several index arrays has no derivative in {name}. "
                                  "Hint: use one index array, or take()")
    out[index] = out[index] + g


def _add_rows(xp: Any, out: Any, index: Any, g: Any) -> None:
    """Add rows one group at a time: no row occurs twice in a group."""
    import numpy as np
    if hasattr(index, "dask"):      # whose values are not to be computed now: a product with a matrix of zeros and ones
        places = xp.arange(out.shape[0], chunks=out.chunks[0])
        hit = (places[:, None] == index[None, :]).astype(g.dtype)
        out[:] = out + xp.tensordot(hit, g, axes=1)
        return
    places = np.asarray(index if isinstance(index, np.ndarray) else [int(index[k]) for k in range(index.shape[0])])
    if places.ndim != 1:
        raise NotImplementedError(f"an index array with {places.ndim} dimensions has no derivative in {xp.__name__}. "
                                  "Hint: use an index array with one dimension")
    places = places % out.shape[0]
    g = xp.broadcast_to(g, (len(places), *out.shape[1:]))
    order = np.argsort(places, kind="stable")
    ranked = places[order]
    first = np.searchsorted(ranked, ranked)
    rank = np.empty(len(places), int)
    rank[order] = np.arange(len(places)) - first
    for k in range(int(rank.max(initial=-1)) + 1):
        which = np.flatnonzero(rank == k)
        if hasattr(out, "dask"):
            out[places[which]] = out[places[which]] + g[which]
            continue
        for place, row in zip(places[which].tolist(), which.tolist()):
            out[place, ...] = out[place, ...] + g[row, ...]


def scatter(xp: Any, x: Any, index: Any, g: Any) -> Any:
    """Zeros like ``x`` with ``g`` added at ``index``: the reverse of ``x[index]``."""
    out = xp.zeros_like(x)
    if hasattr(out, "at"):
        return out.at[index].add(g)
    if all(type(i) in (int, slice, type(None), type(...)) for i in _indices(index)):
        out[index] = out[index] + g
    else:
        scatter_add(xp, out, index, g)
    return out


def scatter_along(xp: Any, x: Any, indices: Any, g: Any, axis: Any) -> Any:
    """Zeros like ``x`` with ``g`` added at ``indices`` along ``axis``: the reverse of ``take_along_axis``."""
    if axis is None:
        size = math.prod(x.shape)
        flat = scatter_along(xp, xp.reshape(x, (size,)), xp.reshape(indices, (-1,)), xp.reshape(g, (-1,)), 0)
        return xp.reshape(flat, x.shape)
    n = len(x.shape)
    places = xp.arange(x.shape[axis], **_place_of(xp, x))
    hit = xp.expand_dims(indices, axis=-1) == places        # one column for each place along the axis
    taken = xp.where(hit, xp.expand_dims(g, axis=-1), 0.0)
    summed = xp.sum(taken, axis=axis % n)       # the axis of places is last, and belongs where the summed axis was
    order = list(range(n - 1))
    order.insert(axis % n, n - 1)
    return _permute(xp, summed, tuple(order))


def take(xp: Any, x: Any, indices: Any, axis: int) -> Any:
    """``x`` at an index array along an axis."""
    return xp.take(x, indices, axis=axis)


def flipped(xp: Any, x: Any, axis: int) -> Any:
    """``x`` in reverse order along an axis."""
    return xp.flip(x, axis=axis)

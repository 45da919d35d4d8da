"""Helpers of generated source for containers of arrays of any library; each takes the library's namespace first."""
from __future__ import annotations

import math
from typing import Any

from .accumulate import add
from .examples import checked_axis, mapped
from .portable import fit, shape_of

__all__ = ["axis_moved", "conjugated", "gradient_like", "in_dtype_of", "items_like", "one_number", "own_items", "repeated", "shares_of_sum",
           "split_like", "stacked", "sum_repeats", "zeros_of"]


def _rebuilt(x: Any, items: list[Any]) -> Any:
    """A list or tuple like ``x`` of other items."""
    return items if isinstance(x, list) else type(x)(*items) if hasattr(x, "_fields") else tuple(items)


def _is_complex(x: Any) -> bool:
    return isinstance(x, complex) or "complex" in str(getattr(x, "dtype", ""))


def _is_floating(x: Any) -> bool:
    return any(name in str(x.dtype) for name in ("float", "complex"))


def own_items(xp: Any, x: Any, *others: Any) -> Any:
    """A container with copies of its arrays, so that no two of them share memory."""
    if isinstance(x, dict):
        return {k: own_items(xp, v) for k, v in x.items()}
    if isinstance(x, (list, tuple)):
        return _rebuilt(x, [own_items(xp, v) for v in x])
    if not hasattr(x, "dtype") or hasattr(x, "at"):     # a number, or an array that nothing can change
        return x
    return x.copy() if hasattr(x, "copy") else xp.asarray(x, copy=True)


def zeros_of(xp: Any, x: Any) -> Any:
    """A zero cotangent for ``x``: an array, a number, or a structure of them; None for anything else."""
    if isinstance(x, dict):
        return {k: zeros_of(xp, v) for k, v in x.items()}
    if isinstance(x, (list, tuple)):
        return _rebuilt(x, [zeros_of(xp, v) for v in x])
    if hasattr(x, "dtype"):
        return xp.zeros_like(x) if _is_floating(x) else None
    return 0.0 * x if isinstance(x, complex) else 0.0 if isinstance(x, (float, int)) else None


def gradient_like(xp: Any, g: Any, x: Any, conjugate: bool = True) -> Any:
    """The cotangent ``g`` with the structure, shapes and dtypes of ``x``; None stands for zero."""
    if g is None:
        g = zeros_of(xp, x)
    if isinstance(x, dict):
        return {k: gradient_like(xp, g[k], v, conjugate) for k, v in x.items()}
    if isinstance(x, (list, tuple)):
        return _rebuilt(x, [gradient_like(xp, a, b, conjugate) for a, b in zip(g, x, strict=True)])
    if not hasattr(x, "dtype"):
        return g if isinstance(x, (float, complex)) else None
    if not _is_floating(x):
        return None
    if _is_complex(g):
        g = xp.real(g) if not _is_complex(x) else xp.conj(g) if conjugate else g
    return fit(xp, g, x)


def conjugated(xp: Any, x: Any) -> Any:
    """The conjugate of a complex number or array, and of those in containers; anything else as it is."""
    if isinstance(x, (list, tuple)):
        return _rebuilt(x, [conjugated(xp, item) for item in x])
    if isinstance(x, dict):
        return {key: conjugated(xp, item) for key, item in x.items()}
    return x.conjugate() if isinstance(x, complex) else xp.conj(x) if _is_complex(x) else x


def in_dtype_of(xp: Any, t: Any, x: Any) -> Any:
    """The tangent ``t`` of ``x`` in the dtype of ``x``."""
    return fit(xp, t, x) if hasattr(x, "dtype") and getattr(t, "dtype", None) != x.dtype else t


def items_like(xp: Any, g: Any, x: Any) -> Any:
    """The cotangent of an array of the items of ``x`` in the structure of ``x``."""
    if isinstance(x, (list, tuple)):
        return _rebuilt(x, [items_like(xp, g[k, ...], item) for k, item in enumerate(x)])
    if _is_complex(g) and not _is_complex(x):
        g = xp.real(g)
    return fit(xp, g, x)


def split_like(xp: Any, g: Any, arrays: Any, axis: int | None = 0, dims: int = 0) -> list[Any]:
    """Split the cotangent of joined arrays into the cotangents of the arrays."""
    shapes = [shape_of(a) for a in arrays]
    if axis is None:
        lengths = [math.prod(shape) for shape in shapes]
        g = xp.reshape(g, (-1,))
    else:
        lengths = [shape[axis] if len(shape) >= max(dims, 1) else 1 for shape in shapes]
    before = (slice(None),) * ((axis or 0) % len(g.shape))
    out, start = [], 0
    for shape, length, a in zip(shapes, lengths, arrays):
        out.append(items_like(xp, xp.reshape(g[(*before, slice(start, start + length), ...)], shape), a))
        start += length
    return out


def shares_of_sum(xp: Any, g: Any, xs: Any) -> list[Any]:
    """The cotangents of the items of ``xs`` from that of ``sum(xs)``."""
    return [fit(xp, g, x) for x in xs]


def sum_repeats(xp: Any, g: Any, x: Any) -> list[Any]:
    """The cotangents of ``x`` from those of ``x * k``; of a list of numbers, its length stands for it."""
    if not g:
        return [0.0] * x if isinstance(x, int) else zeros_of(xp, x)
    n = x if isinstance(x, int) else len(x)
    out = list(g[:n])
    for k in range(n, len(g)):
        out[k % n] = add(out[k % n], g[k])
    return out


def one_number(xp: Any, y: Any, verb: str, name: str, holomorphic: bool = False) -> None:
    """Raise TypeError where ``y`` is not one real number."""
    takes = f"{verb} takes a function that returns"
    if not hasattr(y, "dtype") and not isinstance(y, (int, float, complex)):
        raise TypeError(f"{takes} one number, but {name} returns {y!r}")
    if shape_of(y):
        raise TypeError(f"{takes} one number, but {name} returns an array of shape {shape_of(y)}: "
                        "jacobian differentiates every entry of an output")
    if _is_complex(y) and not holomorphic:
        raise TypeError(f"{takes} a real number, but {name} returns a complex one: return its real part or absolute value, or set "
                        "holomorphic=True")


def stacked(xp: Any, values: Any) -> Any:
    """Results of the same structure, stacked leaf by leaf."""
    first = values[0]
    if isinstance(first, dict):
        return {key: stacked(xp, [v[key] for v in values]) for key in first}
    if isinstance(first, (list, tuple)):
        return _rebuilt(first, [stacked(xp, column) for column in zip(*values)])
    return first if first is None else xp.stack(values)


def repeated(xp: Any, x: Any, n: int, axis: Any) -> Any:
    """Repeat a value that is the same for all examples of a batch."""
    def leaf(v: Any, axis: Any) -> Any:
        if axis is None:
            return v
        a = xp.asarray(v)
        checked_axis(axis, len(a.shape))
        return xp.stack([a] * n, axis=axis)
    return mapped(leaf, x, axis)


def axis_moved(xp: Any, x: Any, axis: Any) -> Any:
    """Results with the examples along another axis than the first one."""
    def leaf(v: Any, axis: Any) -> Any:
        return xp.moveaxis(v, 0, checked_axis(axis, len(shape_of(v)) - 1, batched=True))
    return mapped(leaf, x, axis)

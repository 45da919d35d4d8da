"""Sums of cotangents and zeros of any structure, where types did not decide them."""
from __future__ import annotations

import types
from typing import Any

import numpy as np

from .fields import fields_of, is_node

__all__ = ["add", "add_at", "add_into", "gradient_like", "zeros_alike", "zeros_of"]

#: the flag of classes that were made at run time
_HEAP_TYPE = 1 << 9
_VALUES = (np.ndarray, np.generic, int, float, complex, str, bytes, tuple, type)


def add(a: Any, b: Any) -> Any:
    """The sum of two cotangents of one value; None stands for zero, containers are summed item by item."""
    if a is None:
        return b
    if b is None:
        return a
    if isinstance(a, dict):
        return {k: add(a.get(k), b.get(k)) for k in [*a, *(k for k in b if k not in a)]}
    if isinstance(a, (list, tuple)):
        items = [add(p, q) for p, q in zip(a, b, strict=True)]
        return items if isinstance(a, list) else type(a)(*items) if hasattr(a, "_fields") else tuple(items)
    return a + b


def add_into(shadow: Any, g: Any) -> None:
    """Add the cotangents in the container ``g`` to those in ``shadow``, whose arrays stay the arrays that they are."""
    for key in shadow if isinstance(shadow, dict) else range(len(shadow)):
        old, new = shadow[key], g.get(key) if isinstance(g, dict) else g[key]
        if new is None:
            continue
        if isinstance(old, (list, dict)):
            add_into(old, new)
        elif isinstance(old, np.ndarray):
            old += new
        else:
            shadow[key] = add(old, new)


def add_at(a: Any, index: Any, g: Any) -> None:
    """Add ``g`` into ``a[index]``, once for each time an element is indexed."""
    if isinstance(a, np.ndarray):
        np.add.at(a, index, g)
    else:
        a[index] = add(a[index], g)


def zeros_of(x: Any) -> Any:
    """A zero cotangent for ``x``: an array, number, or structure of them; None for anything else."""
    if isinstance(x, dict):
        return {k: zeros_of(v) for k, v in x.items()}
    if isinstance(x, (list, tuple)):
        items = [zeros_of(v) for v in x]
        return items if isinstance(x, list) else type(x)(*items) if hasattr(x, "_fields") else tuple(items)
    if isinstance(x, (np.ndarray, np.generic)):
        # beside numbers that carry a cotangent, one that is an integer gets a place for it too
        if x.dtype.kind not in "fciu":
            return None
        zeros = np.zeros_like(x, dtype=None if x.dtype.kind in "fc" else float)
        return zeros if isinstance(x, np.ndarray) else zeros[()]
    if isinstance(x, complex):
        return 0.0 * x
    return 0.0 if isinstance(x, (float, int)) else None     # what replaces an integer may be a float: s = [0] * n


def gradient_like(g: Any, x: Any, conjugate: bool = True) -> Any:
    """Check that the cotangent ``g`` has the structure and shapes of ``x``, and give each leaf the dtype of its leaf of ``x``.

    ``conjugate`` conjugates complex leaves.  A cotangent of None, which stands for zero, becomes zeros.

    Examples
    --------
    >>> gradient_like([1.0 + 2.0j, 3.0 + 4.0j], [1j, 0.5])
    [(1-2j), 3.0]
    """
    if g is None:
        g = zeros_of(x)
    if isinstance(x, dict):
        if not isinstance(g, dict) or g.keys() != x.keys():
            raise RuntimeError(f"internal error: the derivative by a dict with the keys {list(x)} is {g!r:.60}")
        return {k: gradient_like(g[k], v, conjugate) for k, v in x.items()}
    if isinstance(x, (list, tuple)):
        if not isinstance(g, (list, tuple)) or len(g) != len(x):
            raise RuntimeError(f"internal error: the derivative by a {type(x).__name__} of {len(x)} is {g!r:.60}")
        items = [gradient_like(a, b, conjugate) for a, b in zip(g, x)]
        return items if isinstance(x, list) else type(x)(*items) if hasattr(x, "_fields") else tuple(items)
    dtype = getattr(x, "dtype", None)
    kind = dtype.kind if isinstance(dtype, np.dtype) else "c" if isinstance(x, complex) else "f" if isinstance(x, float) else ""
    if kind not in ("f", "c"):
        return None if kind or isinstance(x, (int, str, bytes, type(None))) else g
    if np.shape(g) != np.shape(x):
        raise RuntimeError(f"internal error: the derivative by a value of shape {np.shape(x)} has shape {np.shape(g)}")
    if np.iscomplexobj(g):
        g = np.conj(g) if kind == "c" and conjugate else g if kind == "c" else np.real(g)
    elif kind == "c" and dtype is None:
        g = complex(g)
    if kind == "f" and dtype is None and getattr(g, "dtype", np.float64) != np.float64:
        g = float(g)        # of single precision, beside a number of Python's
    if dtype is not None and (getattr(g, "dtype", None) != dtype or isinstance(x, np.ndarray) != isinstance(g, np.ndarray)):
        return np.array(g, dtype) if isinstance(x, np.ndarray) else dtype.type(g)
    return g


def zeros_alike(x: Any, arrays: bool = True, fields: bool = False) -> Any:
    """Zeros like those of `zeros_of`; a container that occurs several times in ``x`` has one zero.

    So has an array, with ``arrays``. That is right where arrays are written to: an array that nothing writes to is a value, and each of its
    places has a cotangent of its own. The shadow of an instance has no attributes yet; with ``fields``, it has the zeros of its fields.
    """
    return _alike(x, {}, arrays, fields)


def _has_attributes(x: Any) -> bool:
    """Whether an object may hold differentiated values in attributes: an instance of a class that is defined in Python."""
    return bool(type(x).__flags__ & _HEAP_TYPE) and not isinstance(x, _VALUES)


def _alike(x: Any, made: dict[Any, Any], arrays: bool, fields: bool) -> Any:
    if isinstance(x, np.ndarray) and x.size and arrays:
        key: Any = x.__array_interface__["data"][0], x.shape, x.strides, x.dtype
    elif isinstance(x, (list, dict)) or _has_attributes(x):
        key = id(x)
    elif isinstance(x, tuple):
        items = [_alike(v, made, arrays, fields) for v in x]
        return type(x)(*items) if hasattr(x, "_fields") else tuple(items)
    else:
        return zeros_of(x)
    if key not in made:
        if isinstance(x, list):
            made[key] = [_alike(v, made, arrays, fields) for v in x]
        elif isinstance(x, dict):
            made[key] = {k: _alike(v, made, arrays, fields) for k, v in x.items()}
        elif fields and is_node(x):
            made[key] = types.SimpleNamespace(**{name: _alike(v, made, arrays, fields) for name, v in fields_of(x).items()})
        else:
            made[key] = zeros_of(x) if isinstance(x, np.ndarray) else types.SimpleNamespace()
    return made[key]

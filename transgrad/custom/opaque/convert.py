"""Conversion and checks of the numbers and arrays that pass between generated code and a function that is not read."""
from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...ir.ops import Tree
from ...ir.types import Arr, Dim, ListT, Num, Type
from ...tree import is_node, map_leaves

__all__ = ["apart", "as_argument", "as_cotangent", "as_result", "flattened", "said", "take", "zero_of"]

_CLASSES: dict[str, type] = {"bool": bool, "int": int, "float": float, "complex": complex}


class _Alone:
    """The reference count that an array has in `own` if nothing but the conversion refers to it; measured by the first conversion."""

    def __init__(self) -> None:
        self.count = -1


_RESULT, _COTANGENT, _PLAIN = _Alone(), _Alone(), _Alone()


def said(t: Type) -> str:
    """A type in words, for errors."""
    if isinstance(t, Num):
        return f"a Python {t.kind}"
    if isinstance(t, Arr):
        axes = f"{len(t.dims)} dimension{'s' * (len(t.dims) != 1)}"
        return f"a NumPy scalar of dtype {t.dtype}" if t.scalar else f"a {t.dtype} array with {axes}"
    return str(t)


def _described(x: Any) -> str:
    if isinstance(x, np.ndarray):
        return f"a {x.dtype} array of shape {x.shape}"
    return f"{type(x).__name__} {x!r}"[:80]


def as_argument(x: Any, t: Type) -> Any:
    """An argument as an object of its static type: a Python number, a NumPy scalar or an array."""
    if type(t) is Num:
        cls = _CLASSES[t.kind]
        return x if type(x) is cls else cls(x)
    if type(t) is Arr:
        if t.scalar:
            cls = np.dtype(t.dtype).type
            return x if type(x) is cls else cls(x)
        return x if isinstance(x, np.ndarray) and x.dtype == t.dtype else np.asarray(x, t.dtype)
    return x


def as_result(y: Any, t: Type, given: Sequence[Any], what: str) -> Any:
    """A leaf of a result as the assumed type, in memory of its own; TypeError if it is of another dtype or rank."""
    if isinstance(t, Num):
        found = y.item() if isinstance(y, (np.generic, np.ndarray)) and y.ndim == 0 and y.dtype.itemsize == _size(t) else y
        if type(found) is int and t.kind == "float":
            return float(found)
        if type(found) is _CLASSES[t.kind]:
            return found
    elif isinstance(t, Arr) and not t.dims:
        if type(y) in (float, complex, int, bool) and np.result_type(type(y)) == t.dtype or (
                isinstance(y, (np.generic, np.ndarray)) and y.ndim == 0 and y.dtype == t.dtype):
            return np.dtype(t.dtype).type(y) if t.scalar else np.array(y)
    elif isinstance(t, Arr) and isinstance(y, np.ndarray) and y.ndim == len(t.dims) and y.dtype == t.dtype:
        for n, dim in zip(y.shape, t.dims):
            if dim.sym is None:
                expected = 1 if dim.one else n
            elif dim.sym[0] == "<leaf>":        # type: ignore[index]
                expected = np.shape(given[dim.sym[1]])[dim.sym[2]] + dim.off        # type: ignore[index]
            else:
                expected = dim.known
            if n != expected:
                raise TypeError(f"{what} has the shape {y.shape}, and {expected} was declared in place of {n}. "
                                "Hint: correct result=, or declare None for lengths that vary")
        return own(y, _RESULT)
    raise TypeError(f"{what} is {_described(y)}, but {said(t)} was declared. Hint: correct result= or example=, or convert the "
                    "result in the function")


def _size(t: Num) -> int:
    return {"bool": 1, "int": 8, "float": 8, "complex": 16}[t.kind]


def own(y: np.ndarray[Any, Any], alone: _Alone) -> np.ndarray[Any, Any]:
    """An array that nothing else refers to and that can be written to: the given one, or a copy.

    A function may return its argument, a view of it, or a buffer that it will use again.
    """
    count = sys.getrefcount(y)
    if alone.count < 0:
        alone.count = count
    return y if type(y) is np.ndarray and y.base is None and y.flags.owndata and y.flags.writeable and count <= alone.count else np.array(y)


def take(leaves: list[Any], k: int) -> Any:
    """An item of a list, which no longer refers to it."""
    x, leaves[k] = leaves[k], None
    return x


def apart(y: Any) -> Any:
    """The result of a call by the user, with arrays in memory of their own."""
    if type(y) is np.ndarray:
        return own(y, _PLAIN)
    return map_leaves(lambda x: np.array(x) if type(x) is np.ndarray else x, y) if is_node(y) else y


def zero_of(x: Any, t: Type) -> Any:
    """The zero cotangent or tangent of a leaf."""
    if isinstance(t, Num):
        return 0j if t.kind == "complex" else 0.0
    if isinstance(t, ListT):
        return [zero_of(item, t.elem or Num("float")) for item in x]
    if isinstance(t, Arr) and t.scalar:
        return np.dtype(t.dtype).type(0)
    return np.zeros_like(x)


def as_cotangent(e: Any, x: Any, t: Type, what: str) -> Any:
    """A cotangent or tangent that a function returned for a leaf ``x`` of type ``t``, converted to that type; None is zero."""
    if e is None:
        return zero_of(x, t)
    if type(e) is float and type(t) is Num and t.kind == "float":
        return e
    if isinstance(t, ListT):
        if not isinstance(e, (list, tuple, np.ndarray)) or len(e) != len(x):
            raise TypeError(f"{what} is {_described(e)}, and the argument is a list of {len(x)} items")
        elem = t.elem or Num("float")
        return [as_cotangent(item, v, elem, what) for item, v in zip(e, x)]
    if not isinstance(e, (bool, int, float, complex, np.generic, np.ndarray)):
        raise TypeError(f"{what} is {_described(e)}: expected {said(t)}, or None for zero")
    is_real = t.kind != "complex" if isinstance(t, Num) else isinstance(t, Arr) and t.dtype[0] != "c"
    if np.shape(e) != np.shape(x):
        raise ValueError(f"{what} has the shape {np.shape(e)}, not {np.shape(x)}")
    if is_real and np.iscomplexobj(e):
        raise TypeError(f"{what} is complex, and the argument is real. Hint: return its real part")
    if isinstance(t, Num):
        return complex(e) if t.kind == "complex" else float(e)  # type: ignore[arg-type]
    assert isinstance(t, Arr)
    if t.scalar:
        return np.dtype(t.dtype).type(e)
    if not isinstance(e, np.ndarray) or e.dtype != t.dtype:
        return np.array(e, t.dtype)
    return own(e, _COTANGENT)


def flattened(tree: Tree, x: Any, what: str, leaves: list[Any]) -> None:
    """Append the leaves of an object that has the structure of a tree; None stands for a structure of None."""
    if tree.kind == "leaf":
        leaves.append(x)
        return
    if tree.kind == "lit":
        return
    n = len(tree.items)
    if x is None:
        items: list[Any] = [None] * n
    elif tree.kind == "object" and not isinstance(x, dict):
        items = [getattr(x, str(key), None) for key in tree.keys]
    elif tree.kind in ("dict", "object"):
        if not isinstance(x, dict) or set(x) != set(tree.keys):
            raise TypeError(f"{what} is {_described(x)}: expected a dict with the keys {', '.join(map(repr, tree.keys))}")
        items = [x[key] for key in tree.keys]
    else:
        if not isinstance(x, (tuple, list)) or len(x) != n:
            raise TypeError(f"{what} is {_described(x)}: expected a {tree.kind} of {n}")
        items = list(x)
    for item, part in zip(tree.items, items):
        flattened(item, part, what, leaves)


as_result(take([np.empty(1)], 0), Arr("float64", (Dim(None),)), (), "")
apart(np.empty(1))
as_cotangent(take([np.empty(1)], 0), np.empty(1), Arr("float64", (Dim(None),)), "")

"""Values with structure: their parts, their numbers, copies with other numbers, and the comparison of two of them."""
from __future__ import annotations

import collections
import copy
import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["Differs", "children", "compare", "is_number", "leaves", "numbers_at", "rebuild", "same", "single"]


class Differs(AssertionError):
    """Two values differ in ``kind``: structure, shape, dtype or value."""

    def __init__(self, kind: str, message: str):
        self.kind = kind
        super().__init__(message)


def children(x: Any) -> list[tuple[str, Any]] | None:
    """The parts of a container or an object, each with the source that reads it; None for a leaf."""
    if isinstance(x, dict):
        return [(f"[{k!r}]", v) for k, v in x.items()]
    if isinstance(x, tuple) and hasattr(x, "_fields"):
        return [(f".{name}", getattr(x, name)) for name in x._fields]
    if isinstance(x, (list, tuple, collections.deque)):
        return [(f"[{k}]", v) for k, v in enumerate(x)]
    if dataclasses.is_dataclass(x) and not isinstance(x, type):
        return [(f".{f.name}", getattr(x, f.name)) for f in dataclasses.fields(x)]
    if hasattr(x, "__dict__") and type(x).__module__.startswith("cross_"):
        return [(f".{k}", v) for k, v in vars(x).items()]
    return None


def is_number(x: Any) -> bool:
    """Whether a leaf is a real or complex number or array, no integer."""
    return isinstance(x, (float, complex)) or isinstance(x, (np.generic, np.ndarray)) and x.dtype.kind in "fc"


def leaves(x: Any, path: str = "") -> list[tuple[str, Any]]:
    """The numbers in ``x``, with the source that reads each."""
    parts = children(x)
    if parts is None:
        return [(path, x)] if is_number(x) else []
    return [leaf for key, part in parts for leaf in leaves(part, path + key)]


def numbers_at(got: Any, like: Any) -> list[Any]:
    """The leaves of ``got``, of the structure of ``like``, where that has numbers: the tangent of an integer is not judged."""
    parts = children(like)
    if parts is None:
        return [got] if is_number(like) else []
    return [leaf for (_, mine), (_, part) in zip(children(got) or (), parts) for leaf in numbers_at(mine, part)]


def single(x: Any) -> bool:
    """Whether a number in ``x`` is in single precision or less."""
    return any(np.asarray(leaf).dtype in (np.float32, np.complex64, np.float16) for _, leaf in leaves(x))


def rebuild(x: Any, fn: Callable[[Any], Any]) -> Any:
    """A copy of ``x`` with ``fn`` of each number."""
    parts = children(x)
    if parts is None:
        return fn(x) if is_number(x) else copy.deepcopy(x)
    values = [rebuild(part, fn) for _, part in parts]
    if isinstance(x, dict):
        out = copy.copy(x)
        for k, v in zip(x, values):
            out[k] = v
        return out
    if isinstance(x, tuple):
        return type(x)(*values) if hasattr(x, "_fields") else type(x)(values)
    if isinstance(x, (list, collections.deque)):
        out = copy.copy(x)
        for k, v in enumerate(values):
            out[k] = v
        return out
    out = copy.copy(x)
    for (key, _), v in zip(parts, values):
        object.__setattr__(out, key[1:], v)
    return out


def compare(got: Any, like: Any, path: str = "", *, numbers: bool = False, dtypes: bool = True, rtol: float = 1e-9, what: str = "") -> None:
    """``got`` has the structure, shapes and dtypes of ``like``; with ``numbers``, also its numbers; ``dtypes=False`` leaves dtypes out."""
    parts = children(like)
    where = f"{what}{path}"
    if parts is not None:
        if type(got) is not type(like):
            raise Differs("structure", f"{where} is {_named(got)}, expected {type(like).__name__}")
        mine = children(got) or []
        if [k for k, _ in mine] != [k for k, _ in parts]:
            raise Differs("structure", f"{where} has the parts {[k for k, _ in mine]}, expected {[k for k, _ in parts]}")
        for (key, a), (_, b) in zip(mine, parts):
            compare(a, b, path + key, numbers=numbers, dtypes=dtypes, rtol=rtol, what=what)
        return
    if not is_number(like):
        if numbers and isinstance(like, (int, str, np.integer, np.bool_, type(None))) and (type(got) in (int, bool, str, type(None)) or isinstance(
                got, np.generic)) and got != like:
            raise Differs("value", f"{where} is {got!r}, expected {like!r}")
        return
    if not (isinstance(got, (int, float, complex, np.generic, np.ndarray)) and not isinstance(got, bool)):
        raise Differs("structure", f"{where} is {_named(got)}, expected {_named(like)}")
    if np.shape(got) != np.shape(like):
        raise Differs("shape", f"{where} has shape {np.shape(got)}, expected {np.shape(like)}")
    if np.ndim(like) and not isinstance(got, np.ndarray):
        raise Differs("structure", f"{where} is {_named(got)}, expected an array")
    if dtypes and np.asarray(got).dtype != np.asarray(like).dtype:
        raise Differs("dtype", f"{where} is {np.asarray(got).dtype}, expected {np.asarray(like).dtype}")
    if numbers:
        a, b = np.asarray(got), np.asarray(like)
        scale = float(np.max(np.abs(b[np.isfinite(b)]), initial=1e-3))
        if not np.allclose(a, b, rtol=rtol, atol=rtol * scale, equal_nan=True):
            raise Differs("value", f"{where} is {_short(a)}, expected {_short(b)}")


def same(a: Any, b: Any) -> bool:
    """Whether two values are equal to the last bit."""
    parts = children(a)
    if parts is not None:
        others = children(b)
        return type(a) is type(b) and others is not None and len(parts) == len(others) and all(
            p == q and same(x, y) for (p, x), (q, y) in zip(parts, others))
    if isinstance(a, np.ndarray):
        return isinstance(b, np.ndarray) and a.dtype == b.dtype and a.shape == b.shape and np.array_equal(a, b, equal_nan=a.dtype.kind in "fc")
    return type(a) is type(b) and (a is b or not is_number(a) or bool(a == b) or a != a)


def _named(x: Any) -> str:
    if isinstance(x, np.ndarray):
        return f"an array of {x.dtype} of shape {x.shape}"
    return repr(x) if x is None or isinstance(x, (int, float, complex)) else type(x).__name__


def _short(x: Any) -> str:
    text = np.array2string(np.asarray(x), precision=6, threshold=12).replace("\n", "")
    return text if len(text) < 120 else text[:117] + "..."

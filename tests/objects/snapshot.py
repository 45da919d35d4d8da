"""The state of objects as plain data, to be compared; an object of transgrad in it is reported."""
from __future__ import annotations

import types
from typing import Any

import numpy as np

__all__ = ["difference", "snapshot"]


def snapshot(x: Any, seen: dict[int, int] | None = None) -> Any:
    """A copy of ``x`` as nested tuples; an object that is met again is its number, so that identity is compared too."""
    seen = {} if seen is None else seen
    if x is None or isinstance(x, (bool, int, float, complex, str, bytes)):
        return (type(x).__name__ if isinstance(x, (bool, int, str, bytes)) and not isinstance(x, np.generic) else "number", x)
    if isinstance(x, np.generic):
        return ("number", x.item())
    if isinstance(x, (type, types.FunctionType, types.BuiltinFunctionType, types.ModuleType)):
        return ("name", getattr(x, "__qualname__", getattr(x, "__name__", "?")))
    if (type(x).__module__ or "").partition(".")[0] == "transgrad":
        return ("object of transgrad", type(x).__name__)
    if id(x) in seen:
        return ("again", seen[id(x)])
    seen[id(x)] = len(seen)
    keep = seen.setdefault(-1, [])      # type: ignore[arg-type]
    keep.append(x)      # type: ignore[attr-defined]
    name = type(x).__name__
    if isinstance(x, np.ndarray):
        return (name, x.dtype.str, x.shape, x.tolist())
    parts: list[Any] = []
    if isinstance(x, dict):
        parts.append([(snapshot(k, seen), snapshot(v, seen)) for k, v in x.items()])
    elif isinstance(x, (list, tuple)) or hasattr(x, "popleft"):
        parts.append([snapshot(v, seen) for v in x])
    elif isinstance(x, (set, frozenset)):
        parts.append(sorted(str(snapshot(v, seen)) for v in x))
    if isinstance(x, types.MethodType):
        return (name, x.__func__.__qualname__, snapshot(x.__self__, seen))
    fields = dict(getattr(x, "__dict__", {}))
    for cls in type(x).__mro__:
        slots = cls.__dict__.get("__slots__", ())
        for slot in (slots,) if isinstance(slots, str) else slots:
            if hasattr(x, slot):
                fields[slot] = getattr(x, slot)
    return (name, *parts, [(k, snapshot(v, seen)) for k, v in fields.items()])


def difference(want: Any, got: Any, path: str = "") -> str:
    """Where two snapshots differ first; empty if they agree, numbers to within rounding."""
    if isinstance(want, (float, complex)) and isinstance(got, (int, float, complex)) and not isinstance(got, bool):
        close = abs(want - got) <= 1e-9 * max(1.0, abs(want)) or want != want and got != got or want == got
        return "" if close else f"{path}: {got}, not {want}"
    if isinstance(want, (tuple, list)) and isinstance(got, (tuple, list)):
        if len(want) != len(got):
            return f"{path}: {str(got)[:80]}, not {str(want)[:80]}"
        for k, (a, b) in enumerate(zip(want, got)):
            label = f"{path}.{want[0]}" if isinstance(want, tuple) and k and isinstance(want[0], str) else f"{path}[{k}]"
            found = difference(a, b, label)
            if found:
                return found
        return ""
    return "" if type(want) is type(got) and want == got else f"{path}: {str(got)[:80]}, not {str(want)[:80]}"

"""What Numba refuses, said with the user's line."""
from __future__ import annotations

import re
from typing import Any

from ...errors import UnsupportedByNumba
from ...ir.ops import Function, Loc
from ..module import Module

__all__ = ["located"]

_WAY_OUT = "remove backend='numba' to use the NumPy back end"
_PLACE = re.compile(r'(?:File "|Raised from )([^"\s]+)(?:", line | \()(\d+)')


def located(error: BaseException, module: Module, fn: Function | None) -> Exception:
    """Numba's error as one about the user's source."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    place = _place(error, text, module) or (fn.loc if fn is not None else None)
    return UnsupportedByNumba(f"Numba does not take {module.entry}: {_reason(text)}", place, _WAY_OUT)


def _place(error: Any, text: str, module: Module) -> Loc | None:
    """The user's statement for the last generated line that the error names."""
    lines = [int(n) for name, n in _PLACE.findall(text) if f"/{module.entry}_" in name]
    own = getattr(getattr(error, "loc", None), "line", None)
    for line in [*reversed(lines), *([own] if own is not None else [])]:
        for k in range(line, max(line - 12, 0), -1):     # a statement over several lines is known by its first
            if k in module.locs:
                return module.locs[k]
    return None


def _reason(text: str) -> str:
    """The sentence of the error that says most."""
    if "exception_match" in text:
        return "it catches no exceptions but all of them"
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    for start in ("No implementation of function", "Use of unsupported", "Unknown attribute", "Untyped global name", "Cannot unify",
                  "Invalid use of", "cannot determine", "Unsupported", "No conversion", "not implemented", "use of"):
        for line in lines:
            if start.lower() in line.lower():
                return _short(line)
    if not text.strip():
        return "it fails without saying why"
    skipped = ("Failed in", "During:", "File ", "This error")
    said = _short(next((line for line in lines if not line.startswith(skipped)), lines[0] if lines else "it gives no reason"))
    return f"it fails itself ({said})" if "index out of range" in said else said


def _short(line: str) -> str:
    line = re.sub(r"\s*Raised from.*", "", line)
    line = re.sub(r"<built-in function (\w+)>", r"\1", line)
    line = re.sub(r"<function (\w+) at 0x[0-9a-f]+>", r"\1", line)
    return line.rstrip(":")[:300]

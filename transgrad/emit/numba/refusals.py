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
    """The statement of the user behind the last line of the text that the error names."""
    lines = [int(n) for name, n in _PLACE.findall(text) if f"/{module.entry}_" in name]
    own = getattr(getattr(error, "loc", None), "line", None)
    for line in [*reversed(lines), *([own] if own is not None else [])]:
        for k in range(line, max(line - 12, 0), -1):     # a statement over several lines is known by its first
            if k in module.locs:
                return module.locs[k]
    return None


def _reason(text: str) -> str:
    """What is not supported, in a sentence."""
    if "exception_match" in text:
        return "it catches no exceptions but all of them"
    for pattern, sentence in _SENTENCES:
        if found := re.search(pattern, text):
            return sentence.format(*map(_short, found.groups()))
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    skipped = ("Failed in", "During:", "File ", "This error")
    return f"Numba fails to compile it ({_short(next((line for line in lines if not line.startswith(skipped)), 'it gives no reason'))})"


#: How Numba words an error, and what it means.
_SENTENCES = (
    (r"[Uu]se of unsupported NumPy function '?numpy\.([\w.]+)", "Numba does not implement np.{}, and the type of its result is not known"),
    (r"No implementation of function Function\(<(?:built-in function|function|intrinsic|ufunc) '?(\w+)",
     "Numba does not implement {} for arguments of these types"),
    (r"No implementation of function (?:Numba)?Function\(.*?\.(\w+)[ >]", "Numba does not implement {} for arguments of these types"),
    (r"Unknown attribute '(\w+)' of type (.+)", "Numba knows no {} of {}"),
    (r"Untyped global name '(\w+)'", "{} is a Python object outside of the function that machine code cannot use"),
    (r"assigned to variable '(\w+)' in globals", "{}, which stands outside of the function, has no type in machine code"),
    (r"Cannot unify (.+?) and (.+?) for '([\w.$]+?)(?:\.\d+)*'", "{2} has different types on different paths, {0} and {1}"),
    (r"Type of variable '([a-zA-Z_]\w*?)(?:\.\d+)*' cannot be determined", "the type of {} cannot be determined"),
    (r"recursive function does not converge", "the type of the result of a recursion cannot be determined"),
)


def _short(line: str) -> str:
    line = re.sub(r"\s*Raised from.*", "", line)
    return re.sub(r"<(?:built-in )?function (\w+)[^>]*>", r"\1", line).strip().rstrip(":")[:200]

"""Whether NumPy is asked to raise floating-point errors (`numpy.errstate`): Python's arithmetic, which overflows silently, is not used.

NumPy keeps the state in a context variable; reading that takes 20 ns, `numpy.geterr` 600 ns.
"""
from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["raises_errors"]

try:
    from numpy._core import umath
    _state: Any = getattr(umath, "_extobj_contextvar", None)
except ImportError:
    _state = None

#: the state that was found last to raise nothing
_quiet: Any = None


def raises_errors() -> bool:
    """Return whether a floating-point error raises an exception or calls a function."""
    global _quiet
    state = _state.get() if _state is not None else None
    if state is not None and state is _quiet:
        return False
    if not {"raise", "call", "log", "print"}.isdisjoint(np.geterr().values()):
        return True
    _quiet = state
    return False

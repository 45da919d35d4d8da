"""Which functions of NumPy's and SciPy's may hand out what they are given, or a view of it: by the call, as ``a.astype(t, copy=False)``
and ``np.diff(a, n=0)`` do.  Those that always make views are in `effects`."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .ops import Call, Lit, Operand, Value
from .types import Arr

__all__ = ["by_the_call", "passed_on", "replaces"]


How = Callable[[Call], list[Operand]]


def passed_on(op: Call) -> list[Operand]:
    """The arguments whose memory the result of a call may share."""
    how = _how(op.fn)
    return how(op) if how is not None else []


def by_the_call(fn: Any) -> bool:
    """Whether it depends on the call whether the result of a function shares memory with what that is given."""
    return _how(fn) is not None


def _how(fn: Any) -> How | None:
    if isinstance(fn, type):
        return _converted if issubclass(fn, np.generic) else None
    try:
        if (found := _PASS_ON.get(fn)) is not None:
            return found
    except TypeError:       # unhashable
        return None
    if (getattr(fn, "__module__", None) or "").startswith("scipy.signal") and (places := _OF_SIGNALS.get(fn.__name__)):
        return lambda op: [op.args[k] for k in places if k < len(op.args)] + [op.kwargs[k] for k in ("w", "worN") if k in op.kwargs]
    return None


def replaces(op: Call) -> bool:
    """Whether ``np.nan_to_num`` writes to its argument."""
    return op.fn is np.nan_to_num and not _copies(_option(op, 1, "copy"))


def _converted(op: Call) -> list[Operand]:
    """Of ``np.float64``, by which an array of that dtype is not copied."""
    t = op.args[0].type if op.args else None
    return op.args[:1] if isinstance(t, Arr) and not t.scalar else []


def _first(op: Call) -> list[Operand]:
    return op.args[:1]


def _all(op: Call) -> list[Operand]:
    return list(op.args)


def _option(op: Call, place: int, name: str) -> Any:
    """An option of a call; None where it is not given."""
    return op.args[place] if place < len(op.args) else op.kwargs.get(name)


def _copies(copy: Any) -> bool:
    """Whether an option ``copy`` is left out, or True."""
    return copy is None or isinstance(copy, Lit) and copy.value is True


def _uncopied(place: int) -> How:
    """Of a function with an option ``copy``."""
    return lambda op: [] if _copies(_option(op, place, "copy")) else op.args[:1]


def _repeated(place: int, name: str, same: int) -> How:
    """Of a function with a number of times, that does nothing for one number."""
    def how(op: Call) -> list[Operand]:
        n = _option(op, place, name)
        known = n is None or isinstance(n, Lit) and isinstance(n.value, int) and n.value != same
        return [] if known else op.args[:1]
    return how


def _conjugate(op: Call) -> list[Operand]:
    """Of the method, which is the array itself where that is real; the function makes a new one."""
    t = op.args[0].type if op.args else None
    return [] if isinstance(t, Arr) and t.dtype[0] == "c" else op.args[:1]


def _einsum(op: Call) -> list[Operand]:
    """One operand of which nothing is summed is transposed, or its diagonal is taken: a view."""
    text = op.args[0].value if isinstance(op.args[0], Lit) else None
    operands = op.args[1:] if isinstance(op.args[0], Lit) else [a for a in op.args if isinstance(a, Value) and isinstance(a.type, Arr)]
    if len(operands) != 1 or not isinstance(text, str):
        return operands if len(operands) == 1 else []
    given, arrow, out = text.replace(" ", "").partition("->")
    letters = [c for c in given if c.isalpha()]
    return operands if (set(letters) <= set(out) if arrow else len(set(letters)) == len(letters)) else []


_PASS_ON: dict[Any, How] = {
    np.require: _first, np.real_if_close: _first, np.asarray_chkfinite: _first, np.ix_: _all, np.broadcast_arrays: _all,
    np.linalg.diagonal: _first, np.lib.stride_tricks.sliding_window_view: _first, np.lib.stride_tricks.as_strided: _first,
    np.array: lambda op: [] if _copies(op.kwargs.get("copy")) else op.args[:1],
    np.ndarray.astype: lambda op: [] if _copies(_option(op, 5, "copy")) else op.args[:1],
    np.astype: lambda op: [] if _copies(op.kwargs.get("copy")) else op.args[:1],
    np.nan_to_num: _uncopied(1), np.meshgrid: lambda op: [] if _copies(op.kwargs.get("copy")) else list(op.args),
    np.ndarray.conj: _conjugate, np.ndarray.conjugate: _conjugate, np.einsum: _einsum,
    np.linalg.matrix_power: _repeated(1, "n", 1), np.diff: _repeated(1, "n", 0),
    np.polyder: _repeated(1, "m", 0), np.polyint: _repeated(1, "m", 0),
    np.fft.fftn: lambda op: _first(op) if "axes" in op.kwargs or len(op.args) > 2 else [],
    np.fft.ifftn: lambda op: _first(op) if "axes" in op.kwargs or len(op.args) > 2 else [],
}
#: functions of scipy.signal, which hand out the frequencies or matrices that they are given
_OF_SIGNALS: dict[str, tuple[int, ...]] = {
    "freqs": (2,), "freqs_zpk": (3,), "freqz": (2,), "freqz_zpk": (3,), "sosfreqz": (1,), "freqz_sos": (1,), "freqresp": (1,), "bode": (1,),
    "dfreqresp": (1,), "dbode": (1,), "abcd_normalize": (0, 1, 2, 3), "cont2discrete": (0,),
}

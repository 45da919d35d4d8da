"""Functions of NumPy and SciPy that may return an argument or a view of it, depending on the call, as ``a.astype(t, copy=False)``
and ``np.diff(a, n=0)`` do.  Those that always make views are in `effects`."""
from __future__ import annotations

import sys
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
        return _converted if issubclass(fn, np.generic) else _first if fn is memoryview else None
    try:
        if (found := _PASS_ON.get(fn)) is not None:
            return found
    except TypeError:       # unhashable
        return None
    if (getattr(fn, "__module__", None) or "").startswith("scipy.signal") and (places := _OF_SIGNALS.get(fn.__name__)):
        return _options(*places)
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
    """An option of a call; None if it is not given."""
    return op.args[place] if place < len(op.args) else op.kwargs.get(name)


def _options(*places: tuple[int, str]) -> How:
    """For a function that returns some of its options."""
    return lambda op: [x for place, name in places if (x := _option(op, place, name)) is not None]


def _copies(copy: Any) -> bool:
    """Whether an option ``copy`` is left out, or True."""
    return copy is None or isinstance(copy, Lit) and copy.value is True


def _uncopied(place: int = sys.maxsize) -> How:
    """Of a function with an option ``copy``, which may have a place."""
    return lambda op: [] if _copies(_option(op, place, "copy")) else op.args[:1]


def _repeated(place: int, name: str, same: int) -> How:
    """Of a function with a number of times, that does nothing for one number."""
    def how(op: Call) -> list[Operand]:
        n = _option(op, place, name)
        known = n is None or isinstance(n, Lit) and isinstance(n.value, int) and n.value != same
        return [] if known else op.args[:1]
    return how


def _over_axes(op: Call) -> list[Operand]:
    """Of transforms, which may be over no axes."""
    axes = _option(op, 2, "axes")
    return [] if axes is None or isinstance(axes, Lit) and axes.value != () else op.args[:1]


def _conjugate(op: Call) -> list[Operand]:
    """For the method, which returns the array itself if it is real; the function creates a new one."""
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
    np.array: _uncopied(), np.astype: _uncopied(), np.ndarray.astype: _uncopied(5), np.nan_to_num: _uncopied(1),
    np.meshgrid: lambda op: [] if _copies(op.kwargs.get("copy")) else list(op.args),
    np.ndarray.conj: _conjugate, np.ndarray.conjugate: _conjugate, np.einsum: _einsum,
    np.linalg.matrix_power: _repeated(1, "n", 1), np.diff: _repeated(1, "n", 0),
    np.trim_zeros: _first, np.histogram: _options((1, "bins")), np.histogram_bin_edges: _options((1, "bins")),
    np.histogram2d: _options((2, "bins")), np.histogramdd: _options((1, "bins")),
    np.polyder: _repeated(1, "m", 0), np.polyint: _repeated(1, "m", 0),
    np.fft.fftn: _over_axes, np.fft.ifftn: _over_axes,
}
#: functions of scipy.signal that return the times, frequencies or matrices passed to them: by position and name
_OF_SIGNALS: dict[str, tuple[tuple[int, str], ...]] = {
    "freqs": ((2, "worN"),), "freqs_zpk": ((3, "worN"),), "freqz": ((2, "worN"),), "freqz_zpk": ((3, "worN"),), "sosfreqz": ((1, "worN"),),
    "freqz_sos": ((1, "worN"),), "freqresp": ((1, "w"),), "bode": ((1, "w"),), "dfreqresp": ((1, "w"),), "dbode": ((1, "w"),),
    "lsim": ((2, "T"),), "impulse": ((2, "T"),), "step": ((2, "T"),), "dlsim": ((2, "t"),), "dimpulse": ((2, "t"),), "dstep": ((2, "t"),),
    "abcd_normalize": ((0, "A"), (1, "B"), (2, "C"), (3, "D")), "cont2discrete": ((0, "system"),),
}

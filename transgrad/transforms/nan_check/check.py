"""Check at run time which operation of generated code is the first to compute NaN or infinity.

An operation *produces* a value that is not finite if its result has NaN and no operand has NaN, or its result has infinities and
its operands are finite.  Constants and arguments that are not finite (``best = np.inf``) may pass through operations, unless they
reach the result.
"""
from __future__ import annotations

import math
import operator
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ... import tree
from ...emit.text import Origin
from ...errors import NonFiniteError
from ...ir.ops import Loc
from ..reporting.traceback_notes import origin_at

__all__ = ["Checker", "check_finite", "flags_of"]

NAN, INF = 1, 2
_OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv, "%": operator.mod,
    "**": operator.pow, "@": operator.matmul,
}
#: Functions whose results are not initialized.
_UNINITIALIZED = (np.empty, np.empty_like, np.ndarray)
_SWEEPS = {"primal": "the function itself", "adjoint": "the reverse sweep", "tangent": "the tangent"}


def flags_of(x: Any) -> int:
    """Return whether there is NaN (bit 1) or infinity (bit 2) in a value."""
    kind = type(x)
    if kind is float:
        return 0 if math.isfinite(x) else NAN if math.isnan(x) else INF
    if isinstance(x, (np.ndarray, np.generic, complex, float)):
        array = np.asarray(x)
        if array.dtype.kind not in "fc" or np.isfinite(array).all():
            return 0
        return NAN * bool(np.isnan(array).any()) | INF * bool(np.isinf(array).any())
    found = 0
    if isinstance(x, (list, tuple, dict)):
        for item in x.values() if isinstance(x, dict) else x:
            found |= flags_of(item)
    return found


def _produced(result: int, operands: int) -> bool:
    return bool(result & NAN and not operands & NAN or result & INF and not operands)


def _without_warnings() -> np.errstate:
    """A context without NumPy's warnings about the values that the checker reports; errors that the user asked for remain."""
    settings: dict[str, Any] = {kind: "ignore" for kind, action in np.geterr().items() if action == "warn"}
    return np.errstate(**settings)


class Checker(threading.local):
    """The checks of one generated source, which its instrumented form calls.

    Parameters
    ----------
    name : str
        The derivative.
    filename : str
        The file of the source.
    sites : sequence of (int, str)
        The line and the expression of each check.
    origins : dict
        The user's statement behind each line.
    """

    def __init__(self, name: str, filename: str, sites: Sequence[tuple[int, str]], origins: Mapping[int, Origin]):
        self.name, self.filename, self.sites, self.origins = name, filename, sites, origins
        #: The first operation through which a value passed that is not finite.
        self.passed: tuple[int, Any, tuple[Any, ...]] | None = None

    @staticmethod
    def flags(*operands: Any) -> int:
        """The flags of several values together."""
        found = 0
        for operand in operands:
            found |= flags_of(operand)
        return found

    def binary(self, site: int, symbol: str, a: Any, b: Any) -> Any:
        """The result of a binary operation."""
        with _without_warnings():
            result = _OPERATIONS[symbol](a, b)
        flags = flags_of(result)
        if flags:
            self._judge(site, result, flags, self.flags(a, b), (a, b))
        return result

    def call(self, site: int, /, *args: Any, **kwargs: Any) -> Any:
        """The result of a call; the first of the arguments is the function."""
        fn, *given = args
        owner = getattr(fn, "__self__", None)
        operands = (*([owner] if isinstance(owner, np.ndarray) else ()), *given, *(v for k, v in kwargs.items() if k != "out"))
        before = self.flags(*operands)
        with _without_warnings():
            result = fn(*given, **kwargs)
        if fn in _UNINITIALIZED:
            return result
        flags = flags_of(result) if result is not None else self.flags(*operands)     # None: it writes into its operands
        if flags:
            self._judge(site, result, flags, before, operands)
        return result

    def after(self, site: int, target: Any, before: int) -> None:
        """Check the target of an augmented assignment, whose operands had the flags ``before``."""
        flags = flags_of(target)
        if flags:
            self._judge(site, target, flags, before, ())

    def _judge(self, site: int, result: Any, flags: int, before: int, operands: tuple[Any, ...]) -> None:
        if _produced(flags, before):
            raise self.error(site, result, operands)
        if self.passed is None:
            self.passed = site, None, ()

    def error(self, site: int, result: Any, operands: tuple[Any, ...], passed: bool = False) -> NonFiniteError:
        """The error for an operation."""
        line, text = self.sites[site]
        origin = origin_at(self.origins, line)
        where = _SWEEPS[origin.part] if origin is not None else "generated code"
        if passed:
            reason = f"{self.name} returns a value that is not finite, which comes from an argument or a constant: {where} first " \
                     f"reads it in {text}"
        else:
            shown = "; ".join(filter(None, map(_shown, operands)))
            reason = f"{self.name}: {where} computes {_described(result)} in {text}" + (f" with operands {shown}" if shown else "")
        loc = Loc(origin.file, origin.line, 1, origin.text) if origin is not None else None
        return NonFiniteError(reason, loc, self.filename, line)


def _described(x: Any) -> str:
    """The first entry that is not finite."""
    if isinstance(x, (list, tuple, dict)):
        items = x.values() if isinstance(x, dict) else x
        return next((_described(item) for item in items if flags_of(item)), "a value that is not finite")
    array = np.asarray(x)
    if array.dtype.kind not in "fc":
        return "a value that is not finite"
    if not array.ndim:
        return str(array[()])
    bad = ~np.isfinite(array)
    place = np.unravel_index(int(np.argmax(bad)), array.shape)
    index = ", ".join(str(int(k)) for k in place)
    return f"{array[place]} at [{index}] ({int(bad.sum())} of {array.size} entries)"


def _shown(x: Any) -> str:
    if isinstance(x, (bool, str)) or x is None:
        return ""
    if isinstance(x, (int, float, complex, np.number)):
        return str(x)
    if isinstance(x, np.ndarray) and x.dtype.kind in "iufc":
        return f"{x.dtype}{list(x.shape)} from {np.nanmin(x):.6g} to {np.nanmax(x):.6g}" if x.size and x.dtype.kind != "c" else \
            f"{x.dtype}{list(x.shape)}"
    return ""


def check_finite(name: str, checker: Checker | None, values: Mapping[str, Any], result: Any) -> None:
    """Raise an error if the result of a derivative is not finite: the value came through, or ran on the tape."""
    leaves = tree.flatten(result)[0]
    if not any(map(flags_of, leaves)):
        return
    if checker is not None and checker.passed is not None:
        raise checker.error(*checker.passed, passed=True)
    found = next((argument for argument, value in values.items() if any(map(flags_of, tree.flatten(value)[0]))), None)
    source = f": the argument {found!r} is not" if found is not None else ""
    raise NonFiniteError(f"{name} returns a value that is not finite{source}")

"""How a Tensor is printed, and the options of it."""
from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np

from . import dtypes
from .state import STATE
from .tensor import Tensor

__all__ = ["OPTIONS", "Options", "formatted", "set_printoptions", "text"]


@dataclasses.dataclass
class Options:
    """What `set_printoptions` sets."""

    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None


OPTIONS = Options()
_PROFILES: dict[str, dict[str, Any]] = {
    "default": {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80},
    "short": {"precision": 2, "threshold": 1000, "edgeitems": 2, "linewidth": 80},
    "full": {"precision": 4, "threshold": math.inf, "edgeitems": 3, "linewidth": 80},
}
_INDENT = len("tensor(")


def set_printoptions(precision: int | None = None, threshold: float | None = None, edgeitems: int | None = None,
                     linewidth: int | None = None, profile: str | None = None, sci_mode: bool | None = None) -> None:
    """Set how tensors are printed.

    Parameters
    ----------
    precision : int
        Decimals of floats (4).
    threshold : int
        The number of elements from which on only the edges are shown (1000).
    edgeitems : int
        How many elements are shown at each edge (3).
    linewidth : int
        The length of lines (80).
    profile : {'default', 'short', 'full'}
        Sets the four above.
    sci_mode : bool
        Whether floats are shown with exponents; by default where they differ much in size.
    """
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    for name, value in {**_PROFILES.get(profile or "", {}), **{k: v for k, v in given.items() if v is not None}}.items():
        setattr(OPTIONS, name, value)
    OPTIONS.sci_mode = sci_mode


class Formatter:
    """Makes texts of one width of the numbers of an array."""

    def __init__(self, values: np.ndarray[Any, Any]):
        self.floating = dtypes.category(values.dtype) == dtypes.FLOATING
        self.whole, self.scientific, self.width = True, False, 1
        if not self.floating:
            self.width = max((len(str(v)) for v in values.ravel().tolist()), default=1)
            return
        finite = values[np.isfinite(values) & (values != 0)].astype(np.float64)
        if finite.size == 0:
            return
        size = np.abs(finite)
        low, high = float(size.min()), float(size.max())
        self.whole = bool(np.all(finite == np.ceil(finite)))
        wide = high / low > 1000.0 or high > 1.0e8
        self.scientific = OPTIONS.sci_mode if OPTIONS.sci_mode is not None else wide or not self.whole and low < 1.0e-4
        self.width = max(len(self._plain(v)) for v in finite.tolist())

    def _plain(self, value: float) -> str:
        if self.scientific:
            return f"{value:.{OPTIONS.precision}e}"
        if self.whole:
            return f"{value:.0f}." if math.isfinite(value) else f"{value:.0f}"
        return f"{value:.{OPTIONS.precision}f}"

    def __call__(self, value: Any) -> str:
        return (self._plain(value) if self.floating else str(value)).rjust(self.width)


class Pair:
    """`Formatter` of complex numbers."""

    def __init__(self, values: np.ndarray[Any, Any]):
        self.real, self.imag = Formatter(values.real), Formatter(values.imag)
        self.width = self.real.width + self.imag.width + 1

    def __call__(self, value: complex) -> str:
        imag = self.imag(value.imag).lstrip()
        return self.real(value.real) + ("" if imag.startswith("-") else "+") + imag + "j"


def _edges(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The elements that are shown where not all are."""
    keep = OPTIONS.edgeitems
    for axis, n in enumerate(values.shape):
        if n > 2 * keep:
            values = np.take(values, [*range(keep), *range(n - keep, n)], axis)
    return values


def _row(values: np.ndarray[Any, Any], indent: int, form: Any, shortened: bool) -> str:
    """A vector in brackets, in lines."""
    length = form.width + 2
    in_line = max(1, (OPTIONS.linewidth - indent) // length)
    keep = OPTIONS.edgeitems
    if shortened and len(values) > 2 * keep:
        words = [form(v) for v in values[:keep].tolist()] + [" ..."] + [form(v) for v in values[-keep:].tolist()]
    else:
        words = [form(v) for v in values.tolist()]
    lines = [", ".join(words[k:k + in_line]) for k in range(0, len(words), in_line)]
    return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"


def _block(values: np.ndarray[Any, Any], indent: int, form: Any, shortened: bool) -> str:
    """An array in nested brackets."""
    if values.ndim == 0:
        return str(form(values.item()))
    if values.ndim == 1:
        return _row(values, indent, form, shortened)
    keep, n = OPTIONS.edgeitems, len(values)
    if shortened and n > 2 * keep:
        parts = [_block(values[k], indent + 1, form, True) for k in range(keep)] + ["..."]
        parts += [_block(values[k], indent + 1, form, True) for k in range(n - keep, n)]
    else:
        parts = [_block(v, indent + 1, form, shortened) for v in values]
    return "[" + ("," + "\n" * (values.ndim - 1) + " " * (indent + 1)).join(parts) + "]"


def formatted(values: np.ndarray[Any, Any], indent: int = _INDENT) -> str:
    """The elements, as printed."""
    if values.size == 0:
        return "[]"
    if dtypes.category(values.dtype) == dtypes.FLOATING and values.dtype not in (np.float32, np.float64):
        values = values.astype(np.float32)
    shortened = values.size > OPTIONS.threshold
    shown = _edges(values) if shortened else values
    return _block(values, indent, Pair(shown) if shown.dtype.kind == "c" else Formatter(shown), shortened)


def notes(x: Tensor) -> list[str]:
    """The suffix after the elements."""
    found = []
    if x.numel() == 0 and x.ndim != 1:
        found.append(f"size={tuple(x.shape)}")
    usual = {dtypes.get_default_dtype(), dtypes.default_complex(), np.dtype(np.int64), np.dtype(np.bool_)}
    if x.dtype not in usual if x.numel() else x.dtype != dtypes.get_default_dtype():
        found.append(f"dtype={x.dtype}")
    try:
        node = x.grad_fn
    except RuntimeError:        # a view that was made without recording, whose base has been written to since
        found.append("grad_fn=<Invalid>")
        return found
    if node is not None:
        found.append(f"grad_fn=<{node.name().rpartition('::')[2]}>")
    elif x.requires_grad:
        found.append("requires_grad=True")
    if STATE.duals:
        from .forward_ad import tangent_of
        tangent = tangent_of(x, STATE.duals[-1])
        if tangent is not None:
            found.append(f"tangent={tangent}")
    return found


def text(self: Tensor) -> str:
    """The tensor as torch prints it.

    Examples
    --------
    >>> import numpy as np
    >>> from transgrad.autograd.tensor import wrap
    >>> print(text(wrap(np.array([1.0, 2.5], np.float32))))
    tensor([1.0000, 2.5000])
    """
    return noted("tensor(" + formatted(self._array), notes(self))


def noted(out: str, notes: list[str]) -> str:
    """Format a tensor; a long suffix is wrapped."""
    last = len(out) - out.rfind("\n") + 1
    for note in notes:
        if last + len(note) + 2 > OPTIONS.linewidth:
            out += ",\n" + " " * _INDENT + note
            last = _INDENT + len(note)
        else:
            out += ", " + note
            last += len(note) + 2
    return out + ")"


def format_spec(self: Tensor, spec: str) -> str:
    """``format(x, spec)``: that of the number for a tensor without dimensions."""
    return format(self.item(), spec) if self.ndim == 0 else object.__format__(self, spec)

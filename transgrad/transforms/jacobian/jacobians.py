"""Jacobians and Hessians: loops over the entries of the output, or of the argument, around the halves of a derivative."""
from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from ... import tree
from ...ir.opaque import OpaqueCall
from ...ir.ops import Call, Function, Value, functions_of, walk
from ...ir.types import Arr, is_differentiable
from ..transformations import Kind, Target

__all__ = ["Hessian", "Jacobian"]


#: up to this number of inputs, forward sweeps are fast for any output
_FEW = 8


@dataclass(frozen=True, slots=True)
class Jacobian(Kind):
    """The matrix of derivatives of every entry of the output, by sweeps in ``mode``: "reverse", "forward", or "either"."""

    off: ClassVar[tuple[str, ...]] = ("lengths",)       # rows are batched over the directions, elements are not
    mode: str = "reverse"
    has_aux: bool = False
    holomorphic: bool = False

    @property
    def prefix(self) -> str:
        return {"reverse": "jacrev_", "forward": "jacfwd_"}.get(self.mode, "jacobian_")

    def doc(self, name: str, wrt: Sequence[str]) -> str:
        return f"Jacobian of {name} with respect to {', '.join(wrt)}."

    def settled(self, fn: Function, target: Target, values: Mapping[str, Any]) -> Kind:
        if self.mode != "either":
            return self
        if (mode := _only_mode(fn)) is not None:
            return replace(self, mode=mode)
        leaves = [leaf for name in target.names for leaf in tree.flatten(values[name], objects=True)[0]]
        if any(map(np.iscomplexobj, leaves)):       # without holomorphic, the real and imaginary directions have separate Jacobians
            return replace(self, mode="reverse")
        inputs = sum(map(np.size, leaves))
        outputs = _numbers(fn, values)
        forward = inputs <= _FEW if outputs is None else inputs <= outputs
        return replace(self, mode="forward" if forward else "reverse")

    def transform(self, fn: Function, target: Target) -> Function:
        from .loops import columns, rows
        if self.mode == "forward":
            return columns(fn, target, self.has_aux)
        return rows(fn, target, self.has_aux, self.holomorphic)

    def outermost(self, fn: Function, target: Target, values: Mapping[str, Any]) -> Function:
        from .banded import by_diagonals
        from .few_inputs import by_entries
        found = by_diagonals(fn, target)
        if found is None and self.mode == "forward" and not self.has_aux:
            found = by_entries(fn, target, values)
        return found or self.transform(fn, target)


def _primitives(fn: Function) -> list[OpaqueCall]:
    """The primitives that a function calls."""
    return [op.fn for inner in functions_of(fn) for op in walk(inner.body) if type(op) is Call and isinstance(op.fn, OpaqueCall)]


def _only_mode(fn: Function) -> str | None:
    """The mode in which the primitives in a function have derivatives; None if there are both, or there is no primitive."""
    modes = {called.mode for called in _primitives(fn) if called.mode is not None}
    return modes.pop() if len(modes) == 1 else None


def _numbers(fn: Function, values: Mapping[str, Any]) -> int | None:
    """The number of outputs for arguments like ``values``, if it follows from the lengths of arrays."""
    known: dict[Any, int] = {}
    for p in fn.signature:
        if isinstance(p.value, Value) and isinstance(p.value.type, Arr) and isinstance(values.get(p.name), np.ndarray):
            known.update((d.sym, n - d.off) for d, n in zip(p.value.type.dims, values[p.name].shape) if d.sym is not None)
    total = 0
    for y in fn.body.yields:
        lengths = [d.known if d.known is not None else known[d.sym] + d.off if d.sym in known else None
                   for d in getattr(y.type, "dims", ())]
        if None in lengths or not is_differentiable(y.type):
            return None
        total += math.prod(lengths)  # type: ignore[arg-type]
    return total


@dataclass(frozen=True, slots=True)
class Hessian(Kind):
    """The second derivatives: the columns of the Jacobian of the rows of the Jacobian."""

    off: ClassVar[tuple[str, ...]] = Jacobian.off
    has_aux: bool = False
    holomorphic: bool = False

    @property
    def prefix(self) -> str:
        return "hessian_"

    def doc(self, name: str, wrt: Sequence[str]) -> str:
        return f"Second derivatives of {name} with respect to {', '.join(wrt)}."

    def transform(self, fn: Function, target: Target) -> Function:
        from .loops import columns, rows
        inner = self._rows(fn, target)
        if any(called.in_reverse_twice for called in _primitives(fn)):
            return rows(inner, target, self.has_aux, self.holomorphic)
        return columns(inner, target, self.has_aux)

    def _rows(self, fn: Function, target: Target) -> Function:
        """The gradient, or the Jacobian of several results."""
        from .loops import rows
        inner = rows(fn, target, self.has_aux, self.holomorphic)
        inner.name = f"gradient_{fn.name}" if inner.returns.kind == "leaf" else f"jacobian_{fn.name}"
        return inner

    def outermost(self, fn: Function, target: Target, values: Mapping[str, Any]) -> Function:
        from .banded import by_diagonals
        from .few_inputs import by_entries
        from .loops import columns
        if any(called.in_reverse_twice for called in _primitives(fn)):
            return self.transform(fn, target)
        inner = self._rows(fn, target)
        found = by_diagonals(inner, target)
        if found is None and not self.has_aux:
            found = by_entries(inner, target, values)
        return found or columns(inner, target, self.has_aux)

"""Jacobians and Hessians: loops over the entries of the output, or of the argument, around the halves of a derivative."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..ir.ops import Function
from .kinds import Kind, Target

__all__ = ["Hessian", "Jacobian"]


@dataclass(frozen=True, slots=True)
class Jacobian(Kind):
    """The matrix of derivatives of every entry of the output."""

    mode: str = "reverse"
    has_aux: bool = False
    holomorphic: bool = False

    @property
    def prefix(self) -> str:
        return "jacrev_" if self.mode == "reverse" else "jacfwd_"

    def doc(self, name: str, wrt: Sequence[str]) -> str:
        return f"Jacobian of {name} with respect to {', '.join(wrt)}."

    def transform(self, fn: Function, target: Target) -> Function:
        from .sweeps import columns, rows
        if self.mode == "reverse":
            return rows(fn, target, self.has_aux, self.holomorphic)
        return columns(fn, target, self.has_aux)

    def outermost(self, fn: Function, target: Target) -> Function:
        from .diagonals import by_diagonals
        return by_diagonals(fn, target) or self.transform(fn, target)


@dataclass(frozen=True, slots=True)
class Hessian(Kind):
    """The second derivatives: the columns of the Jacobian of the rows of the Jacobian."""

    has_aux: bool = False
    holomorphic: bool = False

    @property
    def prefix(self) -> str:
        return "hessian_"

    def doc(self, name: str, wrt: Sequence[str]) -> str:
        return f"Second derivatives of {name} with respect to {', '.join(wrt)}."

    def transform(self, fn: Function, target: Target) -> Function:
        from .sweeps import columns
        return columns(self._rows(fn, target), target, self.has_aux)

    def _rows(self, fn: Function, target: Target) -> Function:
        """The gradient, or the Jacobian of several results."""
        from .sweeps import rows
        inner = rows(fn, target, self.has_aux, self.holomorphic)
        inner.name = f"gradient_{fn.name}" if inner.returns.kind == "leaf" else f"jacobian_{fn.name}"
        return inner

    def outermost(self, fn: Function, target: Target) -> Function:
        from .diagonals import by_diagonals
        from .sweeps import columns
        inner = self._rows(fn, target)
        return by_diagonals(inner, target) or columns(inner, target, self.has_aux)

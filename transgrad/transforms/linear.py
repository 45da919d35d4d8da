"""The derivative at a point as a linear function: a pullback is linear in the cotangent, so its own pullback is the pushforward.

The residuals are saved in one run of the function, so that each further tangent costs only the linear part.
"""
from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import tree
from ..errors import TransgradError
from ..ir.ops import Function, Tree, functions_of, walk
from ..ir.types import Arr, Num, Type
from ..passes.canonicalize.write_through import passes_through
from ..passes.switches import switched_off
from ..runtime import own_items, zeros_of
from ..runtime.plain_tree import of_fields
from . import compiling
from .generated import Generated
from .reporting.traceback_notes import annotated
from .seeds import is_active
from .structure import flatten_by
from .transformations import Split
from .variants import Variant

if TYPE_CHECKING:
    from .derivative import Derivative

__all__ = ["Linear", "linear_of"]


class Linear:
    """The halves of the pullback of a pullback.

    Parameters
    ----------
    variant : Variant
        A function in two halves.
    pulled : Function
        The IR of its second half before lowering: lowered IR overwrites arrays and cannot be differentiated again.
    """

    def __init__(self, variant: Variant, pulled: Function):
        from ..passes import entry_points
        assert variant.backward is not None and variant.primal is not None
        if any(map(passes_through, (op for fn in functions_of(variant.primal) for op in walk(fn.body)))):
            raise TransgradError("the pullback of a function with insert_grad_of is not the transpose of its derivative")
        self.variant, self.pulled, self.returns = variant, pulled, variant.primal.returns
        # it reads residuals, which the first half has copied if they are shared
        forward, along = entry_points.split(pulled, [p.name for p in pulled.signature[1:]], private=True)
        self.keep = compiling.compile_ir(forward, f"kept_{pulled.name}", "What the derivative along tangents reads.", {})
        self.along = compiling.compile_ir(along, f"along_{pulled.name}", "The derivative along tangents.", {})

    def at(self, values: Mapping[str, Any]) -> tuple[Any, Callable[[tuple[Any, ...]], Any]]:
        """The value for arguments given by name, and its derivative along tangents (a tuple, one a slot)."""
        with annotated():
            out, residuals = self.variant.call_with(values)
        flat: dict[int, Any] = {}
        flatten_by(self.returns, out, flat)
        zeros = [_zero(flat[k]) for k in sorted(flat)]
        _, kept = self.keep.function(residuals, *zeros)

        numbers = [_is_number(p.value.type) for p in self.along.ir.signature[1:]]
        return out, Along(Generated.of(self.along), kept, self.pulled.returns, self.returns, out, sorted(flat), numbers)


class Along:
    """The derivative along tangents (a tuple, one a slot), from saved values.

    Parameters
    ----------
    code : Generated
        The generated function.
    kept : tuple
        The values that it reads.
    taken, returns : Tree
        The structures of the tangents and of the value.
    out : Any
        The value.
    places : list of int
        The leaves of the value that have a tangent.
    numbers : list of bool
        Whether each tangent is a number, which ``+=`` does not write into.
    """

    def __init__(self, code: Generated, kept: Any, taken: Tree, returns: Tree, out: Any, places: list[int], numbers: list[bool]):
        self.code, self.kept, self.taken, self.returns = code, kept, taken, returns
        self.out, self.places, self.numbers = out, places, numbers

    def __call__(self, tangents: tuple[Any, ...]) -> Any:
        given: dict[int, Any] = {}
        flatten_by(self.taken, tangents, given)
        with annotated():
            found = self.code.function(self.kept, *(_as_declared(given[k], number) for k, number in zip(sorted(given), self.numbers)))
        return _filled(self.returns, self.out, dict(zip(self.places, own_items(found, tangents))))


def _is_number(t: Type) -> bool:
    return isinstance(t, Num) or isinstance(t, Arr) and t.scalar


def _as_declared(x: Any, is_number: bool) -> Any:
    """Convert a tangent to the type of the gradient's entry: a zero-dimensional array becomes a number, because ``+=`` would write
    into the array."""
    return x[()] if is_number and isinstance(x, np.ndarray) and not x.ndim else x


def _zero(x: Any) -> Any:
    """Zeros like a number, an array, or a list or dict of them, whose length is known at run time only."""
    if isinstance(x, (np.ndarray, list, dict, tuple)):
        return zeros_of(x)
    return x * 0 if is_active(x) else x


def _filled(returned: Tree, out: Any, dots: Mapping[int, Any]) -> Any:
    """The tangents in the structure of the value; leaves that are not numbers are unchanged."""
    if returned.kind == "leaf":
        if tree.is_node(out):
            leaves, form = tree.flatten(out)        # a tuple of unknown length is a list to the compiler
            tangents = tree.flatten(dots[returned.index])[0]
            return tree.unflatten(form, [dot if is_active(leaf) else leaf for leaf, dot in zip(leaves, tangents, strict=True)])
        found = dots[returned.index] if is_active(out) else out
        return returned.cls(found) if returned.cls is not None else found
    if returned.kind == "lit":
        return out
    if returned.kind == "dict":
        return {key: _filled(item, out[key], dots) for key, item in zip(returned.keys, returned.items)}
    if returned.kind == "object":
        return of_fields(type(out), {key: _filled(item, getattr(out, key), dots) for key, item in zip(returned.keys, returned.items)})
    items = [_filled(item, out[k], dots) for k, item in enumerate(returned.items)]
    return type(out)(*items) if hasattr(out, "_fields") else type(out)(items)


def linear_of(variant: Any, derivative: Derivative) -> Linear:
    """The linear form of a variant of a derivative in two halves (kept on it)."""
    if variant.linear is None:
        assert isinstance(derivative.kind, Split)
        with switched_off(*derivative.options.off):
            _, pulled = derivative.kind.halves(variant.primal, derivative.target)
        variant.linear = Linear(variant, pulled)
    found: Linear = variant.linear
    return found

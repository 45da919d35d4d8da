"""What each transformation does: to the IR of its function, to the signature, to the name and the docstring.

A kind knows nothing of a particular function, so that the same object serves a Python function, another derivative and a
function that is only known while a caller of it is being compiled.
"""
from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from ..ir.ops import Function, Tree
from ..passes.pipelines import simplify, simplify_hessian_product
from .arguments import Slot
from .structure import conjugate, select, select_slots

__all__ = ["Forward", "Kind", "Primal", "Product", "Pulled", "Reverse", "Split", "Target", "cotangents_of"]


@dataclass(frozen=True, slots=True)
class Target:
    """The differentiated slots, and whether the caller named a single one (and gets a single gradient)."""

    slots: tuple[Slot, ...]
    single: bool

    @property
    def names(self) -> tuple[str, ...]:
        """The parameters that are differentiated, wholly or in part."""
        return tuple(dict.fromkeys(slot.name for slot in self.slots))


@dataclass(frozen=True, slots=True)
class Kind:
    """A transformation.  Subclasses define how it rewrites IR."""

    #: The optimizations that do not serve it.
    off: ClassVar[tuple[str, ...]] = ()

    @property
    def prefix(self) -> str:
        """The prefix of the derivative's name."""
        raise NotImplementedError

    def doc(self, name: str, wrt: Sequence[str]) -> str:
        """The first line of the docstring."""
        raise NotImplementedError

    def transform(self, fn: Function, target: Target) -> Function:
        """The IR of the derivative of ``fn``."""
        raise NotImplementedError

    def settled(self, fn: Function, target: Target, values: Mapping[str, Any]) -> Kind:
        """The transformation that serves best for arguments like ``values``."""
        return self

    def outermost(self, fn: Function, target: Target, values: Mapping[str, Any]) -> Function:
        """The IR of the derivative where nothing is done to it but emitting it: it is neither differentiated again nor batched; it may
        rely on what its guards say of arguments, which holds for ``values``."""
        return self.transform(fn, target)

    def signature(self, signature: inspect.Signature, target: Target) -> inspect.Signature:
        """The signature of the derivative of a function with this signature."""
        return signature

    def primal_names(self, names: Sequence[str], target: Target) -> Sequence[str]:
        """Those parameters of the derivative that are parameters of the function."""
        return names


@dataclass(frozen=True, slots=True)
class Primal(Kind):
    """The function itself, compiled."""

    @property
    def prefix(self) -> str:
        return "compiled_"

    def doc(self, name: str, wrt: Sequence[str]) -> str:
        return f"{name}, compiled."

    def transform(self, fn: Function, target: Target) -> Function:
        from ..passes import entry_points
        return entry_points.primal(fn)


@dataclass(frozen=True, slots=True)
class Reverse(Kind):
    """The gradient of a scalar function, optionally preceded by the value."""

    with_value: bool = False
    has_aux: bool = False
    holomorphic: bool = False

    @property
    def scalar(self) -> bool:
        """Whether the function has to return one number."""
        return True

    @property
    def prefix(self) -> str:
        return "value_and_grad_" if self.with_value else "grad_"

    def doc(self, name: str, wrt: Sequence[str]) -> str:
        what = "Value and gradient" if self.with_value else "Gradient"
        return f"{what} of {name} with respect to {', '.join(wrt)}."

    def transform(self, fn: Function, target: Target) -> Function:
        from ..passes import entry_points
        out = entry_points.reverse(fn, target.names, with_value=self.with_value, aux=self.has_aux)
        parts = out.returns.items if self.with_value or self.has_aux else [out.returns]
        gradients = parts[1 if self.with_value else 0]
        if self.holomorphic:
            conjugate(out, gradients)
        trees = [gradients] if len(target.names) == 1 else gradients.items
        tree = select_slots(trees, target.names, target.slots, target.single)
        if self.with_value:
            value = Tree("tuple", [parts[0], parts[2]]) if self.has_aux else parts[0]
            return select(out, Tree("tuple", [value, tree]))
        return select(out, Tree("tuple", [tree, parts[1]]) if self.has_aux else tree)


@dataclass(frozen=True, slots=True)
class Forward(Kind):
    """The function and its derivative along tangents, which are further arguments."""

    has_aux: bool = False

    @property
    def prefix(self) -> str:
        return "jvp_"

    def doc(self, name: str, wrt: Sequence[str]) -> str:
        return f"{name}, and its derivative along ({', '.join(f'{w}_dot' for w in wrt)})."

    def transform(self, fn: Function, target: Target) -> Function:
        from ..passes import entry_points
        out = entry_points.forward(fn, target.names)
        if self.has_aux:
            value, dot = out.returns.items
            select(out, Tree("tuple", [value.items[0], dot.items[0], value.items[1]]))
            simplify(out)
        return out

    def signature(self, signature: inspect.Signature, target: Target) -> inspect.Signature:
        return _with_tangents(signature, target)

    def primal_names(self, names: Sequence[str], target: Target) -> Sequence[str]:
        tangents = {f"{name}_dot" for name in target.names}
        return [name for name in names if name not in tangents]


@dataclass(frozen=True, slots=True)
class Product(Forward):
    """The derivative of the gradient along tangents: the Hessian times a vector."""

    @property
    def prefix(self) -> str:
        return "hvp_"

    @property
    def scalar(self) -> bool:
        return True

    def doc(self, name: str, wrt: Sequence[str]) -> str:
        return f"Hessian of {name} with respect to {', '.join(wrt)}, times ({', '.join(f'{w}_dot' for w in wrt)})."

    def transform(self, fn: Function, target: Target) -> Function:
        from ..passes import entry_points
        gradient = Reverse().transform(fn, target)
        out = entry_points.forward(gradient, target.names)
        select(out, out.returns.items[1])
        simplify_hessian_product(out)
        return out


@dataclass(frozen=True, slots=True)
class Split(Kind):
    """The two halves of a reverse derivative; ``transform`` gives the forward half."""

    has_aux: bool = False

    @property
    def prefix(self) -> str:
        return "vjp_"

    def doc(self, name: str, wrt: Sequence[str]) -> str:
        return f"{name}, and what its pullback to {', '.join(wrt)} reads."

    def halves(self, fn: Function, target: Target) -> tuple[Function, Function]:
        """The forward half, and the backward half, which returns one cotangent a slot."""
        from ..passes import entry_points
        forward, backward = entry_points.split(fn, target.names)
        tree = select_slots(backward.returns.items, target.names, target.slots, single=False)
        return forward, select(backward, tree)

    def transform(self, fn: Function, target: Target) -> Function:
        return self.halves(fn, target)[0]


@dataclass(frozen=True, slots=True)
class Pulled(Split):
    """The cotangents of the arguments, from those of the results, which are a further argument: a tuple, one a leaf."""

    @property
    def prefix(self) -> str:
        return "pullback_"

    def doc(self, name: str, wrt: Sequence[str]) -> str:
        return f"Pulls cotangents of {name} back to {', '.join(wrt)}."

    def transform(self, fn: Function, target: Target) -> Function:
        from .nested.pullback import pulled
        return pulled(fn, target)

    def signature(self, signature: inspect.Signature, target: Target) -> inspect.Signature:
        parameters = list(signature.parameters.values())
        rest = next((k for k, p in enumerate(parameters) if p.kind is p.VAR_KEYWORD), len(parameters))
        added = inspect.Parameter(cotangents_of(signature.parameters), inspect.Parameter.KEYWORD_ONLY)
        return signature.replace(parameters=[*parameters[:rest], added, *parameters[rest:]])

    def primal_names(self, names: Sequence[str], target: Target) -> Sequence[str]:
        last = [name for name in names if name.startswith("cotangents")][-1]
        return [name for name in names if name != last]


def cotangents_of(names: Iterable[str]) -> str:
    """The name of the parameter for cotangents, beside those of the function (which may be a pullback itself)."""
    found = sum(name.startswith("cotangents") for name in names)
    return "cotangents" if not found else f"cotangents_{found + 1}"


def _with_tangents(signature: inspect.Signature, target: Target) -> inspect.Signature:
    """The signature with a tangent ``x_dot`` for each differentiated ``x``, in the order of the generated code."""
    parameters = list(signature.parameters.values())
    rest = next((k for k, p in enumerate(parameters) if p.kind not in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)), len(parameters))
    if rest < len(parameters) and parameters[rest].kind is inspect.Parameter.VAR_POSITIONAL:
        tangents = [inspect.Parameter(f"{name}_dot", inspect.Parameter.KEYWORD_ONLY) for name in target.names]
        rest = len(parameters) - (parameters[-1].kind is inspect.Parameter.VAR_KEYWORD)
    else:
        parameters[:rest] = [p.replace(default=p.empty) for p in parameters[:rest]]
        kind = parameters[0].kind if parameters and parameters[rest - 1].kind is inspect.Parameter.POSITIONAL_ONLY else \
            inspect.Parameter.POSITIONAL_OR_KEYWORD
        tangents = [inspect.Parameter(f"{name}_dot", kind) for name in target.names]
    return inspect.Signature([*parameters[:rest], *tangents, *parameters[rest:]])

"""``out=``: gradients written into arrays of the caller, so that no new memory is asked for at each call."""
from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import tree
from ..errors import NoSourceError, UnsupportedCall, UnsupportedSyntax
from ..ir.build import Builder
from ..ir.ops import Block, Call, Function, Lit, Param, Tree, Value
from ..ir.prims import unpack
from ..ir.types import TupleT
from ..passes.memory.destination_passing import write_into
from .arguments import Slot, bind, pick
from .structure import tree_leaves
from .transformations import Reverse, Target

if TYPE_CHECKING:
    from .derivative import Derivative

__all__ = ["IntoBuffers", "call_into", "takes_out"]


@dataclass(frozen=True, slots=True)
class IntoBuffers(Reverse):
    """The gradient, written into arrays that are a further argument ``out``."""

    def doc(self, name: str, wrt: Sequence[str]) -> str:
        return f"{Reverse.doc(self, name, wrt)[:-1]}, written into ``out``."

    def transform(self, fn: Function, target: Target) -> Function:
        made = Reverse.transform(self, fn, target)
        gradients = made.returns
        if self.with_value:
            gradients = gradients.items[1]
        elif self.has_aux:
            gradients = gradients.items[0]
        leaves = [gradients] if target.single else gradients.items
        types = [next(p.value.type for p in made.signature if p.name == slot.name) for slot in target.slots]
        entry = Block()
        buffers = [Value(t, "out" if target.single else f"out_{slot.name}") for t, slot in zip(types, target.slots)]
        given = buffers[0]
        if not target.single:
            given = Value(TupleT(tuple(types)), "out")
            with Builder(entry, part="adjoint") as b:
                b.emit(Call(unpack, [given, Lit(len(buffers))], results=buffers))
        made.body.params.append(given)
        made.signature = _with_out(made.signature, given)
        made.body.ops[:0] = entry.ops
        _own_results(made, leaves)
        write_into(made, {leaf.index: buffer for leaf, buffer in zip(leaves, buffers)})
        return made

    def signature(self, signature: inspect.Signature, target: Target) -> inspect.Signature:
        parameters = list(signature.parameters.values())
        return signature.replace(parameters=[*parameters, inspect.Parameter("out", inspect.Parameter.KEYWORD_ONLY)])

    def primal_names(self, names: Sequence[str], target: Target) -> Sequence[str]:
        return [name for name in names if name != "out"]


def _with_out(signature: list[Param], given: Value) -> list[Param]:
    return [*signature, Param("out", given, "keyword")]


def _own_results(fn: Function, leaves: Sequence[Tree]) -> None:
    """Make each gradient a separate result: the value of a function may be one of them, too."""
    seen: set[int] = set()
    for leaf in leaves:
        others = [other for other in tree_leaves(fn.returns) if other is not leaf and other.index == leaf.index]
        if others or leaf.index in seen:
            fn.body.yields = [*fn.body.yields, fn.body.yields[leaf.index]]
            leaf.index = len(fn.body.yields) - 1
        seen.add(leaf.index)


def takes_out(derivative: Derivative) -> bool:
    """Return whether ``out`` among the keyword arguments is the caller's buffer, and not an argument of the function."""
    parameters = derivative.primal_signature.parameters
    return type(derivative.kind) is Reverse and "out" not in parameters and not any(
        p.kind is p.VAR_KEYWORD for p in parameters.values())


def call_into(derivative: Derivative, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """Call a gradient that writes its results into buffers."""
    out, rest = kwargs["out"], {name: value for name, value in kwargs.items() if name != "out"}
    values = bind(derivative.primal, derivative.primal_signature, args, rest)
    slots, single = derivative.target.slots, derivative.target.single
    if not single and (not isinstance(out, tuple) or len(out) != len(slots)):
        raise TypeError(f"out of {derivative.__name__} is a tuple of {len(slots)} arrays, one for each of "
                        f"{', '.join(map(str, slots))}, not {tree.describe(out)}")
    buffers = (out,) if single else out
    _check(derivative, slots, values, buffers)
    try:
        return derivative.into_buffers(*args, **kwargs)
    except (NoSourceError, UnsupportedCall, UnsupportedSyntax):
        if derivative.options.fallback == "error":
            raise
    result = derivative(*args, **rest)
    tail = bool(derivative.kind.with_value)  # type: ignore[attr-defined]
    found = result[1] if tail else result[0] if derivative.kind.has_aux else result  # type: ignore[attr-defined]
    for buffer, gradient in zip(buffers, (found,) if single else found):
        buffer[...] = gradient
    return (result[0], out) if tail else (out, result[1]) if derivative.kind.has_aux else out  # type: ignore[attr-defined]


def _check(derivative: Derivative, slots: Sequence[Slot], values: Mapping[str, Any], buffers: Sequence[Any]) -> None:
    """Refuse a buffer that is not one for its argument, or shares memory with something else."""
    arrays = [(path, leaf) for path, leaf in tree.leaves_with_paths(dict(values), "") if isinstance(leaf, np.ndarray)]
    for k, (slot, buffer) in enumerate(zip(slots, buffers)):
        label = "out" if len(buffers) == 1 else f"out[{k}]"
        where = f"{label} of {derivative.__name__}"
        like = pick(values, slot)
        if not isinstance(like, np.ndarray) or not like.ndim:
            raise TypeError(f"{where} is for an array, but {slot} is {tree.describe(like)}: leave out= out")
        if not isinstance(buffer, np.ndarray):
            raise TypeError(f"{where} is an array like {slot}, not {tree.describe(buffer)}")
        if buffer.shape != like.shape or buffer.dtype != like.dtype:
            raise ValueError(f"{where} has shape {buffer.shape} and dtype {buffer.dtype}, but {slot} has shape {like.shape} and dtype "
                             f"{like.dtype}: np.empty_like({slot})")
        if not buffer.flags.writeable:
            raise ValueError(f"{where} is read-only")
        for path, other in [*arrays, *((f"out[{n}]", b) for n, b in enumerate(buffers[:k]))]:
            if np.may_share_memory(buffer, other):
                raise ValueError(f"{where} shares memory with {path.strip('[]').replace(chr(39), '') if path[:1] == '[' else path}: "
                                 f"a buffer is for the gradient alone, np.empty_like({slot})")

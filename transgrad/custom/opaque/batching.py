"""Calls of primitives for all examples of a batch at once, by ``batch=``.

The differentiated arguments get an axis of examples, which comes first. The others have one where they differ between the examples.
"""
from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ... import tree
from ...ir.opaque import OpaqueCall
from ...ir.types import Arr, Dim, Num, Type
from .calls import Arguments, CotangentCall, TangentCall, ValueCall, indices
from .primitive import Primitive
from .rules import CotangentRule, PrimitiveRule, TangentRule
from .specs import Form

__all__ = ["batched"]

_DTYPES = {"bool": "bool", "int": "int64", "float": "float64", "complex": "complex128"}


def batched(call: Any, differs: Sequence[bool]) -> tuple[OpaqueCall, list[bool]] | None:
    """Return the call for a batch, and which operands have an axis of examples.

    Parameters
    ----------
    call : ValueCall, CotangentCall or TangentCall
        The call for one example.
    differs : sequence of bool
        Which operands differ between the examples.

    Returns
    -------
    tuple or None
        None if the function is called for one example after the other.
    """
    of: Primitive = call.of
    if of.batch is None or of.bwd is not None or not all(isinstance(t, (Num, Arr)) for t in call.types):
        return None
    if of.batch != "vectorized" and not isinstance(call, ValueCall):
        return None
    args: Arguments = call.args
    before = len(call.types) - len(args.types)
    lifted = [False] * len(args.types)
    for name, t in (*enumerate(args.inputs), *args.keywords.items()):
        if name in args.differentiated or any(differs[before + k] for k in indices(t)):
            for k in indices(t):
                lifted[k] = True
    key = "batch", tuple(lifted)
    found = call.derived.get(key)
    if found is None:
        found = call.derived[key] = _made(call, lifted)
    return found, [True] * before + lifted


def _made(call: Any, lifted: Sequence[bool]) -> OpaqueCall:
    if isinstance(call, ValueCall):
        return _value_call(call, lifted)
    rule: Any = call.rule
    whole = _value_call(rule.call, lifted)
    if isinstance(call, CotangentCall):
        made: Any = CotangentCall(call.__name__, whole.of, whole.args, whole.form, call.residuals, call.wanted)
        made.rule = CotangentRule(whole, made)
    else:
        made = TangentCall(call.__name__, whole.of, whole.args, whole.form)
        made.rule = TangentRule(whole)
    return made  # type: ignore[no-any-return]


def _value_call(call: ValueCall, lifted: Sequence[bool]) -> ValueCall:
    key = "batch", tuple(lifted)
    found = call.derived.get(key)
    if isinstance(found, ValueCall):
        return found
    args = Arguments(call.args.inputs, call.args.keywords, call.args.statics,
                     [_with_axis(t) if is_lifted else t for t, is_lifted in zip(call.args.types, lifted)], call.args.differentiated)
    first = next((k for k, is_lifted in enumerate(lifted) if is_lifted), None)
    axis = Dim(None, None if first is None else ("<leaf>", first, 0))

    def result(t: Type) -> Type:
        made = _with_axis(t)
        dims = [_moved(d, lifted) for d in t.dims] if isinstance(t, Arr) else []
        return dataclasses.replace(made, dims=(axis, *dims))
    form = Form(call.form.tree, tuple(map(result, call.form.types)))
    made = ValueCall(call.__name__, _for_batches(call.of, args, lifted), args, form, call.residuals)
    made.rule = PrimitiveRule(made)
    call.derived[key] = made
    return made


def _with_axis(t: Type) -> Arr:
    """The type of all examples of a number or an array."""
    if isinstance(t, Num):
        return Arr(_DTYPES[t.kind], (Dim(None),))
    assert isinstance(t, Arr)
    return Arr(t.dtype, (Dim(None), *t.dims))


def _moved(dim: Dim, lifted: Sequence[bool]) -> Dim:
    """A dimension of a result, where arguments have an axis of examples."""
    if isinstance(dim.sym, tuple) and dim.sym[0] == "<leaf>" and lifted[dim.sym[1]]:
        return dataclasses.replace(dim, sym=("<leaf>", dim.sym[1], dim.sym[2] + 1))
    return dim


def _for_batches(of: Primitive, args: Arguments, lifted: Sequence[bool]) -> Primitive:
    """The primitive whose function takes all examples: the same one, or the function ``batch=`` with derivatives example by example."""
    if of.batch == "vectorized":
        return of
    differ = frozenset(name for name, t in (*enumerate(args.inputs), *args.keywords.items()) if any(lifted[k] for k in indices(t)))
    made = of.of_batches.get(differ)
    if made is None:
        made = of.of_batches[differ] = Primitive(of.batch, vjp=_each(of.vjp, differ), jvp=_each(of.jvp, differ),
                                                 nondiff_argnums=of.nondiff_argnums)
        made.__name__, made.signature, made.single = of.__name__, of.signature, of
    return made


def _each(derivative: Callable[..., Any] | None, differ: frozenset[Any]) -> Callable[..., Any] | None:
    """A derivative of a batch, which is called for one example after the other; ``differ`` are arguments with an axis of examples."""
    if derivative is None:
        return None
    function: Callable[..., Any] = derivative.fun if isinstance(derivative, Primitive) else derivative

    def of_batch(g: Any, y: Any, *args: Any, **kwargs: Any) -> Any:
        size = next(len(leaf) for leaf in tree.flatten((g, y))[0] if isinstance(leaf, np.ndarray))
        if size == 0:
            raise ValueError(f"the derivative of a batch without examples is not known: {of_batch.__name__} is called for each of them. "
                             "Hint: use batch='vectorized', or leave empty batches out")
        found = [function(_row(g, k), _row(y, k), *(_row(x, k) if n in differ else x for n, x in enumerate(args)),
                          **{name: _row(x, k) if name in differ else x for name, x in kwargs.items()}) for k in range(size)]
        leaves = [tree.flatten(row) for row in found]
        columns = zip(*(row for row, _ in leaves))
        return tree.unflatten(leaves[0][1], [None if column[0] is None else np.stack(column) for column in columns])
    of_batch.__name__ = getattr(function, "__name__", "derivative")
    return of_batch


def _row(x: Any, k: int) -> Any:
    """One example among all."""
    return tree.map_leaves(lambda leaf: leaf[k] if isinstance(leaf, np.ndarray) else leaf, x)

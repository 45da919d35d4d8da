"""Infer the structure, shapes and dtypes of results from those of arguments.

The compiler knows them: its types relate the dimensions of results to those of arguments. Where a dimension depends on values, the
function runs once on example arguments.
"""
from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import tree
from ..errors import TransgradError
from ..ir.ops import Function, Lit, Tree
from ..ir.types import Arr, Dim, Num
from ..runtime.plain_tree import of_fields
from ..transforms import compiling
from ..transforms.arguments import bind, name_of, signature_of
from .operations import Batched, Operation, Pullback, Pushforward, Restricted
from .outputs import Outputs, Result, outputs_of

__all__ = ["NotInferred", "infer", "ranks"]

#: The dtypes of Python's numbers in NumPy.
_NUMBERS = {kind: np.asarray(cls()).dtype.name for kind, cls in (("bool", bool), ("int", int), ("float", float), ("complex", complex))}


class NotInferred(Exception):
    """The compiler does not know the type of a result."""


def infer(op: Operation, leaves: Sequence[Any]) -> tuple[list[Any], Outputs]:
    """Return the leaves of a result that are not numbers or arrays, and the description of all leaves.

    Parameters
    ----------
    op : Operation
        The operation.
    leaves : sequence
        Arguments. Of arrays only the shape and the dtype matter, unless the shape of the result depends on their elements.

    Examples
    --------
    >>> from transgrad.interop.operations import operation
    >>> from transgrad.transforms.options import Options
    >>> op = operation(lambda x, y: {"outer": np.outer(x, y), "kind": "full"}, (1.0, 1.0), {}, [0, 1], Options())
    >>> others, outputs = infer(op, [np.zeros(2), np.zeros(3)])
    >>> others, [leaf.shape for leaf in outputs.leaves]
    (['full', None], [None, (2, 3)])
    """
    if isinstance(op, Restricted):
        return infer(op.of, leaves)
    if isinstance(op, Pullback):
        return outputs_of(tuple(leaves[k] for k in op.of.argnums))
    if isinstance(op, Pushforward):
        _, found = infer(op.of, leaves[:len(op.of.parameters)])
        return [None] * len(op.outputs.active), Outputs(op.form, tuple(found.leaves[k] for k in op.outputs.active))
    if isinstance(op, Batched):
        size = next(np.shape(leaf)[axis] for leaf, axis in zip(leaves, op.axes) if axis is not None)
        others, one = infer(op.of, [leaf if axis is None else _one(leaf, axis) for leaf, axis in zip(leaves, op.axes)])
        return others, Outputs(one.form, tuple(
            r if r.dtype is None else Result(r.dtype, "array", (size, *(r.shape or ()))) for r in one.leaves))
    try:
        return _by_compiler(op, leaves)
    except (NotInferred, TransgradError):
        return _by_example(op, leaves)


def _one(leaf: Any, axis: int) -> Any:
    """An example of a batch, or one like it if there are none."""
    return np.zeros(np.delete(leaf.shape, axis), leaf.dtype)[()] if 0 in leaf.shape else np.take(leaf, 0, axis)


def _lowered(op: Operation, leaves: Sequence[Any]) -> tuple[Function, dict[str, Any]]:
    values = bind(op.fn, signature_of(op.fn), leaves, {})
    with compiling.without_collection():
        return compiling.lower(op.fn, values, ()), values


def _by_compiler(op: Operation, leaves: Sequence[Any]) -> tuple[list[Any], Outputs]:
    fn, values = _lowered(op, leaves)
    if fn.attrs.raises:
        raise NotInferred
    placed = _leaves(fn.returns)
    found, form = tree.flatten(placed)
    results = [_type_of(leaf, fn) for leaf in found]
    sizes = [None if t is None else tuple(_length(d, values) for d in t.dims) if isinstance(t, Arr) else () for t, _ in results]
    described = tuple(Result(None, "other") if t is None else _result(t, size) for (t, _), size in zip(results, sizes))
    return [other for _, other in results], Outputs(form, described)


class _Leaf:
    """A leaf of a returned structure: a result of the function, or a constant."""

    def __init__(self, index: int, value: Any):
        self.index, self.value = index, value


def _leaves(returned: Tree) -> Any:
    if returned.kind == "leaf":
        return _Leaf(returned.index, None)
    if returned.kind == "lit":
        return _Leaf(-1, returned.value)
    items = [_leaves(item) for item in returned.items]
    if returned.kind == "dict":
        return dict(zip(returned.keys, items))
    if returned.kind == "object" and returned.cls is not None:
        return of_fields(returned.cls, dict(zip(map(str, returned.keys), items)))
    if returned.kind == "list":
        return items
    if returned.kind == "tuple":
        return tuple(items) if returned.cls is None else returned.cls(*items)
    raise NotInferred


def _type_of(leaf: _Leaf, fn: Function) -> tuple[Any, Any]:
    """The type of a leaf if it is a number or an array, and its value otherwise."""
    result = fn.body.yields[leaf.index] if leaf.index >= 0 else Lit(leaf.value)
    if isinstance(result, Lit):
        value = result.value
        if isinstance(value, (bool, int, float, complex)):
            return Num(type(value).__name__), None
        if value is None or isinstance(value, str):
            return None, value
        raise NotInferred
    if isinstance(result.type, (Arr, Num)) and not result.type.mixed:
        return result.type, None
    raise NotInferred


def _length(dim: Dim, values: dict[str, Any]) -> int:
    """The length of a dimension of a result."""
    if dim.known is not None:
        return dim.known
    if isinstance(dim.sym, tuple) and len(dim.sym) == 2 and isinstance(dim.sym[0], str):
        name, axis = dim.sym
        value = values.get(name)
        if isinstance(value, np.ndarray) and isinstance(axis, int) and -value.ndim <= axis < value.ndim:
            return int(value.shape[axis]) + dim.off
    raise NotInferred


def _result(t: Any, shape: tuple[int | None, ...] | None) -> Result:
    if isinstance(t, Num):
        return Result(_NUMBERS[t.kind], "number", ())
    return Result(np.dtype(t.dtype).name, "scalar" if t.scalar else "array", shape)


def _by_example(op: Operation, leaves: Sequence[Any]) -> tuple[list[Any], Outputs]:
    """Run the function on example arguments."""
    try:
        with np.errstate(all="ignore"):
            found, outputs = outputs_of(op.value([_example(leaf) for leaf in leaves]))
    except Exception as error:
        raise TypeError(f"the shape of the result of {name_of(op.fn)} is not known from the types of its arguments, and the function "
                        f"raises {type(error).__name__} for example arguments: {error}. Hint: pass result=") from error
    return [x if r.dtype is None else None for x, r in zip(found, outputs.leaves)], outputs


def _example(leaf: Any) -> Any:
    """An argument of the same type: distinct numbers between 0 and 1, where elements are not known."""
    if not isinstance(leaf, np.ndarray) or leaf.dtype.kind not in "fc" or np.any(leaf):
        return leaf
    return ((np.arange(leaf.size) + 1.0) / (leaf.size + 1.0)).reshape(leaf.shape).astype(leaf.dtype)


def ranks(op: Operation, leaves: Sequence[Any]) -> Outputs | None:
    """Return the description of a result without shapes, if the compiler knows dtypes and numbers of dimensions.

    Lengths that are not known without those of the arguments are None.
    """
    if type(op) is not Operation:
        return None
    with contextlib.suppress(NotInferred, TransgradError):
        fn, _ = _lowered(op, leaves)
        if fn.attrs.raises:
            return None
        found, form = tree.flatten(_leaves(fn.returns))
        types = [_type_of(leaf, fn)[0] for leaf in found]
        return Outputs(form, tuple(
            Result(None, "other") if t is None
            else _result(t, tuple(d.known for d in t.dims) if isinstance(t, Arr) else ()) for t in types))
    return None

"""Analysis: dimensions of arrays that have the same length, because NumPy would have raised an exception otherwise.

An operation implies equal lengths once it has run, so a fact holds in the block of the operation.
"""
from __future__ import annotations

import operator
from collections.abc import Hashable
from typing import Any

import numpy as np

from ...ir.ops import Block, Build, Call, For, Function, GetAttr, If, Lit, Op, Operand, Try, Value, While, blocks_of, walk
from ...ir.types import Arr, Num
from ...runtime import unbroadcast
from ..analysis.def_use import definitions
from ..scalarize.functions.elementwise import is_elementwise

__all__ = ["Lengths", "shape_index"]

_ALIKE = frozenset((np.ndarray.copy, np.copy, np.zeros_like, np.ones_like, np.empty_like, np.ascontiguousarray))
_NEW: frozenset[Any] = frozenset((np.empty, np.zeros, np.ones, np.full))
_INPLACE = frozenset((operator.iadd, operator.isub, operator.imul, operator.itruediv))
Node = Hashable


class _Scope:
    """Classes of dimensions as they are known in a block."""

    def __init__(self, around: _Scope | None):
        self.around = around
        self.links: dict[Node, Node] = {}

    def find(self, node: Node) -> Node:
        """The representative of a dimension's class."""
        if self.around is not None:
            node = self.around.find(node)
        while node in self.links:
            node = self.links[node]
        return node

    def unite(self, a: Node, b: Node) -> None:
        """Record that two dimensions are of one length."""
        a, b = self.find(a), self.find(b)
        if a != b:
            self.links[a] = b


class Lengths:
    """Facts about the lengths of arrays in a function."""

    def __init__(self, fn: Function):
        self.defs = definitions(fn)
        self.scopes: dict[int, _Scope] = {}
        #: in a function that catches errors, an operation that was to say something of lengths may have failed
        self.caught = any(isinstance(op, Try) for op in walk(fn.body))
        self._block(fn.body, None)

    def same(self, a: Value, i: int, b: Value, j: int, block: Block) -> bool:
        """Whether dimension ``i`` of ``a`` and ``j`` of ``b`` have one length wherever ``block`` has run."""
        scope = self.scopes.get(id(block))
        return scope is not None and scope.find(_node(a, i)) == scope.find(_node(b, j))

    def _block(self, block: Block, around: _Scope | None) -> None:
        scope = self.scopes[id(block)] = _Scope(around)
        if self.caught:
            return
        for op in block.ops:
            if isinstance(op, (Call, Build, GetAttr)):
                self._op(op, scope)
        for op in block.ops:
            for inner in blocks_of(op):
                self._block(inner, scope)
            if isinstance(op, (For, While)):
                self._loop(op, scope)
            elif isinstance(op, If):
                self._branch(op, scope)

    def _op(self, op: Op, scope: _Scope) -> None:
        if not isinstance(op, Call) or not op.results:
            return
        result = op.result
        if not isinstance(result.type, Arr) or not result.type.dims:
            return
        if op.fn in _ALIKE or op.fn in _INPLACE:
            _unite_all(scope, result, op.args[0])
        if is_elementwise(op) or op.fn in _INPLACE:
            n = len(result.type.dims)
            for a in op.args:
                dims = a.type.dims if isinstance(a, Value) and isinstance(a.type, Arr) else ()
                for k, d in enumerate(dims):
                    at = k + n - len(dims)
                    if at >= 0 and d.one is False and result.type.dims[at].one is False:
                        scope.unite(_node(result, at), _node(a, k))
        elif op.fn is unbroadcast:
            _unite_all(scope, result, op.args[1])
        elif op.fn is operator.getitem:
            for at, k in _axes_kept(op.args[1], op.args[0], self.defs).items():
                scope.unite(_node(result, at), _node(op.args[0], k))
        elif op.fn in _NEW:
            made = self.defs.get(op.args[0]) if isinstance(op.args[0], Value) else None
            for k, length in enumerate(made.items if isinstance(made, Build) else [op.args[0]]):
                measured = shape_index(length, self.defs)
                if measured is not None and k < len(result.type.dims):
                    scope.unite(_node(result, k), _node(*measured))

    def _loop(self, op: For | While, scope: _Scope) -> None:
        """A loop-carried array keeps its length if each iteration preserves it."""
        body = self.scopes[id(op.body)]
        first = len(op.body.params) - len(op.inits)
        for p, i, y, r in zip(op.body.params[first:], op.inits, op.body.yields[op.stops:], op.results):
            if isinstance(p.type, Arr) and isinstance(i, Value) and isinstance(y, Value):
                for k in range(len(p.type.dims)):
                    if _ndim(i) == _ndim(y) == len(p.type.dims) and (body.find(_node(y, k)) in (
                            body.find(_node(i, k)), body.find(_node(p, k)))):
                        body.unite(_node(p, k), _node(i, k))
                        scope.unite(_node(r, k), _node(i, k))

    def _branch(self, op: If, scope: _Scope) -> None:
        then, orelse = self.scopes[id(op.then)], self.scopes[id(op.orelse)]
        for r, y, z in zip(op.results, op.then.yields, op.orelse.yields):
            if isinstance(r.type, Arr) and isinstance(y, Value) and isinstance(z, Value) and _ndim(y) == _ndim(z) == len(r.type.dims):
                for k in range(len(r.type.dims)):
                    if scope.find(_node(y, k)) == scope.find(_node(z, k)) or then.find(_node(y, k)) == orelse.find(_node(z, k)):
                        scope.unite(_node(r, k), then.find(_node(y, k)))


def _ndim(o: Operand) -> int:
    return len(o.type.dims) if isinstance(o.type, Arr) else -1


def _node(v: Value, k: int) -> Node:
    """A dimension: by the name of its length where its type has one."""
    assert isinstance(v.type, Arr)
    d = v.type.dims[k]
    return "one" if d.one else (d.sym, d.off) if d.sym is not None else (v, k)


def _unite_all(scope: _Scope, a: Value, b: Operand) -> None:
    if isinstance(b, Value) and _ndim(a) == _ndim(b):
        for k in range(_ndim(a)):
            scope.unite(_node(a, k), _node(b, k))


def shape_index(length: Operand, defs: dict[Value, Op]) -> tuple[Value, int] | None:
    """The array and the dimension that a number is the length of, by how it is computed."""
    made = defs.get(length) if isinstance(length, Value) else None
    if not isinstance(made, Call) or not made.args or not isinstance(made.args[0], Value):
        return None
    x = made.args[0]
    if made.fn is len and isinstance(x.type, Arr) and x.type.dims:
        return x, 0
    shape = defs.get(x)
    if made.fn is operator.getitem and isinstance(shape, GetAttr) and shape.name == "shape" and isinstance(shape.obj, Value) \
            and isinstance(shape.obj.type, Arr) and isinstance(made.args[1], Lit) and isinstance(made.args[1].value, int):
        return shape.obj, made.args[1].value % len(shape.obj.type.dims)
    return None


def _axes_kept(index: Operand, x: Any, defs: dict[Value, Op]) -> dict[int, int]:
    """Which dimensions of ``x[index]`` are whole ones of ``x``."""
    if not isinstance(x, Value) or not isinstance(x.type, Arr):
        return {}
    made = defs.get(index) if isinstance(index, Value) else None
    value = index.value if isinstance(index, Lit) else None
    parts: list[Any]
    if isinstance(made, Build) and made.kind == "tuple":
        parts = [i.value if isinstance(i, Lit) else i for i in made.items]
    elif isinstance(index, Lit):
        parts = list(value) if isinstance(value, tuple) else [value]
    else:
        parts = [index]
    kept: dict[int, int] = {}
    at = k = 0
    n = len(x.type.dims)
    for place, part in enumerate(parts):
        if part is None:
            at += 1
        elif part is Ellipsis:
            skipped = n - k - sum(p is not None for p in parts[place + 1:])
            kept.update((at + j, k + j) for j in range(skipped))
            at, k = at + skipped, k + skipped
        elif isinstance(part, slice):
            if part == slice(None):
                kept[at] = k
            at, k = at + 1, k + 1
        elif type(part) is int or isinstance(part, Value) and isinstance(part.type, Num) and part.type.kind == "int":
            k += 1
        elif isinstance(part, Value) and getattr(part.type, "cls", None) is slice:
            at, k = at + 1, k + 1
        else:
            return {}
    kept.update((at + j, k + j) for j in range(n - k))
    return kept

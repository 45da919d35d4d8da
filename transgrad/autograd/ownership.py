"""Analysis: find the entries of a rule that are newly allocated arrays, which the engine may hand to a leaf without a copy.

An entry is owned by the sweep if its expression allocates: arithmetic, a ufunc, or one of the functions in `_ALLOCATING`. Everything else
may be the incoming gradient, a saved value, a view of one, or an array that another entry returns as well, and is copied.

>>> def product(g, y, a, b):
...     return g * b, g
>>> owned_entries(product, (True, True))
(True, False)
"""
from __future__ import annotations

import ast
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..rules.text import definition, sliced

__all__ = ["owned_entries", "rearranges"]

#: functions that return an array of their own, for all arguments and keywords (without ``out``)
_ALLOCATING = frozenset((
    np.dot, np.outer, np.inner, np.tensordot, np.kron, np.sum, np.prod, np.mean, np.cumsum, np.cumprod, np.where, np.take, np.zeros,
    np.ones, np.empty, np.full, np.zeros_like, np.ones_like, np.empty_like, np.full_like, np.copy, np.concatenate, np.stack, np.tile,
    np.repeat, np.tril, np.triu, np.roll, np.take_along_axis,
))
_TRANSPOSES = ("T", "mT")
#: functions that return all elements of their first argument, as a view if possible
_REARRANGING = frozenset((np.transpose, np.swapaxes, np.reshape, np.moveaxis, np.expand_dims, np.squeeze))
_DEPTH = 4


def owned_entries(vjp: Callable[..., Any], wanted: Sequence[bool]) -> tuple[bool, ...]:
    """For each entry of a rule, whether it is wanted and a newly allocated array that nothing else refers to."""
    none = tuple(False for _ in wanted)
    node = None if getattr(vjp, "__closure__", None) else sliced(vjp, wanted)
    returned = _returned(node) if node is not None else []
    if node is None or not returned:
        return none
    scope = _Scope(node, vjp.__globals__, 0)
    each = [scope.owned(r.elts if isinstance(r, ast.Tuple) else [r]) for r in returned]
    return tuple(flag and all(k < len(entries) and entries[k] for entries in each) for k, flag in enumerate(wanted))


def rearranges(vjp: Callable[..., Any]) -> bool:
    """Return whether the one entry of a rule consists of all elements of the incoming gradient, perhaps as a view of it.

    >>> rearranges(lambda g, y, a: g.T)
    False
    >>> def transposed(g, y, a):
    ...     return np.transpose(g)
    >>> rearranges(transposed)
    True
    """
    node = None if getattr(vjp, "__closure__", None) else definition(vjp)
    returned = _returned(node) if node is not None else []
    return node is not None and bool(returned) and all(_rearranged(r, _Scope(node, vjp.__globals__, 0)) for r in returned)


def _rearranged(e: ast.expr, scope: "_Scope") -> bool:
    if isinstance(e, ast.IfExp):
        return _rearranged(e.body, scope) and _rearranged(e.orelse, scope)
    if isinstance(e, ast.Attribute):
        return e.attr in _TRANSPOSES and _is_gradient(e.value)
    return isinstance(e, ast.Call) and bool(e.args) and _is_gradient(e.args[0]) and scope.function(e.func) in _REARRANGING


def _is_gradient(e: ast.expr) -> bool:
    return isinstance(e, ast.Name) and e.id == "g"


def _returned(node: ast.FunctionDef) -> list[ast.expr]:
    return [n.value for n in ast.walk(node) if isinstance(n, ast.Return) and n.value is not None]


class _Scope:
    """A function, with the values that are assigned to its local variables."""

    def __init__(self, node: ast.FunctionDef, space: Mapping[str, Any], depth: int):
        self.space, self.depth = space, depth
        self.assigned: dict[str, list[ast.expr | None]] = {}
        self.stored: set[str] = set()
        for n in ast.walk(node):
            if isinstance(n, ast.Assign):
                for target in n.targets:
                    if isinstance(target, ast.Name):
                        self.assigned.setdefault(target.id, []).append(n.value)
                    else:
                        self.stored |= {n.value.id} if isinstance(n.value, ast.Name) else set()
        simple = {id(t) for n in ast.walk(node) if isinstance(n, ast.Assign) for t in n.targets if isinstance(t, ast.Name)}
        updated = {id(n.target) for n in ast.walk(node) if isinstance(n, ast.AugAssign)}
        for n in ast.walk(node):        # bound by anything else: unpacking, a loop, ``with``
            if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store) and id(n) not in simple | updated:
                self.assigned.setdefault(n.id, []).append(None)

    def owned(self, entries: Sequence[ast.expr]) -> list[bool]:
        """For each of the returned expressions, whether its value is a new array that no other one returns or looks into."""
        if any(isinstance(e, ast.Starred) for e in entries):
            return []
        new = [self.allocates(e) for e in entries]
        return [new[k] and not (isinstance(e, ast.Name) and any(
            self._may_share(e.id, other, new[i]) for i, other in enumerate(entries) if i != k)) for k, e in enumerate(entries)]

    def _may_share(self, name: str, other: ast.expr, new: bool) -> bool:
        """Return whether another entry may be the array of a variable, or a view of it."""
        if isinstance(other, ast.Name):
            return other.id == name or other.id in self.assigned and not new
        return not new and not isinstance(other, ast.Constant)

    def allocates(self, e: ast.expr | None, names: bool = True) -> bool:
        """Return whether an expression of arrays returns a new one; a variable counts as one where ``names`` is set."""
        if isinstance(e, (ast.BinOp, ast.Compare)) or isinstance(e, ast.UnaryOp) and isinstance(e.op, (ast.USub, ast.Invert)):
            return True
        if isinstance(e, ast.Attribute) and e.attr in _TRANSPOSES:      # a view of all of a new array
            return self.allocates(e.value, False)
        if isinstance(e, ast.IfExp):
            return self.allocates(e.body, False) and self.allocates(e.orelse, False)
        if isinstance(e, ast.Name) and names and e.id not in self.stored:
            values = self.assigned.get(e.id)        # of which a variable would be another name of the same array
            return values is not None and all(self.allocates(v, False) for v in values)
        if isinstance(e, ast.Call) and not any(k.arg in (None, "out") for k in e.keywords):
            return self._returns_new(self.function(e.func))
        return False

    def function(self, func: ast.expr) -> Any:
        """The function that a call names, by a global name or as an attribute of a module."""
        if isinstance(func, ast.Name) and func.id not in self.assigned:
            return self.space.get(func.id)
        if isinstance(func, ast.Attribute):
            owner = self.function(func.value)
            return getattr(owner, func.attr, None) if isinstance(owner, types.ModuleType) else None
        return None

    def _returns_new(self, function: Any) -> bool:
        try:
            if isinstance(function, np.ufunc) or function in _ALLOCATING:
                return True
        except TypeError:       # not hashable
            return False
        if not isinstance(function, types.FunctionType) or function.__closure__ or self.depth >= _DEPTH:
            return False
        node = definition(function)
        if node is None or node.decorator_list:
            return False
        returned = _returned(node)
        scope = _Scope(node, function.__globals__, self.depth + 1)
        return bool(returned) and all(not isinstance(r, ast.Tuple) and scope.allocates(r) for r in returned)

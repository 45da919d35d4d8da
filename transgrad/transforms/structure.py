"""Structures of arguments and results in IR: reading the leaves of a value, rebuilding it around other leaves, and rearranging
results."""
from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import UnsupportedSyntax
from ..ir.build import Builder, lift
from ..ir.ops import Call, Function, Lit, Operand, Param, Tree, Value
from ..ir.prims import initializer
from ..ir.types import DictT, ListT, RecordT, TupleT, Type, is_differentiable
from .arguments import Slot

__all__ = ["Leaf", "argument", "conjugate", "flatten_by", "leaves_of", "rebuild", "select", "select_slots", "shell", "shift", "tree_leaves"]


@dataclass(frozen=True, slots=True)
class Leaf:
    """A number or array inside an argument: the keys that lead to it, and the value."""

    path: tuple[Any, ...]
    value: Operand

    @property
    def type(self) -> Type:
        return self.value.type


def argument(fn: Function, name: str) -> Operand:
    """The parameter of that name."""
    return next(p.value for p in fn.signature if p.name == name)


def leaves_of(b: Builder, value: Operand, path: tuple[Any, ...] = ()) -> list[Leaf]:
    """The differentiable leaves of a value, read from it."""
    t = value.type
    if isinstance(t, (ListT, DictT)):
        raise UnsupportedSyntax("how many entries this argument has is not known when compiling, so its Jacobian has no fixed form", None,
                                "pass an array, a tuple, or a dict of arrays")
    if isinstance(t, (TupleT, RecordT)):
        out = []
        for key, e in zip(_keys(t), t.elems):
            if is_differentiable(e):
                out += leaves_of(b, _read(b, value, t, key, e), (*path, key))
        return out
    return [Leaf(path, value)]


def _keys(t: TupleT | RecordT) -> Sequence[Any]:
    return t.keys if isinstance(t, RecordT) else range(len(t.elems))


def _read(b: Builder, value: Operand, t: TupleT | RecordT, key: Any, e: Type) -> Operand:
    if isinstance(t, RecordT) and t.cls is not dict:
        return b.attr(value, key, e)  # type: ignore[no-any-return]
    read = Value(e, None, value.varied)      # one value, even if it is a tuple
    b.emit(Call(operator.getitem, [value, Lit(key)], results=[read]))
    return read


def rebuild(b: Builder, value: Operand, leaf: Callable[[tuple[Any, ...], Operand], Operand], path: tuple[Any, ...] = ()) -> Operand:
    """A value like ``value`` with every differentiable leaf replaced."""
    t = value.type
    if not isinstance(t, (TupleT, RecordT)):
        return leaf(path, value)
    items = [rebuild(b, _read(b, value, t, key, e), leaf, (*path, key)) if is_differentiable(e) else _read(b, value, t, key, e)
             for key, e in zip(_keys(t), t.elems)]
    if isinstance(t, TupleT):
        return b.build("list" if t.cls is list else "namedtuple" if t.cls else "tuple", items, None if t.cls is list else t.cls)
    if t.cls is dict:
        return b.build("dict", [x for pair in zip(map(Lit, t.keys), items) for x in pair])
    made = Value(t)     # not by `Builder.call`: a field may have the name of one of its options
    b.emit(Call(initializer(t.cls), [], dict(zip(map(str, t.keys), map(lift, items))), results=[made]))
    return made


def tree_of(t: Type, index: Callable[[tuple[Any, ...]], Tree], path: tuple[Any, ...] = ()) -> Tree:
    """The returned structure of an argument's type, with ``index`` giving what stands at each leaf."""
    if isinstance(t, (TupleT, RecordT)):
        items = [tree_of(e, index, (*path, key)) if is_differentiable(e) else without_leaves(e) for key, e in zip(_keys(t), t.elems)]
        if isinstance(t, RecordT):
            return Tree("dict" if t.cls is dict else "object", items, keys=list(t.keys), cls=t.form if t.cls is dict else t.cls)
        return Tree("list", items) if t.cls is list else Tree("tuple", items, cls=t.cls)
    return index(path)


def without_leaves(t: Type) -> Tree:
    """The structure of an item in which nothing is differentiated, with None for each leaf."""
    return tree_of(t, lambda path: Tree("lit", value=None))


def tree_leaves(tree: Tree) -> list[Tree]:
    """The leaves of a returned structure, in order."""
    return [tree] if tree.kind == "leaf" else [leaf for item in tree.items for leaf in tree_leaves(item)]


def shift(tree: Tree, index: Callable[[Tree], Tree]) -> Tree:
    """The structure with every leaf replaced."""
    if tree.kind == "leaf":
        return index(tree)
    return Tree(tree.kind, [shift(item, index) for item in tree.items], tree.index, tree.keys, tree.value, tree.cls)


def flatten_by(tree: Tree, value: Any, flat: dict[int, Any]) -> None:
    """Put the leaves of a cotangent where the results are that they belong to; those of one result add up."""
    if tree.kind == "leaf":
        value = list(value) if tree.cls is tuple else value
        flat[tree.index] = flat[tree.index] + value if tree.index in flat else value
        return
    for k, item in enumerate(tree.items):
        if tree.kind == "dict":
            flatten_by(item, value[tree.keys[k]], flat)
        elif tree.kind == "object":
            flatten_by(item, getattr(value, tree.keys[k]), flat)
        else:
            flatten_by(item, value[k], flat)


def select(fn: Function, tree: Tree) -> Function:
    """Has a function return another structure of its results; those that are left out go."""
    order: dict[int, int] = {}
    for leaf in tree_leaves(tree):
        order.setdefault(leaf.index, len(order))
    fn.body.yields = [fn.body.yields[k] for k in order]
    fn.returns = shift(tree, lambda leaf: Tree("leaf", index=order[leaf.index]))
    return fn


def conjugate(fn: Function, tree: Tree) -> None:
    """Conjugate the results at the leaves of ``tree``: from the gradient of a holomorphic function to its derivative."""
    with Builder(fn.body, part="adjoint") as b:
        for leaf in tree_leaves(tree):
            fn.body.yields[leaf.index] = b.call(np.conj, fn.body.yields[leaf.index])


def select_slots(trees: Sequence[Tree], names: Sequence[str], slots: Sequence[Slot], single: bool) -> Tree:
    """One structure a slot, from one a parameter; a tuple of them unless the caller named a single argument."""
    found = []
    for slot in slots:
        tree = trees[names.index(slot.name)]
        if isinstance(slot.key, int):
            tree = tree.items[slot.key]
        elif slot.key is not None:
            tree = tree.items[tree.keys.index(slot.key)]
        found.append(tree)
    return found[0] if single else Tree("tuple", found)


def shell(fn: Function) -> tuple[Function, list[Value]]:
    """A function with the parameters of ``fn`` and nothing in it yet, and its parameters."""
    fresh = {p: Value(p.type, p.name, p.varied) for p in fn.params}
    new = Function(fn.name, body=type(fn.body)(params=list(fresh.values())), names=dict(fn.names), loc=fn.loc, attrs=fn.attrs.copy())
    new.signature = [Param(p.name, fresh.get(p.value, p.value) if isinstance(p.value, Value) else p.value, p.kind) for p in fn.signature]
    new.attrs.primal = new.attrs.primal or fn.origin
    return new, new.params

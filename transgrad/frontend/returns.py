"""The structure of what a function returns: a tree over flat results, and back."""
from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any

from ..ir.ops import UNDEF, Lit, Operand, Tree, Value
from ..rules.stand_ins import is_stand_in
from ..runtime.plain_tree import stores_fields
from .containers.displays import new_dict, new_list
from .containers.iterables import collect
from .context import Lowering
from .domain.abstract import InCompiler, SDict, SIter, SList, SObj, STuple
from .domain.contents import Contents
from .domain.join import attributes
from .refusals import refuse

__all__ = ["check_no_stand_in", "from_tree", "to_tree"]


def to_tree(ctx: Lowering, x: Any, flat: list[Operand]) -> Tree:
    """Appends the leaves of a returned structure to ``flat``."""
    if isinstance(x, STuple):
        return Tree("tuple", [to_tree(ctx, i, flat) for i in x.items], cls=x.cls)
    if isinstance(x, (SList, SDict)) and isinstance(ctx.contents(x), Contents) and ctx.contents(x).value is None:
        items = ctx.contents(x).items
        if isinstance(x, SList):
            return Tree("list", [to_tree(ctx, i, flat) for i in items])
        if all(isinstance(k, Lit) for k, _ in items):
            return Tree("dict", [to_tree(ctx, v, flat) for _, v in items], keys=[k.value for k, _ in items])
    if isinstance(x, SObj):
        cls = x.cls
        if isinstance(cls, type) and dataclasses.is_dataclass(cls):
            names = [f.name for f in dataclasses.fields(cls)]
            if all((x, n) in ctx.state for n in names) and (stores_fields(cls) or set(attributes(ctx.state, x)) == set(names)):
                return Tree("object", [to_tree(ctx, ctx.state[x, n], flat) for n in names], keys=list(names), cls=cls)
    if isinstance(x, SIter):
        if x.kind in ("generator", "genexp"):
            refuse("generator_send", ctx.loc, "it is returned")
        return to_tree(ctx, collect(ctx, x, None), flat)
    if isinstance(x, Lit) and isinstance(x.value, InCompiler):
        refuse("static", ctx.loc, f"{x.value!r} is returned: it cannot be a value at run time")
    if isinstance(x, Lit) and x.text is None and x is not UNDEF and not isinstance(x.value, (int, float, complex)) or _setting(x):
        return Tree("lit", value=x.value)
    held = ctx.operand(x)
    flat.append(held)
    return Tree("leaf", index=len(flat) - 1, cls=tuple if held in ctx.program.tuples else None)


def _setting(x: Any) -> bool:
    return isinstance(x, Lit) and (isinstance(x.value, (bool, str, type(None))) or callable(x.value)) and x is not UNDEF


def check_no_stand_in(ctx: Lowering, tree: Tree) -> None:
    """Refuse a result that holds an instance of a class of transgrad in place of a library's."""
    if is_stand_in(tree.cls):
        assert tree.cls is not None
        refuse("stand_in", ctx.function.attrs.return_loc or ctx.loc, f"a {tree.cls.__name__} of SciPy")
    for item in tree.items:
        check_no_stand_in(ctx, item)


def from_tree(ctx: Lowering, tree: Tree, results: Sequence[Value]) -> Any:
    """The abstract value of a call whose flat results are ``results``."""
    if tree.kind == "leaf":
        if tree.cls is tuple:
            ctx.program.tuples.add(results[tree.index])
        return results[tree.index]
    if tree.kind == "lit":
        return (
            Lit(tree.value)
            if not callable(tree.value)
            else Lit(tree.value, ctx.bind(getattr(tree.value, "__name__", "function"), tree.value))
        )
    items = [from_tree(ctx, t, results) for t in tree.items]
    if tree.kind == "tuple":
        return ctx.tuple(items, tree.cls)
    if tree.kind == "list":
        return new_list(ctx, items, None)
    if tree.kind == "dict":
        return new_dict(ctx, [(Lit(k), v) for k, v in zip(tree.keys, items)], None)
    made = SObj(tree.cls)
    for name, item in zip(tree.keys, items):
        ctx.state[made, name] = item
    return made


def leaf_indices(tree: Tree) -> Iterator[int]:
    if tree.kind == "leaf":
        yield tree.index
    for item in tree.items:
        yield from leaf_indices(item)

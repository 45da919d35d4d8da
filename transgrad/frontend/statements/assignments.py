"""Assignments to names, tuples, items and attributes, and their augmented forms."""
from __future__ import annotations

import operator
from typing import Any

import gast

from ...ir.effects import writes, writes_anything
from ...ir.libraries import target as target_library
from ...ir.ops import Invoke, Lit, Op, Value, blocks_of, walk
from ...ir.prims import inplace_at, unpack
from ...ir.types import Arr, DictT, ListT, Num, Obj, RecordT, SetT, TupleT
from ..containers.iterables import as_list, resolve, static_items
from ..context import InlineInstead, Lowering, elem_of
from ..domain.abstract import UNBOUND, SCell, SDict, SIter, SList, SObj, STuple, is_lit
from ..domain.contents import Contents
from ..domain.external_state import holder_of
from ..domain.heap import reference_type
from ..domain.join import BOTTOM
from ..expressions import operators
from ..expressions.attributes import read_attribute
from ..expressions.attributes import write as write_attribute
from ..expressions.dispatch import expr, name_value
from ..expressions.operations import call, strip
from ..expressions.subscripts import item_key, read_item, write
from ..objects.function_records import set_cell
from ..objects.generator_records import NO_RECORDS, RESUMABLE, is_iterator, start
from ..objects.members import special
from ..refusals import refuse
from ..specialize.argument_types import child
from .dispatch import raised

__all__ = ["annotated", "assign", "assign_to", "augmented", "delete", "store_name", "unpacked"]

INPLACE = {
    gast.Add: operator.iadd, gast.Sub: operator.isub, gast.Mult: operator.imul, gast.Div: operator.itruediv,
    gast.FloorDiv: operator.ifloordiv, gast.Mod: operator.imod, gast.Pow: operator.ipow, gast.MatMult: operator.imatmul,
    gast.LShift: operator.ilshift, gast.RShift: operator.irshift, gast.BitOr: operator.ior, gast.BitXor: operator.ixor,
    gast.BitAnd: operator.iand,
}


def assign(ctx: Lowering, node: Any) -> None:
    """``a = b = value``."""
    from .control_flow import any_exit, exit_flag
    from .dispatch import skip
    node.value.is_whole = bool(ctx.catchers)
    value = expr(ctx, node.value)

    def store() -> None:
        for target in node.targets:
            assign_to(ctx, target, value)
    if ctx.catchers and any_exit(ctx):      # what was called has raised, on some paths
        if not ctx.dead:
            flag = exit_flag(ctx)
            skip(ctx, flag, store)
    else:
        store()


def annotated(ctx: Lowering, node: Any) -> None:
    """``a: T = value``."""
    if node.value is not None:
        assign_to(ctx, node.target, expr(ctx, node.value))


def store_name(ctx: Lowering, name: str, value: Any, node: Any = None) -> None:
    """Binds a name of the function, of one around it, or of its module."""
    home = ctx.frame.home_of(name)
    if home is None:
        _store_outside(ctx, name, value, node)
        return
    if isinstance(value, Value) and value.name is None:
        value.name = name
    if ctx.capture is not None and (home in ctx.capture.variant.captures or home[0] is not ctx.frame and home not in ctx.state):
        refuse("global_write", ctx.loc, f"'{name}' of the function around a recursive one")
    if isinstance(held := ctx.state.get(home), SCell):
        set_cell(ctx, held, value, node)
        return
    if isinstance(value, SIter) and value.one_pass and RESUMABLE in ctx.program.sites and value.kind not in NO_RECORDS:
        value = start(ctx, value, node)
    ctx.keep(value)
    ctx.state[home] = value
    for cell in ctx.cells.get(home, ()):
        call(ctx, operator.setitem, [cell, Lit(0), value], node=node)


def _store_outside(ctx: Lowering, name: str, value: Any, node: Any) -> None:
    """A ``global`` name, or a closure cell of a function that was passed in."""
    holder = holder_of(ctx, name)
    if holder is not None:
        from .attribute_writes import write_variable
        ctx.program.writes_outside = ctx.program.writes_variables = True
        write_variable(ctx, *holder, ctx.operand(value, node), node)
        return
    if name in ctx.frame.scope.globals:
        held = ctx.operand(value, node)
        if held.varied:
            refuse("global_write", ctx.loc, f"the global '{name}'")
        module = ctx.frame.globals
        root = ctx.bind("module_globals", module)
        call(ctx, operator.setitem, [Lit(module, root), Lit(name), held], node=node)
        if ctx.variant is not None:     # what reads it after the call has to know
            raise InlineInstead(ctx.variant.func)
        ctx.program.writes_outside = True
        ctx.state["#global", id(module), name] = held
        return
    refuse("global_write", ctx.loc, f"'{name}', which belongs to a function that has returned,")


def assign_to(ctx: Lowering, target: Any, value: Any) -> None:
    """Binds a target of any form."""
    if isinstance(target, gast.Name):
        store_name(ctx, target.id, value, target)
    elif isinstance(target, (gast.Tuple, gast.List)):
        _unpack(ctx, target, value)
    elif isinstance(target, gast.Subscript):
        target.value.is_target = True       # x.flat[k] = v writes to x
        write(ctx, expr(ctx, target.value), expr(ctx, target.slice), value, target)
    elif isinstance(target, gast.Attribute):
        write_attribute(ctx, expr(ctx, target.value), target.attr, value, target)
    elif isinstance(target, gast.Starred):
        assign_to(ctx, target.value, value)
    else:
        refuse("syntax", ctx.at(target), "this target of an assignment")


def _unpack(ctx: Lowering, target: Any, value: Any) -> None:
    """``a, (b, *c) = value``."""
    targets = target.elts
    value = resolve(ctx, value, target)
    star = next((k for k, t in enumerate(targets) if isinstance(t, gast.Starred)), None)
    items = None if isinstance(value, Value) and star is None else static_items(ctx, value)
    if items is None and isinstance(value, Value) and isinstance(value.type, TupleT) and star is not None:
        items = unpacked(ctx, value, len(value.type.elems), target)
    if items is None:
        if star is None:
            items = unpacked(ctx, value, len(targets), target)
        else:
            items = _starred(ctx, value, star, len(targets) - star - 1, target)
    elif star is not None and len(items) >= len(targets) - 1:
        after = len(targets) - star - 1
        from ..containers.displays import new_list
        end = len(items) - after
        items = [*items[:star], new_list(ctx, items[star:end], target), *items[end:]]
    if len(items) != len(targets):
        if star is None:
            _wrong_count(ctx, items, targets, target)
            return
        _wrong_count(ctx, items, targets[:-1], target)
        return
    for t, item in zip(targets, items):
        assign_to(ctx, t, item)


def _wrong_count(ctx: Lowering, items: list[Any], targets: list[Any], node: Any) -> None:
    many = f"too many values to unpack (expected {len(targets)})" if len(items) > len(targets) else \
        f"not enough values to unpack (expected {len(targets)}, got {len(items)})"
    ctx.bind("ValueError", ValueError)
    raised(ctx, call(ctx, ValueError, [Lit(many)], spelling="ValueError", node=node))


def unpacked(ctx: Lowering, value: Any, count: int, node: Any) -> list[Any]:
    """The items of a value at run time, by one operation."""
    held = ctx.operand(value, node)
    t = strip(held.type)
    if isinstance(t, TupleT) and len(t.elems) == count:
        elems = t.elems
    elif held.type == BOTTOM:
        elems = (BOTTOM,) * count
    else:
        elem = elem_of(t)
        elems = (elem,) * count
    out = call(ctx, unpack, [held, Lit(count)], type=TupleT(elems), node=node)
    items = list(out.items) if isinstance(out, STuple) else [out] if count else []
    for k, item in enumerate(items):
        ctx.sharing.link(item, held)
        if isinstance(t, (ListT, TupleT)):
            ctx.sharing.contain(held, item, k)
        if isinstance(held, Value) and held in ctx.examples:
            items[k] = child(ctx, held, item, k)
    return items


def _starred(ctx: Lowering, value: Any, before: int, after: int, node: Any) -> list[Any]:
    """``a, *b, c = value`` for a list or array of any length."""
    held = ctx.operand(value, node)
    if not isinstance(strip(held.type), (ListT, Arr)):
        held = call(ctx, list, [held], spelling="list", node=node)
    first = [call(ctx, operator.getitem, [held, Lit(k)], node=node) for k in range(before)]
    middle = call(ctx, operator.getitem, [held, Lit(slice(before, -after if after else None))], node=node)
    if isinstance(strip(held.type), Arr):
        middle = call(ctx, list, [middle], spelling="list", node=node)
    last = [call(ctx, operator.getitem, [held, Lit(k - after)], node=node) for k in range(after)]
    return [*first, middle, *last]


def augmented(ctx: Lowering, node: Any) -> None:
    """``target op= value``."""
    fn = INPLACE[type(node.op)]
    if isinstance(node.target, gast.Name):
        old = name_value(ctx, node.target.id, node.target)
        value = expr(ctx, node.value)
        store_name(ctx, node.target.id, update(ctx, fn, old, value, node), node.target)
    elif isinstance(node.target, gast.Subscript):
        node.target.value.is_target = True
        obj, index = expr(ctx, node.target.value), expr(ctx, node.target.slice)
        _augment_item(ctx, fn, obj, index, node)
    else:
        obj = expr(ctx, node.target.value)
        held = getattr(node, "old", None)       # in A-normal form
        old = read_attribute(ctx, obj, node.target.attr, node.target) if held is None else expr(ctx, held)
        new = update(ctx, fn, old, expr(ctx, node.value), node)
        if new is not old or not isinstance(obj, SObj) and reference_type(ctx, obj) is None:
            write_attribute(ctx, obj, node.target.attr, new, node.target)


def plain(fn: Any) -> Any:
    """The operator of an in-place operator: ``operator.add`` of ``operator.iadd``."""
    name = fn.__name__[1:]
    return getattr(operator, {"or": "or_", "and": "and_"}.get(name, name))


def update(ctx: Lowering, fn: Any, old: Any, value: Any, node: Any) -> Any:
    """The new value of a variable under ``op=``: the same reference for arrays and lists, a new value for numbers."""
    if is_iterator(ctx, value):
        value = as_list(ctx, value, node)
    library = target_library()
    if library is not None and library.rebinds and isinstance(getattr(old, "type", None), Arr):
        return operators.binary_op(ctx, plain(fn), old, value, node)
    own = old if isinstance(old, SObj) else strip(old.type) if isinstance(old, Value) else None
    if isinstance(own, SObj) or isinstance(own, (Obj, RecordT)) and getattr(own, "cls", None):
        found = special(ctx, old, f"__{fn.__name__}__", [value], node)
        if found is not None:
            return found
        return operators.binary_op(ctx, plain(fn), old, value, node)
    if isinstance(old, SList):
        held = ctx.contents(old)
        if isinstance(held, Contents) and fn is operator.iadd:
            items = static_items(ctx, value)
            if items is not None:
                ctx.state[old, "items"] = ctx.make_contents([*held.items, *items])
                return old
        call(ctx, list.extend if fn is operator.iadd else fn, [ctx.escape(old), as_list(ctx, value, node)], node=node)
        return old
    if isinstance(old, SDict) and fn is operator.ior:
        from ..containers.displays import dict_update
        dict_update(ctx, old, value, node)
        return old
    t = strip(old.type) if isinstance(old, (Value, Lit)) else None
    if isinstance(t, Arr) and not t.scalar or isinstance(t, (ListT, SetT, DictT)):
        if isinstance(t, ListT):
            value = as_list(ctx, value, node) if fn is operator.iadd else value
        out = call(ctx, fn, [old, value], type=old.type, node=node)
        if isinstance(out, STuple):
            out = ctx.operand(out)
        ctx.sharing.unite(out, old)
        if isinstance(out, Value) and isinstance(old, Value):
            out.name = old.name
        return out
    if isinstance(t, (Num, Arr, TupleT)) or isinstance(old, STuple) or is_lit(old, str, bytes) or t == Obj(str):
        return operators.binary_op(ctx, plain(fn), old, value, node)
    ctx.function.attrs.unknown_updates = True
    return call(ctx, fn, [old, value], node=node)


def _augment_item(ctx: Lowering, fn: Any, obj: Any, index: Any, node: Any) -> None:
    """``x[i] op= value``."""
    static = isinstance(obj, (SList, SDict)) and isinstance(ctx.contents(obj), Contents) and item_key(ctx, obj, index) is not None
    if isinstance(obj, (SList, SDict)) and not static:
        obj = ctx.escape(obj, node)     # what its items are tells whether they change in place
    t = strip(obj.type) if isinstance(obj, (Value, Lit)) else None
    if static or isinstance(t, (Obj, RecordT, Num)) or isinstance(t, Arr) and t.scalar or isinstance(obj, SObj):
        old = read_item(ctx, obj, index, node.target)
        write(ctx, obj, index, update(ctx, fn, old, expr(ctx, node.value), node), node.target)
        return
    elem = strip(t.elem) if isinstance(t, ListT) and t.elem else strip(t.value) if isinstance(t, DictT) and t.value else None
    if isinstance(elem, (ListT, DictT, SetT)) or isinstance(elem, Arr) and not elem.scalar:
        old = call(ctx, operator.getitem, [obj, index], node=node)      # changed in place, inside of its container
        new = update(ctx, fn, old, expr(ctx, node.value), node)
        call(ctx, operator.setitem, [obj, index, new], node=node)
        return
    index = ctx.operand(index, node) if isinstance(index, SList) else index
    block, before = ctx.block, ctx.block.ops[-1] if ctx.block.ops else None
    value = expr(ctx, node.value)
    held = ctx.escape(obj, node)
    # from the end, as a display that the value reads has been built further ahead
    start = next((k + 1 for k in reversed(range(len(block.ops))) if block.ops[k] is before), 0)
    if ctx.block is block and any(_writes_to(ctx, op, held) for op in block.ops[start:]):
        # what computes the value writes to where it is added: the old number is read before
        behind = len(block.ops)
        old = call(ctx, operator.getitem, [held, index], node=node)
        read, copied = block.ops[behind:], isinstance(index, Value) and isinstance(index.type, (ListT, Arr))
        if copied or isinstance(t := strip(old.type), Num) or isinstance(t, Arr) and t.scalar:      # else it is a view
            block.ops[start:] = [*read, *block.ops[start:behind]]
            call(ctx, operator.setitem, [held, index, operators.binary_op(ctx, plain(fn), old, value, node)], node=node)
            return
    call(ctx, inplace_at, [held, index, value, Lit(fn, f"operator.{fn.__name__}")], node=node)


def _writes_to(ctx: Lowering, op: Op, held: Any) -> bool:
    """Whether an operation, or one inside of it, writes to memory that ``held`` may share."""
    shared = set(ctx.sharing.all(held)) if isinstance(held, Value) else set()
    inside = [op, *(inner for block in blocks_of(op) for inner in walk(block))]
    return any(not shared.isdisjoint(w for w in writes(o) if isinstance(w, Value)) or isinstance(o, Invoke) and
               not shared.isdisjoint(a for a in o.args if isinstance(a, Value)) and writes_anything(o.func.body) for o in inside)


def delete(ctx: Lowering, node: Any) -> None:
    """``del a, b[i], c.d``."""
    for target in node.targets:
        if isinstance(target, gast.Name):
            home = ctx.frame.home_of(target.id)
            if home is None:
                refuse("delete", ctx.at(target), f"of the global '{target.id}'")
            ctx.state[home] = UNBOUND
        elif isinstance(target, gast.Subscript):
            from ..containers.displays import delete_item
            delete_item(ctx, expr(ctx, target.value), expr(ctx, target.slice), target)
        elif isinstance(target, (gast.Tuple, gast.List)):
            delete(ctx, gast.Delete(target.elts))
        else:
            obj = expr(ctx, target.value)
            if not isinstance(obj, SObj):
                refuse("delete", ctx.at(target), f"of the attribute '{target.attr}'")
            ctx.state.pop((obj, target.attr), None)



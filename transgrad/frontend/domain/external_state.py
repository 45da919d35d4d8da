"""External arrays and settings (globals, attributes, closure variables) that change while the function runs.

If the function writes to such an array or calls an unknown function, the array is not treated as a constant:
a view of it is an ordinary operation, so that the passes see the writes. A fact assumed about an object (a
flag, a function) is checked again when it is read after such a call, because the call may have changed it.
"""
from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any

import numpy as np

from ...ir.effects import is_unknown, not_only_computing, outside, writes
from ...ir.infer import type_of
from ...ir.ops import Call, Function, Lit, Op, Operand, Star, Value, blocks_of, operands_of, walk
from ...ir.types import UNKNOWN, Arr, DictT, ListT, Num, Obj, OptT, RecordT, SetT, TupleT
from ...runtime import unchanged
from ..context import Attribute, InlineInstead, Lowering
from ..refusals import refuse
from .abstract import UNBOUND
from .escape import forget

__all__ = ["LIVE", "changes_outside", "changing_number", "disturb", "disturb_outside", "known_outside", "known_to_have", "live",
           "look_again", "write_out"]

#: Stands among the sites where arrays from outside are no constants.
LIVE = "arrays from outside"


def _is_array(x: Any) -> bool:
    return isinstance(x, Lit) and isinstance(x.value, np.ndarray) and outside(x) is not None


def live(ctx: Lowering, x: Any) -> Any:
    """An array from outside as a value of the function: a view of it."""
    if isinstance(x, Star) or not _is_array(x):
        return x
    view = Value(x.type)
    ctx.emit(Call(operator.getitem, [x, Lit(Ellipsis)], results=[view]))
    ctx.sharing.foreign(view)
    return view


def changes_outside(functions: Iterable[Function]) -> bool:
    """Read external arrays as constants also in functions that write to external state, or may do so."""
    ops = [op for fn in functions for op in walk(fn.body)]
    return any(map(_may_change_outside, not_only_computing(ops))) and any(
        _is_array(o) for op in ops for o in operands_of(op) if not any(o is w for w in writes(op)))


def _may_change_outside(op: Op) -> bool:
    return is_unknown(op) or any(isinstance(w, Lit) and outside(w) is not None for w in writes(op))


def write_out(function: Function) -> None:
    """Write values from outside into the generated code as they were read: their names may have other values after a call.

    Numbers are written as literals, and objects that were read as attributes (``sys.stdout``) under a name of their own.
    """
    for op in walk(function.body):
        for o in (*operands_of(op), *(y for block in blocks_of(op) for y in block.yields)):
            _write_out(function, o)
    for o in function.body.yields:
        _write_out(function, o)


def _write_out(function: Function, o: Any) -> None:
    if not isinstance(o, Lit) or o.text is None or _is_of_module(o.text):
        return
    if type(o.value) in (int, float, complex):
        o.text = None
    elif "." in o.text and not callable(o.value) and not isinstance(o.value, ModuleType):
        name = first = o.text.rpartition(".")[2]
        number = 1
        while function.names.setdefault(name, o.value) is not o.value:
            number += 1
            name = f"{first}_{number}"
        o.text = name


def _is_of_module(text: str) -> bool:
    """Whether a name is that of a constant, such as ``math.pi``."""
    return text.partition(".")[0] in ("np", "numpy", "math", "cmath", "scipy")


def disturb(ctx: Lowering, op: Op) -> None:
    """Record a call of which nothing is known."""
    forget(ctx, op)
    disturb_outside(ctx)


def disturb_outside(ctx: Lowering) -> None:
    """Record a call that may change external state: facts about it are checked again when they are read afterwards."""
    if not ctx.program.disturbed:
        ctx.program.disturbed = True
        ctx.program.revision += 1       # the next iteration of a loop reads it after the call
    if any(isinstance(site, tuple) and isinstance(site[0], Attribute) for site in ctx.program.sites):
        if ctx.variant is not None:
            raise InlineInstead(ctx.variant.func)       # the attributes are variables of the function that calls it
        _read_again(ctx)
    elif any(key[0] == "#global" for key in ctx.state):
        _read_again(ctx)


def _read_again(ctx: Lowering) -> None:
    """The call may have given other values to the attributes and globals that the function itself writes to."""
    from ..calls.dispatch import varied
    from ..expressions.operations import call, get_attr
    for key, held in list(ctx.state.items()):
        if isinstance(key[0], Attribute) and held is not UNBOUND:
            if varied(ctx, held):
                refuse("behind_call", ctx.loc, f"the attribute '{key[1]}'")
            ctx.state[key] = get_attr(ctx, _held(ctx, key[0].obj), key[1], UNKNOWN)
        elif key[0] == "#global":
            module = next(obj for obj in ctx.function.names.values() if id(obj) == key[1])
            ctx.state[key] = call(ctx, operator.getitem, [Lit(module, ctx.bind("module_globals", module)), Lit(key[2])], type=UNKNOWN)


def changing_number(ctx: Lowering, kind: str, container: Any, name: Any, found: Any, node: Any) -> Any:
    """A number in a global, a closure variable, a table or a class, read when the code runs: it differs from call to call."""
    from ..expressions.operations import call, get_attr
    ctx.program.guard(kind, container, None if kind == "cell" else name, type_of(found))
    if kind == "cell":
        return get_attr(ctx, _held(ctx, container), "cell_contents", type_of(found), node)
    if kind == "attr":
        return get_attr(ctx, _held(ctx, container), name, type_of(found), node)
    held = Lit(container, ctx.bind("module_globals" if kind == "global" else "table", container))
    return call(ctx, operator.getitem, [held, Lit(name)], type=type_of(found), node=node)


def holder_of(ctx: Lowering, name: str) -> tuple[Any, str] | None:
    """The object and the attribute that a global or a closure variable is: of its module, or the contents of its cell."""
    try:
        kind, container, _ = ctx.frame.outside(name) if name not in ctx.frame.scope.globals else ("global", ctx.frame.globals, None)
    except NameError:
        return None
    if kind == "cell":
        return container, "cell_contents"
    module = sys.modules.get(container.get("__name__", "")) if kind == "global" else None
    return (module, name) if module is not None and vars(module) is container else None


def known_outside(ctx: Lowering, kind: str, container: Any, key: Any, expected: Any) -> None:
    """Record an assumption about external state."""
    ctx.program.guard(kind, container, key, expected)
    if not ctx.program.disturbed or kind in ("global", "cell") and (callable(expected) or isinstance(expected, ModuleType)):
        return      # functions of modules do not change
    from ..expressions.operations import call, get_attr
    if kind == "attr":
        look_again(ctx, expected, lambda: get_attr(ctx, _held(ctx, container), key, UNKNOWN))
    elif kind == "item":
        look_again(ctx, expected, lambda: call(ctx, operator.getitem, [_held(ctx, container), Lit(key)], type=UNKNOWN))
    elif kind == "cell":
        look_again(ctx, expected, lambda: get_attr(ctx, _held(ctx, container), "cell_contents", UNKNOWN))
    elif kind == "global" and (module := sys.modules.get(container.get("__name__", ""))) is not None and vars(module) is container:
        look_again(ctx, expected, lambda: get_attr(ctx, _held(ctx, module), key, UNKNOWN))


def known_to_have(ctx: Lowering, x: Any, name: str, known: bool) -> None:
    """Record that an object from outside, or an argument, is known to have an attribute, or to have none of that name."""
    from ..expressions.operations import call
    value, path = (x.value, None) if isinstance(x, Lit) else ctx.examples[x]
    if isinstance(value, (str, tuple)) or isinstance(x, Value) and not isinstance(path, (str, tuple)):
        return
    ctx.program.guard("hasattr", value if path is None else path, name, known)
    if not isinstance(value, (type, ModuleType)):
        held = _held(ctx, value) if isinstance(x, Lit) else x
        look_again(ctx, known, lambda: call(ctx, hasattr, [held, Lit(name)], spelling="hasattr", type=Num("bool")))


def look_again(ctx: Lowering, expected: Any, read: Callable[[], Operand]) -> None:
    """Check an assumption again at run time if a call may have invalidated it."""
    if not ctx.program.disturbed or isinstance(expected, (Arr, DictT, ListT, Num, Obj, OptT, RecordT, SetT, TupleT)):
        return
    plain = expected is None or isinstance(expected, (bool, int, float, complex, str, bytes))
    known = Lit(expected) if plain else _held(ctx, expected)
    ctx.bind("unchanged", unchanged)
    ctx.emit(Call(unchanged, [read(), known], {}, "unchanged"))


def _held(ctx: Lowering, held: Any) -> Lit:
    name = getattr(held, "__name__", None) or type(held).__name__.lower()
    name = str(name).rpartition(".")[2]
    return Lit(held, ctx.bind(name if name.isidentifier() else "held", held))

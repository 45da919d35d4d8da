"""Refuse attributes of external objects that receive active values and may be read again under another name.

The attributes that a function assigns, of objects that it does not receive as arguments, are variables of the function. A read through the
same name returns the assigned value. A read through another one (an item of an external list, a parameter of a helper) would return the
number and lose its derivative.
"""
from __future__ import annotations

from collections.abc import Iterable

from ...ir.ops import Call, Function, GetAttr, Lit, SetAttr, Value, walk
from ...ir.types import Obj, strip
from ..refusals import refuse

__all__ = ["check_rereads"]


def check_rereads(functions: Iterable[Function]) -> None:
    """Raise a refusal at the read."""
    functions = list(functions)
    written: dict[str, set[type]] = {}
    for fn in functions:
        for op in walk(fn.body):
            if isinstance(op, SetAttr) and isinstance(op.obj, Lit) and op.value.varied:
                held = op.obj.value
                written.setdefault(op.name, set()).add(held if isinstance(held, type) else type(held))
    if not written:
        return
    for fn in functions:
        for op in walk(fn.body):
            if isinstance(op, GetAttr):
                obj, name = op.obj, op.name
            elif isinstance(op, Call) and op.fn is getattr and isinstance(op.args[1], Lit):
                obj, name = op.args[0], op.args[1].value
            else:
                continue
            if isinstance(obj, Value) and isinstance(t := strip(obj.type), Obj):
                classes = {c for held in written.values() for c in held} if name == "__dict__" else written.get(name, set())
                if any(t.cls is None or issubclass(c, t.cls) or issubclass(t.cls, c) for c in classes):
                    refuse("global_write", op.loc, f"the attribute '{name}' of an object from outside, which may be the one that is read "
                           "here under another name,")

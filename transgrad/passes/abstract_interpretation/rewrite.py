"""Prepare IR for the abstract interpreter."""
from __future__ import annotations

import functools
from typing import Any

import numpy as np

from ...ir.clone import clone_function
from ...ir.effects import writes
from ...ir.ops import Block, Call, CallValue, Function, GetAttr, Invoke, Lit, Op, SetAttr, blocks_of
from ...ir.prims import unpack
from .caller import Caller

__all__ = ["lift"]


def lift(fn: Function, caller: Caller, done: dict[int, Function] | None = None) -> Function:
    """A copy of ``fn`` whose calls go through ``caller``."""
    done = {} if done is None else done
    found = done.get(id(fn))
    if found is None:
        found = done[id(fn)] = clone_function(fn)
        _lift_block(found.body, caller, done)
    return found


def _lift_block(block: Block, caller: Caller, done: dict[int, Function]) -> None:
    block.ops = [_lifted(op, caller, done) for op in block.ops]


def _lifted(op: Op, caller: Caller, done: dict[int, Function]) -> Op:
    new: Any = op
    if any(isinstance(o, Lit) and not isinstance(o.value, np.ndarray) for o in writes(op)):
        raise caller.refuse(f"line {op.loc.line if op.loc else '?'} writes to what outlives the call")
    match op:
        case Call():
            if op.fn is not unpack:      # which the interpreter knows by its name
                op.fn = caller.through(op.fn)
        case CallValue():
            new = Call(functools.partial(_call_value, caller, op.method), [op.callee, *op.args], op.kwargs)
        case GetAttr():
            new = Call(functools.partial(_attribute, caller), [op.obj, Lit(op.name)])
        case SetAttr():
            new = Call(caller.set_attribute, [op.obj, Lit(op.name), op.value])
        case Invoke():
            op.func = lift(op.func, caller, done)
        case _:
            for block in blocks_of(op):
                _lift_block(block, caller, done)
    if new is not op:
        new.results, new.loc = op.results, op.loc
    return new  # type: ignore[no-any-return]


def _call_value(caller: Caller, method: str | None, callee: Any, *args: Any, **kwargs: Any) -> Any:
    return caller.call_value(callee, args, kwargs, method)


def _attribute(caller: Caller, obj: Any, name: str) -> Any:
    return caller.outside(getattr(obj, name))

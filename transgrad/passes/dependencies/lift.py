"""Rewrites IR so that the interpreter runs it on tracked values: each call goes through a `Caller`."""
from __future__ import annotations

import functools
from typing import Any

import numpy as np

from ...ir.clone import clone_function
from ...ir.effects import writes
from ...ir.ops import Block, Call, CallValue, Function, GetAttr, Invoke, Lit, Op, SetAttr, blocks_of
from ...ir.prims import unpack
from .calls import Caller
from .graph import Graph
from .tracked import Tracked, number, refuse

__all__ = ["lift"]


def lift(fn: Function, caller: Caller, done: dict[int, Function] | None = None) -> Function:
    """A copy of ``fn`` for tracked values."""
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
        raise refuse(f"line {op.loc.line if op.loc else '?'} writes to what outlives the call")
    match op:
        case Call():
            op.fn = _through(caller, op.fn)
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


def _through(caller: Caller, fn: Any) -> Any:
    if fn is unpack:        # which the interpreter knows by its name
        return fn
    slow = functools.partial(_called, caller, fn)
    return functools.partial(_scalars, caller.graph, fn, slow) if caller.is_elementwise(fn) else slow


def _called(caller: Caller, fn: Any, *args: Any, **kwargs: Any) -> Any:
    return caller.call(fn, args, kwargs)


def _scalars(graph: Graph, fn: Any, slow: Any, *args: Any, **kwargs: Any) -> Any:
    """An elementwise function; of numbers, as loops over elements are full of, without detours."""
    ids, varies, plain = 0, False, []
    for a in args:
        if type(a) is Tracked:
            if type(a.ids) is not int:
                return slow(*args, **kwargs)
            ids, varies = graph.union(ids, a.ids), varies or a.state.varies
            plain.append(a.value)
        elif type(a) is int or type(a) is float:
            plain.append(a)
        else:
            return slow(*args, **kwargs)
    if kwargs:
        return slow(*args, **kwargs)
    value = fn(*plain)
    return value if not ids and not varies else number(graph, value, ids, varies)


def _call_value(caller: Caller, method: str | None, callee: Any, *args: Any, **kwargs: Any) -> Any:
    return caller.call_value(callee, args, kwargs, method)


def _attribute(caller: Caller, obj: Any, name: str) -> Any:
    return caller.outside(getattr(obj, name))

"""Pass arrays found outside the function as arguments; Numba would freeze their current contents."""
from __future__ import annotations

from typing import Any

import numpy as np

from ...ir.ops import Function, Invoke, Lit, Operand, Param, Value, blocks_of, operands_of, walk

__all__ = ["has_constants", "pass_constants"]


def has_constants(fn: Function) -> bool:
    """Whether a function or one that it invokes reads such arrays."""
    return bool(_constants(fn, set()))


def _constants(fn: Function, seen: set[int]) -> dict[int, Lit]:
    """The arrays, each once, in the order in which they are read."""
    seen.add(id(fn))
    found: dict[int, Lit] = {}
    for o in fn.body.yields:
        if isinstance(o, Lit) and isinstance(o.value, np.ndarray):
            found.setdefault(id(o.value), o)
    for op in walk(fn.body):
        for o in [*operands_of(op), *(y for block in blocks_of(op) for y in block.yields)]:
            if isinstance(o, Lit) and isinstance(o.value, np.ndarray):
                found.setdefault(id(o.value), o)
        if isinstance(op, Invoke) and id(op.func) not in seen:
            found.update(_constants(op.func, seen))
    return found


def pass_constants(native: Function, entry: Function) -> None:
    """Hands the arrays from the function that callers run to machine code, and on to those that read them."""
    if native is entry:
        return
    _hand_on(native, {})
    call = next(op for op in entry.body.ops if isinstance(op, Invoke) and op.func is native)
    call.args += native.attrs.constants
    native.attrs.constants = []


def _hand_on(fn: Function, done: dict[int, list[Lit]]) -> list[Lit]:
    if id(fn) in done:
        return done[id(fn)]
    constants = list(_constants(fn, set()).values())
    done[id(fn)] = constants
    params = {id(c.value): Value(c.type, c.text if c.text and c.text.isidentifier() else "constant") for c in constants}
    for op in walk(fn.body):
        if isinstance(op, Invoke):
            op.args += [params[id(c.value)] for c in _hand_on(op.func, done)]
        swap: dict[Any, Value] = {o: params[id(o.value)] for o in operands_of(op) if isinstance(o, Lit) and isinstance(o.value, np.ndarray)}
        if swap:
            _replace(op, swap)
        for block in blocks_of(op):
            block.yields = [_param_for(y, params) for y in block.yields]
    fn.body.yields = [_param_for(y, params) for y in fn.body.yields]
    fn.body.params += params.values()
    fn.signature += [Param(v.name or "constant", v) for v in params.values()]
    fn.attrs.constants = constants
    return constants


def _param_for(o: Operand, params: dict[int, Value]) -> Operand:
    return params[id(o.value)] if isinstance(o, Lit) and isinstance(o.value, np.ndarray) else o


def _replace(op: Any, swap: dict[Any, Value]) -> None:
    """Replaces literals among the operands of an operation."""
    for name in ("args", "items", "operands", "inits"):
        held = getattr(op, name, None)
        if isinstance(held, list):
            setattr(op, name, [swap.get(o, o) if isinstance(o, Lit) else o for o in held])
    if isinstance(getattr(op, "kwargs", None), dict):
        op.kwargs = {k: swap.get(o, o) if isinstance(o, Lit) else o for k, o in op.kwargs.items()}
    for s in getattr(op, "sources", ()):
        s.operands = [swap.get(o, o) if isinstance(o, Lit) else o for o in s.operands]
    for name in ("obj", "value", "cond", "ctx"):
        if getattr(op, name, None) in swap:
            setattr(op, name, swap[getattr(op, name)])



"""Pass module-level arrays, lists of numbers and items of dicts as arguments of machine code, which would keep their present content."""
from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import UnsupportedByNumba
from ...ir.ops import Block, Call, For, Function, Invoke, Lit, Op, Operand, Param, Value, blocks_of, operands_of, walk
from ...ir.types import Arr, ListT, Num, Type
from ..rewriting.substitute import substitute_op

__all__ = ["has_constants", "pass_constants", "read_dicts_outside", "refuse_written_lists"]


@dataclass(frozen=True, slots=True)
class _Item:
    """An item of a dict that stands at module level."""

    container: Lit
    key: Lit
    type: Type


def _is_constant(o: Operand) -> bool:
    if not isinstance(o, Lit):
        return False
    if isinstance(o.value, list):
        return o.text is not None and isinstance(o.type, ListT) and isinstance(o.type.elem, Num)
    return isinstance(o.value, (np.ndarray, _Item))


def _key(o: Lit) -> Any:
    return (id(o.value.container.value), o.value.key.value) if isinstance(o.value, _Item) else id(o.value)


def _type(o: Lit) -> Type:
    return o.value.type if isinstance(o.value, _Item) else o.type


def _name(o: Lit) -> str:
    if isinstance(o.value, _Item):
        return str(o.value.key.value) if str(o.value.key.value).isidentifier() else "item"
    return o.text if o.text and o.text.isidentifier() else "constant"


def read_dicts_outside(fn: Function) -> None:
    """Replace reads of numbers and arrays from module-level dicts by literals that `pass_constants` passes as arguments."""
    written = {id(op.args[0].value) for op in walk(fn.body) if isinstance(op, Call) and op.fn in (operator.setitem, operator.delitem)
               and isinstance(op.args[0], Lit)}
    swap: dict[Value, Operand] = {}

    def visit(block: Block) -> None:
        ops: list[Op] = []
        for op in block.ops:
            substitute_op(op, swap)
            match op:
                case Call(args=[Lit(value=dict() as held, text=str()) as container, Lit() as key]) if op.fn is operator.getitem \
                        and id(held) not in written and isinstance(op.result.type, (Num, Arr)):
                    swap[op.result] = Lit(_Item(container, key, op.result.type))
                    continue
            ops.append(op)
            for inner in blocks_of(op):
                visit(inner)
        block.ops = ops
        block.yields = [swap.get(y, y) if isinstance(y, Value) else y for y in block.yields]
    visit(fn.body)


def refuse_written_lists(fn: Function) -> None:
    """Refuse module-level lists that the function may change, and lists of lists: machine code gets a copy of the list.

    Raises
    ------
    UnsupportedByNumba
        With the line that uses the list.
    """
    for op in walk(fn.body):
        for o in operands_of(op):
            if not (isinstance(o, Lit) and isinstance(o.value, list) and o.text is not None):
                continue
            if not _is_constant(o):
                raise UnsupportedByNumba(f"{o.text}, which stands outside of the function, is a list of more than numbers of one kind",
                                         op.loc, "make it an array, or remove backend='numba' to use the NumPy back end")
            if not isinstance(op, For) and not (isinstance(op, Call) and _only_reads(op.fn)):
                raise UnsupportedByNumba(f"{o.text}, which stands outside of the function, is a list that may be changed here", op.loc,
                                         "pass it as an argument, or remove backend='numba' to use the NumPy back end")


def _only_reads(fn: Any) -> bool:
    return fn in (operator.getitem, len, operator.contains) or (getattr(fn, "__module__", None) or "").split(".")[0] == "numpy"


def has_constants(fn: Function) -> bool:
    """Whether a function or one that it invokes reads such arrays."""
    return bool(_constants(fn, set()))


def _constants(fn: Function, seen: set[int]) -> dict[Any, Lit]:
    """These constants, each once, in the order in which they are read."""
    seen.add(id(fn))
    found: dict[Any, Lit] = {}
    for o in fn.body.yields:
        if isinstance(o, Lit) and _is_constant(o):
            found.setdefault(_key(o), o)
    for op in walk(fn.body):
        for o in [*operands_of(op), *(y for block in blocks_of(op) for y in block.yields)]:
            if isinstance(o, Lit) and _is_constant(o):
                found.setdefault(_key(o), o)
        if isinstance(op, Invoke) and id(op.func) not in seen:
            found.update(_constants(op.func, seen))
    return found


def pass_constants(native: Function, entry: Function) -> None:
    """Pass the arrays from the function that callers run to machine code, and on to their readers."""
    if native is entry:
        return
    _hand_on(native, {})
    call = next(op for op in entry.body.ops if isinstance(op, Invoke) and op.func is native)
    for c in native.attrs.constants:
        if isinstance(c.value, _Item):
            read = Call(operator.getitem, [c.value.container, c.value.key], results=[Value(c.value.type, _name(c))])
            entry.body.ops.insert(entry.body.ops.index(call), read)
            call.args.append(read.result)
        else:
            call.args.append(c)
    native.attrs.constants = []


def _hand_on(fn: Function, done: dict[int, list[Lit]]) -> list[Lit]:
    if id(fn) in done:
        return done[id(fn)]
    constants = list(_constants(fn, set()).values())
    done[id(fn)] = constants
    params = {_key(c): Value(_type(c), _name(c)) for c in constants}
    for op in walk(fn.body):
        if isinstance(op, Invoke):
            op.args += [params[_key(c)] for c in _hand_on(op.func, done)]
        swap: dict[Any, Value] = {o: params[_key(o)] for o in operands_of(op) if isinstance(o, Lit) and _is_constant(o)}
        if swap:
            _replace(op, swap)
        for block in blocks_of(op):
            block.yields = [_param_for(y, params) for y in block.yields]
    fn.body.yields = [_param_for(y, params) for y in fn.body.yields]
    fn.body.params += params.values()
    fn.signature += [Param(v.name or "constant", v) for v in params.values()]
    fn.attrs.constants = constants
    return constants


def _param_for(o: Operand, params: dict[Any, Value]) -> Operand:
    return params[_key(o)] if isinstance(o, Lit) and _is_constant(o) else o


def _replace(op: Any, swap: dict[Any, Value]) -> None:
    """Replace literals among the operands of an operation."""
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



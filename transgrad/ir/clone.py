"""Copies of IR, so that a pass can rewrite its copy and leave what it was given."""
from __future__ import annotations

from dataclasses import replace
from typing import Any

from .ops import (
    Block,
    Build,
    Call,
    CallValue,
    For,
    Function,
    GetAttr,
    Handler,
    If,
    Invoke,
    Op,
    Param,
    Raise,
    SetAttr,
    Source,
    Star,
    Try,
    Value,
    While,
    With,
)

__all__ = ["clone_block", "clone_function", "clone_op"]

Map = dict[Value, Any]


def clone_function(fn: Function, mapping: Map | None = None) -> Function:
    """A copy of ``fn`` with values of its own; ``mapping`` is filled with old → new."""
    mapping = {} if mapping is None else mapping
    body = clone_block(fn.body, mapping)
    signature = [Param(p.name, _operand(p.value, mapping), p.kind) for p in fn.signature]
    return replace(fn, body=body, signature=signature, names=dict(fn.names), attrs=fn.attrs.copy(), analyses={}, derived={})


def clone_block(block: Block, mapping: Map) -> Block:
    """A copy of a block; values defined outside it stay, unless ``mapping`` says otherwise."""
    params = [_fresh(p, mapping) for p in block.params]
    ops = [clone_op(op, mapping) for op in block.ops]
    return Block(params, ops, _operands(block.yields, mapping))


def _fresh(v: Value, mapping: Map) -> Value:
    # what the user discards may be read by a derivative, and then needs a name
    new = Value(v.type, None if v.name == "_" else v.name, v.varied)
    mapping[v] = new
    return new


def _operand(x: Any, mapping: Map) -> Any:
    return mapping.get(x, x)        # None, where there is no operand, and a literal stay


def _operands(xs: list[Any], mapping: Map) -> list[Any]:
    return [Star(_operand(x.value, mapping)) if type(x) is Star else mapping.get(x, x) for x in xs]


def _options(kwargs: dict[str, Any], mapping: Map) -> dict[str, Any]:
    return {name: mapping.get(v, v) for name, v in kwargs.items()} if kwargs else {}


def clone_op(op: Op, mapping: Map) -> Op:
    """A copy of one operation, with new results."""
    new: Op
    match op:
        case Call():
            new = Call(op.fn, _operands(op.args, mapping), _options(op.kwargs, mapping), op.spelling)
        case Invoke():
            new = Invoke(op.func, _operands(op.args, mapping), op.again)
        case CallValue():
            new = CallValue(_operand(op.callee, mapping), _operands(op.args, mapping), _options(op.kwargs, mapping), op.method)
        case Build():
            new = Build(op.kind, _operands(op.items, mapping), op.cls, op.is_cell)
        case GetAttr():
            new = GetAttr(_operand(op.obj, mapping), op.name)
        case SetAttr():
            new = SetAttr(_operand(op.obj, mapping), op.name, _operand(op.value, mapping))
        case If():
            new = If(_operand(op.cond, mapping), clone_block(op.then, mapping), clone_block(op.orelse, mapping))
        case For():
            # a copy may be differentiated, which reads again what a list handed out
            sources = [Source(s.kind, _operands(s.operands, mapping), s.reverse, s.snapshots, s.frees and s.kind == "range")
                       for s in op.sources]
            new = For(sources, _operands(op.inits, mapping), clone_block(op.body, mapping), op.stops)
        case While():
            new = While(_operands(op.inits, mapping), clone_block(op.cond, mapping), clone_block(op.body, mapping), op.stops)
        case Try():
            body = clone_block(op.body, mapping)
            handlers = [Handler(_operand(h.classes, mapping), clone_block(h.body, mapping), h.name) for h in op.handlers]
            new = Try(body, handlers, clone_block(op.final, mapping) if op.final else None)
        case With():
            new = With(_operand(op.ctx, mapping), clone_block(op.body, mapping))
        case Raise():
            new = Raise(_operand(op.exc, mapping), _operand(op.cause, mapping))
    new.loc, new.part, new.written = op.loc, op.part, op.written
    new.results = [_fresh(r, mapping) for r in op.results]
    return new

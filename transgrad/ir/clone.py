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
    Lit,
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
#: what passes keep on a function and find out again for a copy, whose body they change
_ANALYSES = frozenset(("alias_summary", "contained", "pure", "pairs", "jvps", "returned_params", "shadow_params",
                       "varied_results"))


def clone_function(fn: Function, mapping: Map | None = None) -> Function:
    """A copy of ``fn`` with values of its own; ``mapping`` is filled with old → new."""
    mapping = {} if mapping is None else mapping
    body = clone_block(fn.body, mapping)
    signature = [Param(p.name, _operand(p.value, mapping), p.kind) for p in fn.signature]
    return replace(fn, body=body, signature=signature, names=dict(fn.names),
                   attrs={k: v for k, v in fn.attrs.items() if k not in _ANALYSES})


def clone_block(block: Block, mapping: Map) -> Block:
    """A copy of a block; values defined outside it stay, unless ``mapping`` says otherwise."""
    params = [_fresh(p, mapping) for p in block.params]
    ops = [clone_op(op, mapping) for op in block.ops]
    return Block(params, ops, [_operand(y, mapping) for y in block.yields])


def _fresh(v: Value, mapping: Map) -> Value:
    # what the user discards may be read by a derivative, and then needs a name
    new = Value(v.type, None if v.name == "_" else v.name, v.varied)
    mapping[v] = new
    return new


def _operand(x: Any, mapping: Map) -> Any:
    if isinstance(x, Star):
        return Star(_operand(x.value, mapping))
    return x if isinstance(x, Lit) or x is None else mapping.get(x, x)


def clone_op(op: Op, mapping: Map) -> Op:
    """A copy of one operation, with new results."""
    def m(x: Any) -> Any:
        return _operand(x, mapping)

    def ms(xs: Any) -> list[Any]:
        return [m(x) for x in xs]

    new: Op
    match op:
        case Call():
            new = Call(op.fn, ms(op.args), {k: m(v) for k, v in op.kwargs.items()}, op.spelling)
        case Invoke():
            new = Invoke(op.func, ms(op.args), op.again)
        case CallValue():
            new = CallValue(m(op.callee), ms(op.args), {k: m(v) for k, v in op.kwargs.items()}, op.method)
        case Build():
            new = Build(op.kind, ms(op.items), op.cls)
        case GetAttr():
            new = GetAttr(m(op.obj), op.name)
        case SetAttr():
            new = SetAttr(m(op.obj), op.name, m(op.value))
        case If():
            new = If(m(op.cond), clone_block(op.then, mapping), clone_block(op.orelse, mapping))
        case For():
            # a copy may be differentiated, which reads again what a list handed out
            sources = [Source(s.kind, ms(s.operands), s.reverse, s.snapshots, s.frees and s.kind == "range") for s in op.sources]
            new = For(sources, ms(op.inits), clone_block(op.body, mapping), op.stops)
        case While():
            new = While(ms(op.inits), clone_block(op.cond, mapping), clone_block(op.body, mapping), op.stops)
        case Try():
            body = clone_block(op.body, mapping)
            handlers = [Handler(None if h.classes is None else m(h.classes), clone_block(h.body, mapping), h.name) for h in op.handlers]
            new = Try(body, handlers, clone_block(op.final, mapping) if op.final else None)
        case With():
            new = With(m(op.ctx), clone_block(op.body, mapping))
        case Raise():
            new = Raise(m(op.exc), m(op.cause))
    new.loc, new.part = op.loc, op.part
    new.results = [_fresh(r, mapping) for r in op.results]
    return new

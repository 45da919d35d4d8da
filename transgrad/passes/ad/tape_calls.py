"""Calls that run on the tape: the operands that are differentiated, in reverse and forward mode.

Such a call is ``*ys, token = tape.vjp(helper, x, …)``. The token is a function (the pullback) and a tuple of the differentiated arguments;
its cotangent carries the contributions of later derivatives to these arguments.
"""
from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from ...errors import UnsupportedCall, UnsupportedSyntax
from ...ir.build import Builder, lift
from ...ir.leaves import fields_of, leaf_types
from ...ir.ops import Build, Call, Lit, Op, Operand, Star, Value
from ...ir.prims import apply
from ...ir.types import Arr, RecordT, TupleT, Type, is_differentiable
from ...runtime import tape
from .reverse.unbroadcast import whole

if TYPE_CHECKING:
    from .forward.driver import Forward
    from .reverse.driver import Reverse

__all__ = ["FORWARD", "REVERSE"]


def _differentiated(op: Call, maker: Callable[[Value], Op | None], is_written: Callable[[Value], bool]) -> list[Any]:
    """The arguments of a call that are differentiated, displays as nested lists of their items, and in the order of
    `transgrad.tree`."""
    def items(x: Operand) -> Any:
        made = maker(x) if isinstance(x, Value) else None
        if not isinstance(x, Value) or not isinstance(made, Build) or made.kind not in ("tuple", "list", "dict") or is_written(x) or any(
                isinstance(item, Star) for item in made.items):
            return x
        if made.kind == "dict":
            return [items(v) for _, v in sorted(zip(made.items[::2], made.items[1::2]), key=lambda pair: str(pair[0].value))]
        return list(map(items, made.items))

    found = [items(x) for x in _arguments(op)]
    token = op.results[-1].type
    assert isinstance(token, TupleT)
    if sum(len(leaf_types(x.type)) for x in _flat(found)) != len(token.elems):
        raise UnsupportedSyntax("a container that is passed to a function on the tape is changed", op.loc, "hand it a copy")
    return found


def _flat(xs: Any) -> Iterator[Any]:
    for x in xs:
        if isinstance(x, list):
            yield from _flat(x)
        else:
            yield x


def _arguments(op: Call) -> list[Operand]:
    named: dict[Any, Operand] = dict(enumerate(op.args[1:]))
    named.update((k, v) for k, v in op.kwargs.items() if k not in ("returns", "wrt", "writes"))
    wrt = op.kwargs.get("wrt")
    if isinstance(wrt, Lit):
        keys = wrt.value if isinstance(wrt.value, tuple) else (wrt.value,)
        return [named[k] for k in keys]
    return list(named.values())


def _name(op: Call, suffix: str) -> str:
    """A name for the token."""
    first = op.results[0].name if len(op.results) > 1 else None
    return f"{first or getattr(op.args[0], 'text', None) or 'call'}_{suffix}".rpartition(".")[2]


def _emit(b: Builder, fn: Callable[..., Any], args: Sequence[Any], types: Sequence[Type]) -> list[Value]:
    """The results of a call, of which each is one value, tuples too."""
    results = [Value(t, None, True) for t in types]
    b.emit(Call(fn, [lift(a) for a in args], {}, _SPELLED.get(fn), results=results))
    return results


_SPELLED: dict[Any, str] = {tape.push: "tape.push", tape.derivative: "tape.derivative", tape.pushed: "tape.pushed"}


# reverse mode

def _whole(r: Reverse, values: Sequence[Value]) -> list[Any] | None:
    """The adjoints of some results, with all their dimensions; None if all are zero."""
    found = [r.take(v) for v in values]
    if all(g is None for g in found):
        return None
    return [r.zero(v) if g is None else whole(r.builder, g, v) for v, g in zip(values, found)]


def _entry(t: Type, leaves: Iterator[Any]) -> Any:
    """The cotangent of an argument, in its structure."""
    if isinstance(t, TupleT):
        return [_entry(e, leaves) for e in t.elems]
    if isinstance(t, RecordT):
        return {t.keys.index(key): _entry(e, leaves) for key, e in fields_of(t)}
    return next(leaves) if is_differentiable(t) else None


def _reverse_call(r: Reverse, op: Call) -> None:
    """Of ``*ys, token = tape.vjp(…)``."""
    *ys, token = op.results
    assert isinstance(token.type, TupleT)
    types = token.type.elems
    owed = r.take(token) or {}
    token.name = _name(op, "pullback")
    bars = _whole(r, [y for y in ys if is_differentiable(y.type)])
    found: list[Any] = [None] * len(types) if bars is None else list(_emit(r.builder, apply, [token, *bars], types))
    for k, g in owed.items():
        found[k] = g if found[k] is None else r.builder.call(np.add, found[k], g, type=types[k])
    leaves = iter(found)
    for x in _flat(_differentiated(op, r.layout.maker.get, r.classes.is_written)):
        r.add(x, _entry(x.type, leaves), owned=bars is not None)


def _reverse_linear(make: Callable[..., Any]) -> Callable[[Reverse, Call], None]:
    """Of ``token(*bars)`` and of ``tape.push(token, *dots)``: ``make`` gives their pullback."""
    def reverse(r: Reverse, op: Call) -> None:
        bars = _whole(r, op.results)
        if bars is None:
            return
        token = op.args[0]
        made = r.layout.maker.get(token)
        if not isinstance(made, Call) or made.fn is not tape.vjp:
            raise UnsupportedCall("a second derivative of a call that runs on the tape alone is asked for, and the call is made in a loop, "
                                  "a branch or another function", op.loc, "let the function as a whole run there")
        given = [r.keep(g, op) for g in op.args[1:]]
        types = (*token.type.elems, *(g.type for g in given))
        held, = _emit(r.builder, make, [token, *given], [TupleT(types)])
        held.name = f"{op.results[0].name or token.name or 'call'}_pullback"
        _pay(r, token, given, _emit(r.builder, apply, [held, *bars], types))
    return reverse


def _third(state: Any, op: Call) -> NoReturn:
    """Of ``tape.derivative(token, *bars)`` and ``tape.pushed(token, *dots)``, which second derivatives call."""
    raise UnsupportedCall("a third derivative of a call that runs on the tape alone is asked for", op.loc,
                          "let the function as a whole run there")


def _pay(r: Reverse, token: Any, given: Sequence[Any], found: Sequence[Any]) -> None:
    n = len(token.type.elems)
    r.add(token, list(found[:n]))
    for x, g in zip(given, found[n:]):
        r.add(x, g, owned=True)


#: how the adjoint of such a call is written
REVERSE: dict[Any, Callable[[Reverse, Call], None]] = {
    tape.vjp: _reverse_call, apply: _reverse_linear(tape.derivative), tape.push: _reverse_linear(tape.pushed),
    tape.derivative: _third, tape.pushed: _third,
}


# forward mode

def _dots(f: Forward, x: Any, dot: Any = None) -> list[Any]:
    """The tangents of the floats in an argument."""
    t = x.type
    if not leaf_types(t):
        return []
    dot = f.dot(x) if dot is None else dot
    if isinstance(t, (TupleT, RecordT)):
        found: list[Any] = []
        for key, e in enumerate(t.elems) if isinstance(t, TupleT) else fields_of(t):
            if leaf_types(e):
                item, = _emit(f.builder, operator.getitem, [x, Lit(key)], [e])
                found += _dots(f, item, None if dot is None else _emit(f.builder, operator.getitem, [dot, Lit(key)], [e])[0])
        return found
    dot = f.zero(x) if dot is None else f.whole(dot, x)
    if isinstance(x, Value) and isinstance(dot, Value) and isinstance(t, Arr) and f.classes.is_written(x):
        dot = f.builder.call(np.copy, dot, type=t)      # it is written to with its value, and read again later
    return [dot]


def _set(f: Forward, token: Value, dots: Sequence[Any]) -> None:
    f.set(token, f.builder.build("tuple", list(dots)))


def _forward_call(f: Forward, op: Call) -> None:
    f.builder.block.ops.append(op)
    *ys, token = op.results
    token.name = _name(op, "pullback")
    dots = [d for x in _flat(_differentiated(op, f.makers.get, f.classes.is_written)) for d in _dots(f, x)]
    _set(f, token, dots)
    floats = [y for y in ys if is_differentiable(y.type)]
    if floats:
        for y, d in zip(floats, _emit(f.builder, tape.push, [token, *dots], [y.type for y in floats])):
            f.set(y, d)


def _forward_linear(make: Callable[..., Any]) -> Callable[[Forward, Call], None]:
    """Of ``token(*bars)`` and ``tape.push(token, *dots)``, whose pullback ``make`` gives."""
    def forward(f: Forward, op: Call) -> None:
        f.builder.block.ops.append(op)
        token, *given = op.args
        held, = _emit(f.builder, make, [token, *given], [TupleT((*token.type.elems, *(g.type for g in given)))])
        held.name = f"{op.results[0].name or token.name or 'call'}_pullback"
        dots = [d for x in (token, *given) for d in _dots(f, x)]
        for y, d in zip(op.results, _emit(f.builder, tape.push, [held, *dots], [y.type for y in op.results])):
            f.set(y, d)
    return forward


#: how the tangent of such a call is written
FORWARD: dict[Any, Callable[[Forward, Call], None]] = {
    tape.vjp: _forward_call, apply: _forward_linear(tape.derivative), tape.push: _forward_linear(tape.pushed),
    tape.derivative: _third, tape.pushed: _third,
}

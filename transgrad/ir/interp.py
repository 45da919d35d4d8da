"""Runs IR directly, one operation at a time: slow and simple, the oracle that passes and generated code are tested against."""
from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from ..runtime.plain_tree import of_fields
from .opaque import OpaqueCall
from .ops import (
    UNDEF,
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
    Operand,
    Raise,
    SetAttr,
    Source,
    Star,
    Tree,
    Try,
    Value,
    While,
    With,
)
from .prims import unpack

__all__ = ["call", "rebuild", "run"]

#: What variables are bound to: an environment a function call, for SSA needs no scopes to be undone.
_Env = dict[Value, Any]


def run(fn: Function, args: Sequence[Any]) -> list[Any]:
    """Run a function on its run-time arguments.

    Parameters
    ----------
    fn : Function
        The function to run.
    args : sequence
        One object for each of ``fn.params``.

    Returns
    -------
    list
        The flat results, as many as ``fn.body.yields``.
    """
    if len(args) != len(fn.params):
        raise TypeError(f"{fn.name} takes {len(fn.params)} arguments, got {len(args)}")
    env: _Env = {}
    return _block(fn.body, env, args)


def call(fn: Function, args: Sequence[Any]) -> Any:
    """Run a function and return its result in the structure that the user's function returns it in."""
    return rebuild(fn.returns, run(fn, args))


def rebuild(tree: Tree, results: Sequence[Any]) -> Any:
    """The structure that ``tree`` describes, made of flat results."""
    items = [rebuild(item, results) for item in tree.items]
    match tree.kind:
        case "leaf":
            return results[tree.index]
        case "lit":
            return tree.value
        case "tuple":
            return tuple(items) if tree.cls is None else tree.cls(*items)
        case "list":
            return items
        case "dict":
            made = dict(zip(tree.keys, items))
            return made if tree.cls is None else tree.cls(made)
        case "object" if tree.cls is not None:
            return of_fields(tree.cls, dict(zip(map(str, tree.keys), items)))
    raise TypeError(f"unknown kind {tree.kind!r} in a returned structure")


def _read(o: Operand, env: _Env) -> Any:
    # UNDEF may be carried around, so that a loop or branch need not know whether anyone reads it.
    return env[o] if isinstance(o, Value) else o if o is UNDEF else o.value


def _defined(o: Operand, env: _Env) -> Any:
    value = _read(o, env)
    if value is UNDEF:
        raise UnboundLocalError(f"{o!r} is read on a path that does not define it")
    return value


def _args(items: Sequence[Any], env: _Env) -> list[Any]:
    out: list[Any] = []
    for item in items:
        if isinstance(item, Star):
            out.extend(_defined(item.value, env))
        else:
            out.append(_defined(item, env))
    return out


def _block(block: Block, env: _Env, args: Sequence[Any] = ()) -> list[Any]:
    env.update(zip(block.params, args))
    for op in block.ops:
        _bind(op.results, _op(op, env), env)
    return [_read(y, env) for y in block.yields]


def _bind(results: Sequence[Value], values: Sequence[Any], env: _Env) -> None:
    if len(results) != len(values):
        raise ValueError(f"an operation with {len(results)} results gave {len(values)}")
    env.update(zip(results, values))


def _op(op: Op, env: _Env) -> Sequence[Any]:
    """The results of one operation."""
    match op:
        case Call():
            fn = op.fn.flat if isinstance(op.fn, OpaqueCall) else op.fn
            value = fn(*_args(op.args, env), **{k: _defined(v, env) for k, v in op.kwargs.items()})
            # unpack returns a tuple even where that has one element only
            return _results(op, value, many=len(op.results) > 1 or op.fn is unpack)
        case Invoke():
            return run(op.func, [_defined(a, env) for a in op.args])
        case CallValue():
            callee = _defined(op.callee, env)
            fn = getattr(callee, op.method) if op.method else callee
            return _results(op, fn(*_args(op.args, env), **{k: _defined(v, env) for k, v in op.kwargs.items()}))
        case Build():
            return [_display(op, env)]
        case GetAttr():
            return [getattr(_defined(op.obj, env), op.name)]
        case SetAttr():
            setattr(_defined(op.obj, env), op.name, _defined(op.value, env))
            return []
        case If():
            return _block(op.then if _defined(op.cond, env) else op.orelse, env)
        case For():
            return _for(op, env)
        case While():
            return _while(op, env)
        case Try():
            return _try(op, env)
        case With():
            return _with(op, env)
        case Raise():
            _raise(op, env)
    raise TypeError(op)


def _results(op: Op, value: Any, many: bool = False) -> Sequence[Any]:
    return tuple(value) if many else [value] if op.results else []


def _display(op: Build, env: _Env) -> Any:
    if op.kind == "dict":
        out: dict[Any, Any] = {}
        items = iter(op.items)
        for key in items:
            if isinstance(key, Star):
                out.update(_defined(key.value, env))
            else:
                out[_defined(key, env)] = _defined(next(items), env)
        return out if op.cls is None else op.cls(out)
    values = _args(op.items, env)
    match op.kind:
        case "tuple":
            return tuple(values)
        case "list":
            return values
        case "set":
            return set(values)
        case "slice":
            return slice(*values)
        case "str":
            return "".join(map(str, values))
        case "namedtuple" if op.cls is not None:
            return op.cls(*values)
    raise TypeError(f"unknown display {op.kind!r}")


def _source(source: Source, env: _Env) -> Iterator[tuple[Any, ...]]:
    """The loop variables that a source gives at each iteration."""
    operands = [_defined(o, env) for o in source.operands]
    items: Any
    match source.kind:
        case "range":
            items = range(*operands)
        case "count":
            items = itertools.count(operands[0])
        case "items":
            items = operands[0].items()
        case "keys":
            items = operands[0].keys()
        case "values":
            items = operands[0].values()
        case _:
            items = operands[0]
    steps = reversed(items) if source.reverse else iter(items)
    return steps if source.kind == "items" else ((item,) for item in steps)


def _for(op: For, env: _Env) -> list[Any]:
    carried = [_read(o, env) for o in op.inits]
    for step in zip(*[_source(s, env) for s in op.sources]):
        out = _block(op.body, env, [*itertools.chain.from_iterable(step), *carried])
        carried = out[1:] if op.stops else out
        if op.stops and out[0]:
            break
    return carried


def _while(op: While, env: _Env) -> list[Any]:
    carried = [_read(o, env) for o in op.inits]
    while _block(op.cond, env, carried)[0]:
        out = _block(op.body, env, carried)
        carried = out[1:] if op.stops else out
        if op.stops and out[0]:
            break
    return carried


def _try(op: Try, env: _Env) -> list[Any]:
    guarded, after = op.clauses()
    try:
        try:
            _block(Block(ops=guarded), env)
        except BaseException as exc:
            handler = _handler(op.handlers, exc, env)
            if handler is None:
                raise
            return _block(handler.body, env, [exc] if handler.body.params else [])
        return _block(Block(ops=after, yields=op.body.yields), env)
    finally:
        if op.final is not None:
            _block(op.final, env)


def _handler(handlers: Sequence[Handler], exc: BaseException, env: _Env) -> Handler | None:
    for h in handlers:
        if h.classes is None or isinstance(exc, _defined(h.classes, env)):
            return h
    return None


def _with(op: With, env: _Env) -> list[Any]:
    with _defined(op.ctx, env) as item:
        return _block(op.body, env, [item] if op.body.params else [])
    # the context manager swallowed an exception: nothing was computed
    return [UNDEF] * len(op.results)


def _raise(op: Raise, env: _Env) -> None:
    if op.exc is None:
        raise  # the exception that the handler around it is handling
    exc = _defined(op.exc, env)
    if op.cause is None:
        raise exc
    raise exc from _defined(op.cause, env)

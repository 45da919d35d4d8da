"""Pass structured arguments and results across the boundary of compiled code: the wrapper flattens and rebuilds them."""
from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ...errors import UnsupportedByNumba
from ...ir.build import Builder
from ...ir.ops import Block, Build, Call, Function, GetAttr, Invoke, Lit, Op, Operand, Param, Tree, Value, blocks_of, operands_of, walk
from ...ir.prims import unpack
from ...ir.types import Arr, DictT, ListT, Num, Obj, RecordT, SetT, TupleT, Type
from ..rewriting.substitute import substitute_op, uses_of
from .constants import has_constants

__all__ = ["plain_boundary"]


def plain_boundary(fn: Function) -> Function:
    """The function that callers run: ``fn`` itself where its arguments and results are numbers and arrays, else one around it.

    ``fn`` has only such arguments and results afterwards.
    """
    if _is_plain(fn) and not has_constants(fn):
        return fn
    outer = Function(fn.name, Block(), fn.returns, fn.signature, dict(fn.names), fn.origin, fn.loc, fn.doc, fn.attrs.copy())
    outer.attrs.emit = True
    given = {p: Value(p.type, p.name) for p in fn.params}
    outer.body.params = list(given.values())
    outer.signature = [Param(p.name, given[p.value] if isinstance(p.value, Value) else p.value, p.kind) for p in fn.signature]
    params: list[Value] = []
    args: list[Operand] = []
    parts: dict[Value, _Parts] = {}
    with Builder(outer.body) as b:
        for p in fn.params:
            _take_apart(b, p, given[p], fn, params, args, parts)
    _read_parts(fn.body, parts)
    _rebuild(fn, parts)
    fn.name += "_native"
    fn.origin = None
    fn.doc = None
    fn.attrs.primal, fn.attrs.guards = None, []
    fn.body.params = params
    fn.signature = [Param(v.name or "x", v) for v in params]
    flat = [k for k, y in enumerate(fn.body.yields) if isinstance(y, Value)]
    results = [Value(fn.body.yields[k].type, getattr(fn.body.yields[k], "name", None)) for k in flat]
    new = dict(zip(flat, results))
    outer.body.yields = [new.get(k, y) for k, y in enumerate(fn.body.yields)]
    boxed = Block()
    with Builder(boxed) as b:
        for k, y in enumerate(outer.body.yields):
            if not isinstance(y, Lit) and isinstance(y.type, Arr) and not _is_boxed(y.type):
                outer.body.yields[k] = b.call(np.dtype(y.type.dtype).type, y, type=y.type)
    fn.body.yields = [fn.body.yields[k] for k in flat]
    leaves = [Tree("leaf", index=k) for k in range(len(flat))]
    fn.returns = leaves[0] if len(leaves) == 1 else Tree("tuple", leaves)
    outer.body.ops += [Invoke(fn, args, results=results, loc=fn.loc), *boxed.ops]
    return outer


_WAY_OUT = "pass its arrays and numbers, or leave out backend='numba'"


def _refuse_whole(p: Value, fn: Function) -> None:
    """Refuse an argument that is used as a whole and is nothing machine code has."""
    t = p.type
    if isinstance(t, (Num, Arr, TupleT, ListT)):
        return
    what = "a dict" if isinstance(t, DictT) or isinstance(t, RecordT) and t.cls is dict else "a set" if isinstance(t, SetT) else \
        f"an instance of {t.cls.__name__}" if isinstance(t, (RecordT, Obj)) and t.cls is not None else "of a type that is not known"
    use = next((op for op in walk(fn.body) if any(o is p for o in operands_of(op))), None)
    raise UnsupportedByNumba(f"{p.name or 'an argument'} is {what}, and written to or used as a whole: Numba has no such thing",
                             use.loc if use is not None and use.loc is not None else fn.loc, _WAY_OUT)


class _Parts:
    """The parts of a structure: its keys, and a value or further parts for each."""

    def __init__(self, t: TupleT | RecordT, keys: list[Any]):
        self.type, self.keys = t, keys
        self.items: list[Value] = []


def _is_plain(fn: Function) -> bool:
    if any(p.kind not in ("ordinary", "positional") or not isinstance(p.value, Value) for p in fn.signature):
        return False
    if fn.params == [] or any(not isinstance(p.type, (Num, Arr)) for p in fn.params) or not all(_is_boxed(y.type) for y in fn.body.yields):
        return False
    tree = fn.returns
    flat = bool(tree.items) and all(t.kind == "leaf" for t in tree.items)
    return tree.kind == "leaf" or tree.kind == "tuple" and tree.cls is None and flat


def _is_boxed(t: Type) -> bool:
    """Whether machine code returns a result of this type in its own type: other scalars are returned as Python numbers."""
    return isinstance(t, Num) or isinstance(t, Arr) and (not t.scalar or t.dtype in ("float64", "int64", "bool", "complex128"))


def _take_apart(b: Builder, inner: Value, outer: Operand, fn: Function, params: list[Value], args: list[Operand],
                parts: dict[Value, _Parts]) -> None:
    """Add the numbers and arrays of an argument to ``params`` and ``args``."""
    t = inner.type
    if t == Obj(tuple):     # residuals, which the function takes apart first
        first = next((op for op in fn.body.ops if isinstance(op, Call) and op.fn is unpack and op.args[0] is inner), None)
        t = TupleT(tuple(r.type for r in first.results)) if first is not None else TupleT(())
        if first is not None:
            for k, r in enumerate(first.results):
                r.name = r.name or f"saved_{k}"
    if not isinstance(t, (TupleT, RecordT)):
        params.append(inner)
        args.append(outer)
        return
    found = parts[inner] = _Parts(t, list(t.keys) if isinstance(t, RecordT) else list(range(len(t.elems))))
    for key, e in zip(found.keys, t.elems):
        label = str(key) if str(key).isidentifier() else f"{key}" if isinstance(key, int) else ""
        item = Value(e, f"{inner.name}_{label}" if label else inner.name, inner.varied)
        found.items.append(item)
        read = Value(e, None)
        if isinstance(t, RecordT) and t.cls is not dict:
            b.emit(GetAttr(outer, str(key), results=[read]))
        else:
            b.emit(Call(operator.getitem, [outer, Lit(key)], results=[read]))
        _take_apart(b, item, read, fn, params, args, parts)


def _read_parts(block: Block, parts: dict[Value, _Parts]) -> None:
    """Replace reads from structures by reads of their parts."""
    mapping: dict[Value, Operand] = {}

    def visit(block: Block) -> None:
        ops: list[Op] = []
        for op in block.ops:
            substitute_op(op, mapping)
            if not _is_read(op, parts, mapping):
                ops.append(op)
            for inner in blocks_of(op):
                visit(inner)
        block.ops = ops
        block.yields = [mapping.get(y, y) if isinstance(y, Value) else y for y in block.yields]

    visit(block)


def _is_read(op: Op, parts: dict[Value, _Parts], mapping: dict[Value, Operand]) -> bool:
    match op:
        case Call() if op.fn is unpack and op.args[0] in parts and len(op.results) == len(parts[op.args[0]].items):
            mapping.update(zip(op.results, parts[op.args[0]].items))
            return True
        case Call(args=[x, Lit(value=key)]) if op.fn is operator.getitem and x in parts and key in parts[x].keys:
            mapping[op.result] = parts[x].items[parts[x].keys.index(key)]
            return True
        case Call(args=[x, Lit(value=int() as key)]) if op.fn is operator.getitem and x in parts and isinstance(parts[x].type, TupleT) \
                and -len(parts[x].items) <= key < 0:
            mapping[op.result] = parts[x].items[key]
            return True
        case GetAttr(obj=x, name=name) if x in parts and name in _fields(parts[x]):
            mapping[op.result] = parts[x].items[_fields(parts[x]).index(name)]
            return True
        case Call(args=[x]) if op.fn is len and x in parts:
            mapping[op.result] = Lit(len(parts[x].items))
            return True
    return False


def _fields(found: _Parts) -> list[Any]:
    cls = found.type.cls
    return list(getattr(cls, "_fields", found.keys)) if cls is not dict else []


def _rebuild(fn: Function, parts: dict[Value, _Parts]) -> None:
    """Make up again, at the start of the function, the structures that are used as a whole, and those that are parts of these."""
    used = uses_of(fn.body)
    whole = [p for p in parts if p in used]
    for p in whole:
        _refuse_whole(p, fn)
    needed: list[Value] = []
    for p in whole:
        _with_parts(p, parts, needed)
    fn.body.ops[:0] = [_rebuilt(p, parts[p]) for p in needed]


def _with_parts(p: Value, parts: dict[Value, _Parts], needed: list[Value]) -> None:
    """Add a structure to ``needed``, behind the structures that are parts of it."""
    if p in parts and p not in needed:
        for item in parts[p].items:
            _with_parts(item, parts, needed)
        needed.append(p)


def _rebuilt(p: Value, found: _Parts) -> Op:
    """Make up a structure from its parts."""
    t = found.type
    kind = "namedtuple" if isinstance(t, TupleT) and hasattr(t.cls, "_fields") else "tuple" if isinstance(t, TupleT) else "dict"
    items: list[Any] = list(found.items) if kind != "dict" else [o for k, v in zip(found.keys, found.items) for o in (Lit(k), v)]
    return Build(kind, items, t.cls if kind == "namedtuple" else None, results=[p])

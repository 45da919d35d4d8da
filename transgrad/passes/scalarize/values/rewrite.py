"""Rewrite a function so that selected values are Python floats."""
from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from ....ir.build import Builder
from ....ir.effects import is_unknown, writes
from ....ir.ops import (
    Block,
    Build,
    Call,
    CallValue,
    For,
    Function,
    GetAttr,
    If,
    Invoke,
    Lit,
    Op,
    Operand,
    Value,
    While,
    blocks_of,
    operands_of,
)
from ....ir.prims import unpack
from ....ir.types import Arr, Num
from ...rewriting.substitute import substitute_op
from .boundary import takes
from .cost_model import Choice
from .small_arrays import SHAPE, Lengths, fixed_length, is_vector

__all__ = ["rewrite"]

_FLOAT, _BOOL = Num("float"), Num("bool")


def rewrite(fn: Function, choice: Choice, lengths: Lengths) -> bool:
    """Rewrite ``fn`` in place; return whether elements of arguments are read earlier than they were."""
    state = _Rewrite(choice, lengths)
    state.function(fn)
    return bool(state.read)


class _Rewrite:
    """``unboxed`` maps a selected value to its elements or a number; ``boxes`` (one per block) to the arrays and NumPy scalars
    made of them again."""

    def __init__(self, choice: Choice, lengths: Lengths):
        self.choice, self.lengths = choice, lengths
        self.unboxed: dict[Value, Any] = {}
        self.boxes: list[dict[Value, Operand]] = []
        self.builder = Builder(Block())
        #: rows as their elements, until something is written
        self.rows: dict[tuple[Any, ...], list[Value]] = {}
        #: elements of arguments that loops read, which are read before them
        self.read: dict[tuple[Value, int], Value] = {}
        self.looping = False

    def function(self, fn: Function) -> None:
        params = [p for p in fn.params if p in self.choice.chosen]
        with self.builder:
            self.block(fn.body, params)
            self.end(fn.body, [self.get(y) if self.choice.is_gradient(y) else y for y in fn.body.yields])
        fn.body.ops[:0] = [Call(operator.getitem, [p, Lit(k)], results=[v]) for (p, k), v in self.read.items()]

    def get(self, x: Any) -> Any:
        """The representation of an operand: the elements of a small array, or a number."""
        if type(x) is not Value:
            return x
        return self.apart(x) if x not in self.unboxed and is_vector(x.type) else self.unboxed.get(x, x)

    def apart(self, v: Value) -> list[Value]:
        """The elements of an array as it is now."""
        n = self.lengths.of(v) or self.lengths.readable(v)
        made = self.lengths.makers.get(v)
        if self.looping and isinstance(made, Call) and (part := self.part_of_argument(made)) is not None:
            base, places = part
            return [self.read_before(base, k, v.varied) for k in places]
        key = (made.args[0], *_key(made.args[1])) if isinstance(made, Call) and made.fn is operator.getitem else (v,)
        if key in self.rows:
            return self.rows[key]
        elements = [Value(Num("float"), f"{v.name}_{k}" if v.name else None, v.varied) for k in range(n or 0)]
        place = self.choice.place_of(v)
        if place is not None:
            for element, column in zip(elements, place.columns, strict=True):
                index = self.builder.build("tuple", [place.row, column])
                self.builder.emit(Call(operator.getitem, [place.base, index], results=[element]))
        else:
            self.builder.emit(Call(unpack, [v, Lit(n)], results=elements))
        self.rows[key] = elements
        return elements

    def block(self, block: Block, leaves: list[Value]) -> None:
        """Rewrite a block; ``leaves`` are parameters that are taken apart at its start."""
        old, block.ops = block.ops, []
        self.rows = {}
        self.boxes.append({p: p for p in leaves})
        with self.builder.inside(block):
            for p in leaves:
                self.take_apart(p)
            for op in old:
                self.builder.loc, self.builder.part = op.loc, op.part
                self.op(op)

    def end(self, block: Block, yields: list[Operand]) -> None:
        """End a block that `block` has started; values that are not selected are boxed before they are yielded."""
        with self.builder.inside(block):
            block.yields = [self.boxed(y) for y in yields]
        self.boxes.pop()

    def take_apart(self, v: Value) -> None:
        """Make Python floats of a value that is there."""
        if self.lengths.of(v) is not None:
            self.unboxed[v] = self.apart(v)
        else:
            self.unboxed[v] = self.builder.call(bool if _is_bool(v) else float, v, name=v.name, type=_number(v))

    def boxed(self, x: Any) -> Any:
        """An operand as the array or NumPy scalar that it was."""
        if type(x) is not Value or x not in self.unboxed:
            return x
        for known in reversed(self.boxes):
            if x in known:
                return known[x]
        parts = self.unboxed[x]
        if isinstance(parts, list):
            made = self.builder.call(np.array, self.builder.build("list", parts), name=x.name, type=x.type)
        else:
            made = self.builder.call(np.bool_ if _is_bool(x) else np.float64, parts, name=x.name, type=x.type)
        self.boxes[-1][x] = made
        return made

    def op(self, op: Op) -> None:
        """Append the replacement of an operation."""
        if self.rows and (blocks_of(op) or isinstance(op, (Invoke, CallValue)) or writes(op) or is_unknown(op)):
            self.rows = {}
        if type(op) is Call:
            write = self.form if id(op) in self.choice.forms else self.row if id(op) in self.choice.rows else self.plain
            write(op)
        elif isinstance(op, If):
            self.branch(op)
        elif isinstance(op, (For, While)):
            self.loop(op)
        elif isinstance(op, Build) and id(op) in self.choice.absorbed:
            if not any(type(i) is Value and i in self.unboxed for i in op.items):
                self.builder.block.ops.append(op)       # dead code, unless an array is made of it after all
        elif isinstance(op, GetAttr) and op.name in SHAPE and op.obj in self.unboxed and op.obj not in self.boxes[-1]:
            held = self.get(op.obj)
            shape = (len(held),) if isinstance(held, list) else ()
            self.unboxed[op.result] = Lit({"shape": shape, "size": math.prod(shape), "ndim": len(shape)}[op.name])
            self.boxes[0][op.result] = self.unboxed[op.result]
        else:
            self.plain(op)
        if self.rows and blocks_of(op):
            self.rows = {}

    def form(self, op: Call) -> None:
        """An operation on Python floats."""
        if self.looping and op.fn is operator.getitem and self.is_setting(*op.args):
            self.unboxed[op.result] = self.read_before(op.args[0], op.args[1].value, op.result.varied)
            return
        before = len(self.builder.block.ops)
        results = self.choice.forms[id(op)].write(self.builder, self.get)
        new = {r for made in self.builder.block.ops[before:] for r in made.results}
        for v, made in zip(op.results, results):
            self.unboxed[v] = made
            parts = made if isinstance(made, list) else [made]
            for k, part in enumerate(parts):
                if type(part) is Value:
                    part.varied = part.varied or v.varied
                    if v.name and (part in new or part.name is None):
                        part.name = f"{v.name}_{k}" if isinstance(made, list) else v.name

    def is_setting(self, base: Any, index: Any) -> bool:
        """Whether an element is the same in all iterations: at a known place of an argument that nothing writes to."""
        fixed = isinstance(index, Lit) and type(index.value) is int and base in self.lengths.fn.params
        return self.choice.risk and fixed and self.lengths.of(base) is None and not self.lengths.classes.is_written(base)

    def part_of_argument(self, op: Call) -> tuple[Value, range] | None:
        """The vector among the arguments that a call takes a slice of, and the places of its elements."""
        if op.fn is not operator.getitem or not isinstance(base := op.args[0], Value) or not is_vector(base.type):
            return None
        n, index = fixed_length(base.type), op.args[1]
        if n is None or not isinstance(index, Lit) or not isinstance(index.value, slice):
            return None
        places = range(n)[index.value]
        return (base, places) if all(self.is_setting(base, Lit(k)) for k in places) else None

    def read_before(self, base: Value, place: int, varied: bool) -> Value:
        """An element of an argument that is read before all loops."""
        if (base, place) not in self.read:
            self.read[base, place] = Value(Num("float"), f"{base.name}_{place}" if base.name and place >= 0 else None, varied)
        return self.read[base, place]

    def row(self, op: Call) -> None:
        """``rows[i] = s``, element by element."""
        base, index, value = op.args
        for k, part in enumerate(self.get(value)):
            place = self.builder.build("tuple", [index, k])
            self.builder.emit(Call(op.fn, [base, place, part], spelling=op.spelling))

    def plain(self, op: Op) -> None:
        """An operation with its original operands."""
        if not self.unboxed.keys().isdisjoint(operands_of(op)):
            unboxed = [o for o in operands_of(op) if type(o) is Value and o in self.unboxed]
            substitute_op(op, {o: self.get(o) if takes(op, o) or self.choice.keeps(op, o) else self.boxed(o) for o in unboxed})
        if type(op) is not Call:
            for inner in blocks_of(op):
                self.block(inner, [])
                self.end(inner, inner.yields)
        self.builder.block.ops.append(op)
        for v in op.results:
            if v in self.choice.chosen:
                self.boxes[-1][v] = v
                self.take_apart(v)

    def flat(self, values: list[Any], like: list[Value]) -> list[Any]:
        """Operands with the elements of small arrays in their place, where the values they flow into are chosen."""
        out: list[Any] = []
        for x, v in zip(values, like):
            if v not in self.choice.chosen:
                out.append(self.boxed(x))
            elif (n := self.lengths.of(v)) is not None:
                out += [x] * n if isinstance(x, Lit) else self.get(x)
            else:
                out.append(self.get(x))
        return out

    def fresh(self, values: list[Value]) -> list[Value]:
        """New values for joined values."""
        out: list[Value] = []
        for v in values:
            if v not in self.choice.chosen:
                out.append(v)
                continue
            n = self.lengths.of(v)
            made = [Value(_number(v), v.name if n is None or not v.name else f"{v.name}_{k}", v.varied) for k in range(n or 1)]
            self.unboxed[v] = made[0] if n is None else made
            out += made
        return out

    def branch(self, op: If) -> None:
        op.cond = self.get(op.cond)
        outside = self.looping
        for block in (op.then, op.orelse):
            self.looping = False        # a value read in one branch may be undefined
            self.block(block, [])
            with self.builder.inside(block):
                flat = self.flat(block.yields, op.results)
            self.end(block, flat)
        self.looping = outside
        op.results = self.fresh(op.results)
        self.builder.block.ops.append(op)

    def loop(self, op: For | While) -> None:
        first = len(op.body.params) - len(op.inits)
        if isinstance(op, For):
            for s in op.sources:
                s.operands = [self.boxed(o) for o in s.operands]
        op.inits = self.flat(op.inits, op.results)
        results = op.results
        if isinstance(op, While):
            op.cond.params = self.fresh(op.cond.params)
            self.block(op.cond, [])
            self.end(op.cond, [self.get(op.cond.yields[0])])
        outside, self.looping = self.looping, True
        items = [p if p not in self.choice.stored else self.fresh([p])[0] for p in op.body.params[:first]]
        op.body.params = [*items, *self.fresh(op.body.params[first:])]
        self.block(op.body, [p for p in items if p in self.choice.chosen and p not in self.choice.stored])
        with self.builder.inside(op.body):
            flat = self.flat(op.body.yields[op.stops:], results)
            flags = [self.get(y) for y in op.body.yields[:op.stops]]
        self.end(op.body, [*flags, *flat])
        self.looping = outside
        op.results = self.fresh(results)
        self.builder.block.ops.append(op)


def _key(index: Any) -> tuple[Any, ...]:
    """An index, for comparison."""
    return (index,) if type(index) is Value else ("literal", repr(index.value))


def _is_bool(v: Value) -> bool:
    return isinstance(v.type, Arr) and v.type.dtype == "bool"


def _number(v: Value) -> Num:
    return _BOOL if _is_bool(v) else _FLOAT

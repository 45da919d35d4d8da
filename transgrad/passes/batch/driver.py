"""Driver of the batching pass: state, batched values, and the walk over a block."""
from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...ir.attributes import Attributes
from ...ir.build import Builder
from ...ir.clone import clone_op
from ...ir.ops import (
    UNDEF,
    Block,
    Call,
    For,
    Function,
    If,
    Invoke,
    Lit,
    Op,
    Param,
    Raise,
    Star,
    Try,
    Value,
    While,
    With,
    blocks_of,
    operands_of,
)
from ...ir.ops import Lit as Literal
from ...ir.optional import name_present
from ...ir.types import UNKNOWN, Arr, DictT, Dim, ListT, Num, Type, strip
from ..analysis.callee_views import is_watched, watch
from ..manager import simplify
from .batched_values import Facts
from .lanes import Lanes, batch_type, first_array, is_number, ndim
from .rules import batch_op
from .shape_tuples import join_tuples
from .unbound_values import UnboundValues
from .unsupported import CannotBatch

__all__ = ["Batch", "batch", "batched_callee", "enter", "facts_of", "finish"]

_COUNT = itertools.count()


class _Builder(Builder):
    """A builder that knows what it has made."""

    def __init__(self, block: Block):
        super().__init__(block)
        self.made: set[Value] = set()

    def emit(self, op: Op) -> Op:
        self.made.update(op.results)
        return super().emit(op)


class Batch:
    """Writes the batched form of a function into a new body.

    Every batched value has the examples along its first axis.  What is the same for all examples is computed once.
    """

    def __init__(self, fn: Function, facts: Facts):
        self.fn, self.facts = fn, facts
        self.unbound = UnboundValues(fn, facts.classes)
        self.builder = _Builder(Block())
        #: what stands for the values that are the same for all examples
        self.plain: dict[Value, Any] = {}
        self.lanes: Lanes

    # values

    def batched(self, x: Any) -> bool:
        """Whether an operand of the function differs between the examples."""
        return self.facts.batched(x)

    def changes(self, x: Any) -> bool:
        """Whether something writes to what an operand refers to, here or where this is called."""
        return self.facts.written(x) or is_watched(self.fn)

    def operand(self, x: Any) -> Any:
        """What stands for an operand here: its batch, or itself."""
        if isinstance(x, Star):
            return Star(self.operand(x.value))
        if not isinstance(x, Value):
            return x
        return self.lanes.get(x) if self.batched(x) else self.plain.get(x, x)

    def type_of(self, t: Type) -> Any:
        """The type of a batch of values of type ``t``."""
        return batch_type(t, self.lanes.dim)

    def set(self, v: Value, x: Any) -> None:
        """Gives a value of the function its batch, or what stands for it."""
        if isinstance(x, Value) and x.name is None and x in self.builder.made:
            x.name = v.name
        if self.batched(v):
            self.lanes.values[v] = self._own(v, x)
        else:
            self.plain[v] = x

    def _own(self, v: Value, x: Any) -> Any:
        """A batch for a value that was computed once for all examples."""
        if isinstance(x, Value) and is_number(v.type) and isinstance(x.type, (Num, Arr)) and ndim(x.type) == ndim(v.type):
            return self.promote(x, v.type)
        return x if isinstance(x, Value) or not is_number(v.type) else self.promote(x, v.type)

    def new(self, v: Value) -> Value:
        """A fresh batch for a value, as a parameter or a result."""
        made = Value(self.type_of(v.type), v.name, v.varied)
        self.lanes.values[v] = made
        return made

    def fresh(self, v: Value) -> Value:
        """A fresh value for one that is the same for all examples."""
        made = Value(v.type, v.name, v.varied)
        self.plain[v] = made
        return made

    def carry(self, v: Value) -> Value:
        """A fresh value for what a loop carries or a branch computes."""
        return self.new(v) if self.batched(v) else self.fresh(v)

    def promote(self, x: Any, t: Type) -> Any:
        """An operand that is the same for all examples, repeated for each of them: an array of its own."""
        b, n = self.builder, self.lanes.size
        x = x if isinstance(x, (Value, Lit)) else Lit(x)
        to = self.type_of(t)
        if isinstance(x.type, Num) or isinstance(x.type, Arr) and not x.type.dims:
            if not isinstance(to, Arr):
                raise CannotBatch("a value without a type differs between the examples")
            shape: Any = n
            if len(to.dims) > 1:        # a number stands for an array: its batch has axes of length 1, to be broadcast
                shape = b.build("tuple", [n, *(1 for _ in to.dims[1:])])
                to = Arr(to.dtype, (to.dims[0], *(Dim(True) for _ in to.dims[1:])))
            if isinstance(x, Lit) and isinstance(x.value, (bool, int, float, complex)):
                zero = isinstance(x.value, float) and x.value == 0.0 and str(x.value) == "0.0" and to.dtype == "float64"
                if zero:
                    return b.call(np.zeros, shape, type=to)
                return b.call(np.full, shape, x, type=to, **({} if _same_kind(x.value, to.dtype) else {"dtype": _dtype(to)}))
            return b.call(np.full, shape, x, type=to)
        if isinstance(x.type, Arr):
            one = b.call(operator.getitem, x, None, type=Arr(x.type.dtype, (Dim(True), *x.type.dims)))
            return b.call(np.repeat, one, n, axis=0, type=to)
        raise CannotBatch(f"a value of type {x.type} differs between the examples")

    def whole(self, x: Any, t: Type) -> Any:
        """The batch that stands for an operand of type ``t``, whether or not it differs between the examples."""
        if x is UNDEF:
            placeholder = self.promote(Lit(0.0) if not isinstance(t, Num) else Lit({"bool": False, "int": 0}.get(t.kind, 0.0)), t)
            placeholder.type = self.type_of(t)      # which nothing reads
            return placeholder
        if self.batched(x):
            return self.operand(x)
        if t == UNKNOWN and is_number(x.type):      # of which one side of a branch says what it is
            t = x.type
        if not is_number(t):
            return self.operand(x)
        return self.promote(self.operand(x), t)

    def aligned(self, x: Any, n: int, k: int) -> Any:
        """A batch of arrays with ``n`` dimensions, ready to be broadcast against batches with ``k``."""
        if n >= k or not isinstance(x, Value):
            return x
        index = (slice(None), *[None] * (k - n))
        t = strip(x.type)
        to = Arr(t.dtype, (t.dims[0], *[Dim(True)] * (k - n), *t.dims[1:])) if isinstance(t, Arr) and t.dims else None
        return self.builder.call(operator.getitem, x, Lit(index), type=to)

    def spread(self, x: Any, k: int) -> Any:
        """What stands for an operand, ready to be broadcast against batches of arrays with ``k`` dimensions."""
        return self.aligned(self.operand(x), ndim(x.type), k) if self.batched(x) else self.operand(x)

    def rows(self) -> Any:
        """The numbers of the examples, for picking one entry of each."""
        return self.builder.call(np.arange, self.lanes.size, type=Arr("int64", (self.lanes.dim,)))

    # the walk

    def block(self, block: Block) -> None:
        """Appends the batched form of the operations of a block."""
        for op in block.ops:
            outer, self.builder.loc, self.builder.part = self.builder.loc, op.loc or self.builder.loc, op.part
            self.op(op)
            self.builder.loc = outer

    def op(self, op: Op) -> None:
        from .control import batch_if, batch_loop
        self.builder.loc = op.loc
        if self.lanes.may_be_empty and may_raise(op) and not self.touches(op):
            self.where_there_are_any(op)
            return
        match op:
            case If():
                batch_if(self, op)
            case For() | While():
                batch_loop(self, op)
            case Try() | With():
                if self.touches(op):
                    raise CannotBatch("a try or with statement in which values differ between the examples", op.loc)
                self.copy(op)
            case Invoke():
                self.invoke(op)
            case _ if not self.touches(op):
                self.copy(op)
            case _:
                batch_op(self, op)

    def where_there_are_any(self, op: Op) -> None:
        """Appends an operation that may raise, and is the same for all examples, for the case that there are any of them here."""
        if op.results:
            raise CannotBatch("a statement that may raise, in a branch that no example may take, gives values to variables", op.loc)
        some = self.builder.call(operator.gt, self.lanes.size, 0, type=Num("bool"))
        made = If(some, Block(), Block(), loc=op.loc, part=op.part)
        with self.builder.inside(made.then):
            self.copy(op)
        self.builder.block.ops.append(made)

    def touches(self, op: Op) -> bool:
        """Whether an operation reads, makes or changes anything that differs between the examples."""
        own = (*(o.value if isinstance(o, Star) else o for o in operands_of(op)), *op.results)
        inner = blocks_of(op)
        return (any(map(self.batched, own)) or any(self.touches(o) for block in inner for o in block.ops)
                or any(map(self.batched, (y for block in inner for y in (*block.yields, *block.params)))))

    def copy(self, op: Op) -> None:
        """Appends an operation that is the same for all examples."""
        mapping = dict(self.plain)
        made = clone_op(op, mapping)
        self.plain.update((old, mapping[old]) for old in mapping if old not in self.plain or self.plain[old] is not mapping[old])
        made.loc, made.part = op.loc, op.part
        self.builder.block.ops.append(made)

    def emit(self, op: Op, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Appends a call whose result is the batch of the result of ``op``."""
        r = op.result
        t = self.type_of(r.type) if is_number(r.type) else None
        out = self.builder.call(fn, *args, type=t, **kwargs) if t is not None else self.builder.call(fn, *args, **kwargs)
        self.set(r, out)
        return out

    def one(self, fn: Callable[..., Any], *args: Any, type: Any, name: str | None = None) -> Value:
        """Appends a call whose result is one value, also where it is a tuple."""
        result = Value(type, name)
        self.builder.emit(Call(fn, [a if isinstance(a, (Value, Lit)) else Lit(a) for a in args], results=[result]))
        return result

    def invoke(self, op: Invoke) -> None:
        """A call of a lowered function: of its batched form, where an argument differs."""
        flags = tuple(map(self.batched, op.args))
        if not any(flags):
            args = [self.operand(a) for a in op.args]
            self.builder.emit(Invoke(op.func, args, op.again, results=[self.fresh(r) for r in op.results], loc=op.loc))
            self._own_results(op, [r for r in op.results if self.batched(r)])
            return
        watch(op, self.facts.written)
        callee, inner = batched_callee(op.func, flags)
        if any(self.facts.written(r) and inner.chosen(y) for r, y in zip(op.results, op.func.body.yields)):
            raise CannotBatch("which array is written to differs between the examples", op.loc)
        args = [self.whole(a, p.type) if inner.batched(p) else self.operand(a) for a, p in zip(op.args, op.func.params)]
        results = [self.new(r) if inner.batched(y) else self.fresh(r) for r, y in zip(op.results, op.func.body.yields)]
        self.builder.emit(Invoke(callee, args, op.again, results=results, loc=op.loc))
        self._own_results(op, [r for r, y in zip(op.results, op.func.body.yields) if self.batched(r) and not inner.batched(y)])

    def _own_results(self, op: Invoke, alike: list[Value]) -> None:
        """Batches for the results of a call that are the same for all examples."""
        for r in alike:
            if self.facts.written(r) and any(self.facts.classes.same(r, other) for other in op.results if other is not r):
                raise CannotBatch("results of a call that may be one array are written to", op.loc)
            if isinstance(r.type, (ListT, DictT)):
                raise CannotBatch("a container that a call makes for all examples is given what differs between them", op.loc)
            self.lanes.values[r] = self._own(r, self.plain[r])


def may_raise(op: Op, within: tuple[Function, ...] = ()) -> bool:
    """Whether there is a ``raise`` in an operation, or in a function that it calls."""
    if isinstance(op, Raise):
        return True
    if isinstance(op, Invoke):
        return op.func not in within and any(may_raise(inner, (*within, op.func)) for inner in op.func.body.ops)
    return any(may_raise(inner, within) for block in blocks_of(op) for inner in block.ops)


def _same_kind(value: Any, dtype: str) -> bool:
    return {bool: "bool", int: "int64", float: "float64", complex: "complex128"}.get(type(value)) == dtype


def _dtype(t: Arr) -> Any:
    return Literal(getattr(np, t.dtype if t.dtype != "bool" else "bool_"), f"np.{t.dtype if t.dtype != 'bool' else 'bool_'}")


def facts_of(fn: Function, flags: Sequence[bool]) -> Facts:
    """The facts of a callee whose arguments differ where ``flags`` says so (kept on the function)."""
    kept: dict[Any, Any] = fn.memo(facts_of)
    key = "facts", tuple(flags)
    if key not in kept:
        kept[key] = None
        name_present(fn, arrays=True)
        kept[key] = Facts(fn, [p for p, f in zip(fn.params, flags) if f])
    if kept[key] is None:
        raise CannotBatch(f"{fn.name} calls itself", fn.loc)
    return kept[key]  # type: ignore[no-any-return]


def batched_callee(fn: Function, flags: Sequence[bool]) -> tuple[Function, Facts]:
    """The batched form of a callee, and its facts."""
    facts = facts_of(fn, flags)
    kept = fn.memo(facts_of)
    key = "function", tuple(flags), is_watched(fn)
    if key not in kept:
        suffix = "" if sum(k[0] == "function" for k in kept) == 0 else f"_{sum(k[0] == 'function' for k in kept) + 1}"
        made = Function(f"{fn.name}_batched{suffix}", Block(), names=fn.names, loc=fn.loc,
                        attrs=Attributes(emit=True, derivative=fn.attrs.derivative))
        run = Batch(fn, facts)
        dim = Dim(None, ("<batch>", next(_COUNT)))
        params, _ = enter(run, made, dim)
        made.signature = [Param(p.name or f"a{k}", p) for k, p in enumerate(params)]
        finish(run, made)
        made.returns = fn.returns
        made.attrs.batch_axes = [p for p, flag in zip(params, flags) if flag], list(map(facts.batched, fn.body.yields))
        made.attrs.keeps_boundaries = True
        simplify(made)
        kept[key] = made
    return kept[key], facts


def enter(run: Batch, made: Function, dim: Dim) -> tuple[list[Value], Value]:
    """Binds the parameters; how many examples there are is read from the first array among them."""
    size = Value(Num("int", dim), "n_batch")
    run.lanes = Lanes(size, dim)
    params = [run.carry(p) for p in run.fn.params]
    made.body.params = list(params)
    differ = sorted((p for p in run.fn.params if run.batched(p)), key=lambda p: not is_number(p.type))
    if differ:
        with run.builder.inside(made.body), run.builder:
            source = first_array(run.builder, run.lanes.values[differ[0]])
            made.body.ops.append(Call(len, [source], results=[size]))
    return params, size


def finish(run: Batch, made: Function) -> None:
    """Writes the body and its results."""
    with run.builder.inside(made.body), run.builder:
        run.block(run.fn.body)
        made.body.yields = [run.operand(y) for y in run.fn.body.yields]
    join_tuples(made.body)


def batch(fn: Function, differ: Sequence[Value], dim: Dim) -> tuple[Function, Facts, Value]:
    """The batched form of a function.

    Parameters
    ----------
    fn : Function
        Of one example; it is left as it is, but for the names of arrays that may be None.
    differ : sequence of Value
        The parameters that differ between the examples.
    dim : Dim
        How many examples there are.

    Returns
    -------
    Function
        Its parameters and results that differ have the examples along their first axis.
    Facts
        Which ones those are.
    Value
        How many examples there are.

    Raises
    ------
    CannotBatch
        Where something has no form for a whole batch.
    """
    name_present(fn, arrays=True)
    facts = Facts(fn, differ)
    made = Function(fn.name, Block(), names=dict(fn.names), loc=fn.loc, doc=fn.doc, attrs=fn.attrs.of_arguments())
    run = Batch(fn, facts)
    params, size = enter(run, made, dim)
    new = dict(zip(fn.params, params))
    if any(facts.batched(p) and p not in differ for p in fn.params):
        raise CannotBatch("an object that is the same for all examples receives values that differ between them", fn.loc)
    made.signature = [Param(p.name, new.get(p.value, p.value) if isinstance(p.value, Value) else p.value, p.kind) for p in fn.signature]
    finish(run, made)
    made.returns = fn.returns
    made.attrs.return_loc = fn.attrs.return_loc
    return made, facts, size

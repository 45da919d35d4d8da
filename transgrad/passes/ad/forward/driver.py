"""Driver of the forward pass: state, tangents of values, and the walk over a block."""
from __future__ import annotations

import types
from collections.abc import Callable, Container, Mapping, Sequence
from typing import Any

import numpy as np

from ....errors import UnsupportedSyntax
from ....ir.build import lift
from ....ir.ops import UNDEF, Block, Call, For, Function, If, Lit, Op, Operand, Source, Try, Value, While, With
from ....ir.types import UNKNOWN, Arr, DictT, ListT, Num, Obj, OptT, RecordT, SetT, TupleT, Type, holds_instance, may_be_no_container
from ....runtime import object_shadow, zeros_alike
from ...algebra.folding_builder import AlgebraBuilder
from ...analysis.activity import Activity
from ...analysis.alias import AliasClasses
from ...analysis.program_order import Layout
from ...analysis.support import Mask
from ...analysis.support_conditions import masked_operands
from ..nan_masking import forward_mask
from ..reverse.python_scalars import given_number
from ..reverse.unbroadcast import cast, full
from .hazards import unsettled_views
from .ops import forward_op
from .sum_of_squares import TangentBuilder, summed_squares

__all__ = ["Forward", "forward_body", "tangent_type"]


def tangent_type(t: Type) -> Type:
    """The type of the tangent of a value of type ``t``."""
    return Num("float") if isinstance(t, Num) and t.kind in ("int", "bool") else t


class Forward:
    """Rewrites a function in place; ``dot`` maps a value to its tangent (none: zero).

    A reference that may be written to has a tangent of the same structure, made beside it, so that aliases have aliased
    tangents.  ``among`` says which operations are the function's own, and of which values, where others compute tangents along another
    direction: these are left alone.  Tangents are called what their values are, and ``suffix``.
    """

    among: Container[object] | None = None
    suffix = "dot"

    def __init__(self, fn: Function, wrt: Sequence[Value], among: Container[object] | None = None, suffix: str = "dot",
                 results: Sequence[Operand] | None = None):
        self.fn, self.among, self.suffix = fn, among, suffix
        self.classes = AliasClasses(fn)
        read = [*(fn.body.yields if results is None else results), *(p for p in fn.params if not isinstance(p.type, Num))]   # or written to
        self.activity = Activity(fn, self.classes, wrt, read, among)
        self.builder: AlgebraBuilder = TangentBuilder(Block(), part="primal", within=fn)
        self._dot: dict[Value, Operand] = {}
        #: the supports of tangents
        self.masks: dict[Value, Mask | None] = {}
        self.layout = Layout(fn)
        self.makers = self.layout.maker
        self.unsettled: set[int] = set()
        self.squares = summed_squares(fn, self.makers, self.classes)

    def varied(self, v: Any) -> bool:
        """Whether an operand has a tangent."""
        if isinstance(v, (list, tuple)):
            return any(map(self.varied, v))
        return isinstance(v, Value) and self.activity.varied(v)

    def is_readable(self, v: Operand) -> bool:
        """Whether the block being written can read an operand."""
        return not isinstance(v, Value) or self.builder.sees(v, self.layout.home.get(v))

    def dot(self, v: Any) -> Any:
        """The tangent of an operand; None stands for zero."""
        t = self.dot_of_elements(v)
        return full(self.builder, t, v) if type(t) is Lit and isinstance(v.type, Arr) else t

    def dot_of_elements(self, v: Any) -> Any:
        """The same for what is done element by element, where a number stands for an array of equal tangents."""
        return self._dot.get(v) if isinstance(v, Value) else None

    def set(self, v: Value, t: Any) -> None:
        """Sets the tangent of a value."""
        if t is None:
            return
        if isinstance(t, Value) and t in self.builder.maker and t.name is None and v.name:
            t.name = self.named(v)
        if isinstance(t, Value) and self.classes.is_written(v):
            self.masks[t] = None        # a later iteration may write to it
        self._dot[v] = t

    def dot_or_zero(self, v: Operand) -> Any:
        """The tangent of an operand, as a value of its structure; nothing reads that of a value that is not computed."""
        if v is UNDEF or isinstance(v, Lit) and v.filler:
            return Lit(0.0, filler=True)
        t = self.dot(v)
        return self.zero(v) if t is None else t

    def zero(self, v: Operand) -> Any:
        """A zero tangent."""
        if v is UNDEF or isinstance(v, Lit) and v.filler:
            return Lit(0.0, filler=True)
        t = v.type
        if isinstance(t, Num) or isinstance(t, Arr) and t.scalar:
            return Lit(0.0)
        if t == Obj(type(None)) or may_be_no_container(t):
            return Lit(None)
        if isinstance(t, Arr):
            made = self.makers.get(v) if isinstance(v, Value) and t.dtype == "float64" else None
            if type(made) is Call and made.fn in (np.empty, np.zeros) and len(made.args) == 1 and not made.kwargs and (
                    isinstance(made.args[0].type, (Num, TupleT)) or made.args[0].type == Obj(tuple)):
                return self.builder.call(np.zeros, made.args[0], type=t)
            if t.dtype[0] not in "fc":
                return self.builder.call(np.zeros, self.builder.attr(v, "shape"), type=Arr("float64", t.dims))
            return self.builder.call(np.zeros_like, v)
        if isinstance(t, (ListT, DictT, TupleT, RecordT, SetT)):
            fields = (Lit(True), Lit(True)) if holds_instance(t) else ()
            made = self.builder.call(zeros_alike, v, *fields, type=t)
            return self.builder.build("tuple", list(made)) if isinstance(made, tuple) else made     # its items, as one value
        return self.builder.call(zeros_alike, v, type=t) if t == UNKNOWN and isinstance(v, Value) else Lit(0.0)

    def object_dot(self, v: Operand, op: Op) -> Value:
        """The object that holds the tangents of the attributes of ``v``."""
        if not isinstance(v, Value) or v not in self.fn.params:
            raise UnsupportedSyntax("an object that is neither an argument nor made here is given values that depend on a differentiated "
                                    "input", op.loc, "make it an argument, or a local variable")
        if v not in self._dot:
            shadow = Value(Obj(types.SimpleNamespace), self.named(v))
            self.fn.body.ops.insert(0, Call(object_shadow, [], results=[shadow], loc=op.loc))
            self._dot[v] = shadow
        found = self._dot[v]
        assert isinstance(found, Value)
        return found

    def named(self, v: Value) -> str | None:
        """What the tangent of a value is called."""
        return f"{v.name}_{self.suffix}" if v.name else None

    def fresh(self, v: Value) -> Value:
        """A new value for the tangent of ``v``."""
        t = Value(tangent_type(v.type), self.named(v))
        self._dot[v] = t
        return t

    def whole(self, t: Any, y: Value) -> Any:
        """A tangent with all the dimensions of its value."""
        if t is None or isinstance(y.type, (Obj, ListT, TupleT, DictT, RecordT, OptT)):
            return t
        return cast(self.builder, full(self.builder, lift(t), y), y.type)

    # the walk

    def block(self, block: Block) -> None:
        """Rewrites the operations of a block."""
        ops, block.ops = block.ops, []
        with self.builder.inside(block):
            for op in ops:
                self.builder.loc, self.builder.part = op.loc, op.part
                self._op(op)

    def maker(self, v: Value) -> Op | None:
        """The operation that makes a value."""
        return self.builder.maker.get(v) or self.makers.get(v)

    def _op(self, op: Op) -> None:
        if self.among is not None and op not in self.among:
            self.builder.block.ops.append(op)
            return
        if (masked := masked_operands(op, self.maker)) is not None:
            forward_mask(self, op, masked)
            return
        match op:
            case If():
                self._branches(op, [op.then, op.orelse])
            case Try():
                self._branches(op, [op.body, *(h.body for h in op.handlers)])
                if op.final:
                    self.block(op.final)
            case With():
                self._branches(op, [op.body])
            case For() | While():
                self._loop(op)
            case _:
                forward_op(self, op)
        self._allocate(op.results)

    def _allocate(self, values: Sequence[Value]) -> None:
        """Gives a new array or container that will hold varied values its tangent, which starts as zero."""
        for v in values:
            if v not in self._dot and self.varied(v) and (
                    isinstance(v.type, (ListT, DictT)) or isinstance(v.type, (Arr, RecordT)) and self.classes.is_written(v)):
                self.set(v, self.zero(v))

    def _own_tangents(self, wrt: Sequence[Value]) -> None:
        """Copies the tangents of arguments that are written to, which the tangents are too."""
        copies: dict[type, Callable[..., Any]] = {Arr: np.ndarray.copy, ListT: list.copy, DictT: dict.copy}
        for v in wrt:
            t = self._dot[v]
            if type(v.type) in copies and self.classes.is_written(v) and not (isinstance(v.type, Arr) and v.type.scalar):
                self._dot[v] = self.builder.call(copies[type(v.type)], t, name=t.name if isinstance(t, Value) else None, type=v.type)

    def _order_tangents(self, wrt: Sequence[Value]) -> None:
        """Has the tangents of arguments lie in C order."""
        for v in wrt:
            t = self._dot[v]
            if isinstance(v.type, Arr) and v.type.dims and not v.type.scalar:
                self._dot[v] = self.builder.call(np.ascontiguousarray, t, name=t.name if isinstance(t, Value) else None, type=v.type)

    def _branches(self, op: If | Try | With, blocks: list[Block]) -> None:
        for inner in blocks:
            self.block(inner)
        self.builder.block.ops.append(op)
        for k, r in enumerate(list(op.results)):
            if self.varied(r):
                for inner in blocks:
                    y = inner.yields[k]
                    with self.builder.inside(inner):
                        inner.yields.append(y if y is UNDEF else self.dot_or_zero(y))
                op.results.append(self.fresh(r))
                if isinstance(op, If) and not self.classes.is_written(r):
                    self.builder.maker[op.results[-1]] = op

    def _loop(self, op: For | While) -> None:
        n = len(op.body.params) - len(op.inits)
        params = op.body.params[n:]
        active = [k for k, (p, r) in enumerate(zip(params, op.results)) if self.varied(p) or self.varied(r)]
        if isinstance(op, For):
            self._sources(op)
        op.inits += [self.dot_or_zero(op.inits[k]) for k in active]
        new = [self.fresh(params[k]) for k in active]
        op.body.params += new
        if isinstance(op, While):
            # the condition sees the tangents as well, and has no use for them
            op.cond.params += [Value(v.type, v.name) for v in new]
            for k in active:
                self._dot[op.cond.params[k]] = op.cond.params[len(params) + active.index(k)]
            self.block(op.cond)
        self.block(op.body)
        yields = op.body.yields[op.stops:]
        with self.builder.inside(op.body):
            op.body.yields += [self.dot_or_zero(yields[k]) for k in active]
        op.results += [self.fresh(op.results[k]) for k in active]
        self.builder.block.ops.append(op)

    def _sources(self, op: For) -> None:
        """Runs over the tangents of what the loop runs over, in step."""
        k = 0
        sources: list[Source] = []
        items: list[Value] = []
        for s in op.sources:
            width = 2 if s.kind == "items" else 1
            item = op.body.params[k + width - 1]
            base = s.operands[0] if s.operands else Lit(None)
            if self.varied(item) and s.kind in ("seq", "items", "values"):
                kind = "values" if s.kind == "items" else s.kind
                sources.append(Source(kind, [self.dot_or_zero(base)], s.reverse))
                items.append(self.fresh(item))
            elif self.varied(item) and s.kind == "iter":
                raise UnsupportedSyntax("a loop over an iterator whose items depend on a differentiated input has no derivative", op.loc,
                                        "loop over a list or an array")
            k += width
        op.sources += sources
        op.body.params[k:k] = items


def forward_body(fn: Function, wrt: Sequence[Value], dots: Mapping[Value, Operand], outermost: bool = False,
                 among: Container[object] | None = None, suffix: str = "dot", results: Sequence[Operand] | None = None) -> Forward:
    """Rewrites a function in place: ``dots`` gives the tangents of the parameters ``wrt``; the results' tangents can be read
    from the state that is returned.  ``outermost`` says that the tangents are the caller's own, and not to be written to; ``results``
    are those of which tangents are read, if not all; for the rest see `Forward`."""
    fn.attrs.derivative = True
    state = Forward(fn, wrt, among, suffix, results)
    state._dot.update(dots)
    state.unsettled, by_arguments = unsettled_views(state, outermost)
    with state.builder:
        entry = Block()
        with state.builder.inside(entry):
            if outermost:
                if by_arguments:
                    state._order_tangents(wrt)
                state._own_tangents(wrt)
            state._dot.update({v: given_number(state.builder, t, v.type) for v, t in state._dot.items()})
            state._allocate(fn.params)
        state.block(fn.body)
        fn.body.ops[:0] = state.builder.moved(entry, fn.body)
    return state


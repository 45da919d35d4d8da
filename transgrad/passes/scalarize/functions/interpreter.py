"""Unroll a function of small arrays of known lengths into straight-line code on their elements.

The function runs on object arrays that hold symbolic elements, so that indexing, views, transpositions and matrix products have NumPy's
semantics, and each operation on two elements emits one on numbers. Functions that depend on more than lengths (a loop with unknown trip
count, a computed index) are not unrolled.
"""
from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ....ir.build import Builder
from ....ir.effects import SHAPE_CHECKS, is_pure, writes
from ....ir.ops import Block, Build, Call, For, Function, GetAttr, If, Invoke, Lit, Op, Operand, Star, Value, operands_of
from ....ir.prims import inplace_at, unpack
from ....ir.types import Arr, Num
from ....runtime import unbroadcast
from .element import NOTHING, Element, NotSmall, differs, is_part, is_shaped, key_of, name_elements, operand_of, shapes_of, simple
from .elementwise import dtype_of, is_known
from .lanes import Lane
from .may_share import Shared

__all__ = ["Parting", "Run", "Step"]

#: The maximum number of generated operations, and of iterations of a loop.
_LARGE, _TURNS = 1500, 64

#: Functions that only move, add or multiply elements are computed by NumPy itself.
_BY_NUMPY: frozenset[Any] = frozenset((
    np.sum, np.ndarray.sum, np.mean, np.ndarray.mean, np.prod, np.ndarray.prod, np.dot, np.ndarray.dot, np.vdot, np.inner, np.outer,
    np.matmul, operator.matmul, np.cross, np.trace, np.transpose, np.ndarray.transpose, np.swapaxes, np.moveaxis, np.reshape,
    np.ndarray.reshape, np.ravel, np.ndarray.ravel, np.ndarray.flatten, np.expand_dims, np.squeeze, np.broadcast_to, np.concatenate,
    np.stack, np.hstack, np.vstack, np.copy, np.ndarray.copy, np.diag, np.flip, np.roll, np.repeat, np.tile, np.einsum, np.tensordot,
    np.kron, np.cumsum, np.ndarray.cumsum, np.atleast_1d, np.atleast_2d, np.column_stack, np.tril, np.triu, unbroadcast,
))
_FILLED: dict[Any, float] = {np.zeros: 0.0, np.ones: 1.0, np.zeros_like: 0.0, np.ones_like: 1.0, np.empty: 0.0, np.empty_like: 0.0}
_INPLACE = {operator.iadd: operator.add, operator.isub: operator.sub, operator.imul: operator.mul, operator.itruediv: operator.truediv,
            operator.ipow: operator.pow, operator.ifloordiv: operator.floordiv, operator.imod: operator.mod}
_WRITING = frozenset((*_INPLACE, inplace_at, operator.imatmul, operator.iconcat, operator.iand, operator.ior, operator.ixor,
                       operator.ilshift, operator.irshift))
#: On numbers of Python, these never raise.
_SAFE = frozenset((operator.add, operator.sub, operator.mul, operator.neg, operator.pos, operator.lt, operator.le, operator.gt, operator.ge,
                   operator.eq, operator.ne, operator.not_, float, abs))


class Parting(Exception):
    """The code goes two ways, as it is not known whether a test holds."""

    def __init__(self, test: Value):
        super().__init__(test)
        self.test = test


@dataclass(frozen=True, slots=True)
class Step:
    """An unrolled operation: its kind (a branch: None), the shapes of its operands and results, which operands
    differ between the examples, which are parts of longer rows, and whether any operand differs."""

    fn: Callable[..., Any] | None
    given: tuple[tuple[int, ...], ...]
    made: tuple[tuple[int, ...], ...]
    varied: tuple[bool, ...] = ()
    parts: tuple[bool, ...] = ()
    differs: bool = True


class Run:
    """Scalarize a function into a builder.

    Parameters
    ----------
    b : Builder
        The builder of the scalar code.
    lane : Lane
        The representation of one number.
    known : dict
        The values computed so far; the run adds to them.
    outcomes : mapping of Operand to bool
        Tests with known outcomes.
    """

    def __init__(self, b: Builder, lane: Lane, known: dict[Any, Operand], outcomes: Mapping[Operand, bool]):
        self.b, self.lane, self.known, self.outcomes = b, lane, known, outcomes
        self.env: dict[Value, Any] = {}
        #: the operations on arrays that were written out
        self.steps: list[Step] = []
        #: results of branches: the condition, and the values of both sides
        self.chosen: dict[Operand, tuple[Operand, Any, Any]] = {}
        #: the conditions under which an operation is written, and whether they hold
        self.conditions: list[tuple[Operand, bool]] = []
        self.shared = Shared()

    def results(self, fn: Function, args: Sequence[Any]) -> list[Any]:
        """The results of the function: each an `Element`, a literal, or an array of `Element`.

        Parameters
        ----------
        fn : Function
            The function; it is not modified.
        args : sequence
            For each parameter an operand, or an array of operands.

        Raises
        ------
        NotSmall
            If the function is not supported.
        Parting
            If the code branches on a test with an unknown outcome.
        """
        given = [self.array(a) if isinstance(a, np.ndarray) else a for a in args]
        for a in given:
            if isinstance(a, np.ndarray):
                a.flags.writeable = False       # the caller's arrays must not be written to here
        try:
            results = self.function(fn, given)
            arrays = [x for x in (*given, *results) if isinstance(x, np.ndarray)]
            if any(np.may_share_memory(x, y) for k, x in enumerate(arrays) for y in arrays[:k]):
                raise NotSmall("a result shares memory with an argument or another result")
            return results
        except (TypeError, ValueError, IndexError, AttributeError, ZeroDivisionError) as error:     # NumPy does not do it so
            raise NotSmall(str(error)) from error

    # -- values

    def array(self, items: np.ndarray) -> np.ndarray:
        """An array of elements from one of operands."""
        out = np.empty(items.shape, object)
        for place in np.ndindex(items.shape):
            x = items[place]
            out[place] = x if isinstance(x, Element) else Element(self, x if isinstance(x, (Value, Lit)) else Lit(float(x)))
        return out

    def get(self, o: Any) -> Any:
        """The representation of a value: a number, an operand, an array of elements, or a tuple, list or slice of those."""
        if isinstance(o, Lit):
            return o.value if not isinstance(o.value, np.ndarray) else self._give_up("an array from outside")
        if o is None or not isinstance(o, Value):
            return o
        return self.fresh(self._now(self.env[o])) if o in self.env else self._give_up("a value from outside")

    def fresh(self, x: Any) -> Any:
        """A value that no write has made stale."""
        if self.shared.is_stale(x):
            self._give_up("one of two arrays is written to")
        return x

    def _now(self, x: Any) -> Any:
        """A number, where the conditions tell which side of an earlier branch it comes from."""
        while isinstance(x, Element) and x.operand in self.chosen:
            cond, then, orelse = self.chosen[x.operand]
            side = next((holds for c, holds in self.conditions if c is cond), None)
            if side is None:
                return x
            x = then if side else orelse
        return x

    def _give_up(self, why: str) -> Any:
        raise NotSmall(why)

    def element(self, x: Any) -> Element:
        """A number as an element."""
        x = x.item() if isinstance(x, np.ndarray) and not x.ndim or isinstance(x, np.generic) else x
        if isinstance(x, Element):
            found = self._now(x)
            return found if isinstance(found, Element) else self.element(found)
        if isinstance(x, (Value, Lit)):
            return Element(self, x)
        return Element(self, Lit(x)) if isinstance(x, (bool, int, float)) else self._give_up("not a number")

    def apply(self, fn: Callable[..., Any], args: Sequence[Any], dtype: str) -> Element:
        """Apply an operation to numbers with NumPy's semantics; reuse the result of an earlier identical operation."""
        operands = [self.element(a).operand for a in args]
        if fn in (operator.sub, np.subtract) and operands[0] is NOTHING:
            return self.apply(operator.neg, args[1:], dtype)
        found = simple(fn, operands)
        if found is not None:
            return Element(self, found)
        key = (fn, dtype, *map(key_of, operands))
        return self._once(key, lambda: self.lane.call(self.b, fn, operands, dtype))

    def _once(self, key: Any, write: Callable[[], Operand]) -> Element:
        """The result of an operation, which is written only the first time."""
        if key not in self.known:
            if len(self.b.block.ops) > _LARGE:
                self._give_up("too many operations")
            self.known[key] = write()
        return Element(self, self.known[key])

    # -- operations

    def function(self, fn: Function, args: Sequence[Any]) -> list[Any]:
        """Run a function that is called."""
        outer, self.env = self.env, dict(zip(fn.params, args))
        out = self.block(fn.body)
        self.env = outer
        return out

    def block(self, block: Block) -> list[Any]:
        """Run the operations of a block; return the values that it yields."""
        for op in block.ops:
            self.b.loc, self.b.part = op.loc, op.part
            self.op(op)
        return [self.get(y) for y in block.yields]

    def op(self, op: Op) -> None:
        if any(isinstance(o, Lit) and o.text is not None and isinstance(o.value, (list, dict, set)) for o in operands_of(op)):
            self._give_up("a container outside of the function, which may change between calls")
        match op:
            case Call():
                out = self.call(op)
                self._set(op, out)
                given = [x for a in op.args if is_shaped(x := self.get(a))]
                self.steps.append(Step(op.fn, shapes_of(given), shapes_of([out]), tuple(map(differs, given)), tuple(map(is_part, given)),
                                       any(map(differs, [out, *given]))))
            case Invoke():
                self._set(op, self.function(op.func, [self.get(a) for a in op.args]))
            case Build(kind="tuple" | "list" | "slice") if op.cls is None:
                items = [x for i in op.items for x in (self.get(i.value) if isinstance(i, Star) else [self.get(i)])]
                self.env[op.results[0]] = tuple(items) if op.kind == "tuple" else items if op.kind == "list" else slice(*items)
            case GetAttr(name="shape" | "size" | "ndim" | "T" | "mT") if isinstance(x := self.get(op.obj), np.ndarray):
                self.env[op.results[0]] = getattr(x, op.name)
            case If():
                self.branch(op)
            case For() if not op.stops:
                self.loop(op)
            case _:
                self._give_up(type(op).__name__)

    def _set(self, op: Op, out: Any) -> None:
        found = out if isinstance(out, (list, tuple)) and len(op.results) != 1 else [out]
        if isinstance(op, Invoke):
            found = out
        self.env.update(zip(op.results, found))
        for r, x in zip(op.results, found):
            if r.name is not None:
                name_elements(r.name, x)

    def call(self, op: Call) -> Any:
        args, fn = [self.get(a) for a in op.args], op.fn
        kwargs = {k: self.get(v) for k, v in op.kwargs.items()}
        arrays = any(isinstance(a, np.ndarray) for a in args)
        if fn in (operator.setitem, inplace_at) and arrays:
            return self.write(args, _INPLACE.get(args[3], args[3]) if fn is inplace_at else None)
        if fn in _INPLACE and isinstance(args[0], np.ndarray):
            self.write([args[0], Ellipsis, args[1]], _INPLACE[fn])
            return args[0]
        if _is_in(fn, _WRITING):
            self._give_up("an operation in place on something other than an array")
        if fn is operator.getitem and (arrays or isinstance(args[0], (tuple, list))):
            return args[0][args[1]]
        if fn is len and (arrays or isinstance(args[0], (tuple, list))):
            return len(args[0])
        if fn is np.broadcast_to and not arrays:
            args[0], arrays = np.array(self.element(args[0]), dtype=object), True
        if fn is list.append and isinstance(args[0], list) and not self.conditions:
            return args[0].append(args[1])
        if fn is unpack:
            return list(unpack(*args))
        if fn in SHAPE_CHECKS:
            return fn(*args)        # the shapes are known
        if writes(op):
            self._give_up("a call that writes to its arguments")
        if fn in _FILLED or fn is np.eye or fn is np.full:
            return self.filled(op, fn, args, kwargs)
        if fn is np.asarray and isinstance(args[0], np.ndarray) and not kwargs and len(args) == 1:
            return args[0]
        if fn in (np.array, np.asarray) and not kwargs and len(args) == 1:
            self._only_numbers(op)
            return self.array(np.array(args[0], dtype=object))
        if fn is np.linalg.norm and arrays and len(args) == 1 and not kwargs and args[0].ndim == 1:
            return self.apply(np.sqrt, [np.sum(args[0] * args[0])], "float64")
        if _is_in(fn, _BY_NUMPY) and (arrays or isinstance(args[0], (list, tuple))):
            self._only_numbers(op)
            return fn(*args, **kwargs)
        if is_known(fn) and not kwargs and (arrays or isinstance(op.result.type, Arr)):
            return self.each(op, args)
        return self.plain(op, args, kwargs)

    def _only_numbers(self, op: Call) -> None:
        if dtype_of(op.result) != "float64":
            self._give_up("not float64")

    def each(self, op: Call, args: list[Any]) -> Any:
        """Element by element."""
        dtype = dtype_of(op.result)
        if dtype not in ("float64", "bool"):
            self._give_up("not float64")
        several = np.broadcast_arrays(*(a if isinstance(a, np.ndarray) else np.array(self.element(a), dtype=object) for a in args))
        out = np.empty(several[0].shape, object)
        for place in np.ndindex(out.shape):
            out[place] = self.apply(op.fn, [a[place] for a in several], str(dtype))
        return out if out.ndim else out.item()

    def filled(self, op: Call, fn: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
        self._only_numbers(op)
        dtype = kwargs.pop("dtype", None)
        if dtype is not None and np.dtype(dtype) != np.float64:
            self._give_up("not float64")
        if fn is np.full:
            return self.array(np.broadcast_to(np.array(self.element(args[1]), dtype=object), args[0]))
        if fn in (np.zeros_like, np.ones_like, np.empty_like):
            args[0] = np.shape(args[0])
        if fn is np.eye:
            return self.array(np.eye(*args, **kwargs))
        nothing = _FILLED[fn] == 0.0 and op.part in ("adjoint", "tangent")
        filler = Element(self, NOTHING if nothing else Lit(_FILLED[fn]))
        out = np.empty(args[0], object)
        for place in np.ndindex(out.shape):
            out[place] = filler
        return out

    def write(self, args: list[Any], fn: Any) -> None:
        """Write to elements; those that are there stay where a condition does not hold."""
        array, index, value = args[:3]
        if not isinstance(array, np.ndarray):
            self._give_up("a write to something other than an array")
        value = value if isinstance(value, np.ndarray) else np.array(self.element(value), dtype=object)
        old = np.array(array[index], dtype=object)
        new = np.empty(old.shape, object)
        value = np.broadcast_to(value, old.shape)
        for place in np.ndindex(old.shape):
            new[place] = self.element(value[place]) if fn is None else self.apply(fn, [old[place], value[place]], "float64")
        conditions, self.conditions = self.conditions, []       # the result includes the values of either side
        for place in np.ndindex(old.shape):
            for test, holds in reversed(conditions):
                new[place] = self.either(test, new[place], old[place]) if holds else self.either(test, old[place], new[place])
        self.conditions = conditions
        array[index] = new if new.ndim else new.item()
        self.shared.wrote(array)

    def plain(self, op: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
        """An operation on numbers alone, as it is."""
        if not is_pure(op) or not all(isinstance(a, (Element, Value, bool, int, float)) for a in (*args, *kwargs.values())):
            self._give_up("something other than numbers")
        t = op.result.type
        if not (isinstance(t, Num) or isinstance(t, Arr) and not t.dims):
            self._only_numbers(op)
            if not all(isinstance(a, (bool, int, float)) for a in (*args, *kwargs.values())):
                self._give_up("an array that a function makes of numbers which are not known")
            made = np.asarray(op.fn(*args, **kwargs), np.float64)
            return self.array(made) if made.size <= _LARGE else self._give_up("a large array")
        if all(isinstance(a, (bool, int)) for a in args) and not kwargs and args:
            return op.fn(*args)
        if self.conditions and op.fn not in _SAFE:
            self._give_up("it may raise on one side of a branch")
        operands, named = [operand_of(a) for a in args], {k: operand_of(v) for k, v in kwargs.items()}
        key = (op.fn, str(op.result.type), *map(key_of, operands), *((k, key_of(v)) for k, v in named.items()))
        return self._once(key, lambda: self.lane.plain(self.b, op, operands, named))

    # -- control

    def branch(self, op: If) -> None:
        """Compute both sides of a branch on an unknown condition; neither raises or writes."""
        cond = self.get(op.cond)
        if isinstance(cond, (bool, np.bool_)):
            self.env.update(zip(op.results, self.block(op.then if cond else op.orelse)))
            return
        test = self.element(cond).operand
        known = next((holds for c, holds in self.conditions if c is test), self.outcomes.get(test))
        if known is not None:
            self.steps.append(Step(None, (), tuple(() for _ in op.results)))
            found = self.block(op.then if known else op.orelse)
            self.env.update(zip(op.results, (self._nothing(x) for x in found) if op.part == "adjoint" else found))
            return
        if isinstance(test, Value) and not self.conditions and self.lane.parts(op):
            raise Parting(test)
        sides = []
        for block, holds in ((op.then, True), (op.orelse, False)):
            self.conditions.append((test, holds))
            sides.append(self.block(block))
            self.conditions.pop()
        for r, x, y in zip(op.results, *sides):
            self.env[r] = self.either(test, x, y)

    def _nothing(self, x: Any) -> Any:
        """A zero that stands for the cotangent that one side of a branch has none of."""
        return Element(self, NOTHING) if type(x) is float and x == 0.0 else x

    def either(self, test: Operand, x: Any, y: Any) -> Any:
        """The one or the other."""
        if x is y:
            return x
        if isinstance(x, np.ndarray) or isinstance(y, np.ndarray):     # a number is broadcast if the other side is an array
            sides = np.broadcast_arrays(np.asarray(x, dtype=object), np.asarray(y, dtype=object))
            found = np.empty(sides[0].shape, object)
            for place in np.ndindex(found.shape):
                found[place] = self.either(test, *(s[place] for s in sides))
            self.shared.merge(found, (x, y))
            return found
        one, other = self.element(x), self.element(y)
        if one.operand is other.operand:
            return one
        dtype = dtype_of(one.operand)
        if dtype not in ("float64", "bool") or dtype_of(other.operand) != dtype:
            self._give_up("not float64")
        out = self._once(("either", test, key_of(one.operand), key_of(other.operand)),
                         lambda: self.lane.either(self.b, test, one.operand, other.operand, str(dtype)))
        self.chosen[out.operand] = test, one, other
        return out

    def loop(self, op: For) -> None:
        """Turn by turn."""
        sources = [self.turns(s.kind, [self.get(o) for o in s.operands], s.reverse) for s in op.sources]
        carried = [self.get(i) for i in op.inits]
        for turn, items in enumerate(zip(*sources)):
            if turn >= _TURNS:
                self._give_up("too many turns")
            self.env.update(zip(op.body.params, [*items, *carried]))
            carried = self.block(op.body)
        self.env.update(zip(op.results, carried))

    def turns(self, kind: str, operands: list[Any], reverse: bool) -> Any:
        if kind == "count" and isinstance(operands[0], int):
            return itertools.count(operands[0])
        if kind == "range" and all(isinstance(o, int) for o in operands):
            items = range(*operands)
            return items[::-1] if reverse else items
        if kind != "seq" or not isinstance(operands[0], (np.ndarray, list, tuple)):
            self._give_up("a loop of unknown length")
        return self.items(operands[0], reverse)

    def items(self, x: Any, reverse: bool) -> Iterator[Any]:
        """The items of a sequence, each read at the start of its iteration."""
        for k in range(len(x))[::-1] if reverse else itertools.count():
            if k >= len(x):
                return
            yield self.fresh(x)[k]


def _is_in(fn: Any, group: frozenset[Any]) -> bool:
    try:
        return fn in group
    except TypeError:
        return False

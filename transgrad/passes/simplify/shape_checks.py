"""Remove redundant shape checks and move the others to the top of the function.

Checks of shapes replace dead operations (see `shape_guards`).  In the final function, a check is redundant if the remaining operations
raise for the same shapes::

    before:  check_broadcast(y.shape, z.shape)
             z_bar = y * -s
             z_bar += np.exp(z)
    after:   z_bar = y * -s
             z_bar += np.exp(z)

Requires that no later pass removes operations that raise for shapes; zero initialization is elided before. The lengths are inferred again
from the arguments, because the types of values may rely on checks. Operations in branches and loops may not run, so only those of the
outermost block count.
"""
from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np

from ...ir.build import attr_type
from ...ir.effects import SHAPE_CHECKS, VIEWS, is_known_pure, is_pure
from ...ir.infer import Typed, infer
from ...ir.lengths import as_caller_sees
from ...ir.ops import (
    Block,
    Build,
    Call,
    Function,
    GetAttr,
    If,
    Invoke,
    Lit,
    Op,
    Star,
    Value,
    blocks_of,
    calls,
    count_reads,
    operands_of,
    walk,
)
from ...ir.types import UNKNOWN, Arr, Dim, Num, TupleT, map_dims
from ...runtime import check_product
from ..analysis.def_use import definitions, definitions_in
from ..manager import Property, Stage, analysis, optimization
from .dce import is_harmless
from .shape_guards import INPLACE, PRODUCTS, is_elementwise

__all__ = ["move_shape_checks", "move_shape_checks_only"]

Pair = tuple[Dim, Dim]
_ZEROS = (np.zeros, np.zeros_like)


@optimization(Stage.LOWER_NUMPY, "simplify", requires=(Property.FINAL,), analyses=(definitions,))
def move_shape_checks(fn: Function) -> bool:
    """Rewrite ``fn`` in place."""
    _group(fn, True)
    return True


@optimization(Stage.LOWER_NUMBA, "simplify", requires=(Property.FINAL,), analyses=(definitions,))
def move_shape_checks_only(fn: Function) -> bool:
    """Rewrite ``fn`` in place; loops that stand for operations on arrays do not check shapes."""
    _group(fn, False)
    return True


def _group(fn: Function, with_operations: bool) -> None:
    if not calls(fn.body, *SHAPE_CHECKS):
        return
    _join_parts(fn.body, analysis(definitions, fn))
    checks = [op for op in walk(fn.body) if type(op) is Call and op.fn in SHAPE_CHECKS]
    reads = count_reads(fn)
    for op in checks:
        reads.subtract(op.args)
    unread = _unread(fn.body, reads)
    facts = _Facts(fn, unread if with_operations else None)
    _remove(fn.body, facts)
    _sweep(fn.body, unread, count_reads(fn), facts)
    fn.body.ops = _at_the_top(fn.body.ops)


def _join_parts(block: Block, makers: dict[Value, Op]) -> None:
    """Have checks read shapes of their own, and ``x.shape[1:]`` where they read the tuple of its items: the rest stays as it is."""
    def shape(v: Any, op: Op) -> Any:
        made = makers.get(v) if isinstance(v, Value) else None
        if not isinstance(made, GetAttr) or made.name != "shape":
            return v
        own = Value(made.result.type)
        ops.append(GetAttr(made.obj, "shape", results=[own], part=op.part, loc=op.loc))
        return own

    ops: list[Op] = []
    for op in block.ops:
        for inner in blocks_of(op):
            _join_parts(inner, makers)
        if type(op) is Call and op.fn in SHAPE_CHECKS:
            for k, a in enumerate(op.args):
                made = makers.get(a) if isinstance(a, Value) else None
                first = made.items[0] if isinstance(made, Build) and made.kind == "tuple" and made.items else None
                part = makers.get(first) if isinstance(first, Value) else None
                if isinstance(made, Build) and type(part) is Call and part.fn is operator.getitem and part.results == made.items and (
                        isinstance(part.args[1], Lit) and isinstance(part.args[1].value, slice)):
                    joined, whole = Value(made.result.type), shape(part.args[0], op)
                    ops.append(Call(operator.getitem, [whole, *part.args[1:]], results=[joined], part=op.part, loc=op.loc))
                    op.args[k] = joined
                else:
                    op.args[k] = shape(a, op)
        ops.append(op)
    block.ops = ops


def _unread(block: Block, reads: Counter[Any]) -> set[Op]:
    """The operations without uses in ``reads``, directly or transitively: they compute operands of checks."""
    found: set[Op] = set()
    for op in reversed(block.ops):
        if op.results and not any(reads[r] for r in op.results) and _only_computes(op):
            found.add(op)
            reads.subtract(operands_of(op))
        for inner in blocks_of(op):
            found |= _unread(inner, reads)
    return found


def _only_computes(op: Op) -> bool:
    """Whether an operation does nothing but compute its results."""
    if isinstance(op, (GetAttr, Build)) or type(op) is Call and (op.fn is operator.getitem or op.fn in VIEWS):
        return True
    return type(op) is Call and is_pure(op) and (op.part != "primal" or op.fn in _ZEROS or op.fn in PRODUCTS or is_elementwise(op.fn))


def _sweep(block: Block, unread: set[Op], reads: Counter[Any], facts: _Facts) -> None:
    """Remove the operations that computed operands of checks alone, where these are removed; one of the user's, if it cannot raise."""
    ops: list[Op] = []
    for op in reversed(block.ops):
        if op in unread and not any(reads[r] for r in op.results) and (
                type(op) is not Call or op.part != "primal" or facts.holds_for(op)):
            reads.subtract(operands_of(op))
            continue
        for inner in blocks_of(op):
            _sweep(inner, unread, reads, facts)
        ops.append(op)
    block.ops = ops[::-1]


def _remove(block: Block, facts: _Facts) -> None:
    """Remove the checks of a block that cannot fail."""
    ops: list[Op] = []
    for op in block.ops:
        if type(op) is Call and op.fn in SHAPE_CHECKS:
            pairs = facts.pairs_of_check(op)
            if pairs is not None and all(facts.holds(p, q, exact) for p, q, exact in pairs):
                continue
            if block is facts.body:
                for pair in pairs or ():
                    facts.add(*pair)
        elif isinstance(op, If):
            for inner in blocks_of(op):
                _remove(inner, facts)
        ops.append(op)
    block.ops = ops


def _at_the_top(ops: list[Op]) -> list[Op]:
    """The operations with each check before those that the function need not have run for it."""
    out: list[Op] = []
    makers = definitions_in(ops)
    placed: set[Op] = set()
    start = 0       # behind the last operation that has to run before a check
    for op in ops:
        if op in placed:
            continue
        if type(op) is Call and op.fn in SHAPE_CHECKS:
            needed = list(dict.fromkeys(_shape_of_arguments(op, makers)))
            if None not in needed:
                moved = [made for made in needed if made not in placed and made not in out[:start]]
                out = [made for made in out if made not in moved]
                out[start:start] = [*moved, op]     # type: ignore[list-item]
                placed.update(moved)                # type: ignore[arg-type]
                start += len(moved) + 1
                continue
        out.append(op)
        if not _is_harmless(op, set()):
            start = len(out)
    return out


def _is_harmless(op: Op, seen: set[Function]) -> bool:
    """Whether an operation has no effect and raises nothing but for the values and shapes of its operands."""
    for inner in walk(Block(ops=[op])):
        if isinstance(inner, Invoke) and inner.func not in seen:
            seen.add(inner.func)
            if not all(_is_harmless(o, seen) for o in inner.func.body.ops):
                return False
        elif not isinstance(inner, Invoke) and not (type(inner) is Call and inner.fn in SHAPE_CHECKS) and not is_harmless(inner):
            return False
    return True


def _shape_of_arguments(op: Op, makers: dict[Value, Op]) -> Iterator[Op | None]:
    """The operations that compute the operands of a check, in order; None for one that is more than a shape of arguments."""
    for a in operands_of(op):
        made = makers.get(a) if isinstance(a, Value) else None
        if made is None:
            continue
        known = isinstance(made, GetAttr) and made.name in ("shape", "T", "mT") or (
            isinstance(made, Build) and made.kind in ("tuple", "slice"))
        moves = type(made) is Call and (made.fn is operator.getitem or made.fn in VIEWS) and isinstance(
            made.args[0].type, (Arr, TupleT)) and not made.kwargs
        if not known and not moves:
            yield None
        else:
            yield from _shape_of_arguments(made, makers)
            yield made


class _Facts:
    """The equalities between lengths that the operations of a function, but for ``unread`` ones, or the checks before enforce; with None,
    no operation does."""

    def __init__(self, fn: Function, unread: Collection[Op] | None, within: tuple[Function, ...] = ()):
        self.body, self._within = fn.body, within or (fn,)
        self._count = 0
        self._typed: dict[Any, Typed] = {p: Typed(map_dims(p.type, self._named)) for p in fn.params}
        #: symbol → another one, and how much longer it is
        self._same: dict[Any, tuple[Any, int]] = {}
        #: lengths that are known to be broadcast together
        self._together: set[frozenset[Any]] = set()
        for op in fn.body.ops:
            if unread is not None and type(op) is Call and op not in unread:
                for pair in self._enforced(op):
                    self.add(*pair)
            self._infer(op)

    # -- types

    def type(self, x: Any) -> Any:
        """The type of an operand, with lengths that do not rely on checks."""
        if isinstance(x, Lit):
            return x.type
        if x not in self._typed:
            self._typed[x] = Typed(map_dims(x.type, self._unknown))
        return self._typed[x].type

    def _unknown(self, d: Dim) -> Dim:
        return self._named(d if d.one else Dim(None))

    def _named(self, d: Dim) -> Dim:
        """A length with a symbol of its own if it has none."""
        if d.sym is not None or d.one:
            return d
        self._count += 1
        return Dim(d.one, ("<check>", self._count))

    def _infer(self, op: Op) -> None:
        if isinstance(op, Invoke):
            self._infer_call(op)
            return
        if isinstance(op, If):
            for inner in (inner for block in blocks_of(op) for inner in block.ops):
                self._infer(inner)
        found: Any = UNKNOWN
        if isinstance(op, GetAttr):
            found = attr_type(self.type(op.obj), op.name)
        elif isinstance(op, Build) and op.kind == "tuple" and not any(isinstance(x, Star) for x in op.items):
            found = TupleT(tuple(_number(x.value) if isinstance(x, Lit) else self.type(x) for x in op.items))
        elif type(op) is Call and op.fn is operator.getitem and isinstance(op.args[1], Lit) and isinstance(
                shape := self.type(op.args[0]), TupleT):
            part = shape.elems[op.args[1].value]
            found = TupleT(part) if isinstance(part, tuple) else part
        elif type(op) is Call and len(op.results) == 1 and _is_library(op.fn) and not any(isinstance(x, Star) for x in op.args):
            try:
                found = infer(op.fn, [self._operand(x) for x in op.args], {k: self._operand(x) for k, x in op.kwargs.items()})
            except Exception:       # of an operand that has to be known
                return
        if len(op.results) > 1:     # a tuple that is taken apart
            if isinstance(found, TupleT) and len(found.elems) == len(op.results):
                self._typed.update((r, Typed(map_dims(e, self._named))) for r, e in zip(op.results, found.elems))
            return
        t = op.results[0].type if op.results else None
        if isinstance(t, Arr) and isinstance(found, Arr) and len(t.dims) == len(found.dims) or isinstance(t, (TupleT, Num)) and (
                type(found) is type(t)):
            self._typed[op.results[0]] = Typed(map_dims(found, self._named))

    def _infer_call(self, op: Invoke) -> None:
        """The result types of a lowered function; those of a function under analysis are not known."""
        body = op.func.body
        if op.func in self._within:
            return
        inner = _Facts(op.func, None, (*self._within, op.func))
        seen = as_caller_sees([p.type for p in body.params], map(self.type, op.args))
        for r, y in zip(op.results, body.yields):
            self._typed[r] = Typed(map_dims(seen(inner.type(y)), self._named))

    def _operand(self, x: Any) -> Any:
        """An operand for `infer`, which tells operands apart by identity."""
        return x if isinstance(x, Lit) or self.type(x) is None else self._typed[x]

    def _enforced(self, op: Call) -> Iterator[tuple[Dim, Dim, bool]]:
        """The lengths that have to agree for an operation not to raise."""
        shapes = [t.dims for a in op.args if isinstance(t := self.type(a), Arr) and t.dims] if not any(
            isinstance(a, Star) for a in op.args) else []
        if len(shapes) < 2:
            return
        if op.fn in PRODUCTS:
            yield from _of_product(*shapes[:2])
        elif op.fn is np.vdot and len(shapes[0]) == len(shapes[1]) == 1:
            yield shapes[0][0], shapes[1][0], True
        elif op.fn is np.einsum:
            yield from _of_subscripts(op.args[0], shapes)
        elif is_elementwise(op.fn):
            exact = op.fn in INPLACE
            yield from ((p, q, exact and q.one is False) for p, q in _pairs(shapes))

    def holds_for(self, op: Call) -> bool:
        """Whether the lengths are known to agree that an operation requires to."""
        return all(self.holds(*pair) for pair in self._enforced(op))

    def pairs_of_check(self, op: Call) -> list[tuple[Dim, Dim, bool]] | None:
        """The lengths that a check compares; None if they are not known."""
        types = list(map(self._shape, op.args))
        if any(t is None for t in types):
            return None
        shapes: list[Any] = types
        return list(_of_product(*shapes)) if op.fn is check_product else [(p, q, False) for p, q in _pairs(shapes)]

    def _shape(self, x: Any) -> tuple[Dim, ...] | None:
        if isinstance(x, Lit):
            return tuple(_number(n).dim for n in x.value) if isinstance(x.value, tuple) else None
        t = self.type(x)
        if not isinstance(t, TupleT) or not all(isinstance(e, Num) for e in t.elems):
            return None
        return tuple(e.dim or self._named(Dim(None)) for e in t.elems)  # type: ignore[union-attr]

    # -- equalities

    def _root(self, d: Dim) -> tuple[Any, int]:
        """The symbol that stands for all lengths that differ from a length by a constant, and the difference."""
        sym, off = d.sym, d.off
        if d.known is not None:
            return self._find("<number>", d.known)
        return self._find(sym if sym is not None else self._named(d).sym, off)

    def _find(self, sym: Any, off: int) -> tuple[Any, int]:
        while sym in self._same:
            sym, more = self._same[sym]
            off += more
        return sym, off

    def add(self, p: Dim, q: Dim, exact: bool) -> None:
        """Note that two lengths are equal, or can be broadcast together."""
        if not exact and (p.one or q.one):
            return
        if not exact and (p.one is None or q.one is None):
            self._together.add(frozenset((self._root(p), self._root(q))))
            return
        (a, m), (b, n) = self._root(p), self._root(q)
        if a != b:
            if a == "<number>":
                a, m, b, n = b, n, a, m
            self._same[a] = b, n - m

    def holds(self, p: Dim, q: Dim, exact: bool) -> bool:
        """Whether two lengths are known to be equal, or to be broadcast together."""
        if not exact and (p.one or q.one):
            return True
        a, b = self._root(p), self._root(q)
        return a == b or not exact and frozenset((a, b)) in {frozenset(self._find(*x) for x in pair) for pair in self._together}


def _number(value: Any) -> Any:
    """The type of a literal, which as a length is known."""
    return Num("int", Dim(value == 1, ("<const>", value))) if type(value) is int and value >= 0 else Lit(value).type


def _pairs(shapes: Sequence[tuple[Dim, ...]]) -> Iterator[Pair]:
    """The lengths of arrays that are broadcast together, in pairs."""
    for k, one in enumerate(shapes):
        for other in shapes[:k]:
            yield from zip(reversed(other), reversed(one))


def _of_product(a: tuple[Dim, ...], b: tuple[Dim, ...]) -> Iterator[tuple[Dim, Dim, bool]]:
    yield a[-1], b[-2 if len(b) > 1 else 0], True
    yield from ((p, q, False) for p, q in _pairs([a[:-2], b[:-2]]))


def _of_subscripts(subscripts: Any, shapes: Sequence[tuple[Dim, ...]]) -> Iterator[tuple[Dim, Dim, bool]]:
    text = subscripts.value if isinstance(subscripts, Lit) else None
    terms = text.partition("->")[0].replace(" ", "").split(",") if isinstance(text, str) and "." not in text else []
    if len(terms) != len(shapes) or any(len(term) != len(shape) for term, shape in zip(terms, shapes)):
        return
    first: dict[str, Dim] = {}
    for letter, d in ((x, d) for term, shape in zip(terms, shapes) for x, d in zip(term, shape)):
        if letter in first:
            yield first[letter], d, False
        first.setdefault(letter, d)


def _is_library(fn: Any) -> bool:
    """Whether the shape of a result is that documented by NumPy; functions with effects (print) are excluded."""
    module = getattr(fn, "__module__", None) or getattr(getattr(fn, "__objclass__", None), "__module__", None) or ""
    return isinstance(fn, np.ufunc) or module.split(".")[0] in ("numpy", "operator", "_operator", "math", "builtins") and is_known_pure(fn)

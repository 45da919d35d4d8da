"""Builder that folds constants and applies algebraic identities: factors of one, terms of zero, operations on literals."""
from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ...ir.build import Builder, lift
from ...ir.ops import Block, Call, Function, Lit, Loc, Op, Operand, Value
from ...ir.types import Arr, Num, Type
from ...rules.scalar import scalar_form
from ..analysis.reduced_precision import precision
from ..rewriting.substitute import uses_of
from .memory_versions import Writes

__all__ = ["AlgebraBuilder"]

_MUL = (operator.mul, np.multiply)
_DIV = (operator.truediv, np.divide)
_ADD = (operator.add, np.add)
_SUB = (operator.sub, np.subtract)
_NEG = (operator.neg, np.negative)
#: operations out of which a negative factor may be moved
_SIGNED = (*_NEG, operator.mul, operator.truediv)
#: how many operations back `retract` looks
_BACK = 12
_SIMPLIFIED = frozenset((*_MUL, *_DIV, *_ADD, *_SUB, *_NEG, operator.pow, np.moveaxis))
_FOLDABLE = frozenset((*_MUL[:1], *_DIV[:1], *_ADD[:1], *_SUB[:1], *_NEG[:1], operator.pow))
_FACTORS = frozenset((*_MUL, *_DIV))


def _is(x: Any, value: float) -> bool:
    return type(x) is Lit and type(x.value) in (int, float) and x.value == value


def _keeps_type(x: Operand, other: Operand) -> bool:
    """Whether ``x`` may stand for ``x * other``: its type would not change."""
    t = x.type
    if isinstance(t, Num):
        return t.kind in ("float", "complex")
    return isinstance(t, Arr) and t.dtype[0] in "fc"


def _as_large(x: Any, y: Any) -> bool:
    """Whether a negation of ``x`` takes as long as one of its product with ``y``."""
    a, b = x.type, y.type
    small = isinstance(b, Num) or isinstance(b, Arr) and not b.dims
    return small or isinstance(a, Arr) and isinstance(b, Arr) and a.dims == b.dims


class AlgebraBuilder(Builder):
    """Append operations after simplification."""

    def __init__(self, block: Block, part: str = "primal", loc: Loc | None = None, within: Function | None = None):
        super().__init__(block, part, loc)
        #: the function whose derivative is written, and the bytes of a real number in its least precise array, once asked for
        self.within = within
        self._least: int | None = None
        #: operation that made a value, where this builder made it
        self.maker: dict[Value, Op] = {}
        self._home: dict[Value, Block] = {}
        #: operations that a simplification did without (see `retract`)
        self._retracted: dict[int, Op] = {}
        #: when a value was made, and when memory was last written to
        self._made: dict[Value, int] = {}
        self._writes = Writes(self.maker)
        self._now = 0

    def least(self) -> int:
        """Bytes of a real number in the least precise array of the function whose derivative is written; 8 if that is not known."""
        if self._least is None:
            self._least = 8 if self.within is None else precision(self.within)
        return self._least

    def emit(self, op: Op) -> Op:
        self._now += 1
        for r in op.results:
            self.maker[r] = op
            self._home[r] = self.block
            self._made[r] = self._now
        self._writes.note(op, self._now)
        return super().emit(op)

    def memory(self, v: Value) -> Value:
        """The array of which a value is a view, as far as this builder created the views."""
        return self._writes.memory(v)

    def moved(self, source: Block, target: Block) -> list[Op]:
        """The operations of a block, which become those of another."""
        self._home.update((r, target) for op in source.ops for r in op.results)
        return source.ops

    def sees(self, v: Value, home: Block | None = None) -> bool:
        """Whether a value can be read in the current block; ``home`` is the block of one that another builder made."""
        home = self._home.get(v, home)
        return home is None or home is self.block or any(home is block for block in self.enclosing)

    def last_write(self, v: Value) -> int:
        """When something was last written to the memory that a value refers to, or that was made."""
        return max(self._writes.time(v), self._made.get(self.memory(v), 0))

    def is_written(self, v: Any) -> bool:
        """Whether something has been written to the memory of a value since it was made."""
        return self._writes.last > 0 and isinstance(v, Value) and self._writes.time(v) > self._made.get(v, 0)

    def expression(self, v: Any) -> Call | None:
        """The operation that computes a value; None if the value, or an operand, has been written to since."""
        made = self.maker.get(v) if isinstance(v, Value) else None
        if not isinstance(made, Call):
            return None
        since = self._made.get(v, self._now)
        if since >= self._writes.last:
            return made
        return None if any(isinstance(x, Value) and self._writes.time(x) > since for x in (v, *made.args)) else made

    def negation(self, v: Any) -> Call | None:
        """The negation that computes a value, in the sense of `expression`."""
        made = self.maker.get(v)
        return self.expression(v) if type(made) is Call and made.fn in _NEG else None

    def call(self, fn: Callable[..., Any], *args: Any, name: str | None = None, type: Type | None = None,
             spelling: str | None = None, **kwargs: Any) -> Any:
        a = list(map(lift, args))
        if not kwargs:
            found = self._simplified(fn, a)
            if found is not None:
                return found
            if isinstance(fn, np.ufunc):
                fn = scalar_form(fn, [x.type for x in a])
        return self.append(fn, a, {n: lift(v) for n, v in kwargs.items()} if kwargs else {}, name, type, spelling)

    def _simplified(self, fn: Callable[..., Any], a: list[Any]) -> Operand | None:
        if fn not in _SIMPLIFIED:
            return None
        if fn in _FOLDABLE and Value not in map(type, a) and all(
                isinstance(x, Lit) and builtin_number(x.value) and x.text is None for x in a):
            try:
                return Lit(fn(*(x.value for x in a)))
            except (ArithmeticError, ValueError):
                return None
        if len(a) == 1 and fn in _NEG:
            inner = self.negation(a[0])
            if inner is not None:
                return inner.args[0]  # type: ignore[no-any-return]
        if len(a) != 2:
            same = fn is np.moveaxis and all(isinstance(x, Lit) for x in a[1:]) and a[1].value == a[2].value
            return a[0] if same else None       # it is there already
        x, y = a
        if fn in _FACTORS:
            for k, one in enumerate(a):
                inner = self.negation(one) if type(one) is Value else None
                if inner is not None and _as_large(one, other := a[1 - k]) and self.retract(inner):
                    pair = (inner.args[0], other) if k == 0 else (other, inner.args[0])
                    return self.call(operator.neg, self.call(fn, *pair))  # type: ignore[no-any-return]
        if type(x) is type(y) is Value:
            return self._sum_of_selections(x, y) if fn in _ADD else None
        if fn in _MUL:
            for one, other in ((x, y), (y, x)):
                if not isinstance(one, Lit) or not type_is_real(one.value):
                    continue
                if one.value == 1 and _keeps_type(other, one):
                    return other  # type: ignore[no-any-return]
                if one.value == -1 and _keeps_type(other, one):
                    return self.call(operator.neg, other)  # type: ignore[no-any-return]
                inner = self.negation(other) if one.text is None else None
                if inner is not None and self.retract(inner):
                    return self.call(operator.mul, Lit(-one.value), inner.args[0])  # type: ignore[no-any-return]
            if isinstance(y, Lit) and isinstance(x, Value) and builtin_number(y.value) and y.text is None:
                return self.call(operator.mul, y, x)  # type: ignore[no-any-return]
        elif fn in _DIV and _is(y, 1.0) and _keeps_type(x, y):
            return x  # type: ignore[no-any-return]
        elif fn in _ADD:
            for zero, other in ((x, y), (y, x)):
                if _is(zero, 0.0) and _keeps_type(other, zero):
                    return other  # type: ignore[no-any-return]
        elif fn in _SUB and _is(y, 0.0) and _keeps_type(x, y):
            return x  # type: ignore[no-any-return]
        elif fn is operator.pow and _is(y, 1) and _keeps_type(x, y):
            return x  # type: ignore[no-any-return]
        return None

    def _sum_of_selections(self, x: Value, y: Value) -> Operand | None:
        """``where(c, a, 0) + where(c, 0, b)`` as ``where(c, a, b)``, and ``where(c, a, 0) + where(c, b, 0)`` as ``where(c, a + b, 0)``."""
        one, other = self.maker.get(x), self.maker.get(y)
        if not (type(one) is Call and type(other) is Call and one.fn is other.fn is np.where and len(one.args) == len(other.args) == 3
                and one.args[0] is other.args[0] and x.type == y.type and self.expression(x) is one and self.expression(y) is other):
            return None
        (cond, a, b), (_, c, d) = one.args, other.args
        if _is(a, 0.0) and _is(d, 0.0):
            (a, b), (c, d) = (c, d), (a, b)
        if _is(b, 0.0) and _is(c, 0.0) and self.retract(one) and self.retract(other):
            return self.call(np.where, cond, a, d)  # type: ignore[no-any-return]
        for first, second, left in ((a, c, True), (b, d, False)):
            zeros = (b, d) if left else (a, c)
            alike = isinstance(first, Value) and isinstance(second, Value) and first.type == second.type
            if alike and all(_is(z, 0.0) for z in zeros) and self.retract(one) and self.retract(other):
                total = self.call(operator.add, first, second)
                return self.call(np.where, cond, *((total, zeros[0]) if left else (zeros[0], total)))  # type: ignore[no-any-return]
        return None

    def accumulate(self, total: Operand, term: Any, name: str | None = None) -> Any:
        """``total + term``, written as a difference where the term is negative."""
        positive = self.without_sign(term)
        if positive is not None:
            return self.call(operator.sub, total, positive, name=name)
        return self.call(operator.add, total, term, name=name)

    def without_sign(self, term: Any) -> Any:
        """``-term`` where ``term`` is a negation or has a negative factor, which then disappears from the block; else None."""
        made = self.maker.get(term) if isinstance(term, Value) else None
        if not isinstance(made, Call) or made.fn not in _SIGNED or self.expression(term) is None:
            return None
        if made.fn in _NEG and self.retract(made):
            return made.args[0]
        factor = made.args[0]
        if isinstance(factor, Lit) and type_is_real(factor.value) and factor.value < 0 and factor.text is None and self.retract(made):
            return self.call(made.fn, Lit(-factor.value), made.args[1])
        negated = self.negation(factor)
        if negated is not None and self.retract(made):
            self.retract(negated)
            return self.call(made.fn, negated.args[0], made.args[1])
        return None

    def retract(self, op: Op) -> bool:
        """Whether one of the last operations of the block may be dropped, because its result has not been read yet.

        It stays in place, because a pending adjoint may use its result; otherwise dead code elimination removes it.
        """
        ops = self.block.ops
        for k in range(len(ops) - 1, max(len(ops) - _BACK, 0) - 1, -1):
            if ops[k] is op:
                later = [o for o in ops[k + 1:] if id(o) not in self._retracted]
                if not uses_of(Block([], later, [])).isdisjoint(op.results):
                    return False
                self._retracted[id(op)] = op
                return True
        return False


def builtin_number(value: Any) -> bool:
    """Whether a literal is a plain Python number."""
    return type(value) in (int, float, complex)


def type_is_real(value: Any) -> bool:
    """Whether a literal is a plain real Python number."""
    return type(value) in (int, float)

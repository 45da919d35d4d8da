"""Algebraic identities that other simplifications expose: factors of one, sums of multiples of one value."""
from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from ...ir.ops import Block, Call, Function, GetAttr, Lit, Op, Operand, Value, blocks_of, count_reads, operands_of
from ...ir.prims import inplace_at
from ...ir.types import Arr, Num
from ..analysis.alias import AliasClasses
from ..manager import Stage, analysis, optimization
from ..memory.destination_passing import alike
from ..rewriting.substitute import substitute_op
from .folding_builder import AlgebraBuilder, _is, type_is_real

__all__ = ["apply_identities"]

_IN_PLACE = {operator.iadd: operator.isub, operator.isub: operator.iadd}
_ARITHMETIC = frozenset((operator.mul, operator.truediv, operator.add, operator.sub, operator.neg))
_OPPOSITE = {operator.add: operator.sub, operator.sub: operator.add}


@optimization(Stage.SIMPLIFY, "simplify", analyses=(AliasClasses,))
def apply_identities(fn: Function) -> bool:
    """Rewrite the adjoint part of ``fn`` in place."""
    written = _Written(fn)
    _block(fn.body, {}, _Makers(written), written, count_reads(fn))
    return True


class _Written:
    """Which arrays are written to in place, found when first asked for."""

    def __init__(self, fn: Function):
        self.fn = fn

    @cached_property
    def classes(self) -> AliasClasses:
        return analysis(AliasClasses, self.fn)

    def __call__(self, *values: Operand) -> bool:
        return self.classes.any_written(values)


class _Makers(dict[Value, Op]):
    """The operations that made values that remain valid: neither the result nor an operand is written to."""

    def __init__(self, written: _Written):
        super().__init__()
        self.written = written

    def __setitem__(self, v: Value, op: Op) -> None:
        if type(v.type) is not Arr or not v.type.dims or type(op) is not Call or not self.written(v, *op.args):
            dict.__setitem__(self, v, op)


def _block(block: Block, mapping: dict[Value, Operand], makers: dict[Value, Op], written: _Written, read: Counter[Operand]) -> None:
    new = Block()       # the block itself stays whole for the analysis
    b = AlgebraBuilder(new, part="adjoint")
    b.maker = makers
    replaced = mapping.keys()
    with b:
        for op in block.ops:
            if mapping and not replaced.isdisjoint(operands_of(op)):
                substitute_op(op, mapping)
            if type(op) is not Call:
                for inner in blocks_of(op):
                    _block(inner, mapping, makers, written, read)
                if type(op) is GetAttr and op.part != "primal" and (original := _transposed_twice(op, makers)) is not None:
                    mapping[op.result] = original
                    continue
            elif op.fn is inplace_at and op.part != "primal" and _adds_nothing(op):
                continue
            elif op.part != "primal" and (found := _simpler(b, op, written, read)) is not None:
                mapping[op.result] = found
                if isinstance(found, Value):
                    read[found] += read[op.result]
                continue
            new.ops.append(op)
            for r in op.results:
                makers[r] = op
    block.ops = new.ops
    block.yields = [mapping.get(y, y) if isinstance(y, Value) else y for y in block.yields]


def _transposed_twice(op: GetAttr, makers: Mapping[Any, Op]) -> Any:
    """The array whose transpose an operation transposes."""
    made = makers.get(op.obj)
    return made.obj if op.name == "T" and isinstance(made, GetAttr) and made.name == "T" and isinstance(made.obj.type, Arr) else None


def _adds_nothing(op: Call) -> bool:
    """Whether an operation in place adds or subtracts the number 0."""
    value, how = op.args[2], op.args[3].value
    return how in _IN_PLACE and isinstance(value, Lit) and type(value.value) is float and value.value == 0.0


def _simpler(b: AlgebraBuilder, op: Call, written: _Written, read: Counter[Operand]) -> Any:
    """The replacement of the result of a removed operation; None if it stays."""
    before = len(b.block.ops)
    b.part = op.part
    if op.fn is inplace_at:
        _without_sign(b, op, read)
        _turn_sign(b, op, read)
        return None
    found = _reduced(b, op, read)
    if isinstance(found, Value):
        if isinstance(found.type, Arr) and found.type.dims and len(b.block.ops) == before and written(found, op.result):
            # an array of its own, which another name for one that was there would not be
            found = b.call(np.ndarray.copy, found, type=op.result.type)
        if found.name is None and found is not op.result:
            found.name = op.result.name
    return found


def _without_sign(b: AlgebraBuilder, op: Call, read: Counter[Operand]) -> None:
    """``x[i] += a * -b`` as ``x[i] -= a * b``, of numbers."""
    value, how = op.args[2], op.args[3].value
    made = b.maker.get(value) if isinstance(value, Value) else None
    if how not in _IN_PLACE or not isinstance(made, Call) or made.fn is not operator.mul or not _is_number(value) or read[value] != 1:
        return
    for k, factor in enumerate(made.args):
        negated = b.maker.get(factor) if isinstance(factor, Value) else None
        if isinstance(negated, Call) and negated.fn is operator.neg and _is_number(factor):
            made.args[k] = negated.args[0]
            op.args[3] = Lit(_IN_PLACE[how])
            return


def _reduced(b: AlgebraBuilder, op: Call, read: Counter[Operand]) -> Any:
    """The simplified form of an operation, or None."""
    if op.kwargs or len(op.results) != 1 or len(op.args) > 2:
        return None
    b.loc = op.loc
    if op.fn not in _ARITHMETIC:
        return None
    if Lit in map(type, op.args):
        x, *rest = op.args
        if op.fn is operator.mul and isinstance(rest[0], Lit) and not isinstance(x, Lit):
            return x if _is(rest[0], 1.0) and _same_type(x, op.result) else None
        found = b._simplified(op.fn, op.args)
        if found is None and op.fn is operator.mul:
            found = _scaled_product(b, x, rest[0], read)
            if found is None:
                found = _scaled_multiple(b, x, rest[0], read)
        return found if found is None or isinstance(found, Lit) or _same_type(found, op.result) else None
    if op.fn is operator.neg:
        return b._simplified(op.fn, op.args)
    if op.fn in _OPPOSITE:
        negated = b.maker.get(op.args[1]) if isinstance(op.args[1], Value) else None
        if isinstance(negated, Call) and negated.fn is operator.neg:
            return b.call(_OPPOSITE[op.fn], op.args[0], negated.args[0], name=op.result.name, type=op.result.type)
    if op.fn is operator.mul:
        found = _negated_product(b, op.args[0], op.args[1], read)
        return _scaled_by_smaller(b, op.args[0], op.args[1], read) if found is None else found
    if op.fn in _OPPOSITE and (sum_ := _sum_of_multiples(b, op)) is not None:
        return sum_
    if op.fn is operator.add:
        (c, x), (d, y) = _multiple(b, op.args[0]), _multiple(b, op.args[1])
        twice = op.args[0]
        if twice is op.args[1] and isinstance(twice.type, Arr) and not twice.type.scalar and twice.type.dtype == "float64":
            return b.call(operator.mul, Lit(2.0), twice, type=twice.type)
        if x is y and isinstance(x, Value) and _is_number(x):
            return b.call(operator.mul, Lit(c + d), x) if c + d != 1.0 else x
        inner = b.maker.get(op.args[0]) if isinstance(op.args[0], Value) else None
        if isinstance(inner, Call) and inner.fn is operator.add and isinstance(y, Value) and _is_number(y):
            c, x = _multiple(b, inner.args[1])
            if x is y:
                return b.call(operator.add, inner.args[0], b.call(operator.mul, Lit(c + d), x) if c + d != 1.0 else x, name=op.result.name)
    return None


def _turn_sign(b: AlgebraBuilder, op: Call, read: Counter[Operand]) -> None:
    """``x[i] -= -2.0 * y`` as ``x[i] += 2.0 * y``."""
    _, _, value, how = op.args
    made = b.maker.get(value) if isinstance(value, Value) and read[value] == 1 else None
    turned = _IN_PLACE.get(how.value)
    if turned is not None and isinstance(value, Lit) and type(value.value) is float and value.value < 0.0 and value.text is None:
        op.args[2:] = [Lit(-value.value), Lit(turned)]
        return
    if turned is None or not isinstance(made, Call) or made.kwargs:
        return
    if made.fn is operator.neg:
        op.args[2:] = [made.args[0], Lit(turned)]
    elif made.fn is operator.mul and isinstance(c := made.args[0], Lit) and type_is_real(c.value) and c.value < 0 and c.text is None:
        op.args[2:] = [b.call(operator.mul, Lit(-c.value), made.args[1], type=value.type), Lit(turned)]


def _scaled_product(b: AlgebraBuilder, c: Any, x: Any, read: Counter[Operand]) -> Any:
    """``c * (small * large)`` as ``(c * small) * large``."""
    made = b.maker.get(x) if isinstance(x, Value) else None
    if not isinstance(c, Lit) or not type_is_real(c.value) or c.text is not None:
        return None
    if not isinstance(made, Call) or made.fn is not operator.mul:
        return None
    for k in range(2):
        small, large = made.args[k], made.args[1 - k]
        if read[x] == 1 and _is_stretched(b, small) and not _is_stretched(b, large):
            factors = (_times(b, c.value, small, read), large)
            return b.call(operator.mul, *factors[::1 - 2 * k], type=x.type)
    return None


def _scaled_multiple(b: AlgebraBuilder, c: Any, x: Any, read: Counter[Operand]) -> Any:
    """``c * (d * x)`` as ``(c * d) * x``, of arrays."""
    if not isinstance(c, Lit) or not type_is_real(c.value) or c.text is not None or not isinstance(x.type, Arr) or read[x] != 1:
        return None
    made = b.maker.get(x)
    d, inner = _multiple(b, x)
    if isinstance(made, Call) and made.fn is operator.neg:
        d, inner = -1.0, made.args[0]
    if d == 1.0 or not _same_type(inner, x) or not 1e-100 < abs(c.value * d) < 1e100 or isinstance(made, Call) and any(
            isinstance(a, Lit) and a.text is not None for a in made.args):
        return None
    return b.call(operator.mul, Lit(c.value * d), inner, type=x.type)


def _negated_product(b: AlgebraBuilder, x: Any, y: Any, read: Counter[Operand]) -> Any:
    """``-a * y`` as ``-(a * y)``, where ``a`` is read again and ``y`` is not: NumPy then writes over ``y``, twice."""
    made, other = (b.maker.get(v) if isinstance(v, Value) and read[v] == 1 else None for v in (x, y))
    if not isinstance(made, Call) or made.fn is not operator.neg or not isinstance(other, Call) or other.kwargs:
        return None
    a = made.args[0]
    if not isinstance(a, Value) or read[a] < 2 or not isinstance(a.type, Arr) or a.type.scalar or not alike(a.type, y.type):
        return None
    return b.call(operator.neg, b.call(operator.mul, a, y, type=y.type), type=y.type)


def _scaled_by_smaller(b: AlgebraBuilder, x: Any, y: Any, read: Counter[Operand]) -> Any:
    """``(c * large) * small`` as ``large * (c * small)``."""
    c, large = _multiple(b, x)
    if c == 1.0 or read[x] != 1 or _is_stretched(b, large) or not _is_stretched(b, y) and not (
            _is_number(y) and isinstance(large.type, Arr) and large.type.dims):
        return None
    return b.call(operator.mul, large, _times(b, c, y, read))


def _sum_of_multiples(b: AlgebraBuilder, op: Call) -> Any:
    """``c * x + d * x`` as ``(c + d) * x``, of arrays."""
    (c, x), (d, y) = _multiple(b, op.args[0]), _multiple(b, op.args[1])
    total = c + d if op.fn is operator.add else c - d
    if x is not y or c == 1.0 or d == 1.0 or not isinstance(x, Value) or not alike(x.type, op.result.type) or total in (0.0, 1.0):
        return None
    if not isinstance(x.type, Arr) or not x.type.dims or x.type.dtype != "float64":
        return None
    return b.call(operator.neg, x, type=x.type) if total == -1.0 else b.call(operator.mul, Lit(total), x, type=x.type)


def _is_stretched(b: AlgebraBuilder, x: Any) -> bool:
    """Whether an array has a dimension of length 1 that was added to it."""
    made = b.maker.get(x) if isinstance(x, Value) else None
    return isinstance(made, Call) and made.fn is np.expand_dims and not made.kwargs


def _times(b: AlgebraBuilder, c: float, x: Any, read: Counter[Operand]) -> Any:
    """``c * x``, with the number where it costs least."""
    made = b.maker.get(x) if isinstance(x, Value) else None
    d, inner = _multiple(b, x)
    if d != 1.0:
        return inner if c * d == 1.0 and _same_type(inner, x) else b.call(operator.mul, Lit(c * d), inner, type=x.type)
    if isinstance(made, Call) and not made.kwargs and read[x] == 1:
        if made.fn is operator.neg:
            return _times(b, -c, made.args[0], read)
        if made.fn is operator.truediv:
            return b.call(operator.truediv, _times(b, c, made.args[0], read), made.args[1], type=x.type)
        if made.fn is np.expand_dims:
            return b.call(np.expand_dims, _times(b, c, made.args[0], read), made.args[1], type=x.type)
    return b.call(operator.mul, Lit(c), x, type=x.type)


def _is_number(x: Any) -> bool:
    t = x.type
    return isinstance(t, Num) and t.kind == "float" or isinstance(t, Arr) and t.scalar and t.dtype == "float64"


def _same_type(x: Any, y: Value) -> bool:
    if _is_number(x) and _is_number(y):
        return True
    return isinstance(x.type, type(y.type)) and getattr(x.type, "dims", None) == getattr(y.type, "dims", None)


def _multiple(b: AlgebraBuilder, x: Any) -> tuple[float, Any]:
    """``x`` as a number times a value."""
    made = b.maker.get(x) if isinstance(x, Value) else None
    if isinstance(made, Call) and made.fn is operator.mul and isinstance(made.args[0], Lit) and type_is_real(made.args[0].value):
        return made.args[0].value, made.args[1]
    return 1.0, x

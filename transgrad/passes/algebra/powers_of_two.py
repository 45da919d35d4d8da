"""Combine factors that are powers of two: with ``z = 0.5 * w / v``, rewrite ``2.0 * (z * x)`` to ``w / v * x``.

Multiplication by a power of two is exact, so the factor may move anywhere within a product.
"""
from __future__ import annotations

import math
import operator
from collections import Counter
from typing import Any

from ...ir.ops import Block, Call, Function, Lit, Op, Operand, Value, blocks_of, count_reads, walk
from ...ir.types import Arr, Num
from ..manager import Stage, optimization
from ..rewriting.substitute import substitute_chains

__all__ = ["combine_powers_of_two"]

_DEPTH = 6


@optimization(Stage.SIMPLIFY, "simplify")
def combine_powers_of_two(fn: Function) -> bool:
    """Rewrite the adjoint part of ``fn`` in place: of numbers."""
    products = {op.result: op for op in walk(fn.body) if type(op) is Call and op.fn is operator.mul}
    scaled = [op for op in products.values() if _is_scaling(op)]
    if len(scaled) < 2 or not any(op.args[1] in products for op in scaled):
        return False
    mapping: dict[Value, Operand] = {}
    _block(fn.body, count_reads(fn), mapping)
    substitute_chains(fn.body, mapping)
    return True


def _block(block: Block, read: Counter[Operand], mapping: dict[Value, Operand]) -> None:
    makers = {op.results[0]: op for op in block.ops if len(op.results) == 1}
    products: dict[tuple[Value, float], list[tuple[Call, Call]]] = {}
    for op in block.ops:
        if type(op) is not Call:
            for inner in blocks_of(op):
                _block(inner, read, mapping)
            continue
        if op.fn is not operator.mul or not _is_scaling(op):
            continue
        product = makers.get(op.args[1])
        alone = read[op.args[1]] == 1
        if alone and isinstance(product, Call) and product.fn is operator.mul and product.args[0] is not product.args[1]:
            for z in product.args:
                if isinstance(z, Value):
                    products.setdefault((z, op.args[0].value), []).append((op, product))
    done: set[int] = set()
    for (z, c), found in products.items():
        if len(found) != read[z] or any(id(op) in done or id(product) in done or op.args[0].value != c for op, product in found):
            continue        # one that has gone into another
        if not _absorbs(z, c, makers, read, _DEPTH, own=True):
            continue
        instead = _absorb(z, c, makers, read)
        for op, product in found:
            done.add(id(op))
            product.args = [instead if a is z else a for a in product.args]
            product.result.name = op.result.name
            mapping[op.result] = product.result
            makers[op.result] = product     # where a later power of two has to go
    if done:
        block.ops = [op for op in block.ops if id(op) not in done]


def _absorbs(v: Operand, c: float, makers: dict[Value, Op], read: Counter[Operand], depth: int, own: bool = False) -> bool:
    """Whether ``c * v`` takes no operation more than ``v`` does."""
    if isinstance(v, Lit):
        return type(v.value) is float and v.text is None
    made = makers.get(v)
    if not depth or not isinstance(made, Call) or made.part != "adjoint" or made.kwargs or not (own or read[v] == 1):
        return False
    if made.fn in (operator.truediv, operator.neg):
        return _absorbs(made.args[0], c, makers, read, depth - 1)
    return made.fn is operator.mul and any(_absorbs(a, c, makers, read, depth - 1) for a in made.args)


def _absorb(v: Operand, c: float, makers: dict[Value, Op], read: Counter[Operand]) -> Operand:
    """``c * v``, which takes the place of ``v``."""
    if isinstance(v, Lit):
        return Lit(c * v.value)
    made = makers[v]
    assert isinstance(made, Call)
    place = next((k for k, a in enumerate(made.args) if _absorbs(a, c, makers, read, _DEPTH)), 0)
    made.args = [_absorb(a, c, makers, read) if k == place else a for k, a in enumerate(made.args)]
    ones = [k for k, a in enumerate(made.args) if isinstance(a, Lit) and a.value == 1.0]
    if made.fn is operator.mul and ones and _is_number(made.args[1 - ones[0]]):
        return made.args[1 - ones[0]]       # type: ignore[no-any-return]
    return v


def _is_scaling(op: Any) -> bool:
    """Whether an operation multiplies a number by a power of two."""
    if type(op) is not Call or op.fn is not operator.mul or op.part != "adjoint" or op.kwargs or not isinstance(op.args[0], Lit):
        return False
    c = op.args[0].value
    return type(c) is float and op.args[0].text is None and 0.0 < c < math.inf and math.frexp(c)[0] == 0.5 and all(
        map(_is_number, (op.args[1], op.result)))


def _is_number(x: Operand) -> bool:
    t = x.type
    return isinstance(t, Num) and t.kind == "float" or isinstance(t, Arr) and t.scalar and t.dtype == "float64"

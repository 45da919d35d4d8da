"""Linear systems in the reverse of a factorization.

Their matrix is the triangular factor. Solves with a matrix right-hand side become products with the inverse of the factor, which costs a
third of a general inverse and is shared by all solves; and the product of a factor with the solution of its own system is the
right-hand side.
"""
from __future__ import annotations

import operator
from typing import Any, TypeGuard

import numpy as np

from ...ir.build import Builder
from ...ir.ops import Block, Call, Function, GetAttr, Lit, Op, Operand, Value, blocks_of, calls, walk
from ...ir.types import Arr
from ...runtime import inverse_of_lower, place_diagonal
from ..analysis.alias import AliasClasses
from ..analysis.def_use import definitions
from ..manager import Property, Stage, analysis, optimization
from ..rewriting.substitute import substitute
from ..switches import is_on

__all__ = ["cancel_linear_solves", "invert_triangular_factors"]

_PRODUCTS = (operator.matmul, np.matmul, np.dot)
_SUMS = (operator.add, operator.sub)


@optimization(Stage.LOWER_NUMPY, "systems", requires=(Property.FINAL,), analyses=(AliasClasses, definitions))
def invert_triangular_factors(fn: Function) -> bool:
    """Rewrite the adjoint part of a finished function in place, for NumPy, which has no triangular systems."""
    if not calls(fn.body, np.linalg.solve) or not is_on("systems"):
        return False
    systems = [op for op in walk(fn.body) if _is_plain(op)]
    if not any(op.part == "adjoint" and len(op.args[1].type.dims) == 2 for op in systems):
        return False
    makers = analysis(definitions, fn)
    classes = analysis(AliasClasses, fn)
    wanted = {factor for op in systems if op.part == "adjoint" and len(op.args[1].type.dims) == 2 and (
        factor := _factor(op.args[0], makers)) is not None}
    # where the value is returned, too, it is computed as it is written
    alone = all(isinstance(y, Lit) or y in makers and makers[y].part == "adjoint" for y in fn.body.yields)
    _invert(fn.body, {factor for factor in wanted if not classes.is_written(factor)}, makers, {}, alone)
    return True


def _invert(block: Block, wanted: set[Value], makers: dict[Value, Op], known: dict[Value, Value], alone: bool) -> None:
    ops: list[Op] = []
    for op in block.ops:
        for inner in blocks_of(op):
            _invert(inner, wanted, makers, dict(known), alone)
        if _is_plain(op) and (alone or op.part == "adjoint"):
            factor = _factor(op.args[0], makers)
            if factor in wanted and factor is not None:
                with Builder(Block([], ops), op.part, op.loc) as b:
                    if factor not in known:
                        known[factor] = b.call(inverse_of_lower, factor, type=factor.type, name="inverse")
                    turned = op.args[0] is not factor
                    inverse = b.attr(known[factor], "T", op.args[0].type) if turned else known[factor]
                    b.emit(Call(operator.matmul, [inverse, op.args[1]], results=op.results))
                continue
        ops.append(op)
    block.ops = ops


def _is_plain(op: Op) -> TypeGuard[Call]:
    """Whether an operation solves a system with one matrix of float64."""
    if not isinstance(op, Call) or op.fn is not np.linalg.solve:
        return False
    types = [a.type for a in op.args]
    return not op.kwargs and len(types) == 2 and all(isinstance(t, Arr) and t.dtype == "float64" for t in types) and (
        len(types[0].dims) == 2 and len(types[1].dims) in (1, 2))


def _factor(a: Operand, makers: dict[Value, Op]) -> Value | None:
    """The lower factor of Cholesky's decomposition that a matrix is, or is the transpose of."""
    made = makers.get(a) if isinstance(a, Value) else None
    if isinstance(made, GetAttr) and made.name in ("T", "mT"):
        a = made.obj
        made = makers.get(a) if isinstance(a, Value) else None
    lower = isinstance(made, Call) and made.fn is np.linalg.cholesky and not made.kwargs and len(made.args) == 1
    return a if lower and isinstance(a, Value) else None


@optimization(Stage.SIMPLIFY, "systems", analyses=(AliasClasses, definitions))
def cancel_linear_solves(fn: Function) -> bool:
    """Rewrite the adjoint part of ``fn`` in place: ``m @ (d - np.outer(np.linalg.solve(m, b), z))``, where ``d`` is a diagonal matrix."""
    if not calls(fn.body, np.linalg.solve) or not is_on("systems"):
        return False
    makers = analysis(definitions, fn)
    _cancel(fn.body, makers, analysis(AliasClasses, fn))
    return True


def _cancel(block: Block, makers: dict[Value, Op], classes: AliasClasses) -> None:
    ops: list[Op] = []
    mapping: dict[Value, Operand] = {}
    for op in block.ops:
        for inner in blocks_of(op):
            _cancel(inner, makers, classes)
        if isinstance(op, Call) and op.fn in _PRODUCTS and op.part == "adjoint" and not op.kwargs and len(op.args) == 2:
            new = Block()
            with Builder(new, op.part, op.loc) as b:
                found = _product(b, op.args[0], op.args[1], makers, classes)
            if found is not None:
                found.name = op.result.name
                ops += new.ops
                mapping[op.result] = found
                continue
        ops.append(op)
    block.ops = ops
    substitute(block, mapping)


def _product(b: Builder, m: Any, x: Any, makers: dict[Value, Op], classes: AliasClasses) -> Any:
    """``m @ x`` without a matrix product; None if there is no such form."""
    made = makers.get(x) if isinstance(x, Value) else None
    if not isinstance(made, Call) or made.kwargs or not all(_is_matrix(v) and not classes.is_written(v) for v in (m, x)):
        return None
    if made.fn in _SUMS:
        left = _product(b, m, made.args[0], makers, classes)
        right = _product(b, m, made.args[1], makers, classes) if left is not None else None
        return None if right is None else b.call(made.fn, left, right, type=x.type)
    if made.fn is operator.neg:
        inner = _product(b, m, made.args[0], makers, classes)
        return None if inner is None else b.call(operator.neg, inner, type=x.type)
    if made.fn is place_diagonal and _is_main_diagonal(made) and isinstance(made.args[1].type, Arr) and len(made.args[1].type.dims) == 1:
        square = isinstance(makers.get(made.args[0]), Call) and _factor(made.args[0], makers) is not None
        same = _factor(m, makers) is made.args[0]
        return b.call(operator.mul, m, made.args[1], type=x.type) if square and same else None
    if made.fn is np.outer:
        solved = makers.get(made.args[0])
        if solved is not None and _is_plain(solved) and solved.args[0] is m and len(
                solved.args[1].type.dims) == 1 and not classes.is_written(solved.args[1]) and not classes.is_written(made.args[1]):
            return b.call(np.outer, solved.args[1], made.args[1], type=x.type)
    return None


def _is_matrix(x: Any) -> bool:
    return isinstance(x, Value) and isinstance(x.type, Arr) and x.type.dtype == "float64" and len(x.type.dims) == 2


def _is_main_diagonal(op: Call) -> bool:
    return all(isinstance(a, Lit) and a.value == k for a, k in zip(op.args[2:], (0, 0, 1)))

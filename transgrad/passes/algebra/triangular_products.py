"""Products of triangular matrices: skip the zero blocks, and form a lower triangle with half of its diagonal without a mask."""
from __future__ import annotations

import operator

import numpy as np

from ...ir.build import Builder
from ...ir.ops import Block, Call, Function, GetAttr, Lit, Op, Operand, Value, blocks_of, calls
from ...ir.types import Arr
from ...runtime import inverse_of_lower, lower_half, product_of_triangles
from ..analysis.alias import AliasClasses
from ..manager import Property, Stage, analysis, optimization
from ..rewriting.substitute import substitute
from ..simplify.dce import eliminate_dead_code
from ..switches import is_on

__all__ = ["multiply_triangular_matrices"]

_TURNED = {"": "", "lower": "upper", "upper": "lower"}
_LOWER = (inverse_of_lower, lower_half)


@optimization(Stage.LOWER_NUMPY, "systems", requires=(Property.FINAL,), analyses=(AliasClasses,))
def multiply_triangular_matrices(fn: Function) -> bool:
    """Rewrite the adjoint part of a finished function in place."""
    if calls(fn.body, np.linalg.cholesky, inverse_of_lower) and is_on("systems"):
        _Triangles(fn).block(fn.body)
        eliminate_dead_code(fn)
        return True
    return False


class _Triangles:
    def __init__(self, fn: Function):
        self.classes = analysis(AliasClasses, fn)
        self.makers: dict[Value, Op] = {}
        self.kinds: dict[Operand, str] = {}

    def block(self, block: Block) -> None:
        ops: list[Op] = []
        mapping: dict[Value, Operand] = {}
        for op in block.ops:
            for inner in blocks_of(op):
                self.block(inner)
            if isinstance(op, Call) and op.part != "primal" and op.fn is operator.sub and (halved := self.halved(op)) is not None:
                c, x = halved
                with Builder(Block([], ops), op.part, op.loc) as b:
                    half = b.call(lower_half, x, type=op.result.type, name=op.result.name)
                    self.kinds[half] = "lower"
                    mapping[op.result] = half if c == 1.0 else b.call(operator.mul, Lit(c), half, type=op.result.type, name=op.result.name)
                    self.kinds[op.result] = "lower"
                continue
            if isinstance(op, Call) and op.part != "primal" and op.fn in (operator.matmul, np.matmul) and all(map(_is_matrix, op.args)):
                left, right = (self.kinds.get(mapping.get(a, a) if isinstance(a, Value) else a, "") for a in op.args)
                if left or right:
                    op.fn, op.args, op.spelling = product_of_triangles, [*op.args, Lit(left), Lit(right)], None
            ops.append(op)
            self.note(op, mapping)
        block.ops = ops
        substitute(block, mapping)

    def note(self, op: Op, mapping: dict[Value, Operand]) -> None:
        """Which triangle of the result of an operation is all there is in it."""
        for r in op.results:
            self.makers[r] = op
        if len(op.results) != 1 or not _is_matrix(op.result) or self.classes.is_written(op.result):
            return
        kind = ""
        if isinstance(op, GetAttr) and op.name in ("T", "mT"):
            kind = _TURNED[self.kinds.get(op.obj, "")]
        elif isinstance(op, Call) and not op.kwargs:
            kinds = [self.kinds.get(a, "") for a in op.args]
            if op.fn in _LOWER or op.fn in (np.linalg.cholesky, np.tril) and len(op.args) == 1:
                kind = "lower"
            elif op.fn is np.triu and len(op.args) == 1:
                kind = "upper"
            elif op.fn is operator.mul and isinstance(op.args[0], Lit) or op.fn is operator.neg:
                kind = kinds[-1]
            elif op.fn in (operator.add, operator.sub, product_of_triangles) and kinds[0] == kinds[1]:
                kind = kinds[0]
        self.kinds[op.result] = kind

    def halved(self, op: Call) -> tuple[float, Value] | None:
        """The operand and factor if ``op`` is a multiple of its `lower_half`: ``np.tril(x) - 0.5 * (x * np.eye(n))``."""
        (c, triangle), (d, masked) = map(self.multiple, op.args)
        if op.kwargs or c != 2.0 * d or triangle is None or masked is None:
            return None
        x = triangle.args[0]
        if triangle.fn is not np.tril or len(triangle.args) != 1 or masked.fn is not operator.mul or not isinstance(x, Value):
            return None
        eye = self.makers.get(masked.args[1]) if isinstance(masked.args[1], Value) else None
        if masked.args[0] is not x or not isinstance(eye, Call) or eye.fn is not np.eye or len(eye.args) != 1 or eye.kwargs:
            return None
        if not _is_matrix(x) or self.classes.is_written(x):
            return None
        made = self.makers.get(x)       # whose own factor joins the other one
        if isinstance(made, Call) and made.fn is operator.mul and not made.kwargs and isinstance(e := made.args[0], Lit) and (
                type(e.value) is float and c * e.value == 1.0 and isinstance(made.args[1], Value) and _is_matrix(made.args[1])):
            return 1.0, made.args[1]
        return c, x

    def multiple(self, x: Operand) -> tuple[float, Call | None]:
        """A value as a number times the result of a call."""
        made = self.makers.get(x) if isinstance(x, Value) else None
        if isinstance(made, Call) and made.fn is operator.mul and isinstance(made.args[0], Lit) and type(made.args[0].value) is float:
            inner = made.args[1]
            found = self.makers.get(inner) if isinstance(inner, Value) else None
            return made.args[0].value, found if isinstance(found, Call) and not found.kwargs else None
        return 1.0, made if isinstance(made, Call) and not made.kwargs else None


def _is_matrix(x: Operand) -> bool:
    return isinstance(x.type, Arr) and x.type.dtype == "float64" and len(x.type.dims) == 2

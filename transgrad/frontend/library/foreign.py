"""Arrays of other classes: their operators are their own, and NumPy's rules do not hold for them."""
from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any, NoReturn

import numpy as np

from ...ir.infer import has_operators, is_foreign
from ...ir.types import UNKNOWN, Arr, Num, Obj, OptT, Type
from ..context import Lowering
from ..refusals import refuse

__all__ = ["check_classes", "family", "is_old_sparse", "is_plain", "is_sparse", "method_result", "sparse_as_elements", "sparse_product",
           "sparse_result"]


def is_plain(x: Any) -> bool:
    """Whether ``x`` is a number or one of NumPy's own arrays, and so of no class that would have to be looked at."""
    return type(getattr(x, "type", None)) in _PLAIN


_PLAIN = frozenset((Num, Arr))


def check_classes(ctx: Lowering, fn: Any, operands: Iterable[Any], result: Type, node: Any) -> None:
    """Refuse a function of NumPy's or an operator that is given a differentiated value, and takes or makes an array of another class."""
    if isinstance(result, Obj) and (is_foreign(result.cls) or fn in _ARITHMETIC and has_operators(result.cls)):
        _refuse(ctx, result.cls, node)
    others = [o for o in operands if not is_plain(o)]
    if not others or not isinstance(fn, np.ufunc) and str(getattr(fn, "__module__", "")).split(".")[0] not in ("numpy", "_operator"):
        return
    from ..objects.members import class_of
    for o in others:
        cls = class_of(ctx, o)
        # operators that are Python functions have been called by now
        if is_foreign(cls) or (fn in _ARITHMETIC or isinstance(fn, np.ufunc)) and has_operators(cls):
            _refuse(ctx, cls, node)


_ARITHMETIC = frozenset((
    operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow, operator.matmul,
    operator.iadd, operator.isub, operator.imul, operator.itruediv, operator.ifloordiv, operator.imod, operator.ipow, operator.imatmul))


def _refuse(ctx: Lowering, cls: Any, node: Any) -> NoReturn:
    refuse("array_class", ctx.at(node) if node is not None else ctx.loc, f"{cls.__module__.split('.')[0]}.{cls.__name__}")


def is_sparse(ctx: Lowering, x: Any) -> bool:
    """Whether ``x`` is one of SciPy's sparse matrices, whose elements are constant."""
    if is_plain(x):
        return False
    from ..objects.members import class_of
    cls = class_of(ctx, x)
    return isinstance(cls, type) and cls.__module__.startswith("scipy.sparse.")


def is_old_sparse(ctx: Lowering, x: Any) -> bool:
    """Whether ``x`` is of a class (csr_matrix and so on) whose ``*`` is the product of matrices."""
    if not is_sparse(ctx, x):
        return False
    from scipy.sparse import spmatrix

    from ..objects.members import class_of
    return issubclass(class_of(ctx, x), spmatrix)


def sparse_as_elements(ctx: Lowering, fn: Any, a: Any, b: Any, node: Any) -> tuple[Any, Any]:
    """The operands, a constant sparse matrix as its elements where the other one is differentiated."""
    other = b if is_sparse(ctx, a) else a
    if fn is operator.matmul or not getattr(other, "varied", False):
        return a, b
    from ...rules.scipy.sparse.matrix import as_matrix
    from ..calls.functions import call_function
    return (call_function(ctx, as_matrix, [a], {}, node), b) if is_sparse(ctx, a) else (a, call_function(ctx, as_matrix, [b], {}, node))


def sparse_result(ctx: Lowering, fn: Any, a: Any, b: Any) -> Type | None:
    """The type of an operator of constants, of which one is a sparse matrix."""
    found = family(ctx, a if is_sparse(ctx, a) else b)
    if is_sparse(ctx, a) and is_sparse(ctx, b):
        return found
    t = getattr(b if is_sparse(ctx, a) else a, "type", None)
    return found if isinstance(t, Num) and fn in (operator.mul, operator.truediv, operator.pow) else None


#: methods of sparse matrices that return one
_OF_SAME_KIND = frozenset((
    "transpose", "conj", "conjugate", "copy", "tocsr", "tocsc", "tocoo", "tobsr", "todia", "tolil", "todok", "asformat"))


def family(ctx: Lowering, x: Any) -> Type:
    """The type of sparse matrices with the operators of ``x``, of any format."""
    from scipy.sparse import sparray, spmatrix
    return Obj(spmatrix if is_old_sparse(ctx, x) else sparray)


def method_result(ctx: Lowering, self_: Any, method: str | None) -> Type:
    """The result type of a method of a constant object, as far as it is known."""
    return family(ctx, self_) if method in _OF_SAME_KIND and is_sparse(ctx, self_) else UNKNOWN


def sparse_product(ctx: Lowering, fn: Any, a: Any, b: Any) -> Any:
    """The operator applied to ``a`` and ``b``: the meaning of ``*`` if one of them is a sparse matrix."""
    if fn is not operator.mul or not (is_old_sparse(ctx, a) or is_old_sparse(ctx, b)):
        return fn
    other = b if is_old_sparse(ctx, a) else a
    t = getattr(other, "type", None)
    t = t.elem if isinstance(t, OptT) else t
    if isinstance(t, Num) or isinstance(t, Arr) and not t.dims:
        return fn
    return operator.matmul if isinstance(t, Arr) or is_sparse(ctx, other) else fn

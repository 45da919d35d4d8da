"""Libraries whose functions have NumPy's names and signatures: JAX, Dask, CuPy."""
from __future__ import annotations

import ast
import importlib
import importlib.util
import types
from typing import TYPE_CHECKING, Any

import numpy as np

from ...ir.ops import Call, GetAttr, Lit, Value
from ...ir.prims import inplace_at
from ...ir.types import Arr, Num
from ...runtime.portable import length_of, size_of
from .dialect import Dialect, attribute, index_types

if TYPE_CHECKING:
    from ..expressions import Expressions

__all__ = ["NumpyLike"]

#: Functions of SciPy, by the module of each library that has them under the same name.
_SCIPY = {"jax": "jax.scipy", "cupy": "cupyx.scipy"}
#: Functions that make arrays of numbers: where NumPy is called by name, they stay NumPy arrays beside lazy ones.
_OF_ARRAYS: frozenset[Any] = frozenset((np.expand_dims, np.sum, np.mean, np.reshape, np.ravel, np.broadcast_to, np.squeeze))
_CREATING: frozenset[Any] = frozenset((
    np.array, np.asarray, np.arange, np.linspace, np.zeros, np.ones, np.full, np.eye, np.identity, np.empty))


class NumpyLike(Dialect):
    """Source for a library whose functions have NumPy's names and signatures."""

    def numpy_call(self, e: Expressions, op: Call) -> ast.expr:
        """A call of a function or a method of NumPy's."""
        fn = op.fn
        if fn is np.matrix_transpose and not self.has("matrix_transpose"):
            return ast.Call(self.function(e, "swapaxes", op), [e.operand(op.args[0]), *map(_integer, (-1, -2))], [])
        if fn in (np.array, np.asarray, np.ascontiguousarray) and self.library.name == "dask" and op.args and _holds_arrays(op.args[0]):
            return ast.Call(self.function(e, "stack", op), e.arguments(op.args[:1]), [])
        if self.library.lazy and fn in _CREATING and op.written and self.spelled_numpy(op):
            return ast.Call(e.names.expr(fn, op.spelling), e.arguments(op.args), e.keywords(op.kwargs))
        if fn in (np.sort, np.argsort) and "kind" in op.kwargs and self.library.name == "jax":
            options = {k: v for k, v in op.kwargs.items() if k != "kind"}
            return ast.Call(self.function(e, fn.__name__, op), e.arguments(op.args),
                            [*e.keywords(options), ast.keyword("stable", ast.Constant(True))])
        if fn in (np.sort, np.argsort) and "kind" in op.kwargs and self.library.name == "dask":
            self.refuse(op, f"{fn.__name__}()")
        if fn is np.full_like and self.library.name in ("dask", "sparse") and len(op.args) == 2 and isinstance(op.args[1].type, Arr):
            # whose full_like takes numbers
            zeros = ast.Call(self.function(e, "zeros_like", op), e.arguments(op.args[:1]), e.keywords(op.kwargs))
            return ast.BinOp(zeros, ast.Add(), e.operand(op.args[1]))
        if fn in (np.copy, np.ndarray.copy) and self.library.lazy:
            return ast.Call(attribute(e.operand(op.args[0]), "copy"), [], [])
        if fn is np.count_nonzero and self.library.name in ("dask", "cupy"):     # which take no keepdims
            nonzero = ast.Compare(e.operand(op.args[0]), [ast.NotEq()], [ast.Constant(0)])
            return ast.Call(self.function(e, "sum", op), [nonzero, *e.arguments(op.args[1:])], e.keywords(op.kwargs))
        if fn is np.linalg.cholesky and self.library.name == "dask":      # whose default is the upper factor
            return ast.Call(self.function(e, "linalg.cholesky", op), e.arguments(op.args), [ast.keyword("lower", ast.Constant(True))])
        if fn is np.eye and self.library.name == "dask" and len(op.args) > 1:
            more = [ast.keyword(k, e.operand(v)) for k, v in zip(("M", "k"), op.args[1:])]
            return ast.Call(self.function(e, "eye", op), e.arguments(op.args[:1]), [*more, *e.keywords(op.kwargs)])
        if isinstance(fn, (types.MethodDescriptorType, types.WrapperDescriptorType)) and fn.__name__ in ("fill", "sort", "partition"):
            self.refuse(op, f"{fn.__name__}()", "changes an array in place, which is not possible")
        if (self.library.lazy or self.library.name == "cupy") and fn in _OF_ARRAYS and isinstance(op.args[0].type, Num):
            x = ast.Call(self.function(e, "asarray", op), e.arguments(op.args[:1]), [])
            return ast.Call(self.function(e, fn.__name__, op), [x, *e.arguments(op.args[1:])], e.keywords(op.kwargs))
        return super().numpy_call(e, op)

    def attribute(self, e: Expressions, op: GetAttr) -> ast.expr | None:
        """An attribute of an array; None if it is the same as NumPy's."""
        if op.name == "mT" and self.library.name == "dask":
            return ast.Call(self.function(e, "swapaxes", op), [e.operand(op.obj), *map(_integer, (-1, -2))], [])
        if op.name == "size" and self.library.lazy and not op.written:
            return ast.Call(e.names.expr(size_of), [self.root(e.names), e.operand(op.obj)], [])
        return None

    def getitem(self, e: Expressions, op: Call) -> ast.expr | None:
        """``x[i]``, or an entry of a shape, which may not be known yet.

        JAX leaves updates at places out of range out, and reads the last element there: the adjoint of an update is 0 at such places.
        """
        shape = e.plan.defs.get(op.args[0]) if isinstance(op.args[0], Value) else None
        of_shape = isinstance(shape, GetAttr) and shape.name == "shape" and isinstance(op.args[1].type, Num)
        if self.library.lazy and not op.written and of_shape:
            assert isinstance(shape, GetAttr)
            return ast.Call(e.names.expr(length_of), [self.root(e.names), e.operand(shape.obj), e.operand(op.args[1])], [])
        read = super().getitem(e, op)
        if self.library.name == "jax" and op.part == "adjoint" and not op.written and isinstance(read, ast.Subscript) and any(
                isinstance(t, Arr) and t.dims and t.dtype[0] in "iu" for t in index_types(e, op.args[1])):
            at = ast.Subscript(attribute(read.value, "at"), read.slice, ast.Load())
            options: dict[str, str | int] = {"mode": "fill", "fill_value": 0}
            return ast.Call(attribute(at, "get"), [], [ast.keyword(k, ast.Constant(v)) for k, v in options.items()])
        return read

    def store(self, e: Expressions, op: Call) -> list[Any] | None:
        """An assignment of elements; Dask adds nothing to those that a mask selects, whose number it does not know."""
        if self.library.lazy and op.fn is inplace_at and any(isinstance(t, Arr) and t.dims and t.dtype == "bool"
                                                             for t in index_types(e, op.args[1])):
            self.refuse(op, "an update of the elements that a mask selects", "is not possible")
        return super().store(e, op)

    def spelled_numpy(self, op: Call) -> bool:
        """Whether the user called the function by NumPy's name, and not by that of the library's namespace."""
        return op.spelling is not None and self.fn.names.get(op.spelling.partition(".")[0]) is np

    def scipy_call(self, e: Expressions, op: Call) -> ast.expr | None:
        """A call of a function of SciPy's."""
        root = _SCIPY.get(self.library.name)
        name = getattr(op.fn, "__name__", "")
        name = {"psi": "digamma"}.get(name, name)
        where = str(getattr(op.fn, "__module__", None) or "scipy.special")
        for part in ("special", "linalg", "signal", "stats"):
            if root is None or not where.startswith(f"scipy.{part}") or importlib.util.find_spec(f"{root}.{part}") is None:
                continue
            module = importlib.import_module(f"{root}.{part}")
            if hasattr(module, name):
                names = e.names
                top = importlib.import_module(root.partition(".")[0])
                path = root.split(".")[1:]
                return ast.Call(attribute(ast.Name(names.bind(top.__name__, top), ast.Load()), *path, part, name),
                                e.arguments(op.args), e.keywords(op.kwargs))
        return super().scipy_call(e, op)


def _integer(n: int) -> ast.expr:
    return ast.UnaryOp(ast.USub(), ast.Constant(-n)) if n < 0 else ast.Constant(n)


def _holds_arrays(o: Any) -> bool:
    """Whether a list or tuple may hold arrays."""
    if isinstance(o, Lit):
        return False
    t = o.type
    elems = [getattr(t, "elem", None)] if hasattr(t, "elem") else list(getattr(t, "elems", ()))
    return any(isinstance(x, Arr) for x in elems)

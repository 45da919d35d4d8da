"""Arithmetic on sparse Tensors; attached to the class as methods."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..dispatch import apply
from ..state import STATE
from ..tensor import Tensor, wrap
from . import primitives
from .creation import to_sparse
from .layouts import strided
from .shapes import matmul_sparse, t
from .tensor import SparseTensor, make

__all__ = ["METHODS", "addmm", "joined", "mm", "smm", "sum"]

_KEEP_ZERO = (
    "abs", "square", "sqrt", "sign", "sin", "tan", "sinh", "tanh", "asin", "atan", "asinh", "atanh", "expm1", "log1p", "floor", "ceil",
    "trunc", "round", "relu", "pow", "deg2rad", "rad2deg", "erf", "erfinv", "frac", "sgn", "isnan", "isinf", "isposinf",
    "isneginf", "signbit", "nan_to_num",
)
_KEEP_PLACES = ("neg", "float", "double", "half", "bfloat16", "cfloat", "cdouble", "int", "long", "short", "bool")


def joined(a: SparseTensor, b: SparseTensor) -> SparseTensor:
    """The sum: the places and values of both."""
    if a._size != b._size or len(a._where) != len(b._where):
        raise RuntimeError(f"add: expected sparse tensors of one shape and sparse_dim, but got {a.shape} ({a.sparse_dim()}) and "
                           f"{b.shape} ({b.sparse_dim()})")
    if np.array_equal(a._where, b._where) and a._coalesced == b._coalesced:
        return a._like(a._stored + b._stored)
    stored = apply(np.concatenate, [a._stored, b._stored])
    return make(np.concatenate([a._where, b._where], axis=1), stored, a._size, False)


def add(self: SparseTensor, other: Any, *, alpha: Any = 1) -> Any:
    """The sum of two sparse Tensors; RuntimeError for a dense one, which goes first, except as a gradient in a backward sweep."""
    if STATE.sweep is not None and not isinstance(other, SparseTensor):
        return radd(self, other)
    if not isinstance(other, SparseTensor):
        raise RuntimeError("add(sparse, dense) is not supported. Use add(dense, sparse) instead.")
    return joined(self, other if alpha == 1 else mul(other, alpha))


def radd(self: SparseTensor, dense: Any) -> Any:
    """The sum of a dense array or Tensor and a sparse one."""
    sparse = self.to_dense()
    return dense + (sparse._array if isinstance(dense, np.ndarray) else sparse)


def accumulated(have: Tensor, g: Any, create_graph: bool) -> Tensor:
    """A gradient with another one added, where one of them is sparse: in place as far as that goes, unless a graph is made."""
    if isinstance(have, SparseTensor) and isinstance(g, SparseTensor):
        return joined(have, g) if create_graph else add_(have, g)
    if isinstance(have, SparseTensor):
        return radd(have, g if isinstance(g, Tensor) else wrap(g))  # type: ignore[no-any-return]
    dense: Any = have
    return dense + g.to_dense() if create_graph else dense.add_(g.to_dense())  # type: ignore[no-any-return]


def add_(self: SparseTensor, other: Any, *, alpha: Any = 1) -> SparseTensor:
    """Add a sparse Tensor, in place."""
    return _become(self, add(self, other, alpha=alpha))


def mul_(self: SparseTensor, other: Any) -> SparseTensor:
    """Multiply, in place."""
    return _become(self, mul(self, other))


def zero_(self: SparseTensor) -> SparseTensor:
    """Store nothing any more."""
    return _become(self, make(self._where[:, :0], self._stored[:0], self._size, True))


def _become(self: SparseTensor, other: SparseTensor) -> SparseTensor:
    if self.requires_grad:
        raise RuntimeError("a sparse Tensor that requires grad cannot be changed in place")
    self._where, self._stored, self._coalesced = other._where, other._stored, other._coalesced
    return self


def sub(self: SparseTensor, other: Any, *, alpha: Any = 1) -> Any:
    """The difference of two sparse Tensors."""
    return add(self, other, alpha=-alpha)


def rsub(self: SparseTensor, dense: Any) -> Any:
    """A dense Tensor less a sparse one."""
    return radd(mul(self, -1), dense)


def mul(self: SparseTensor, other: Any) -> SparseTensor:
    """The product with a number, a dense or a sparse Tensor: stored where both are."""
    if isinstance(other, SparseTensor):
        other = other.to_dense()
    if isinstance(other, (Tensor, np.ndarray)) and other.ndim:
        self = self.coalesce()
        return self._like(self._stored * _at_places(self, other))
    return self._like(self._stored * other)


def _at_places(self: SparseTensor, dense: Any) -> Tensor:
    """The elements of a dense Tensor or array where a sparse one stores values."""
    whole: Any = dense if isinstance(dense, Tensor) else wrap(dense)
    return whole.expand(self._size)[tuple(wrap(row) for row in self._where)]    # type: ignore[no-any-return]


def div(self: SparseTensor, other: Any) -> SparseTensor:
    """The quotient by a number; RuntimeError for a dense Tensor, except as a gradient in a backward sweep."""
    return self._like(self._stored / _divisor(self, other))


def _divisor(self: SparseTensor, other: Any) -> Any:
    if not isinstance(other, (Tensor, np.ndarray)) or not other.ndim:
        return other
    if STATE.sweep is None:
        raise RuntimeError("Sparse division requires a scalar or zero-dim dense tensor divisor (got shape "
                           f"{list(other.shape)} for divisor)")
    return _at_places(self, other)


def mm(mat1: Tensor, mat2: Tensor) -> Tensor:
    """``sparse.mm``: the product of two matrices, one of which is sparse; gradients of that one are stored at its places.

    Raises
    ------
    RuntimeError
        If the shapes do not fit, or neither is a sparse matrix of numbers.
    """
    if isinstance(mat2, SparseTensor) and not isinstance(mat1, SparseTensor):
        return rmatmul(mat2, mat1)      # type: ignore[no-any-return]
    return _product(primitives.sparse_mm, mat1, mat2)


def _product(primitive: Callable[..., Any], mat1: Tensor, mat2: Tensor) -> Tensor:
    if not isinstance(mat1, SparseTensor) or mat1.sparse_dim() != 2 or mat1.dense_dim():
        raise RuntimeError("sparse.mm: the first matrix must be a sparse Tensor with 2 sparse and 0 dense dimensions")
    if isinstance(mat2, SparseTensor):
        return matmul_sparse(mat1, mat2)
    if mat2.ndim != 2 or mat1.shape[1] != mat2.shape[0]:
        raise RuntimeError(f"mm: mat1 and mat2 shapes cannot be multiplied ({mat1.shape} and {mat2.shape})")
    product: Tensor = apply(primitive, mat1._stored, mat2, mat1._where, mat1._size)
    return product


def matmul(self: SparseTensor, other: Tensor) -> Tensor:
    """The product of a sparse matrix and a dense matrix or vector; the gradient of the sparse one is stored at its places."""
    if isinstance(other, np.ndarray) and STATE.sweep is not None:      # the functions that the rules use
        return matmul(self, wrap(other))._array
    if not isinstance(other, Tensor):
        raise TypeError(f"unsupported operand type(s) for @: 'Tensor' and {type(other).__name__!r}")
    if other.ndim == 1:
        column: Any = _product(primitives.mm, self, other.unsqueeze(1))
        return column.squeeze(1)  # type: ignore[no-any-return]
    return _product(primitives.mm, self, other)


def rmatmul(self: SparseTensor, dense: Any) -> Any:
    """The product of a dense matrix or vector and a sparse matrix."""
    if isinstance(dense, np.ndarray) and STATE.sweep is not None:
        return rmatmul(self, wrap(dense))._array
    dense = dense if isinstance(dense, Tensor) else wrap(dense)
    if dense.ndim == 1:
        return matmul(t(self), dense)
    if dense.ndim != 2 or self.sparse_dim() != 2 or self.dense_dim() or dense.shape[1] != self.shape[0]:
        raise RuntimeError(f"mm: mat1 and mat2 shapes cannot be multiplied ({dense.shape} and {self.shape})")
    return apply(primitives.dense_mm, dense, self._stored, self._where, self._size)


def smm(input: SparseTensor, mat: Tensor) -> SparseTensor:
    """The product of a sparse matrix and a dense matrix, as a sparse Tensor."""
    return to_sparse(mm(input, mat))


def addmm(mat: Any, mat1: SparseTensor, mat2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """``beta * mat + alpha * (mat1 @ mat2)``, with a sparse ``mat1``."""
    return beta * mat + alpha * mm(mat1, mat2)  # type: ignore[no-any-return]


def summed(self: SparseTensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """`sum`, as a method: with ``keepdim`` the dimensions that are summed over stay, of size 1."""
    found = sum(self, dim, dtype)
    if keepdim and dim is not None:
        for d in sorted(d % self.ndim for d in ((dim,) if isinstance(dim, int) else dim)):
            found = found.unsqueeze(d)
    return found


def sum(input: SparseTensor, dim: int | tuple[int, ...] | None = None, dtype: Any = None) -> Any:
    """The sum of all elements, or over some sparse dimensions: then a sparse Tensor, or a dense one if none of those is left."""
    stored = input._stored if dtype is None else input._stored.to(dtype)
    if dim is None:
        return stored.sum()
    gone = {d % input.ndim for d in ((dim,) if isinstance(dim, int) else dim)}
    if any(d >= input.sparse_dim() for d in gone):
        raise NotImplementedError("sparse.sum over dense dimensions: use to_dense()")
    kept = [d for d in range(input.sparse_dim()) if d not in gone]
    if not kept:
        return stored.sum(0)
    size = tuple(length for d, length in enumerate(input._size) if d not in gone)
    return make(input._where[kept], stored, size, False).coalesce()


def norm(self: SparseTensor, p: Any = "fro", dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
    """The norm of all elements."""
    if dim is not None or not (p in ("fro", None) or isinstance(p, (int, float)) and p >= 0):
        raise NotImplementedError("a sparse Tensor has norms of all elements, of orders from 0 on; for another use to_dense()")
    return self.coalesce()._stored.reshape(-1).norm("fro" if p is None else p, dtype=dtype)


def item(self: SparseTensor) -> Any:
    """The one element as a Python number."""
    if self.numel() != 1:
        raise RuntimeError(f"a Tensor with {self.numel()} elements cannot be converted to Scalar")
    return self.to_dense().item()


def ambiguous(self: SparseTensor) -> bool:
    """Return whether the one element is not 0."""
    if self.numel() != 1:
        raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")
    return bool(item(self))


def neg_(self: SparseTensor) -> SparseTensor:
    """Change the signs, in place."""
    return _become(self, self._like(-self._stored))


def copy_(self: SparseTensor, src: SparseTensor, non_blocking: bool = False) -> SparseTensor:
    """Store what another sparse Tensor stores, in place."""
    if not isinstance(src, SparseTensor):
        raise RuntimeError("copy_() between dense and sparse Tensors is not implemented! Use to_dense() or to_sparse() first")
    if src.shape != self.shape:
        raise RuntimeError(f"copy_: expected a sparse Tensor of size {list(self.shape)}, but got {list(src.shape)}")
    return _become(self, src.detach().to(self.dtype).clone())


def t_(self: SparseTensor) -> SparseTensor:
    """The transpose, in place."""
    turned = t(self)
    _become(self, turned)._size = turned._size
    return self


def div_(self: SparseTensor, other: Any) -> SparseTensor:
    """Divide by a number, in place."""
    return _become(self, div(self, other))


def sub_(self: SparseTensor, other: Any, *, alpha: Any = 1) -> SparseTensor:
    """Take a sparse Tensor away, in place."""
    return _become(self, sub(self, other, alpha=alpha))


def floor_divide(self: SparseTensor, other: Any) -> SparseTensor:
    """The quotient by a number, rounded down."""
    return self._like(self._stored // _divisor(self, other))


def _on_values(name: str, coalesces: bool) -> Callable[..., SparseTensor]:
    def method(self: SparseTensor, *args: Any, **kwargs: Any) -> SparseTensor:
        holder = self.coalesce() if coalesces else self
        return holder._like(getattr(holder._stored, name)(*args, **kwargs))

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"`{name}` of each stored value" + (", which keeps zeros." if coalesces else ".")
    return method


def _dense(self: Tensor, dtype: Any = None, *, masked_grad: bool | None = None) -> Tensor:
    """A dense Tensor as it is."""
    return self if dtype is None else self.to(dtype)


METHODS: dict[str, Any] = {
    "add": add, "add_": add_, "sub": sub, "mul": mul, "mul_": mul_, "div": div, "zero_": zero_,
    "mm": matmul, "matmul": matmul, "sum": summed, "__add__": add, "__radd__": radd, "__iadd__": add_,
    "__sub__": sub, "__rsub__": rsub, "__mul__": mul, "__rmul__": mul, "__imul__": mul_, "__truediv__": div, "__matmul__": matmul,
    "__rmatmul__": rmatmul, "__abs__": _on_values("abs", True), "__floordiv__": floor_divide, "__bool__": ambiguous,
    "copy_": copy_, "div_": div_, "neg_": neg_, "sub_": sub_, "t_": t_,
    "floor_divide": floor_divide, "item": item, "mv": matmul, "norm": norm, "smm": smm, "true_divide": div,
    "__neg__": _on_values("neg", False), "__pow__": _on_values("pow", True),
    **{name: _on_values(name, True) for name in _KEEP_ZERO}, **{name: _on_values(name, False) for name in _KEEP_PLACES},
}
for _name, _method in METHODS.items():
    setattr(SparseTensor, _name, _method)
for _name, _method in {
    "smm": smm, "to_sparse": to_sparse, "to_sparse_coo": to_sparse, "to_dense": _dense, "layout": property(lambda self: strided),
}.items():
    setattr(Tensor, _name, _method)

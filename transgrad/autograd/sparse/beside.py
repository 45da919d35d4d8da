"""Operations of a dense Tensor with a sparse one beside it, which tables of operations leave to these."""
from __future__ import annotations

from typing import Any

from ..nodes import edge_of
from ..ops.table import BESIDE
from ..state import STATE
from ..tensor import Tensor, wrap
from .operations import mul, radd, rmatmul
from .tensor import SparseTensor

__all__ = ["added_into"]


def added(self: Tensor, other: SparseTensor, *, alpha: Any = 1) -> Any:
    """The sum, dense."""
    _same_size(self, other)
    return radd(other if alpha == 1 else mul(other, alpha), self)


def subtracted(self: Tensor, other: SparseTensor, *, alpha: Any = 1) -> Any:
    """The difference, dense."""
    return self - (other if alpha == 1 else mul(other, alpha)).to_dense()


def added_into(self: Tensor, other: SparseTensor, *, alpha: Any = 1) -> Any:
    """Add in place: only where something is stored, unless the sum is recorded."""
    if _written_whole(self, other):
        return self.add_(other.to_dense(), alpha=alpha)
    return self.index_put_(tuple(wrap(row) for row in other._where), other._stored * alpha, accumulate=True)


def subtracted_from(self: Tensor, other: SparseTensor, *, alpha: Any = 1) -> Any:
    """Take a sparse Tensor away, in place."""
    return self.sub_(other.to_dense(), alpha=alpha) if _written_whole(self, other) else added_into(self, other, alpha=-alpha)


def _written_whole(self: Tensor, other: SparseTensor) -> bool:
    """Return whether a sum writes to all of the memory: if it is recorded, or must be cast."""
    _same_size(self, other)
    return STATE.grad and (edge_of(self) is not None or other.requires_grad) or other.dtype != self.dtype


def multiplied(self: Tensor, other: SparseTensor) -> Any:
    """The product, sparse."""
    return mul(other, self)


def multiplied_into(self: Tensor, other: SparseTensor) -> Any:
    """Multiply in place: all that is not stored becomes 0."""
    return self.mul_(other.to_dense())


def product(self: Tensor, other: SparseTensor) -> Any:
    """The matrix product, dense."""
    return rmatmul(other, self)


def _same_size(self: Tensor, other: SparseTensor) -> None:
    if self.shape != other.shape:
        raise RuntimeError(f"add: expected 'self' and 'other' to have same size, but self has size {list(self.shape)} while other has "
                           f"size {list(other.shape)} (FYI: dense-sparse addition does not currently support broadcasting)")


BESIDE.update({
    "add": added, "add_": added_into, "sub": subtracted, "subtract": subtracted, "sub_": subtracted_from, "subtract_": subtracted_from,
    "mul": multiplied, "multiply": multiplied, "mul_": multiplied_into, "multiply_": multiplied_into, "mm": product, "matmul": product,
})

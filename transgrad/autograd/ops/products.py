"""Products of vectors and matrices."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import dispatch, dtypes
from ..functions import affine, distances, products, shape
from ..state import STATE
from ..tensor import Tensor
from ..warned import warn_once
from .arguments import dim_of, refuse
from .joining import broadcast_tensors
from .table import Call, call, op


def same_dtype(*operands: Tensor) -> None:
    """RuntimeError for factors of different dtypes."""
    first = operands[0]._array.dtype
    for x in operands[1:]:
        if x._array.dtype != first:
            raise RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {dtypes.c_name(first)} != {dtypes.c_name(x.dtype)}")


def shapes(name: str, a: Tensor, b: Tensor, dims_a: int, dims_b: int) -> None:
    """RuntimeError for factors of other dimensions or sizes than a product takes."""
    if a.ndim != dims_a or b.ndim != dims_b:
        raise RuntimeError(f"{name}: expected {dims_a}-D and {dims_b}-D tensors, but got {a.ndim}D and {b.ndim}D: self must be "
                           f"{'a matrix' if dims_a == 2 else f'a {dims_a}D tensor'}")
    if a.shape[-1] != b.shape[max(b.ndim - 2, 0)]:
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({'x'.join(map(str, a.shape))} and {'x'.join(map(str, b.shape))})")
    same_dtype(a, b)


@op()
def matmul(self: Tensor, other: Tensor) -> Any:
    """The product of matrices, of stacks of them, or of vectors."""
    return product(self, other)


def product(a: Tensor, b: Tensor) -> Call:
    """A product under the name of its node."""
    if a._array.dtype != b._array.dtype:
        if STATE.sweep is None and not STATE.level:
            same_dtype(a, b)
        dtype = dtypes.promote_types(a._array.dtype, b._array.dtype)     # in a rule NumPy's ways hold
        a, b = a.to(dtype), b.to(dtype)
    refuse("addmm_impl_cpu_", a, "b")
    m, n = a.ndim, b.ndim
    if not m or not n:
        raise RuntimeError(f"both arguments to matmul need to be at least 1D, but they are {m}D and {n}D")
    if a.shape[-1] != b.shape[max(n - 2, 0)]:
        if m <= 2 and n <= 2:
            raise RuntimeError("mat1 and mat2 shapes cannot be multiplied "
                               f"({'x'.join(map(str, a.shape))} and {'x'.join(map(str, b.shape))})" if m == n == 2 else
                               f"size mismatch, got input ({a.shape[0]}), mat ({'x'.join(map(str, a.shape))}), vec ({b.shape[0]})"
                               if n == 1 and m == 2 else f"inconsistent tensor size, expected tensor {list(a.shape)} and src "
                               f"{list(b.shape)} to have the same number of elements")
        raise RuntimeError(f"Expected size for first two dimensions of batch2 tensor to be: [{a.shape[0]}, {a.shape[-1]}] but got: "
                           f"{list(b.shape[-2:])}.")
    plain = {(1, 1): products.dot, (2, 1): products.mv, (1, 2): products.vm, (2, 2): products.mm}
    if m > 2 and n == 2 and a._array.size:
        return call(products.folded, a, b)
    return call(plain.get((m, n), products.batched), a, b)


@op()
def mm(self: Tensor, mat2: Tensor) -> Any:
    """The product of two matrices."""
    shapes("mm", self, mat2, 2, 2)
    return call(products.mm, self, mat2)


def stacks(a: Tensor, b: Tensor) -> None:
    """Raise RuntimeError unless the operands are two stacks of matrices that can be multiplied."""
    for k, x in enumerate((a, b), 1):
        if x.ndim != 3:
            raise RuntimeError(f"batch{k} must be a 3D tensor")
    if a.shape[0] != b.shape[0] or a.shape[2] != b.shape[1]:
        raise RuntimeError(f"Expected size for first two dimensions of batch2 tensor to be: [{a.shape[0]}, {a.shape[2]}] but got: "
                           f"{list(b.shape[:2])}.")
    same_dtype(a, b)


@op()
def bmm(self: Tensor, mat2: Tensor) -> Any:
    """The products of two stacks of matrices."""
    stacks(self, mat2)
    return call(products.bmm, self, mat2)


@op()
def mv(self: Tensor, vec: Tensor) -> Any:
    """The product of a matrix and a vector."""
    if self.ndim != 2 or vec.ndim != 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got 1, {self.ndim}, {vec.ndim}")
    if self.shape[1] != vec.shape[0]:
        raise RuntimeError(f"size mismatch, got input ({self.shape[0]}), mat ({self.shape[0]}x{self.shape[1]}), vec ({vec.shape[0]})")
    same_dtype(self, vec)
    return call(products.mv, self, vec)


def vectors(self: Tensor, other: Tensor) -> None:
    """RuntimeError for anything else than two vectors of one length."""
    if self.ndim != 1 or other.ndim != 1:
        raise RuntimeError(f"1D tensors expected, but got {self.ndim}D and {other.ndim}D tensors")
    if self.shape != other.shape:
        raise RuntimeError(f"inconsistent tensor size, expected tensor [{self.shape[0]}] and src [{other.shape[0]}] to have the same "
                           f"number of elements, but got {self.shape[0]} and {other.shape[0]} elements respectively")
    if self.dtype != other.dtype:
        raise RuntimeError("dot : expected both vectors to have same dtype, but found "
                           f"{dtypes.title(self.dtype)} and {dtypes.title(other.dtype)}")


@op()
def dot(self: Tensor, tensor: Tensor) -> Any:
    """The sum of the products of two vectors' elements."""
    vectors(self, tensor)
    return call(products.dot, self, tensor)


@op()
def vdot(self: Tensor, other: Tensor) -> Any:
    """`dot`, of the conjugate of the first."""
    vectors(self, other)
    return call(np.vdot, self, other)


@op()
def inner(self: Tensor, other: Tensor) -> Any:
    """The products of the vectors along the last dimensions."""
    if not (self.ndim and other.ndim):
        return self * other
    if self.shape[-1] != other.shape[-1]:
        raise RuntimeError("inner() the last dimension must match on both input tensors but got shapes "
                           f"{list(self.shape)} and {list(other.shape)}")
    if self.dtype != other.dtype:
        raise RuntimeError(f"both inputs should have same dtype, but got {dtypes.title(self.dtype)} and {dtypes.title(other.dtype)}")
    return call(np.inner, self, other)


@op("ger")
def outer(self: Tensor, vec2: Tensor) -> Tensor:
    """Each element of one vector times each of another."""
    if self.ndim != 1 or vec2.ndim != 1:
        raise RuntimeError(f"outer: Expected 1-D argument self, but got {self.ndim}-D")
    return dispatch.apply(shape.view, self, (self.shape[0], 1)) * vec2      # type: ignore[no-any-return]


@op(inplace=True, older=("beta", "alpha"))
def addmm(self: Tensor, mat1: Tensor, mat2: Tensor, *, beta: float = 1, alpha: float = 1) -> Any:
    """``beta * self + alpha * (mat1 @ mat2)``."""
    if mat1.is_sparse:
        return self * beta + (mat1 @ mat2) * alpha
    shapes("addmm", mat1, mat2, 2, 2)
    return call(affine.addmm, self, mat1, mat2, beta, alpha)


@op(inplace=True, older=("beta", "alpha"))
def baddbmm(self: Tensor, batch1: Tensor, batch2: Tensor, *, beta: float = 1, alpha: float = 1) -> Any:
    """``beta * self + alpha * (batch1 @ batch2)`` for each of a batch."""
    stacks(batch1, batch2)
    return call(affine.baddbmm, self, batch1, batch2, beta, alpha)


@op(inplace=True, older=("beta", "alpha"))
def addmv(self: Tensor, mat: Tensor, vec: Tensor, *, beta: float = 1, alpha: float = 1) -> Any:
    """``beta * self + alpha * (mat @ vec)``."""
    if (mat.ndim, vec.ndim) != (2, 1) or self.ndim > 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got {self.ndim}, {mat.ndim}, {vec.ndim}")
    if mat.shape[1] != vec.shape[0] or self.numel() not in (1, mat.shape[0]):
        raise RuntimeError(f"size mismatch, got input ({self.numel()}), mat ({mat.shape[0]}x{mat.shape[1]}), vec ({vec.shape[0]})")
    return call(affine.addmv, self, mat, vec, beta, alpha)


@op(inplace=True, older=("beta", "alpha"))
def addr(self: Tensor, vec1: Tensor, vec2: Tensor, *, beta: float = 1, alpha: float = 1) -> Any:
    """``beta * self + alpha * outer(vec1, vec2)``."""
    for name, vec in (("vec1", vec1), ("vec2", vec2)):
        if vec.ndim != 1:
            raise RuntimeError(f"addr: Expected 1-D argument {name}, but got {vec.ndim}-D")
    return call(affine.addr, self, vec1, vec2, beta, alpha)


@op(inplace=True, older=("beta", "alpha"))
def addbmm(self: Tensor, batch1: Tensor, batch2: Tensor, *, beta: float = 1, alpha: float = 1) -> Any:
    """``beta * self + alpha * (the sum of batch1 @ batch2)``."""
    return call(affine.addbmm, self, batch1, batch2, beta, alpha)


@op(method=False, lists=True)
def einsum(equation: str, *operands: Any) -> Any:
    """Sums of products told by subscripts."""
    given = operands[0] if len(operands) == 1 and isinstance(operands[0], (tuple, list)) else operands
    if not given:
        raise ValueError("einsum(): must specify the equation string and at least one operand, or at least one operand and its subscripts "
                         "list")
    if not isinstance(equation, str):
        equation, given = letters((equation, *given))
    for k, x in enumerate(given):
        if not isinstance(x, Tensor):
            raise TypeError(f"expected Tensor as element {k} in argument 1, but got {type(x).__name__}")
    count = equation.partition("->")[0].count(",") + 1
    if count != len(given):
        raise RuntimeError(f"einsum(): {'fewer' if len(given) < count else 'more'} operands were provided than specified in the equation")
    try:
        return _einsum(equation, given).run()
    except ValueError as error:
        raise RuntimeError(f"einsum(): {misfit(equation, given) or error}") from None


def misfit(equation: str, given: Sequence[Any]) -> str:
    """Which subscript has two sizes, if one has."""
    sizes: dict[str, int] = {}
    for k, (subscripts, x) in enumerate(zip(equation.replace(" ", "").partition("->")[0].split(","), given)):
        for letter, n in zip(subscripts, x.shape) if "." not in subscripts else ():
            if n != 1 and sizes.get(letter, 1) not in (1, n):
                return (f"subscript {letter} has size {n} for operand {k} which does not broadcast with previously seen size "
                        f"{sizes[letter]}")
            sizes[letter] = max(n, sizes.get(letter, 1))
    return ""


def _einsum(equation: str, given: Sequence[Any]) -> Call:
    """Run the call, for large operands with a cheaper order of products."""
    many = len(given) > 2 or max((x.numel() for x in given), default=0) > 4096
    return call(np.einsum, equation, *given, optimize=many) if many else call(np.einsum, equation, *given)


def letters(given: Sequence[Any]) -> tuple[str, list[Any]]:
    """The subscripts string of a call with lists of numbers."""
    def spelled(places: Any) -> str:
        return "".join("..." if k is Ellipsis else chr(ord("A") + k) if k < 26 else chr(ord("a") + k - 26) for k in places)
    operands, last = list(given[:len(given) // 2 * 2:2]), given[-1] if len(given) % 2 else None
    return ",".join(map(spelled, given[1::2])) + ("" if last is None else "->" + spelled(last)), operands


@op(method=False)
def tensordot(self: Tensor, other: Tensor, dims: Any = 2) -> Any:
    """The sum of products over dimensions of both."""
    if isinstance(dims, Tensor):
        dims = dims.tolist()
    if not isinstance(dims, int):
        first, second = ((d,) if isinstance(d, int) else tuple(d) for d in dims)
        if len(first) != len(second):
            raise RuntimeError("both dimension lists should have same length")
        dims = (tuple(dim_of(d, self.ndim) for d in first), tuple(dim_of(d, other.ndim) for d in second))
    pairs = zip(*dims) if isinstance(dims, tuple) else zip(range(-dims, 0), range(dims))
    for k, j in pairs:
        if self.shape[k] != other.shape[j]:
            raise RuntimeError(f"contracted dimensions need to match, but first has size {self.shape[k]} in dim {k} and second has size "
                               f"{other.shape[j]} in dim {j}")
    return call(np.tensordot, self, other, dims)


@op()
def kron(self: Tensor, other: Tensor) -> Any:
    """The product of each element of one with the whole of the other."""
    dtype = dtypes.result_type(self, other)
    return call(np.kron, self.to(dtype), other.to(dtype))


@op()
def cross(self: Tensor, other: Tensor, dim: int | None = None) -> Any:
    """The vector product along a dimension of size 3."""
    if dim is None:
        warn_once("Using torch.cross without specifying the dim arg is deprecated: give dim, or use torch.linalg.cross, whose is the last.")
    axis = next((k for k, n in enumerate(self.shape) if n == 3), None) if dim is None else dim_of(dim, self.ndim)
    if axis is None:
        raise RuntimeError("no dimension of size 3 in input")
    if self.dtype != other.dtype:
        raise RuntimeError(f"expected scalar type {dtypes.title(self.dtype)} but found {dtypes.title(other.dtype)}")
    if self.shape[axis] != 3 or other.shape[axis - self.ndim] != 3:
        raise RuntimeError(f"linalg.cross: inputs dimension {axis} must have length 3. Got {self.shape[axis]} and "
                           f"{other.shape[axis - self.ndim]}")
    return call(np.cross, self, other, axis=axis - self.ndim)


@op(method=False, lists=True)
def chain_matmul(*matrices: Tensor) -> Any:
    """The product of matrices."""
    warn_once("torch.chain_matmul is deprecated: use torch.linalg.multi_dot, which takes a list of the matrices.")
    total = matrices[0]
    for m in matrices[1:]:
        total = total.mm(m)
    return total


@op(method=False)
def cdist(self: Tensor, x2: Tensor, p: float = 2.0, compute_mode: str | None = None) -> Any:
    """The distance of each row of one from each of the other."""
    for k, x in enumerate((self, x2), 1):
        if x.ndim < 2:
            raise RuntimeError(f"cdist only supports at least 2D tensors, X{k} got: {x.ndim}D")
    if self.shape[-1] != x2.shape[-1]:
        raise RuntimeError(f"X1 and X2 must have the same number of columns. X1: {self.shape[-1]} X2: {x2.shape[-1]}")
    return call(distances.cdist, self, x2, p)


@op(method=False)
def pdist(self: Tensor, p: float = 2) -> Any:
    """The distance between the rows of each pair."""
    return call(distances.pdist, self, p)


@op(method=False)
def cosine_similarity(self: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """The cosine of the angle between vectors along a dimension."""
    self, x2 = broadcast_tensors(self, x2)
    sizes = [x.norm(dim=dim, keepdim=True).clamp_min(eps) for x in (self, x2)]
    return ((self / sizes[0]) * (x2 / sizes[1])).sum(dim)       # type: ignore[no-any-return]

"""The sparse Tensor: places and the values stored there; everything else is zero."""
from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from ..dispatch import apply
from ..printing import formatted, noted, notes
from ..size import Size
from ..tensor import Tensor, wrap
from . import primitives
from .layouts import layout, sparse_coo

__all__ = ["SparseTensor", "make"]

Array = np.ndarray[Any, Any]
#: of NumPy's functions, which have a form of their own
MOVES: dict[Any, Callable[..., Any]] = {}


class SparseTensor(Tensor):
    """A Tensor in coordinate format.

    Attributes
    ----------
    _where : ndarray
        Indices, of shape ``(sparse_dim, nnz)``.
    _stored : Tensor
        Values, of shape ``(nnz, *dense dimensions)``; through them gradients go, and in their ``.grad`` lies that of the Tensor.
    _coalesced : bool
        Whether places are sorted and different.
    """

    __slots__ = ("_coalesced", "_size", "_stored", "_where")
    __array_ufunc__ = None
    is_sparse = True
    _where: Array
    _stored: Any
    _size: tuple[int, ...]
    _coalesced: bool

    @property
    def _array(self) -> Array:  # type: ignore[override]
        raise NotImplementedError("Could not run this operation on a sparse Tensor: it has no strided memory. Use Tensor.to_dense() first.")

    @property
    def _memory(self) -> Array:
        memory: Array = self._stored._memory
        return memory

    def numpy(self, *, force: bool = False) -> Array:
        raise TypeError("can't convert Sparse layout tensor to numpy. Use Tensor.to_dense() first.")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return self.numpy()

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        """NumPy's functions that the rules of moved dimensions call with a gradient."""
        own = MOVES.get(func)
        return super().__array_function__(func, types, args, kwargs) if own is None else own(*args, **kwargs)  # type: ignore[misc]

    # kind

    @property
    def shape(self) -> Size:
        return Size(self._size)

    @property
    def size(self) -> Any:
        """Called, the shape or the length of one dimension."""
        return lambda dim=None: self.shape if dim is None else self._size[dim]

    @property
    def ndim(self) -> int:
        return len(self._size)

    def dim(self) -> int:
        return len(self._size)

    def numel(self) -> int:
        return self.shape.numel()

    @property
    def dtype(self) -> Any:
        return self._stored.dtype

    @property
    def layout(self) -> layout:
        return sparse_coo

    def __len__(self) -> int:
        return self._size[0]

    def is_floating_point(self) -> bool:
        return bool(self._stored.is_floating_point())

    def is_complex(self) -> bool:
        return bool(self._stored.is_complex())

    def stride(self, dim: int | None = None) -> Any:
        """Zeros: there are no strides."""
        return (0,) * self.ndim if dim is None else 0

    def storage_offset(self) -> int:
        return 0

    @property
    def itemsize(self) -> int:
        return self.element_size()

    @property       # type: ignore[misc]
    def data(self) -> SparseTensor:     # type: ignore[override]
        return self.detach()

    def is_contiguous(self, memory_format: Any = None) -> bool:
        return False

    def element_size(self) -> int:
        return int(self._stored.element_size())

    def type(self, dtype: Any = None) -> Any:
        """``torch.sparse.FloatTensor`` and so on; with a dtype the Tensor in it."""
        return str(self._stored.type()).replace("torch.", "torch.sparse.") if dtype is None else self._like(self._stored.type(dtype))

    def reshape(self, *shape: Any) -> Any:
        raise RuntimeError("reshape is not implemented for sparse tensors")

    flatten = reshape

    def sparse_dim(self) -> int:
        """The number of dimensions that are indexed."""
        return len(self._where)

    def dense_dim(self) -> int:
        """The number of dimensions of a stored value."""
        return int(self._stored.ndim) - 1

    def _nnz(self) -> int:
        return int(self._where.shape[1])

    def is_coalesced(self) -> bool:
        """Return whether places are sorted and different."""
        return self._coalesced

    def indices(self) -> Tensor:
        """The places, of a coalesced Tensor, ``(sparse_dim, nnz)``."""
        self._must_be_coalesced("indices")
        return self._indices()

    def values(self) -> Tensor:
        """The stored values, of a coalesced Tensor, ``(nnz, *dense dimensions)``."""
        self._must_be_coalesced("values")
        values: Tensor = apply(primitives.values, self._stored)
        return values

    def _must_be_coalesced(self, what: str) -> None:
        if not self._coalesced:
            raise RuntimeError(f"Cannot get {what} on an uncoalesced tensor, please call .coalesce() first")

    def _indices(self) -> Tensor:
        return wrap(self._where)

    def _values(self) -> Tensor:
        values: Tensor = self._stored.detach()
        return values

    # history: that of the stored values

    @property
    def _edge(self) -> Any:
        return self._stored._edge

    @property
    def requires_grad(self) -> bool:
        return bool(self._stored.requires_grad)

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        self._stored.requires_grad = value

    @property
    def grad(self) -> Tensor | None:
        stored = self._stored.grad
        return None if stored is None else self._like(stored)

    @grad.setter
    def grad(self, value: Tensor | None) -> None:
        if value is not None and not (isinstance(value, SparseTensor) and np.array_equal(value._where, self._where)):
            raise RuntimeError("the gradient of a sparse Tensor is sparse, and stored at the same places")
        self._stored.grad = None if value is None else value._stored

    @grad.deleter
    def grad(self) -> None:
        self._stored.grad = None

    def retain_grad(self) -> None:
        self._stored.retain_grad()

    def register_hook(self, hook: Callable[[Tensor], Tensor | None]) -> Any:
        """Call the hook with the sparse gradient; its result, sparse with the same indices or dense, replaces the gradient."""
        where, size, coalesced = self._where, self._size, self._coalesced     # not the Tensor itself, which holds the hook

        def on_stored(grad: Tensor) -> Any:
            result: Any = hook(make(where, grad, size, coalesced))
            return None if result is None else result._stored if isinstance(result, SparseTensor) else result[tuple(where)]

        return self._stored.register_hook(on_stored)

    def register_post_accumulate_grad_hook(self, hook: Callable[[Tensor], None]) -> Any:
        """Call the hook with this Tensor after its ``.grad`` has been added to."""
        this = weakref.ref(self)
        return self._stored.register_post_accumulate_grad_hook(lambda _: None if this() is None else hook(this()))  # type: ignore[arg-type]

    @property
    def retains_grad(self) -> bool:
        return bool(self._stored.retains_grad)

    def backward(self, *args: Any, **kwargs: Any) -> None:
        raise RuntimeError("backward starts from a dense Tensor: use to_dense(), values() or a sum first")

    def detach(self) -> SparseTensor:
        return self._like(self._stored.detach())

    def clone(self, **options: Any) -> SparseTensor:
        return self._like(self._stored.clone())

    def to(self, *args: Any, **kwargs: Any) -> SparseTensor:
        return self._like(self._stored.to(*args, **kwargs))

    def _like(self, stored: Any) -> SparseTensor:
        """With other values at the same places."""
        return make(self._where, stored, self._size, self._coalesced)

    # other forms

    def to_dense(self, dtype: Any = None, *, masked_grad: bool | None = None) -> Tensor:
        """The dense Tensor; its gradient goes to the stored places alone."""
        if masked_grad is False:
            raise NotImplementedError("to_dense(masked_grad=False): gradients of sparse Tensors are stored at their own places")
        dense: Tensor = apply(primitives.to_dense, self._stored, self._where, self._size)
        return dense if dtype is None else dense.to(dtype)

    def to_sparse(self, sparse_dim: int | None = None, *, layout: Any = None) -> SparseTensor:
        return self

    to_sparse_coo = to_sparse

    def coalesce(self) -> SparseTensor:
        """Values at one place summed, places sorted."""
        if self._coalesced:
            return self
        _, first, group = np.unique(primitives.rows(self._where, self._size), return_index=True, return_inverse=True)
        stored = apply(primitives.coalesce, self._stored, group.reshape(-1), len(first))
        return make(np.ascontiguousarray(self._where[:, first]), stored, self._size, True)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return _restored, (self._where, self._stored.detach().numpy(), self._size, self._coalesced, self.requires_grad)

    def __deepcopy__(self, memo: dict[int, Any]) -> SparseTensor:
        if not self.is_leaf:
            raise RuntimeError("Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment.")
        return _restored(self._where.copy(), self._stored.detach().numpy().copy(), self._size, self._coalesced, self.requires_grad)

    def __format__(self, spec: str) -> str:
        return format(repr(self), spec)

    def __str__(self) -> str:
        return repr(self)

    def __repr__(self) -> str:
        parts = [_shown("indices", self._where), _shown("values", self._stored._array), f"size={tuple(self._size)}"]
        after = notes(self._stored if self.numel() else self)
        of_dtype = [note for note in after if note.startswith("dtype")]
        of_history = [note for note in after if note.startswith(("grad_fn", "requires_grad"))]
        return noted("tensor(" + ",\n       ".join(parts), [f"nnz={self._nnz()}", *of_dtype, "layout=torch.sparse_coo", *of_history])


def _restored(where: Array, values: Array, size: tuple[int, ...], coalesced: bool, requires_grad: bool) -> SparseTensor:
    made = make(where, wrap(values), size, coalesced)
    made.requires_grad = requires_grad
    return made


def _shown(label: str, array: Array) -> str:
    start = f"{label}=tensor("
    size = f", size={array.shape}" if array.size == 0 else ""
    return f"{start}{formatted(array, len('tensor(') + len(start))}{size})"


def make(where: Array, stored: Any, size: tuple[int, ...], coalesced: bool) -> SparseTensor:
    """The sparse Tensor of these parts, unchecked."""
    made: SparseTensor = object.__new__(SparseTensor)
    made._counter = made._view = made._grad = made._more = None
    made._where, made._stored, made._size, made._coalesced = where, stored, tuple(size), coalesced
    return made

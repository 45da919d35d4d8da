"""Methods that change how a tensor looks at its memory, in place: its shape, its strides, or the memory itself."""
from __future__ import annotations

from typing import Any

import numpy as np

from .. import dispatch
from ..batching import BatchedTensor
from ..functions import shape, windows
from ..inplace import check_history, check_writable
from ..nodes import edge_of, keep_shape
from ..state import STATE
from ..tensor import DEAD, Tensor, wrap
from ..underived import underived
from ..warned import warn
from .arguments import dim_of, dims_of, sizes_of
from .memory import resize as resize_memory
from .table import METHODS, op, prop


def method(fn: Any) -> Any:
    """Put a method into the table."""
    METHODS[fn.__name__] = fn
    return fn


def become(fn: Any, x: Tensor, *args: Any) -> Tensor:
    """Make ``x`` the view of itself that ``fn(x, *args)`` is.

    Raises
    ------
    RuntimeError
        If ``x`` is a leaf that requires grad.
    """
    if isinstance(x, BatchedTensor):
        return x.become(dispatch.apply(fn, x, *args))
    if STATE.grad and x.requires_grad:
        check_history(x)
    if x.is_inference():
        check_writable(x, False, True)
        x._array = dispatch.apply(fn, x, *args)._array
        return x
    old = x
    if x._view is None:
        old = wrap(x._array)
        old._edge = edge_of(x)
    found = dispatch.apply(fn, old, *args)
    counter = x.counter()
    counter[0] += 1
    if not STATE.grad or STATE.inference:
        keep_shape(x)
    x._array = found._array
    if x._view is not None and not STATE.grad:      # its history is found when it is asked for
        found._view.creation = x._view.creation
        x._view, x._edge = found._view, x._edge if type(x._edge) is tuple else None
    elif x._view is not None:
        x._view, x._edge = found._view, found._edge
        if type(x._edge) is tuple:
            x._view.version = counter[0]
    elif type(found._edge) is tuple:
        x._edge = found._edge       # a gradient that is retained is that of the shape so far
    if x._more is not None:
        for level, tangent in x._more.tangents.items():
            x._more.tangents[level] = None if tangent is None else dispatch.apply(fn, tangent, *args)
    return x


@method
def t_(self: Tensor) -> Tensor:
    """The transpose of a matrix, in place."""
    if self.ndim > 2:
        raise RuntimeError(f"t_() expects a tensor with <= 2 dimensions, but self is {self.ndim}D")
    return become(shape.t_, self)


@method
def transpose_(self: Tensor, dim0: int, dim1: int) -> Tensor:
    """Two dimensions swapped, in place."""
    return become(shape.transpose_, self, dim_of(dim0, self.ndim), dim_of(dim1, self.ndim)) if self.ndim else self


METHODS["swapaxes_"] = METHODS["swapdims_"] = transpose_


@method
def unsqueeze_(self: Tensor, dim: int) -> Tensor:
    """A new dimension of size 1, in place."""
    return become(shape.unsqueeze_, self, dim_of(dim, self.ndim + 1))


@method
def squeeze_(self: Tensor, dim: Any = None) -> Tensor:
    """Dimensions of size 1 left out, in place."""
    if dim is None:
        return become(shape.squeeze_, self)
    if isinstance(dim, (tuple, list)):
        return become(shape.squeeze_dims_, self, dims_of(dim, self.ndim) if dim else ())
    return become(shape.squeeze_dim_, self, dim_of(dim, self.ndim))


@op(name="as_strided_", method=True)
def as_strided_inplace(self: Tensor, size: Any, stride: Any, storage_offset: int | None = None) -> Tensor:
    """A window on the memory of the tensor, in place."""
    own = windows.geometry(self._array)
    return become(windows.as_strided_, self, tuple(size), tuple(stride), own[2] if storage_offset is None else storage_offset, own)


def fixed(self: Tensor, what: str) -> None:
    """RuntimeError for a tensor with a history, whose memory cannot be changed."""
    if self.requires_grad:
        raise RuntimeError(f"cannot {what} variables that require grad")


@op(name="resize_", function=False, history=False)
def resize_inplace(self: Tensor, *size: Any, memory_format: Any = None) -> Tensor:
    """Resize: keep the elements in memory order, and pad with zeros.

    Raises
    ------
    RuntimeError
        If the tensor requires grad; if there is not enough memory, and another tensor or array looks at it: it would lose sight of it.
    """
    from ..forward_ad import has_tangent
    if not STATE.inference:
        fixed(self, "resize")
    if not size:
        raise TypeError('resize_() missing 1 required positional arguments: "size"')
    shape = sizes_of(size)
    dual = bool(STATE.level) and has_tangent(self)
    if shape != self.shape:     # else the elements stay in place for all strides
        if not dual:
            resize_memory(self, shape)
        if not self.is_inference():
            self.counter()[0] += 1
    if dual:
        raise RuntimeError("cannot resize variables that has a forward grad")
    return self


@op(name="resize_as_", history=False)
def resize_as_inplace(self: Tensor, the_template: Tensor, *, memory_format: Any = None) -> Tensor:
    """The shape of another tensor; see `resize_`."""
    return resize_inplace(self, tuple(the_template.shape))


@op(function=False)
def resize(self: Tensor, *sizes: Any) -> Any:
    """The older name of a `reshape` that copies."""
    warn("non-inplace resize is deprecated")
    return _reshaped(self, sizes_of(sizes))


def _reshaped(self: Tensor, wanted: Any) -> Any:
    if int(np.prod(wanted, dtype=np.int64)) != self.numel():
        raise RuntimeError(f"requested resize to {'x'.join(map(str, wanted))} ({int(np.prod(wanted))} elements in total), but the given "
                           "tensor has "
                           f"a size of {'x'.join(map(str, self.shape))} ({self.numel()} elements). autograd's resize can only change the "
                           "shape "
                           "of a given tensor, while preserving the number of elements. ")
    return self.contiguous().clone().reshape(wanted)


@op(function=False)
def resize_as(self: Tensor, tensor: Tensor) -> Any:
    """The older name of a `reshape` to the sizes of another tensor."""
    warn("non-inplace resize_as is deprecated")
    return _reshaped(self, tuple(tensor.shape))


@op(function=False)
def dim_order(self: Tensor, ambiguity_check: Any = False) -> tuple[int, ...]:
    """The dimensions from the farthest apart in memory to the nearest."""
    return tuple(sorted(range(self.ndim), key=lambda k: (-self.stride(k), k)))


@prop
def is_sparse_csr(self: Tensor) -> bool:
    """False: sparse Tensors are coordinates."""
    return False


@method
def set_(self: Tensor, source: Tensor | None = None) -> Tensor:
    """The memory, shape and strides of another tensor; it has no derivative, which backward says.

    Raises
    ------
    RuntimeError
        If the dtypes differ, or this is a leaf that requires grad, or a view that does or would.
    """
    if source is not None and source.dtype != self.dtype:
        raise RuntimeError(f"Could not set tensor of type {source.dtype} to a tensor of type {self.dtype}")
    tracked = STATE.grad and not STATE.inference and (self.requires_grad or source is not None and source.requires_grad)
    check_writable(self, tracked, True)
    if tracked and self._view is not None:
        raise RuntimeError("a view with a history cannot be given other memory by set_: its base would not hear of it")
    if tracked:
        underived("set_", (self,), self, source)
    else:
        keep_shape(self)
        if self.requires_grad and self.is_leaf:     # results computed from the previous memory have a separate accumulator
            self._edge, self.more().accumulator = DEAD, None
    self._array = np.zeros(0, self.dtype) if source is None else source._array
    if not self.is_inference():
        self.counter()[0] += 1
    return self


def refuse_callable(self: Tensor, name: str) -> None:
    """RuntimeError for a tensor with a history, which would not hear of a Python function."""
    if self.requires_grad:
        raise RuntimeError(f"Can't call {name}() on Variable that requires grad. Use var.detach().{name}() instead.")


@method
def apply_(self: Tensor, callable: Any) -> Tensor:
    """Replace each element by the value of a function."""
    refuse_callable(self, "apply_")
    flat = [callable(v) for v in self._array.ravel().tolist()]
    self._array[...] = np.array(flat, self.dtype).reshape(self._array.shape)
    return self


@method
def map_(self: Tensor, tensor: Tensor, callable: Any) -> Tensor:
    """Replace each element by the value of a function of it and the element of another tensor."""
    refuse_callable(self, "map_")
    other = np.broadcast_to(tensor._array, self._array.shape)
    flat = [callable(a, b) for a, b in zip(self._array.ravel().tolist(), other.ravel().tolist())]
    self._array[...] = np.array(flat, self.dtype).reshape(self._array.shape)
    return self


@op(function=False)
def sparse_dim(self: Tensor) -> int:
    """How many dimensions are sparse: of a dense tensor none."""
    return 0


@op(function=False)
def dense_dim(self: Tensor) -> int:
    """How many dimensions are dense."""
    return self.ndim


@method
def map2_(self: Tensor, x: Tensor, y: Tensor, callable: Any) -> Tensor:
    """Replace each element by the value of a function of it and the elements of two other tensors."""
    fixed(self, "map2_ a function over")
    others = [np.broadcast_to(t._array, self._array.shape).ravel().tolist() for t in (x, y)]
    self._array[...] = np.array([callable(*each) for each in zip(self._array.ravel().tolist(), *others)], self.dtype).reshape(self.shape)
    self.counter()[0] += 1
    return self


def only_sparse(name: str, layout: str) -> None:
    """Put a method into the table that dense tensors refuse."""
    def method(self: Tensor) -> Any:
        raise RuntimeError(f"{name} expected sparse {layout} layout but got Strided")
    method.__name__ = name
    method.__doc__ = "RuntimeError: the tensor is dense."
    op(function=False)(method)


for _name, _layout in (("coalesce", "coordinate tensor"), ("indices", "coordinate tensor"), ("is_coalesced", "coordinate tensor"),
                       ("values", "tensor")):
    only_sparse(_name, _layout)

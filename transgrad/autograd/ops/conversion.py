"""Copies, casts, and questions about memory."""
from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import dispatch, dtypes
from ..device import refuse_others
from ..dtype_objects import TorchDtype
from ..formats import in_format, is_taken_for, lies_in
from ..functions import shape
from ..inference import copied
from ..tensor import Tensor, wrap
from ..underived import underived
from ..warned import warn_of_imaginary_parts
from .arguments import refuse
from .table import PROPERTIES, op


@op(function=True)
def clone(self: Tensor, *, memory_format: Any = None) -> Any:
    """A copy that gradients pass through, in the memory format that is asked for (otherwise in that of the tensor)."""
    return self.clone(memory_format=memory_format)


@op(function=False)
def contiguous(self: Tensor, memory_format: Any = None) -> Tensor:
    """The tensor itself where its elements lie in order (that of a memory format), a copy otherwise."""
    return self if lies_in(self._array, memory_format) else in_format(dispatch.apply(shape.contiguous, self), memory_format)


@op(function=False)
def to(self: Tensor, *args: Any, other: Tensor | None = None, dtype: Any = None, device: Any = None, copy: bool = False,
       non_blocking: bool = False, memory_format: Any = None) -> Tensor:
    """The tensor in another dtype or memory format: itself where it has both, unless ``copy``."""
    flags = [non_blocking]
    for a in args:
        if isinstance(a, Tensor):
            dtype = a.dtype
        elif isinstance(a, (np.dtype, TorchDtype)) or a in (float, int, bool, complex) or isinstance(a, type) and issubclass(a, np.generic):
            dtype = a
        elif isinstance(a, bool):
            flags.append(a)
        elif a is not None:
            device = a
    if other is not None:
        dtype = other.dtype
    copy = flags[2] if len(flags) > 2 else copy
    refuse_others(device)
    target = self._array.dtype if dtype is None else dtypes.numpy_dtype(dtype)
    if target == self._array.dtype and not copy and is_taken_for(self._array, memory_format):
        return self
    warn_of_imaginary_parts(self._array.dtype, target)
    made = copied(self, target)
    return in_format(dispatch.apply(shape.to_copy, self, target) if made is None else made, memory_format)


def cast(name: str, dtype: Any) -> None:
    """Put a method that casts into the table."""
    def lower(self: Tensor, memory_format: Any = None) -> Tensor:
        return to(self, dtype=dtype() if callable(dtype) else dtype, memory_format=memory_format)
    lower.__name__ = name
    lower.__doc__ = f"The tensor as {name}."
    op(function=False)(lower)


for _name, _dtype in (("float", np.float32), ("double", np.float64), ("half", np.float16), ("long", np.int64), ("int", np.int32),
                      ("short", np.int16), ("char", np.int8), ("byte", np.uint8), ("bool", np.bool_), ("cfloat", np.complex64),
                      ("cdouble", np.complex128)):
    cast(_name, np.dtype(_dtype))


@op(function=False)
def bfloat16(self: Tensor, memory_format: Any = None) -> Tensor:
    """The tensor as bfloat16, of ml_dtypes."""
    return to(self, dtype=dtypes.bfloat16, memory_format=memory_format)


@op(function=False)
def type_as(self: Tensor, other: Tensor) -> Tensor:
    """The tensor in the dtype of another."""
    return to(self, other)


@op(function=False)
def cpu(self: Tensor, memory_format: Any = None) -> Tensor:
    """The tensor itself: memory is the CPU's."""
    return self


@op(function=False)
def cuda(self: Tensor, device: Any = None, non_blocking: bool = False, memory_format: Any = None) -> Tensor:
    """RuntimeError: there is no such device."""
    refuse_others("cuda" if device is None else device)
    return self


@op(function=False)
def pin_memory(self: Tensor, device: Any = None) -> Tensor:
    """The tensor itself: there is no other device to copy to."""
    return self


@op(name="__dlpack__", function=False)
def dlpack(self: Tensor, **how: Any) -> Any:
    """The tensor's memory for another library; BufferError where its gradient would be lost."""
    if self.requires_grad:
        raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
    return self._array.__dlpack__(**how)


@op(name="__dlpack_device__", function=False)
def dlpack_device(self: Tensor) -> tuple[int, int]:
    """The CPU, in the protocol's numbers."""
    return self._array.__dlpack_device__()


@op(name="share_memory_", function=False)
def share_memory(self: Tensor) -> Tensor:
    """The tensor itself; threads share memory, processes do not."""
    return self


def question(name: str, answer: Any, **where: Any) -> None:
    """Put a question about a tensor into the table."""
    def lower(self: Tensor) -> Any:
        return answer(self)
    lower.__name__, lower.__doc__ = name, name.replace("_", " ") + "."
    op(**where)(lower)


question("is_floating_point", Tensor.is_floating_point)
question("is_complex", Tensor.is_complex)
question("is_inference", Tensor.is_inference)
question("numel", Tensor.numel)
question("is_signed", lambda x: x.dtype.kind not in "bu")
question("is_nonzero", lambda x: bool(x))
question("ndimension", Tensor.dim, function=False)
question("get_device", lambda x: -1)
question("is_pinned", lambda x: False, function=False)
question("is_shared", lambda x: False, function=False)
question("untyped_storage", lambda x: Storage(x), function=False)
question("storage", lambda x: Storage(x), function=False)


class Storage:
    """The memory of a tensor, as far as programs ask for it: its address and length."""

    def __init__(self, tensor: Tensor):
        from ..functions.windows import memory
        self._memory = memory(tensor._array)

    def data_ptr(self) -> int:
        """The address of the first element."""
        return int(self._memory.__array_interface__["data"][0])

    def size(self) -> int:
        """The number of elements."""
        return int(self._memory.size)

    def nbytes(self) -> int:
        """The number of bytes."""
        return int(self._memory.nbytes)

    __len__ = size


@op(function=False)
def is_same_size(self: Tensor, other: Tensor) -> bool:
    """Return whether both have the same shape."""
    return self.shape == other.shape


@op(function=False)
def is_set_to(self: Tensor, tensor: Tensor) -> bool:
    """Return whether both look at the same memory in the same way."""
    return self.data_ptr() == tensor.data_ptr() and self.shape == tensor.shape and self.stride() == tensor.stride()


@op(method=False, lists=True)
def is_tensor(obj: Any) -> bool:
    """Return whether it is a Tensor."""
    return isinstance(obj, Tensor)


@op()
def unique_(self: Tensor, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None) -> Any:
    """The elements (or slices along ``dim``) once each, in order."""
    how: dict[str, Any] = {"return_inverse": return_inverse, "return_counts": return_counts, "axis": dim}
    found: Any = np.unique(self._array, **how)
    parts = [wrap(np.asarray(p)) for p in (found if isinstance(found, tuple) else (found,))]
    if return_inverse:
        parts[1] = wrap(parts[1]._array.reshape(self.shape if dim is None else -1))
    name = "_unique2" if dim is None else "unique_dim"
    underived(name, (parts[0],), self, node="Unique2Backward0" if dim is None else "UniqueDimBackward0")
    return tuple(parts) if isinstance(found, tuple) else parts[0]


@op()
def unique_consecutive(self: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None) -> Any:
    """The elements (or slices along ``dim``), runs of equal ones once."""
    rows = self._array.reshape(-1) if dim is None else np.moveaxis(self._array, dim, 0)
    differs = np.any(rows[1:] != rows[:-1], axis=tuple(range(1, rows.ndim)))
    new = np.concatenate((np.ones(min(len(rows), 1), bool), differs))
    kept = rows[new]
    out = [wrap(kept if dim is None else np.moveaxis(kept, 0, dim))]
    if return_inverse:
        place = np.cumsum(new) - 1
        out.append(wrap(place.reshape(self.shape) if dim is None else place))
    if return_counts:
        out.append(wrap(np.diff(np.append(np.flatnonzero(new), len(rows)))))
    underived("unique_consecutive", (out[0],), self, node="UniqueConsecutiveBackward0")
    return out[0] if len(out) == 1 else tuple(out)


@op()
def bincount(self: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """Count the occurrences of each integer in a vector, or sum their weights."""
    refuse("bincount_cpu", self, "fc")
    if self.ndim != 1 or self.numel() and self._array.min() < 0:
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    return wrap(np.bincount(self._array, None if weights is None else weights._array, minlength))


@op()
def histc(self: Tensor, bins: int = 100, min: float = 0, max: float = 0) -> Tensor:
    """How many elements are in each of ``bins`` parts of a range."""
    refuse("histogram_cpu", self, "biuc")
    low, high = (float(self._array.min()), float(self._array.max())) if min == max == 0 and self.numel() else (min, max)
    if not (math.isfinite(low) and math.isfinite(high)):
        raise RuntimeError(f"range of [{low}, {high}] is not finite")
    return wrap(np.histogram(self._array, bins, (low, high))[0].astype(self.dtype))


@op(method=False)
def searchsorted(self: Tensor, input: Any, *, out_int32: bool = False, right: bool = False, side: str | None = None,
                 sorter: Tensor | None = None) -> Tensor:
    """The insertion points of numbers in a sorted vector, or in each of a stack; ``sorter`` sorts unsorted vectors."""
    if sorter is not None:
        self = self.take_along_dim(sorter, -1)
    values = np.asarray(getattr(input, "_array", input))
    if self.ndim > 1 and self.shape[:-1] != values.shape[:-1]:
        raise RuntimeError("torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries tensor "
                           f"and input value tensor must match, but we got boundaries tensor {list(self.shape)} and input value tensor "
                           f"{list(values.shape)}")
    how: Any = side if side is not None else "right" if right else "left"
    if self.ndim == 1:
        found = np.searchsorted(self._array, values, how)
    else:
        n = math.prod(self.shape[:-1])
        rows, given = self._array.reshape(n, self.shape[-1]), values.reshape(n, values.shape[-1])
        found = np.array([np.searchsorted(r, v, how) for r, v in zip(rows, given)], np.int64).reshape(values.shape)
    return wrap(np.asarray(found, np.int32 if out_int32 else np.int64))


@op(method=False)
def bucketize(self: Tensor, boundaries: Tensor, *, out_int32: bool = False, right: bool = False) -> Any:
    """The number of the part between ``boundaries`` that each element is in."""
    if boundaries.ndim != 1:
        raise RuntimeError(f"boundaries tensor must be 1 dimension, but got dim({boundaries.ndim})")
    return searchsorted(boundaries, self, out_int32=out_int32, right=right)


def standing(name: str, value: bool) -> None:
    """Put an attribute that is the same for all tensors into the table."""
    def getter(self: Tensor) -> bool:
        return value
    PROPERTIES[name] = property(getter, doc=f"{value}: {name.replace('_', ' ')}.")


standing("is_cpu", True)
for _kind in ("cuda", "ipu", "maia", "meta", "mkldnn", "mps", "mtia", "nested", "quantized", "vulkan", "xla", "xpu"):
    standing(f"is_{_kind}", False)

"""Tensors made of data, of a number, or of a range."""
from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import dtypes, layouts
from ..callers import stacklevel
from ..device import refuse_others
from ..formats import arranged
from ..size import Size
from ..tensor import Tensor, wrap
from .arguments import needed, sizes_of
from .data import array_of, bounded, numeric
from .table import FUNCTIONS, METHODS, into, must_be_tensor

CREATION: dict[str, Any] = {}


def maker(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Put a function that makes tensors into the table."""
    FUNCTIONS[fn.__name__] = CREATION[fn.__name__] = fn
    return fn


def made(array: Any, requires_grad: bool = False, device: Any = None) -> Tensor:
    """A tensor on a new array."""
    refuse_others(device)
    out = wrap(array)
    return requiring(out) if requires_grad else out


def given_out(array: Any, out: Tensor | None, name: str, requires_grad: bool, device: Any) -> Tensor:
    """A tensor on a new array, or the one that the user gave as ``out=`` with the elements in it."""
    return made(array, requires_grad, device) if out is None else into(out, wrap(array), name, warns=False)


def kind_for(dtype: Any, out: Tensor | None) -> np.dtype[Any]:
    """The dtype that is asked for, that of ``out``, or the default one."""
    if out is not None and dtype is not None and out.dtype != dtypes.numpy_dtype(dtype):
        raise RuntimeError(f"dtype {dtypes.title(dtypes.numpy_dtype(dtype))} does not match dtype of out parameter "
                           f"({dtypes.title(out.dtype)})")
    return default(dtype) if out is None else out.dtype


def requiring(out: Tensor) -> Tensor:
    """A new tensor that requires grad; RuntimeError where its dtype has no derivatives."""
    if not dtypes.is_differentiable(out.dtype):
        raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
    return out.requires_grad_()


def default(dtype: Any) -> np.dtype[Any]:
    """The dtype that is asked for, or the default one."""
    return dtypes.get_default_dtype() if dtype is None else dtypes.numpy_dtype(dtype)


def warn_of_copy(call: str) -> None:
    """A warning where a tensor is copied that would better be cloned."""
    warnings.warn("To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
                  f"sourceTensor.detach().clone().requires_grad_(True), rather than {call}.", UserWarning, stacklevel())


@maker
def empty_permuted(size: Any, physical_layout: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False,
                   layout: Any = None, pin_memory: bool = False) -> Tensor:
    """Memory that was not written, in which the dimensions lie in the order of ``physical_layout``.

    Raises
    ------
    RuntimeError
        If that is no permutation of the dimensions.
    """
    if sorted(physical_layout) != list(range(len(size))):
        raise RuntimeError(f"Number of dimensions in size does not match the length of the physical_layout, or it is not a permutation: "
                           f"{list(physical_layout)}")
    memory = np.empty([size[k] for k in physical_layout], default(dtype))
    return made(memory.transpose(np.argsort(physical_layout)), requires_grad, device)


@maker
def from_file(filename: Any, shared: bool | None = None, size: int | None = 0, *, dtype: Any = None, device: Any = None,
              requires_grad: bool = False, layout: Any = None, pin_memory: bool = False) -> Tensor:
    """``size`` elements on the memory of a file: writes go to the file if it is ``shared``, else only to the tensor."""
    mode: Any = "c"
    if shared:
        with open(filename, "ab"):      # created if missing
            mode = "r+"
    memory = np.memmap(filename, default(dtype), mode, shape=(size or 0,))
    return made(np.asarray(memory), requires_grad, device)


@maker
def tensor(data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, pin_memory: bool = False) -> Tensor:
    """A tensor of a copy of the data.

    Parameters
    ----------
    data : number, nested sequence, ndarray or Tensor
        The elements.
    dtype : dtype, optional
        By default that of the data, with Python floats of the default dtype.
    requires_grad : bool
        Whether operations on the tensor are recorded.

    Examples
    --------
    >>> tensor([[1.0, 2.0], [3.0, 4.0]]).sum().item()
    10.0
    """
    if isinstance(data, Tensor):
        warn_of_copy("torch.tensor(sourceTensor)")
    return made(array_of(data, dtype), requires_grad, device)


@maker
def as_tensor(data: Any, dtype: Any = None, device: Any = None) -> Tensor:
    """A tensor on the data, sharing memory where it can."""
    if isinstance(data, Tensor):
        return data if dtype is None else data.to(dtype)
    if isinstance(data, np.ndarray) and (dtype is None or data.dtype == dtypes.numpy_dtype(dtype)):
        return from_numpy(data)     # type: ignore[no-any-return]
    return made(array_of(data, dtype), False, device)


@maker
def asarray(obj: Any, *, dtype: Any = None, device: Any = None, copy: bool | None = None, requires_grad: bool = False) -> Tensor:
    """A tensor on the data, sharing memory where it can and may; ValueError where ``copy=False`` and it cannot."""
    if isinstance(obj, Tensor):
        kind = obj.dtype if dtype is None else dtypes.numpy_dtype(dtype)
        if copy is False and kind != obj.dtype:
            raise ValueError(f"can't alias tensor with dtype '{dtypes.title(obj.dtype)}' into dtype '{dtypes.title(kind)}'.")
        out = obj.to(kind, copy=bool(copy))
    else:
        out = made(array_of(obj, dtype), False, device) if copy else as_tensor(obj, dtype, device)
        if copy is False and not (isinstance(obj, np.ndarray) and np.may_share_memory(obj, out._array)):
            raise ValueError("can't alias arbitrary sequence into a tensor." if not isinstance(obj, np.ndarray) else
                             f"can't alias tensor with dtype '{dtypes.title(obj.dtype)}' into dtype '{dtypes.title(out.dtype)}'.")
    return requiring(out) if requires_grad and not out.requires_grad else out


@maker
def from_numpy(ndarray: np.ndarray[Any, Any]) -> Tensor:
    """A tensor on an array's memory."""
    if not isinstance(ndarray, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type(ndarray).__name__})")
    return wrap(bounded(numeric(ndarray)))


@maker
def frombuffer(buffer: Any, *, dtype: Any, count: int = -1, offset: int = 0, requires_grad: bool = False) -> Tensor:
    """A tensor on the memory of a buffer."""
    return made(np.frombuffer(buffer, dtypes.numpy_dtype(dtype), count, offset), requires_grad)


@maker
def from_dlpack(ext_tensor: Any) -> Tensor:
    """A tensor on the memory of an array of any library that has the protocol."""
    return made(np.from_dlpack(ext_tensor))


@maker
def scalar_tensor(s: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """A tensor without dimensions."""
    return made(np.asarray(s, default(dtype)), requires_grad, device)


def size_given(name: str, size: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
    """The size, by position or by name."""
    for key in named.keys() - {"size"}:
        raise TypeError(f"{name}() got an unexpected keyword argument '{key}'")
    return needed(name, "size", size or tuple(named.values()))


def sparse(name: str, size: tuple[int, ...], dtype: np.dtype[Any], requires_grad: bool) -> Tensor:
    """A sparse tensor without elements; RuntimeError for what would store them all."""
    from ..sparse import sparse_coo_tensor
    if name == "ones":
        raise RuntimeError("ones(): a sparse layout stores the nonzero entries, and ones() has no zeros; use ones(...).to_sparse()")
    return sparse_coo_tensor(size=size, dtype=dtype, requires_grad=requires_grad)


def filled(name: str, fill: Callable[..., Any], doc: str) -> None:
    """Put ``zeros`` and its kin into the table."""
    def function(*size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False, layout: Any = None,
                 pin_memory: bool = False, out: Any = None, memory_format: Any = None, **named: Any) -> Tensor:
        sizes = sizes_of(size_given(name, size, named))
        if "sparse" in str(layout):
            return sparse(name, sizes, default(dtype), requires_grad)
        array = arranged(fill(sizes, kind_for(dtype, out)), memory_format)
        return given_out(array, out, name, requires_grad, device)

    def like(input: Tensor, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, layout: Any = None,
             memory_format: Any = None) -> Tensor:
        must_be_tensor(name + "_like", (input,))
        kind = input.dtype if dtype is None else dtypes.numpy_dtype(dtype)
        if input.is_sparse and name in ("zeros", "empty"):
            return input.detach().to(kind).zero_().requires_grad_(requires_grad)    # type: ignore[no-any-return]
        return made(arranged(layouts.like(fill(input._array.shape, kind), input._array), memory_format), requires_grad, device)

    def new(self: Tensor, *size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False, layout: Any = None,
            pin_memory: bool = False, **named: Any) -> Tensor:
        kind, sizes = self.dtype if dtype is None else dtypes.numpy_dtype(dtype), sizes_of(size_given("new_" + name, size, named))
        if self.is_sparse if layout is None else "sparse" in str(layout):
            return sparse(name, sizes, kind, requires_grad)
        return made(fill(sizes, kind), requires_grad, device)
    for fn, fn_name, fn_doc in ((function, name, doc), (like, name + "_like", doc + ", in the shape and dtype of a tensor"),
                                (new, "new_" + name, doc + ", in the dtype of this tensor")):
        fn.__name__ = fn.__qualname__ = fn_name
        fn.__doc__ = fn_doc + "."
        if fn is new:
            METHODS[fn_name] = fn
        else:
            maker(fn)


filled("zeros", np.zeros, "A tensor of zeros")
filled("ones", np.ones, "A tensor of ones")
filled("empty", np.zeros, "A tensor whose elements mean nothing")


@maker
def full(size: Any, fill_value: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, out: Any = None,
         layout: Any = None) -> Tensor:
    """A tensor of one number."""
    if isinstance(size, int):
        raise TypeError("full(): argument 'size' (position 1) must be tuple of ints, not int")
    if not isinstance(fill_value, (int, float, complex, np.generic, np.ndarray, Tensor)) or getattr(fill_value, "requires_grad", False):
        raise TypeError(f"full(): argument 'fill_value' (position 2) must be Number, not {type(fill_value).__name__}")
    if dtype is None and out is None:
        dtype = fill_value.dtype if isinstance(fill_value, Tensor) else dtypes.scalar_dtype(fill_value)
    kind = kind_for(dtype, out)
    array = np.full(sizes_of((size,)), dtypes.held(number(fill_value), kind), kind)
    return given_out(array, out, "full", requires_grad, device)


@maker
def full_like(input: Tensor, fill_value: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False,
              memory_format: Any = None) -> Tensor:
    """A tensor of one number, in the shape and dtype of another."""
    must_be_tensor("full_like", (input,))
    kind = input.dtype if dtype is None else dtypes.numpy_dtype(dtype)
    array = np.full(input._array.shape, dtypes.held(number(fill_value), kind), kind)
    return made(arranged(layouts.like(array, input._array), memory_format), requires_grad, device)


def new_full(self: Tensor, size: Any, fill_value: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """A tensor of one number, in the dtype of this one."""
    return full(size, fill_value, dtype=self.dtype if dtype is None else dtype, device=device,      # type: ignore[no-any-return]
                requires_grad=requires_grad)


def new_tensor(self: Tensor, data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """A tensor of a copy of the data, in the dtype of this one."""
    if isinstance(data, Tensor):
        warn_of_copy("tensor.new_tensor(sourceTensor)")
    return made(array_of(data, self.dtype if dtype is None else dtype), requires_grad, device)


def new(self: Tensor, *data: Any) -> Tensor:
    """A tensor of this dtype: of the sizes given, or of the elements of a sequence."""
    if data and not isinstance(data[0], (int, Size)):
        return made(array_of(data[0], self.dtype))
    return made(np.zeros(sizes_of(data) if data else (0,), self.dtype))


METHODS.update(new_full=new_full, new_tensor=new_tensor, new=new)


@maker
def empty_strided(size: Any, stride: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """A tensor with given strides, whose elements mean nothing."""
    from ..functions.windows import window
    n = 1 + sum((k - 1) * s for k, s in zip(size, stride)) if 0 not in tuple(size) else 0
    return made(window(np.zeros(n, default(dtype)), tuple(size), tuple(stride), 0), requires_grad, device)


@maker
def eye(n: int, m: int | None = None, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, out: Any = None) -> Tensor:
    """Ones on the diagonal and zeros elsewhere."""
    for letter, k in (("n", n), ("m", m)):
        if k is not None and k < 0:
            raise RuntimeError(f"{letter} must be greater or equal to 0, got {k}")
    array = np.eye(n, n if m is None else m, dtype=kind_for(dtype, out))
    return given_out(array, out, "eye", requires_grad, device)


def number(x: Any) -> Any:
    """A Python number, of a tensor of one element too."""
    return x.item() if isinstance(x, (Tensor, np.generic, np.ndarray)) else x


@maker
def arange(start: Any = None, end: Any = None, step: Any = 1, *, dtype: Any = None, device: Any = None, requires_grad: bool = False,
           out: Any = None) -> Tensor:
    """Numbers ``step`` apart, the end left out."""
    if start is None and end is None:
        raise TypeError("arange() received an invalid combination of arguments - got ()")
    start, end, step = (number(v) for v in ((0, start, step) if end is None else (start or 0, end, step)))
    if any(isinstance(v, complex) for v in (start, end, step)):
        raise RuntimeError("value cannot be converted to type double without overflow")
    if not (math.isfinite(start) and math.isfinite(end)):
        raise RuntimeError(f"unsupported range: {start} -> {end}")
    whole = all(isinstance(v, int) for v in (start, end, step))
    kind = kind_for(dtypes.int64 if dtype is None and out is None and whole else dtype, out)
    if kind.kind in "bc":
        raise NotImplementedError(f"\"arange_cpu\" not implemented for '{dtypes.title(kind)}'")
    if kind.kind in "iu":
        start, end, step = int(start), int(end), int(step)
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if (end - start) * (1 if step > 0 else -1) < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    n = int(np.ceil((end - start) / step))
    return given_out((start + step * np.arange(n)).astype(kind), out, "arange", requires_grad, device)


def evenly(name: str, start: Any, end: Any, steps: int, dtype: Any, out: Tensor | None) -> tuple[Any, Any]:
    """``steps`` numbers from the first to the last, and their dtype; integer dtypes have integer ends."""
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    first, last = number(start), number(end)
    turned = any(isinstance(x, complex) for x in (first, last))
    kind = kind_for(dtypes.default_complex() if turned and dtype is None and out is None else dtype, out)
    if turned and kind.kind != "c":
        raise RuntimeError(f"torch.{name}(): inferred dtype {dtypes.c_name(dtypes.default_complex())} can't be safely cast to passed dtype "
                           f"{dtypes.title(kind)}")
    if kind.kind in "iu":
        first, last = int(first), int(last)
    return np.linspace(first, last, steps), kind


@maker
def linspace(start: Any, end: Any, steps: int, *, dtype: Any = None, device: Any = None, requires_grad: bool = False,
             out: Any = None) -> Tensor:
    """``steps`` numbers evenly spaced, both ends included."""
    found, kind = evenly("linspace", start, end, steps, dtype, out)
    return given_out(found.astype(kind), out, "linspace", requires_grad, device)


@maker
def logspace(start: Any, end: Any, steps: int, base: float = 10.0, *, dtype: Any = None, device: Any = None,
             requires_grad: bool = False, out: Any = None) -> Tensor:
    """``steps`` powers of ``base`` with exponents evenly spaced."""
    found, kind = evenly("logspace", start, end, steps, dtype, out)
    return given_out((base ** found).astype(kind), out, "logspace", requires_grad, device)


def not_negative(row: int, col: int) -> None:
    """RuntimeError for a number of rows or columns below 0."""
    for name, n in (("row", row), ("col", col)):
        if n < 0:
            raise RuntimeError(f"{name} must be non-negative, got{n}")


@maker
def tril_indices(row: int, col: int, offset: int = 0, *, dtype: Any = None, device: Any = None) -> Tensor:
    """The places of the lower triangle."""
    not_negative(row, col)
    return made(np.stack(np.tril_indices(row, offset, col)).astype(dtypes.int64 if dtype is None else dtypes.numpy_dtype(dtype)))


@maker
def triu_indices(row: int, col: int, offset: int = 0, *, dtype: Any = None, device: Any = None) -> Tensor:
    """The places of the upper triangle."""
    not_negative(row, col)
    return made(np.stack(np.triu_indices(row, offset, col)).astype(dtypes.int64 if dtype is None else dtypes.numpy_dtype(dtype)))


def new_empty_strided(self: Tensor, size: Any, stride: Any, *, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """A tensor with given strides, in the dtype of this one."""
    return empty_strided(size, stride, dtype=self.dtype if dtype is None else dtype, requires_grad=requires_grad)   # type: ignore[no-any-return]


METHODS["new_empty_strided"] = new_empty_strided

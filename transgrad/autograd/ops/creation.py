"""Tensors made of data, of a number, or of a range."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import dtypes, layouts
from ..device import refuse_others
from ..size import Size
from ..tensor import Tensor, wrap
from .arguments import needed, sizes_of
from .table import FUNCTIONS, METHODS

CREATION: dict[str, Any] = {}


def maker(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Puts a function that makes tensors into the table."""
    FUNCTIONS[fn.__name__] = CREATION[fn.__name__] = fn
    return fn


def made(array: Any, requires_grad: bool = False, device: Any = None) -> Tensor:
    """A tensor on a new array."""
    refuse_others(device)
    out = wrap(array)
    return requiring(out) if requires_grad else out


def requiring(out: Tensor) -> Tensor:
    """A new tensor that requires grad; RuntimeError where its dtype has no derivatives."""
    if not dtypes.is_differentiable(out.dtype):
        raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
    return out.requires_grad_()


def default(dtype: Any) -> np.dtype[Any]:
    """The dtype that is asked for, or the default one."""
    return dtypes.get_default_dtype() if dtype is None else dtypes.numpy_dtype(dtype)


def plain(data: Any) -> Any:
    """Nested sequences with tensors and arrays in them, as nested lists of numbers and arrays."""
    if isinstance(data, Tensor):
        return data._array
    return [plain(d) for d in data] if isinstance(data, (list, tuple, range)) else data


def array_of(data: Any, dtype: Any) -> np.ndarray[Any, Any]:
    """A new array of data: Python's floats become the default dtype, its complex numbers that one's complex dtype."""
    numbers = plain(data)
    if dtype is not None:
        asked = dtypes.numpy_dtype(dtype)
        try:
            return np.array(numbers, asked)
        except OverflowError:
            raise RuntimeError(f"value cannot be converted to type {asked.name} without overflow") from None
    try:
        array = np.array(numbers)
    except ValueError:
        raise ragged(data, 1) from None
    if isinstance(data, (Tensor, np.ndarray, np.generic)):
        return array
    if array.dtype.kind not in "biufc":
        kind = "str" if array.dtype.kind == "U" else type(first(data)).__name__
        if kind != "str":
            raise RuntimeError(f"Could not infer dtype of {kind}")
        if isinstance(first(data), str) and not isinstance(data, str):
            raise ValueError(f"too many dimensions '{kind}'")
        raise TypeError(f"new(): invalid data type '{kind}'")
    typed = leaf_dtype(numbers)
    if array.dtype == np.uint64 and typed is None:
        raise ValueError("Overflow when unpacking long long")
    if array.size == 0 or array.dtype.kind == "f":
        return array.astype(typed if typed is not None and array.size else dtypes.get_default_dtype(), copy=False)
    return array.astype(dtypes.default_complex(), copy=False) if array.dtype.kind == "c" and typed is None else array


def ragged(data: Any, dim: int) -> Exception:
    """The error for sequences of different lengths at one level."""
    if not isinstance(data, (list, tuple)):
        return ValueError("could not determine the shape of the data")
    if len({isinstance(d, (list, tuple)) for d in data}) > 1:
        return TypeError("not a sequence")
    for d in data:
        if isinstance(d, (list, tuple)) and len(d) != len(data[0]):
            return ValueError(f"expected sequence of length {len(data[0])} at dim {dim} (got {len(d)})")
    return ragged(next((d for d in data if _uneven(d)), None), dim + 1)


def _uneven(data: Any) -> bool:
    try:
        np.array(data)
    except ValueError:
        return True
    return False


def leaf_dtype(numbers: Any) -> Any:
    """The dtype of the arrays that stand in nested lists, None where there are Python numbers."""
    while isinstance(numbers, list) and numbers:
        numbers = numbers[0]
    return numbers.dtype if isinstance(numbers, (np.ndarray, np.generic)) else None


def first(data: Any) -> Any:
    """The first element of nested sequences."""
    while isinstance(data, (list, tuple)) and data:
        data = data[0]
    return data


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
        import warnings
        warnings.warn("To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
                      "sourceTensor.detach().clone().requires_grad_(True), rather than torch.tensor(sourceTensor).", UserWarning, 2)
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
    """A tensor on the data, sharing memory where it can and may."""
    out = made(array_of(obj, dtype), False, device) if copy else as_tensor(obj, dtype, device)
    return requiring(out) if requires_grad else out


@maker
def from_numpy(ndarray: np.ndarray[Any, Any]) -> Tensor:
    """A tensor on an array's memory."""
    if not isinstance(ndarray, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type(ndarray).__name__})")
    dtypes.category(ndarray.dtype)      # TypeError for text and objects
    return wrap(ndarray.view())


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


def filled(name: str, fill: Callable[..., Any], doc: str) -> None:
    """Puts ``zeros`` and its kin into the table."""
    def function(*size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False, layout: Any = None,
                 pin_memory: bool = False, out: Any = None, memory_format: Any = None, **named: Any) -> Tensor:
        array = fill(sizes_of(size_given(name, size, named)), default(dtype))
        return made(array, requires_grad, device) if out is None else out.copy_(wrap(array))

    def like(input: Tensor, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, layout: Any = None,
             memory_format: Any = None) -> Tensor:
        kind = input.dtype if dtype is None else dtypes.numpy_dtype(dtype)
        if input.is_sparse and name in ("zeros", "empty"):
            return input.detach().to(kind).zero_().requires_grad_(requires_grad)    # type: ignore[no-any-return]
        return made(layouts.like(fill(input._array.shape, kind), input._array), requires_grad, device)

    def new(self: Tensor, *size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False, **how: Any) -> Tensor:
        return made(fill(sizes_of(size), self.dtype if dtype is None else dtypes.numpy_dtype(dtype)), requires_grad, device)
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
    kind = dtypes.scalar_dtype(fill_value) if dtype is None and not isinstance(fill_value, Tensor) else \
        fill_value.dtype if dtype is None else dtypes.numpy_dtype(dtype)
    if isinstance(size, int):
        raise TypeError("full(): argument 'size' (position 1) must be tuple of ints, not int")
    if not isinstance(fill_value, (int, float, complex, np.generic, np.ndarray, Tensor)):
        raise TypeError(f"full(): argument 'fill_value' (position 2) must be Number, not {type(fill_value).__name__}")
    array = np.full(sizes_of((size,)), dtypes.held(number(fill_value), kind), kind)
    return made(array, requires_grad, device) if out is None else out.copy_(wrap(array))


@maker
def full_like(input: Tensor, fill_value: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False,
              memory_format: Any = None) -> Tensor:
    """A tensor of one number, in the shape and dtype of another."""
    kind = input.dtype if dtype is None else dtypes.numpy_dtype(dtype)
    return made(layouts.like(np.full(input._array.shape, dtypes.held(number(fill_value), kind), kind), input._array), requires_grad, device)


def new_full(self: Tensor, size: Any, fill_value: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """A tensor of one number, in the dtype of this one."""
    kind = self.dtype if dtype is None else dtypes.numpy_dtype(dtype)
    return made(np.full(sizes_of((size,)), dtypes.held(number(fill_value), kind), kind), requires_grad, device)


def new_tensor(self: Tensor, data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """A tensor of a copy of the data, in the dtype of this one."""
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
    array = np.eye(n, n if m is None else m, dtype=default(dtype))
    return made(array, requires_grad, device) if out is None else out.copy_(wrap(array))


def number(x: Any) -> Any:
    """A Python number, of a tensor of one element too."""
    return x.item() if isinstance(x, (Tensor, np.generic, np.ndarray)) else x


@maker
def arange(start: Any = None, end: Any = None, step: Any = 1, *, dtype: Any = None, device: Any = None, requires_grad: bool = False,
           out: Any = None) -> Tensor:
    """Numbers ``step`` apart, the end left out."""
    if start is None:
        raise TypeError("arange() received an invalid combination of arguments - got ()")
    start, end, step = (number(v) for v in ((0, start, step) if end is None else (start, end, step)))
    kind = dtypes.numpy_dtype(dtype) if dtype is not None else dtypes.int64 if all(
        isinstance(v, int) for v in (start, end, step)) else dtypes.get_default_dtype()
    if kind.kind in "iu":
        start, end, step = int(start), int(end), int(step)
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if (end - start) * (1 if step > 0 else -1) < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    n = int(np.ceil((end - start) / step))
    array = (start + step * np.arange(n)).astype(kind)
    return made(array, requires_grad, device) if out is None else out.copy_(wrap(array))


def ends(start: Any, end: Any, steps: int, dtype: Any) -> tuple[Any, Any]:
    """The first and the last number of a range, whole ones where its dtype is one of integers."""
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    whole = dtype.kind in "iu"
    first, last = (int(number(x)) if whole else number(x) for x in (start, end))
    return first, last


@maker
def linspace(start: Any, end: Any, steps: int, *, dtype: Any = None, device: Any = None, requires_grad: bool = False,
             out: Any = None) -> Tensor:
    """``steps`` numbers evenly spaced, both ends included."""
    array = np.linspace(*ends(start, end, steps, default(dtype)), steps).astype(default(dtype))
    return made(array, requires_grad, device) if out is None else out.copy_(wrap(array))


@maker
def logspace(start: Any, end: Any, steps: int, base: float = 10.0, *, dtype: Any = None, device: Any = None,
             requires_grad: bool = False) -> Tensor:
    """``steps`` powers of ``base`` with exponents evenly spaced."""
    return made((base ** np.linspace(*ends(start, end, steps, default(dtype)), steps)).astype(default(dtype)), requires_grad, device)


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

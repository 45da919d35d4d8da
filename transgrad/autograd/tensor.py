"""The Tensor: an array, and where its gradient goes."""
from __future__ import annotations

import dis
import sys
import weakref
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from . import dtypes
from .dtype_objects import _OBJECTS as _DTYPES
from .dtype_objects import shown
from .nodes import NOWHERE, keep_shape
from .size import Count, Size, axis_of, sized
from .state import _NO_VERSION, STATE

if TYPE_CHECKING:
    from .nodes import Node

__all__ = ["DEAD", "NO_VERSION", "Count", "More", "Tensor", "make_inference", "unwrap", "wrap"]

Array = np.ndarray[Any, Any]
_STORE_SUBSCR = dis.opmap["STORE_SUBSCR"]


class More:
    """What few tensors have."""

    __slots__ = ("accumulator", "hooks", "names", "post_accumulate", "retain", "tangents")

    def __init__(self) -> None:
        self.hooks: dict[int, Any] = {}         # of a leaf
        self.post_accumulate: dict[int, Any] = {}
        self.retain = False
        self.names: tuple[str | None, ...] | None = None
        self.tangents: dict[int, Tensor | None] = {}       # by dual level
        self.accumulator: Any = None        # the edge of a leaf before it was frozen, which a graph may still hold


to_number_warning = ("Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\nConsider using "
                     "tensor.detach() first.")


class _Gone:
    """Something that is no more."""


DEAD: Any = weakref.ref(_Gone())     # the edge of a leaf before it has an accumulator


class Tensor:
    """A multi-dimensional array that may record operations.

    Its methods and attributes are those of `torch.Tensor`. The elements are those of a NumPy array, which `numpy` shares.

    Examples
    --------
    >>> import transgrad as torch
    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> y = (x * x).sum()
    >>> y.backward()
    >>> y, x.grad
    (tensor(5., grad_fn=<SumBackward0>), tensor([2., 4.]))
    """

    # _array: the elements.  _edge: ``(node, output_nr)`` of a result that requires grad, a weak reference to the accumulator of a
    # leaf that does, or None.  _counter: the version, shared by all tensors on the same memory; None if it was never written to
    # and is not shared.  _view: for a view, its base and how it is derived from it.
    __slots__ = ("__dict__", "__weakref__", "_array", "_counter", "_edge", "_grad", "_more", "_view")
    __array_priority__ = 1000
    __hash__ = object.__hash__
    is_sparse = is_sparse_csr = False
    _array: Array
    _edge: Any
    _counter: Any
    _view: Any
    _grad: "Tensor | None"
    _more: More | None

    if TYPE_CHECKING:
        def __getattr__(self, name: str) -> Any: ...
        __add__: Any
        __getitem__: Any
        __matmul__: Any
        __mul__: Any
        __pow__: Any
        __setitem__: Any
        __sub__: Any
        __truediv__: Any

    def __init__(self, *data: Any):
        """Torch's old constructor: elements of the default dtype, a shape, or a tensor to look at."""
        from .ops.data import constructed
        made = constructed(data, None)
        self._array = made._array
        self._edge, self._counter, self._view = made._edge, made._counter, made._view
        self._grad = self._more = None

    # kind

    @property
    def shape(self) -> Size:
        return sized(self._array.shape)

    @property
    def size(self) -> Count:
        """Called, torch's shape (or the length of one dimension); as a number, NumPy's count of elements."""
        made = Count(self._array.size)
        made._shape = self._array.shape
        return made

    @property
    def _memory(self) -> Array:
        """The storage of the elements, for any kind of tensor."""
        return self._array

    @property
    def dtype(self) -> Any:     # a TorchDtype, which NumPy takes for a dtype
        of = self._array.dtype
        return _DTYPES.get(of) or shown(of)

    @property
    def ndim(self) -> int:
        return self._array.ndim

    @property
    def device(self) -> Any:
        from .device import CPU
        return CPU

    @property
    def requires_grad(self) -> bool:
        if self._view is not None:
            self._view.thaw(self)
        if self._edge is not None or self._view is None:
            return self._edge is not None
        return self._view.base._edge is not None and dtypes.is_differentiable(self._array.dtype)

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        if self._view is not None:
            self._view.refresh(self)
        if type(self._edge) is tuple:
            hint = "" if value else " If you want to use a computed variable in a subgraph that doesn't require differentiation use " \
                                    "var_no_grad = var.detach()."
            raise RuntimeError(f"you can only change requires_grad flags of leaf variables.{hint}")
        if not isinstance(value, (bool, np.bool_)):
            raise RuntimeError("requires_grad must be a bool")
        self._set_requires_grad(bool(value))

    def _set_requires_grad(self, value: bool) -> None:
        if value and not dtypes.is_differentiable(self._array.dtype):
            raise RuntimeError("only Tensors of floating point and complex dtype can require gradients")
        if value and self.is_inference() and not STATE.inference:
            raise RuntimeError("Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.")
        if not value:
            if self._edge is not None and self._edge() is not None:
                self.more().accumulator = self._edge
            self._edge = None
        elif self._edge is None or self._edge is NOWHERE:
            self._edge = self._more is not None and self._more.accumulator or DEAD

    def requires_grad_(self, requires_grad: bool = True) -> "Tensor":
        """Record operations on the tensor. RuntimeError is raised if its dtype is not floating or complex."""
        if not isinstance(requires_grad, (bool, np.bool_)):
            raise TypeError(f"requires_grad_(): argument 'requires_grad' (position 1) must be bool, not {type(requires_grad).__name__}")
        if requires_grad and not self.is_leaf:
            return self
        self.requires_grad = requires_grad
        return self

    @property
    def is_leaf(self) -> bool:
        if self._view is not None:
            self._view.refresh(self)
        return type(self._edge) is not tuple

    @property
    def grad_fn(self) -> "Node | None":
        if self._view is not None:
            self._view.refresh(self)
        edge = self._edge
        if type(edge) is not tuple:
            return None
        if not self.is_sparse:      # for a GradientEdge to the node
            edge[0].more().outputs.setdefault(edge[1], (self._array.shape, self._array.dtype))
        return edge[0]      # type: ignore[no-any-return]

    @property
    def output_nr(self) -> int:
        edge = self._edge
        return edge[1] if type(edge) is tuple else 0

    @property
    def grad(self) -> "Tensor | None":
        if self._grad is None and type(self._edge) is tuple and not self.retains_grad:
            import warnings
            warnings.warn("The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be "
                          "populated during autograd.backward(). If you indeed want the .grad field to be populated for a non-leaf "
                          "Tensor, use .retain_grad() on the non-leaf Tensor.", UserWarning, stacklevel=2)
        return self._grad

    @grad.setter
    def grad(self, value: "Tensor | None") -> None:
        if value is not None:
            if not isinstance(value, Tensor):
                raise TypeError(f"assigned grad expected to be a Tensor or None but got grad of type {type(value).__name__}")
            if value is self:
                raise RuntimeError("can't assign Variable as its own grad")
            if value.dtype != self._array.dtype:
                raise RuntimeError(f"attempting to assign a gradient with dtype '{dtypes.c_name(value._memory.dtype)}' to a tensor with "
                                   f"grad_dtype '{dtypes.title(self._array.dtype)}'. Please ensure that the gradient and the tensor have "
                                   "the same dtype")
            if value.shape != self._array.shape:
                raise RuntimeError(f"attempting to assign a gradient of size '{list(value.shape)}' to a tensor of size "
                                   f"'{list(self._array.shape)}'. Please ensure that the gradient and the tensor are the same size")
        self._grad = value

    @grad.deleter
    def grad(self) -> None:
        self._grad = None

    @property
    def retains_grad(self) -> bool:
        return self._more is not None and self._more.retain

    @property
    def _version(self) -> int:
        if self.is_inference():
            raise RuntimeError("Inference tensors do not track version counter.")
        return 0 if self._counter is None else int(self._counter[0])

    @property
    def _base(self) -> "Tensor | None":
        return self._view.base if self._view is not None and self._view.differentiable else None

    @property
    def data(self) -> "Tensor":
        """The same memory, without history and with a version of its own."""
        made = wrap(self._array)
        made._counter = self._counter if self.is_inference() else None
        return made

    @data.setter
    def data(self, value: "Tensor") -> None:
        if not isinstance(value, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type(value).__name__}")
        if self._edge is not None and not dtypes.is_differentiable(value._array.dtype):
            raise RuntimeError("data set to a tensor that requires gradients must be floating point or complex dtype")
        keep_shape(self)
        if value._array.dtype != self._array.dtype and type(self._edge) is weakref.ref:
            self._edge = DEAD       # gradients of another dtype have an accumulator of their own
        self._array = value._array

    @data.deleter
    def data(self) -> None:
        raise RuntimeError("Deleting tensor data is not allowed. Delete tensor instead!")

    @property
    def names(self) -> tuple[str | None, ...]:
        given = self._more.names if self._more is not None else None
        return given if given is not None else (None,) * self._array.ndim

    def more(self) -> More:
        """What few tensors have, made when first asked for."""
        if self._more is None:
            self._more = More()
        return self._more

    def counter(self) -> list[int]:
        """The version, to be shared or changed."""
        if self._counter is None:
            self._counter = [0]
        return self._counter        # type: ignore[no-any-return]

    def is_inference(self) -> bool:
        """Return whether the tensor was made in inference mode."""
        return self._counter is NO_VERSION

    def is_floating_point(self) -> bool:
        return bool(dtypes.category(self._array.dtype) == dtypes.FLOATING)

    def is_complex(self) -> bool:
        return bool(self._array.dtype.kind == "c")

    def _is_view(self) -> bool:
        return self._base is not None

    def dim(self) -> int:
        return self._array.ndim

    def numel(self) -> int:
        return int(self._array.size)

    nelement = numel

    def element_size(self) -> int:
        return self._array.itemsize

    @property
    def itemsize(self) -> int:
        return self._array.itemsize

    @property
    def nbytes(self) -> int:
        return self._array.nbytes

    def data_ptr(self) -> int:
        """The address of the first element."""
        return int(self._array.__array_interface__["data"][0])

    def stride(self, dim: int | None = None) -> Any:
        """Steps between elements along each dimension, in elements."""
        array = self._array if self._array.size else np.empty([max(n, 1) for n in self._array.shape], self._array.dtype)
        strides = tuple(s // max(array.itemsize, 1) for s in array.strides)
        return strides if dim is None else strides[axis_of(dim, len(strides))]

    @property
    def strides(self) -> tuple[int, ...]:
        """Steps in bytes, as NumPy's."""
        return self._array.strides

    def storage_offset(self) -> int:
        """How far the first element is from the start of the memory that is looked at, in elements."""
        owner: Any = self._array
        base: Any = owner
        while base is not None:
            owner, base = base if isinstance(base, np.ndarray) else owner, getattr(base, "base", None)
        return (self.data_ptr() - int(owner.__array_interface__["data"][0])) // max(self._array.itemsize, 1)

    def is_contiguous(self, memory_format: Any = None) -> bool:
        """Return whether the elements lie in memory in the order of the dimensions, or in that of a memory format."""
        from .formats import lies_in
        return lies_in(self._array, memory_format)

    def type(self, dtype: Any = None) -> Any:
        """``torch.FloatTensor`` and so on; with a dtype, or one of these as a class or a name, the tensor in it."""
        if isinstance(dtype, str):
            names = {f"torch.{title}": name for name, title in _TYPE_NAMES.items()}
            if dtype not in names:
                raise ValueError(f"invalid type: {dtype!r}")
            dtype = dtypes.bfloat16 if names[dtype] == "bfloat16" else np.dtype(names[dtype])
        if dtype is not None:
            return self.to(getattr(dtype, "dtype", dtype))
        return "torch." + _TYPE_NAMES.get(self._array.dtype.name, self._array.dtype.name.capitalize() + "Tensor")

    # numbers

    def _numbers(self) -> Array:
        if STATE.grad and self.requires_grad:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
        return self._array

    def numpy(self, *, force: bool = False) -> Array:
        """Return the elements as an array that shares memory. RuntimeError is raised if the tensor requires grad, unless ``force=True``."""
        return self._array if force else self._numbers()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        array = self._numbers()
        if dtype is not None and array.dtype != dtype:
            return array.astype(dtype)
        return array.copy() if copy else array

    def item(self) -> Any:
        """The one element as a Python number."""
        if self._array.size != 1:
            raise RuntimeError(f"a Tensor with {self._array.size} elements cannot be converted to Scalar")
        return self._array.item()

    def tolist(self) -> Any:
        """The elements as nested lists of Python numbers."""
        return self._array.tolist()

    def __float__(self) -> float:
        return float(_real(self._number(), "double"))

    def __int__(self) -> int:
        return int(_real(self._number(False), "int64_t"))

    def __complex__(self) -> complex:
        return complex(self._number())

    def _number(self, warns: bool = True) -> Any:
        """The one element for Python's conversions, which NumPy calls as well where an array's element is assigned to."""
        if self._array.size != 1:
            raise ValueError("only one element tensors can be converted to Python scalars")
        if self.requires_grad:
            caller = sys._getframe(2)
            if caller.f_code.co_code[caller.f_lasti] == _STORE_SUBSCR:
                raise RuntimeError("a Tensor that requires grad is stored in a plain array, where its gradient would be lost: store "
                                   "tensor.detach(), or make the array a Tensor")
            if warns and STATE.grad:
                from .warned import warn_once
                warn_once(to_number_warning)
        return self._array.item()

    def __index__(self) -> int:
        if self._array.dtype.kind not in "iub" or self._array.size != 1:
            raise TypeError("only integer tensors of a single element can be converted to an index")
        return int(self._array.item())

    def __bool__(self) -> bool:
        if self._array.size != 1:
            many = "with no values" if not self._array.size else "with more than one value"
            raise RuntimeError(f"Boolean value of Tensor {many} is ambiguous")
        return bool(self._array.item())

    def __len__(self) -> int:
        if not self._array.ndim:
            raise TypeError("len() of a 0-d tensor")
        return len(self._array)

    def __iter__(self) -> Iterator["Tensor"]:
        if not self._array.ndim:
            raise TypeError("iteration over a 0-d tensor")
        return iter(self.unbind(0))

    def __contains__(self, element: Any) -> bool:
        if not isinstance(element, (Tensor, int, float, complex, np.generic, np.ndarray)):
            raise RuntimeError(f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(element)}.")
        return bool((self._array == unwrap(element)).any())

    def __reversed__(self) -> "Tensor":
        return self.flip(0) if self._array.ndim else self


_TYPE_NAMES = {"float32": "FloatTensor", "float64": "DoubleTensor", "float16": "HalfTensor", "bfloat16": "BFloat16Tensor",
               "int64": "LongTensor", "int32": "IntTensor", "int16": "ShortTensor", "int8": "CharTensor", "uint8": "ByteTensor",
               "bool": "BoolTensor", "complex64": "ComplexFloatTensor", "complex128": "ComplexDoubleTensor"}
_new: Any = object.__new__


def _real(number: Any, kind: str) -> Any:
    """A number that is not complex; RuntimeError for one that is, unless its imaginary part is 0."""
    if isinstance(number, complex):
        if number.imag:
            raise RuntimeError(f"value cannot be converted to type {kind} without overflow")
        return number.real
    return number


def wrap(array: Any) -> Tensor:
    """A Tensor on ``array`` (no copy) that requires no grad; in inference mode one that keeps no version."""
    made: Tensor = _new(Tensor)
    made._array = array if type(array) is np.ndarray else np.asarray(array)
    made._edge = made._counter = made._view = made._grad = made._more = None
    if STATE.inference:
        made._counter = NO_VERSION
    return made


class _NoVersion(list[int]):
    """The version counter of a tensor created in inference mode, which cannot be saved for backward."""

    def __getitem__(self, index: Any) -> Any:
        raise RuntimeError("Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in "
                           "computation tracked by autograd. To work around this, you can make a clone to get a normal tensor and use it "
                           "in autograd, or use torch.no_grad() instead of torch.inference_mode().")


NO_VERSION = _NoVersion([0])
_NO_VERSION[0] = NO_VERSION


def make_inference(x: Tensor) -> Tensor:
    """Mark ``x`` as made in inference mode."""
    x._counter = NO_VERSION
    return x


def unwrap(x: Any) -> Any:
    """The array of a Tensor, of each in a list or tuple; anything else as it is."""
    if isinstance(x, Tensor):
        return x._array
    if type(x) is list:
        return [unwrap(i) for i in x]
    if type(x) is tuple:
        return tuple([unwrap(i) for i in x])
    if type(x) is slice:
        return slice(unwrap(x.start), unwrap(x.stop), unwrap(x.step))
    return x

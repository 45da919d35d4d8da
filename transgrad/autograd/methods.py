"""The methods of Tensor that are about its history rather than its elements."""
from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from . import dispatch
from .backward import backward as run_backward
from .formats import ROWS, in_format
from .functions.shape import clone as copy_of
from .functions.shape import contiguous as copy_in_rows
from .hooks import RemovableHandle, register, register_tensor_hook
from .inference import copied
from .state import STATE
from .tensor import NO_VERSION, Tensor, make_inference, wrap
from .volatile import spreads

__all__ = [
    "astype", "backward", "clone", "detach", "detach_", "register_hook", "register_post_accumulate_grad_hook", "retain_grad",
]


def backward(self: Tensor, gradient: Any = None, retain_graph: bool | None = None, create_graph: bool = False, inputs: Any = None,
             retain_variables: bool | None = None) -> None:
    """Add the gradients of this tensor to the ``.grad`` of its leaves; see `autograd.backward`."""
    run_backward(self, gradient, retain_graph, create_graph, inputs=inputs, retain_variables=retain_variables)


def detach(self: Tensor) -> Tensor:
    """Return a tensor with the same memory and version, without history and tangent."""
    made = wrap(self._array)
    if STATE.volatile:
        spreads([self], [made])
    if self._counter is NO_VERSION:
        return make_inference(made)
    made._counter = self.counter()
    return made


def detach_(self: Tensor) -> Tensor:
    """Make the tensor a leaf that requires no grad; RuntimeError for a view."""
    if STATE.inference:
        return self
    if self._view is not None:
        raise RuntimeError("Can't detach views in-place. Use detach() instead: a write to the view would not reach its base's history.")
    self._edge = None
    if self._more is not None:
        self._more.tangents.clear()
    return self


def clone(self: Tensor, *, memory_format: Any = None) -> Tensor:
    """A copy that gradients pass through, in the memory format that is asked for (otherwise in that of the tensor)."""
    made = copied(self, self._array.dtype)
    if made is None:
        made = dispatch.apply(copy_in_rows if memory_format == ROWS else copy_of, self)
    return in_format(made, memory_format)


def astype(self: Tensor, dtype: Any, **options: Any) -> Tensor:
    """NumPy's cast."""
    return dispatch.apply(np.ndarray.astype, self, np.dtype(dtype), **options)     # type: ignore[no-any-return]


def register_hook(self: Tensor, hook: Callable[[Tensor], Any]) -> RemovableHandle:
    """Call ``hook(grad)`` when the gradient is computed. Its result, if any, replaces the gradient."""
    return register_tensor_hook(self, hook)


def register_post_accumulate_grad_hook(self: Tensor, hook: Callable[[Tensor], Any]) -> RemovableHandle:
    """Call ``hook(tensor)`` after ``.grad`` of a leaf has been added to."""
    if not self.requires_grad:
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    if not self.is_leaf:
        raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
    return register(self.more().post_accumulate, hook)


def retain_grad(self: Tensor) -> None:
    """Store the gradient of a tensor that is not a leaf in ``.grad``."""
    if not self.requires_grad:
        raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
    node = self.grad_fn
    if node is not None and not self.retains_grad:
        self.more().retain = True
        node.more().retain[self.output_nr] = weakref.ref(self)

"""Python's operators, and NumPy's protocols, on Tensors."""
from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from . import dispatch
from .fast import binary, unary
from .tensor import Tensor, wrap

__all__: list[str] = []


def _swapped(op: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def reflected(a: Any, b: Any) -> Any:
        return op(b, a)
    return reflected


def _plain(op: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """The operator, NotImplemented for what is no number, array or Tensor."""
    def call(a: Any, b: Any) -> Any:
        if isinstance(b, (Tensor, np.ndarray, np.generic, int, float, complex)):
            return op(a, b)
        return NotImplemented
    return call


for _name, _fn, _floating in (
        ("add", np.add, False), ("sub", np.subtract, False), ("mul", np.multiply, False), ("truediv", np.divide, True),
        ("pow", np.power, False), ("mod", np.mod, False), ("floordiv", np.floor_divide, False), ("and", np.bitwise_and, False),
        ("or", np.bitwise_or, False), ("xor", np.bitwise_xor, False), ("lshift", np.left_shift, False), ("rshift", np.right_shift, False)):
    _op = binary(_fn, _floating)
    setattr(Tensor, f"__{_name}__", _op)
    setattr(Tensor, f"__r{_name}__", _swapped(_op))
for _name, _fn in (("eq", np.equal), ("ne", np.not_equal), ("lt", np.less), ("le", np.less_equal), ("gt", np.greater),
                   ("ge", np.greater_equal)):
    setattr(Tensor, f"__{_name}__", _plain(binary(_fn)))
Tensor.__neg__ = unary(np.negative, floating=False)      # type: ignore[attr-defined]
Tensor.__abs__ = unary(np.absolute, floating=False)      # type: ignore[attr-defined]
Tensor.__invert__ = unary(np.invert, floating=False)     # type: ignore[attr-defined]
Tensor.__pos__ = lambda x: x     # type: ignore[attr-defined]
Tensor.__matmul__ = lambda a, b: dispatch.apply(np.matmul, a, b)     # type: ignore[attr-defined]
Tensor.__rmatmul__ = lambda a, b: dispatch.apply(np.matmul, b, a)    # type: ignore[attr-defined]


def _array_ufunc(self: Tensor, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
    out = kwargs.pop("out", None)
    if method == "at":
        raise TypeError(f"np.{ufunc.__name__}.at does not write into a Tensor; use x.index_put_((index,), value, accumulate=True)")
    fn = ufunc if method == "__call__" else getattr(ufunc, method)
    result = dispatch.apply(fn, *inputs, **kwargs)
    return result if out is None else _written(out, result)


def _written(out: Any, result: Any) -> Any:
    """The results in the place of ``out``."""
    targets = out if isinstance(out, tuple) else (out,)
    results = result if isinstance(result, tuple) else (result,)
    for k, (target, r) in enumerate(zip(targets, results)):
        if isinstance(target, Tensor):
            target.copy_(r)
        elif target is not None:
            target[...] = np.asarray(r)
        else:
            continue
        results = results[:k] + (target,) + results[k + 1:]
    return results if isinstance(result, tuple) else results[0]


def _array_function(self: Tensor, func: Callable[..., Any], types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    out = kwargs.pop("out", None)
    result = dispatch.apply(func, *args, **kwargs)
    return result if out is None else _written(out, result)


Tensor.__array_ufunc__ = _array_ufunc        # type: ignore[attr-defined]
Tensor.__array_function__ = _array_function      # type: ignore[attr-defined]


def _getitem(x: Tensor, index: Any) -> Any:
    if isinstance(index, Tensor):
        index = index._array
    return dispatch.apply(operator.getitem, x, index)


def _backward(self: Tensor, gradient: Any = None, retain_graph: bool | None = None, create_graph: bool = False, inputs: Any = None) -> None:
    """Adds the gradients of this tensor to the ``.grad`` of its leaves; see `autograd.backward`."""
    from .backward import backward
    backward(self, gradient, retain_graph, create_graph, inputs=inputs)


Tensor.__getitem__ = _getitem        # type: ignore[attr-defined]
Tensor.backward = _backward      # type: ignore[attr-defined]


def detach(self: Tensor) -> Tensor:
    """The same memory and version, without history."""
    made = wrap(self._array)
    made._counter = self.counter()
    return made


def clone(self: Tensor) -> Tensor:
    """A copy that gradients pass through."""
    return dispatch.apply(np.copy, self)      # type: ignore[no-any-return]


def astype(self: Tensor, dtype: Any, **options: Any) -> Tensor:
    """NumPy's cast."""
    return dispatch.apply(np.astype, self, dtype, **options)     # type: ignore[no-any-return]


def register_hook(self: Tensor, hook: Callable[[Tensor], Any]) -> Any:
    """Calls ``hook(grad)`` when the gradient is computed; what it returns replaces the gradient."""
    from .hooks import register_tensor_hook
    return register_tensor_hook(self, hook)


def retain_grad(self: Tensor) -> None:
    """Has ``.grad`` of a tensor that is no leaf filled in."""
    import weakref
    if not self.requires_grad:
        raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
    node = self.grad_fn
    if node is not None and not self.retains_grad:
        self.more().retain = True
        node.more().retain[self.output_nr] = weakref.ref(self)


for _method in (detach, clone, astype, register_hook, retain_grad):
    setattr(Tensor, _method.__name__, _method)

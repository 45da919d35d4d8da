"""NumPy functions as PyTorch functions on CPU tensors.

Arrays and tensors share their memory in both directions. Derivatives come from transgrad, in forward and reverse mode and of any
order, and work with ``torch.autograd`` and ``torch.func``.
"""
from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, overload

import numpy as np

from .. import tree
from ..transforms.options import Numba, Options
from .function import Wrapped, is_plain, order_of
from .missing import require
from .operations import Operation, operation
from .outputs import Outputs
from .ownership import owned, read_only

__all__ = ["wrap"]


def __dir__() -> list[str]:
    return sorted(__all__)


F = TypeVar("F", bound=Callable[..., Any])


@overload
def wrap(f: Callable[..., Any], *, fallback: str = ..., backend: str | Numba = ..., optimize: Any = ...,
         checkpoint: bool | int = ..., nan: str = ...) -> TorchFunction: ...
@overload
def wrap(f: None = None, *, fallback: str = ..., backend: str | Numba = ..., optimize: Any = ...,
         checkpoint: bool | int = ..., nan: str = ...) -> Callable[[Callable[..., Any]], TorchFunction]: ...
def wrap(f: Callable[..., Any] | None = None, *, fallback: str = "tape", backend: str | Numba = "numpy", optimize: Any = True,
         checkpoint: bool | int = False, nan: str = "ignore") -> Any:
    """Return a PyTorch function that runs a NumPy function on CPU tensors.

    Each tensor among the arguments arrives in ``f`` as an array that shares its memory and is read-only, or as a NumPy scalar if it
    has no dimensions. Each array that ``f`` returns becomes a tensor that shares its memory. Shapes and dtypes are kept.

    Parameters
    ----------
    f : callable
        The function. Its arguments and its result may be nested: lists, tuples, dicts, named tuples and dataclasses. If it is
        omitted, ``wrap`` returns a decorator.
    fallback, backend, optimize, checkpoint, nan
        As for `transgrad.grad`.

    Returns
    -------
    TorchFunction
        A function of tensors. Floating-point and complex tensors are differentiable; integer and boolean tensors, and all
        arguments that are not tensors, are constants. It works with ``backward``, ``torch.autograd.grad`` (``create_graph``
        included), forward-mode AD, ``torch.func.grad``, ``vjp``, ``jvp`` and ``vmap`` in any nesting, in a ``torch.nn.Module``, in
        processes of a ``DataLoader``, and under ``torch.compile``, where it is a graph break.

    Raises
    ------
    ModuleNotFoundError
        If PyTorch is not installed.
    TypeError
        At a call, if a tensor is on another device than the CPU, is sparse, or has a dtype that NumPy lacks.
    ValueError
        At a call, if ``f`` writes to an argument.

    Notes
    -----
    NumPy arrays among the arguments are copied if a graph is recorded. Pass tensors to avoid the copies.

    Called with NumPy arrays instead of tensors, the function is the NumPy function, so that wrapped functions can call each other.

    ``is_grads_batched=True`` and ``vectorize=True`` of ``torch.autograd`` need batching rules that PyTorch's custom functions lack: use
    ``torch.func.vmap``.

    ``make_fx``, and with it ``torch.func.linearize``, records operations on tensors without values, which is refused.

    A Python number that ``f`` returns becomes a tensor of the dtype of the floating-point arguments.

    Examples
    --------
    >>> import numpy as np
    >>> import torch
    >>> import transgrad as tg
    >>> @tg.interop.torch.wrap
    ... def energy(x):
    ...     return np.sum(np.cos(x) * x ** 2)
    >>> x = torch.tensor([0.0, 1.0], requires_grad=True)
    >>> energy(x).backward()
    >>> x.grad
    tensor([0.0000, 0.2391])
    >>> torch.func.hessian(energy)(x.detach())
    tensor([[ 2.0000,  0.0000],
            [ 0.0000, -2.8256]])
    """
    _torch()
    options = Options(fallback, backend, optimize, checkpoint, nan)
    if f is None:
        return lambda f: TorchFunction(f, options)
    return TorchFunction(f, options)


@functools.cache
def _torch() -> Any:
    return require("torch", "torch", "transgrad.interop.torch")


class TorchFunction(Wrapped):
    """A NumPy function of PyTorch tensors; see `wrap`."""

    def __init__(self, primal: Callable[..., Any], options: Options):
        super().__init__(primal, options)
        self._torch = _torch()

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        if self._torch.compiler.is_compiling():
            return self._torch.compiler.disable(TorchFunction.run)(self, args, kwargs)
        return self.run(args, kwargs)

    def run(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call the function."""
        torch = self._torch
        leaves, form = tree.flatten((args, kwargs))
        places = [k for k, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)]
        tensors = [leaves[k] for k in places]
        if not places and not all(map(is_plain, leaves)):
            return self.primal(*args, **kwargs)
        for k in places:
            if refused := _unsuitable(leaves[k]):
                paths = [*tree.leaves_with_paths(args, "args"), *tree.leaves_with_paths(kwargs, "kwargs")]
                path = paths[k][0]
                raise TypeError(f"{self.__name__} is a NumPy function, but {path} is a tensor {refused}")
        argnums = tuple(k for k in places if _is_active(leaves[k]))
        if any(t.requires_grad for t in tensors):       # PyTorch watches tensors for changes until the backward pass, but no arrays
            leaves = [leaf.copy() if isinstance(leaf, np.ndarray) else leaf for leaf in leaves]
        call = _Call(self.operation(form, args, kwargs, argnums), leaves, places)
        call.weak = _common_dtype(tensors)
        if torch.is_grad_enabled() and not _saved_by_hooks():
            call.kept = tuple(k for k in argnums if leaves[k].requires_grad)
        found = _node().apply(call, *tensors)
        assert call.outputs is not None
        rest = iter(found)
        return tree.unflatten(call.outputs.form, [x if r.dtype is None else next(rest)
                                                  for x, r in zip(call.others, call.outputs.leaves)])

    def operation(self, form: Any, args: Sequence[Any], kwargs: dict[str, Any], argnums: tuple[int, ...]) -> Operation:
        """Return the operation for arguments of a structure."""
        key = form, order_of((args, kwargs)), argnums
        found = self.operations.get(key)
        if found is None:
            found = self.operations[key] = operation(self.primal, args, kwargs, argnums, self.options)
        return found


class _Call:
    """A call of an operation: its arguments that are not tensors, and the state that its derivatives share."""

    def __init__(self, op: Operation, leaves: Sequence[Any], places: Sequence[int]):
        self.op, self.places = op, tuple(places)
        given = set(places)
        self.constants = [None if k in given else leaf for k, leaf in enumerate(leaves)]
        #: the arguments with respect to which the forward sweep saves values for the pullback
        self.kept: tuple[int, ...] = ()
        self.pull: Callable[[Any], tuple[Any, ...]] | None = None
        self.memory: Any = None
        self.outputs: Outputs | None = None
        #: the leaves of the result, without those that became tensors
        self.others: list[Any] = []
        #: the dtype of tensors that are made of Python numbers
        self.weak: Any = None
        #: the call whose pullback this one is
        self.primal: _Call | None = None

    def leaves(self, arrays: Sequence[Any]) -> list[Any]:
        """Return the arguments with arrays in place of the tensors."""
        leaves = list(self.constants)
        for k, array in zip(self.places, arrays):
            leaves[k] = array
        return leaves

    def extended(self, op: Operation, count: int) -> _Call:
        """Return the call of a derived operation, which takes ``count`` tensors more."""
        size = len(self.constants)
        call = _Call(op, [*self.constants, *[None] * count], [*self.places, *range(size, size + count)])
        call.weak = self.weak
        return call

    def run(self, arrays: Sequence[Any], memory: Any) -> tuple[list[Any], Outputs]:
        """Run the operation; return the leaves of the result, and their description."""
        from .outputs import outputs_of
        leaves = self.leaves(arrays)
        if self.kept:
            value, self.pull = self.op.wrt(self.kept).vjp(leaves)
            self.memory = memory
            return outputs_of(value)
        primal = self.primal
        if primal is not None and primal.pull is not None and primal.kept == self.op.of.argnums:  # type: ignore[attr-defined]
            count = len(primal.places)
            if primal.memory == memory[:count]:     # the saved values of the forward sweep belong to these arguments
                assert primal.outputs is not None
                return outputs_of(primal.pull(primal.outputs.seed(leaves[len(primal.constants):])))
        return self.op.results(leaves)


def _unsuitable(tensor: Any) -> str | None:
    """Return why NumPy cannot use the memory of a tensor."""
    torch = _torch()
    if tensor.device.type != "cpu":
        return f"on {tensor.device}. Hint: pass x.cpu(), and move the result with .to({str(tensor.device)!r})"
    if tensor.layout is not torch.strided:
        return f"of layout {tensor.layout}. Hint: pass x.to_dense()"
    if tensor.dtype not in _dtypes():
        return f"of dtype {tensor.dtype}, which NumPy does not have. Hint: pass x.float()"
    return None


@functools.cache
def _dtypes() -> dict[Any, str]:
    """The dtypes that both libraries have."""
    torch = _torch()
    return {getattr(torch, name): name for name in (
        "float16", "float32", "float64", "complex64", "complex128", "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32",
        "uint64") if hasattr(torch, name)}


def _is_active(tensor: Any) -> bool:
    return bool(tensor.is_floating_point() or tensor.is_complex())


def _common_dtype(tensors: Sequence[Any]) -> Any:
    torch = _torch()
    found = [t.dtype for t in tensors if _is_active(t)]
    return functools.reduce(torch.promote_types, found) if found else torch.get_default_dtype()


def _array(tensor: Any) -> np.ndarray[Any, Any]:
    """The memory of a tensor as an array."""
    tracing = sys.modules.get("torch.fx.experimental.proxy_tensor")
    if tracing is not None and tracing.get_proxy_mode() is not None:
        raise RuntimeError("make_fx, which torch.func.linearize and torch.export use, records operations on tensors that have no values, "
                           "and a NumPy function needs their values. Hint: use torch.func.jvp in place of torch.func.linearize")
    array: np.ndarray[Any, Any] = tensor.detach().resolve_conj().resolve_neg().numpy()
    return array


def _tensor(array: np.ndarray[Any, Any]) -> Any:
    torch = _torch()
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    return torch.from_numpy(array)


def _memory(tensor: Any) -> tuple[Any, ...]:
    """What identifies the elements that a tensor refers to."""
    return tensor.data_ptr(), tensor.dtype, tuple(tensor.shape), tuple(tensor.stride()), None if tensor.is_inference() else tensor._version


def _is_plain() -> bool:
    """Whether tensors are mere numbers here: no graph is recorded, and no transformation or forward mode is active."""
    torch = _torch()
    active = getattr(torch._C, "_are_functorch_transforms_active", None)
    return (not torch.is_grad_enabled() and active is not None and not active()
            and torch.autograd.forward_ad._current_level < 0)


def _saved_by_hooks() -> bool:
    """Whether hooks on saved tensors are active: checkpointing, for which values must be recomputed in the backward pass."""
    torch = _torch()
    top = getattr(torch._C._autograd, "_top_saved_tensors_default_hooks", None)
    return top is not None and top(True) is not None


@functools.cache
def _node() -> Any:
    """The class of the nodes in PyTorch's graph."""
    base: Any = _torch().autograd.Function

    class TransgradFunction(base):  # type: ignore[misc]
        """A call of a NumPy function, or of one of its derivatives."""

        @staticmethod
        def forward(call: _Call, *tensors: Any) -> tuple[Any, ...]:
            arrays = [_array(t) for t in tensors]
            found, outputs = call.run([read_only(a) for a in arrays], [_memory(t) for t in tensors])
            call.outputs = outputs
            call.others = [x if r.dtype is None else None for x, r in zip(found, outputs.leaves)]
            made = owned([np.asarray(x) for x, r in zip(found, outputs.leaves) if r.dtype is not None], arrays)
            weak = [r.form == "number" and r.is_active for r in outputs.leaves if r.dtype is not None]
            return tuple(_weak(_tensor(a), call.weak) if w else _tensor(a) for a, w in zip(made, weak))

        @staticmethod
        def setup_context(ctx: Any, inputs: tuple[Any, ...], output: tuple[Any, ...]) -> None:
            call, *tensors = inputs
            ctx.call = call
            ctx.active = [_is_active(t) for t in output]
            ctx.mark_non_differentiable(*(t for t, is_active in zip(output, ctx.active) if not is_active))
            ctx.save_for_backward(*tensors)
            ctx.save_for_forward(*tensors)

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> tuple[Any, ...]:
            call: _Call = ctx.call
            tensors = ctx.saved_tensors
            wanted = tuple(k for k, needed in zip(call.places, ctx.needs_input_grad[1:]) if needed and k in call.op.argnums)
            wanted = call.kept if set(wanted) <= set(call.kept) else wanted
            assert call.outputs is not None
            given = [g for g, is_active in zip(grads, ctx.active) if is_active]
            if call.pull is not None and wanted == call.kept and _is_plain():
                pulled = call.pull(call.outputs.seed([read_only(_array(g)) for g in given]))
                arrays = owned(map(np.asarray, pulled), [*map(_array, tensors), *map(_array, given)])
                found = {k: _tensor(a) for k, a in zip(wanted, arrays)}
                return (None, *(_like(found.get(k), t) for k, t in zip(call.places, tensors)))
            pulling = call.extended(call.op.wrt(wanted).pullback(call.outputs), len(given))
            pulling.primal = call
            found = dict(zip(wanted, TransgradFunction.apply(pulling, *tensors, *given) if wanted and given else ()))
            return (None, *(_like(found.get(k), t) for k, t in zip(call.places, tensors)))

        @staticmethod
        def jvp(ctx: Any, _: Any, *tangents: Any) -> tuple[Any, ...]:
            call: _Call = ctx.call
            along = {k: t for k, t in zip(call.places, tangents) if t is not None and k in call.op.argnums}
            assert call.outputs is not None
            if not along or not any(ctx.active):
                return (None,) * len(ctx.active)
            pushing = call.extended(call.op.wrt(tuple(along)).pushforward(call.outputs), len(along))
            dots = iter(TransgradFunction.apply(pushing, *ctx.saved_tensors, *along.values()))
            return tuple(next(dots) if is_active else None for is_active in ctx.active)

        @staticmethod
        def vmap(info: Any, in_dims: tuple[Any, ...], call: _Call, *tensors: Any) -> tuple[Any, Any]:
            axes: list[int | None] = [None] * len(call.constants)
            moved = []
            for k, t, dim in zip(call.places, tensors, in_dims[1:]):
                axes[k] = None if dim is None else 0
                moved.append(t if dim is None else t.movedim(dim, 0))
            batched = _Call(call.op.batched(axes), call.leaves(moved), call.places)
            batched.weak = call.weak
            batched.kept = call.kept
            found = TransgradFunction.apply(batched, *moved)
            call.outputs, call.others = batched.outputs, batched.others
            return found, (0,) * len(found)

    # PyTorch asks for the signature at each call
    TransgradFunction.forward.__signature__ = inspect.signature(TransgradFunction.forward)  # type: ignore[attr-defined]
    return TransgradFunction


def _weak(tensor: Any, dtype: Any) -> Any:
    """A tensor that was a Python number, in the dtype of the arguments."""
    return tensor.to(dtype) if tensor.is_complex() <= dtype.is_complex else tensor.to(dtype.to_complex())


def _like(gradient: Any, tensor: Any) -> Any:
    """A gradient in the dtype of its tensor."""
    return gradient if gradient is None or gradient.dtype == tensor.dtype else gradient.to(tensor.dtype)

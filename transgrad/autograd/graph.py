"""The graph of nodes, and utilities on it: hooks on saved tensors, edges, hooks on several gradients."""
from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..absent import refusing
from .hooks import RemovableHandle
from .nodes import Node, Nowhere, edge_of
from .saved import SavedTensor
from .state import STATE
from .tensor import Tensor, wrap

__all__ = [
    "GradientEdge", "Node", "SavedTensor", "allow_mutation_on_saved_tensors", "disable_saved_tensors_hooks", "get_gradient_edge",
    "increment_version", "register_multi_grad_hook", "save_on_cpu", "save_on_disk", "saved_tensors_hooks",
]


class saved_tensors_hooks:
    """Within the context, ``pack_hook`` converts each tensor that is saved for backward.

    Parameters
    ----------
    pack_hook : callable
        Called with each tensor as it is saved; it may return anything, and must not write to the tensor.
    unpack_hook : callable
        Called with what ``pack_hook`` returned at each use; it returns a Tensor of the same content.

    Notes
    -----
    Of nested contexts the innermost applies.  Hooks hold for the thread that entered them.
    """

    def __init__(self, pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Tensor]):
        self.pack_hook = pack_hook
        self.unpack_hook = unpack_hook

    def __enter__(self) -> None:
        if STATE.packing_refused is not None:
            raise RuntimeError(STATE.packing_refused)
        STATE.packing = (*STATE.packing, (self.pack_hook, self.unpack_hook))
        STATE.refresh()

    def __exit__(self, *exc: object) -> None:
        STATE.packing = STATE.packing[:-1]
        STATE.refresh()


class save_on_cpu(saved_tensors_hooks):
    """Saves tensors on the CPU, where all tensors are: with ``pin_memory`` as copies, otherwise as they are."""

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda"):
        def pack(tensor: Tensor) -> Tensor:
            return wrap(tensor._array.copy(order="K")) if pin_memory else tensor.detach()

        def unpack(packed: Tensor) -> Tensor:
            return packed
        super().__init__(pack, unpack)


class _File:
    """A file of one array, deleted with the object."""

    def __init__(self, directory: str | os.PathLike[str] | None, array: np.ndarray[Any, Any]):
        handle, self.path = tempfile.mkstemp(suffix=".npy", dir=directory)
        with os.fdopen(handle, "wb") as file:
            np.save(file, array, allow_pickle=False)

    def __del__(self, remove: Callable[[str], None] = os.remove) -> None:
        remove(self.path)


class save_on_disk(saved_tensors_hooks):
    """Saves tensors in files, each deleted once the graph no longer needs it.

    Parameters
    ----------
    directory : path, optional
        Where to make the files (default: the system's place for temporary ones).
    min_numel : int
        Tensors of fewer elements stay in memory.
    """

    def __init__(self, directory: str | os.PathLike[str] | None = None, min_numel: int = 0):
        def pack(tensor: Tensor) -> Any:
            return _File(directory, tensor._array) if tensor.numel() >= min_numel else tensor.detach()

        def unpack(packed: Any) -> Tensor:
            return wrap(np.load(packed.path, allow_pickle=False)) if isinstance(packed, _File) else packed
        super().__init__(pack, unpack)


@contextmanager
def disable_saved_tensors_hooks(error_message: str) -> Iterator[None]:
    """Within the context, using hooks on saved tensors raises a RuntimeError with this message."""
    if STATE.packing:
        raise RuntimeError(error_message)
    before, STATE.packing_refused = STATE.packing_refused, error_message
    try:
        yield
    finally:
        STATE.packing_refused = before


class _Copies(saved_tensors_hooks):
    """Saves copies, as long as it has not been cleared."""

    def __init__(self) -> None:
        super().__init__(self.pack, self.unpack)
        self.copies: dict[int, np.ndarray[Any, Any]] = {}

    def pack(self, tensor: Tensor) -> int:
        """Keep a copy, and return its number."""
        key = len(self.copies)
        self.copies[key] = tensor._array.copy(order="K")
        return key

    def unpack(self, key: int) -> Tensor:
        """The copy of that number."""
        if key not in self.copies:
            raise AssertionError("Trying to backward outside of the 'allow_mutation_on_saved_tensors' context in which the graph was "
                                 "originally recorded.")
        return wrap(self.copies[key])

    def clear(self) -> None:
        """Drop all that was saved."""
        self.copies.clear()


@contextmanager
def allow_mutation_on_saved_tensors() -> Iterator[_Copies]:
    """Within the context, tensors saved for backward may be written to: backward sees them as they were.

    Copies are made as tensors are saved; backward must run within the context.
    """
    if any(isinstance(getattr(pack, "__self__", None), _Copies) for pack, _ in STATE.packing):
        raise RuntimeError("allow_mutation_on_saved_tensors contexts cannot be nested")
    copies = _Copies()
    with copies:
        try:
            yield copies
        finally:
            copies.clear()


class GradientEdge(NamedTuple):
    """Where a gradient goes: an output of a node.

    `backward` and `grad` take it in place of a tensor.
    """

    node: Node
    output_nr: int
    ownership_token: Node | None = None


def get_gradient_edge(tensor: Tensor) -> GradientEdge:
    """The edge of a tensor, for `backward` and `grad`; RuntimeError where it requires no grad, AssertionError where it has no node."""
    edge = edge_of(tensor)
    if edge is None:
        raise RuntimeError("It is not possible to get the gradient edge for a Tensor that does not require gradients")
    if type(edge[0]) is Nowhere:
        raise AssertionError("Expected gradient function to be set: the Tensor is a view that was made without recording")
    edge[0].more().outputs.setdefault(edge[1], (tensor._array.shape, tensor._array.dtype))
    return GradientEdge(*edge)


def increment_version(tensor: Tensor | Iterable[Tensor]) -> None:
    """Says that a tensor (or each of several) has been written to by other means: saved for backward, it will be refused."""
    if not isinstance(tensor, (Tensor, Iterable)):
        raise RuntimeError(f"increment_version expect a Iterable[Tensor] as input, got {type(tensor).__name__}")
    for x in [tensor] if isinstance(tensor, Tensor) else tensor:
        if not x.is_inference():
            x.counter()[0] += 1


class _MultiHandle(RemovableHandle):
    """Removes several hooks."""

    def __init__(self, handles: Sequence[RemovableHandle]):
        self.handles = tuple(handles)

    def remove(self) -> None:
        for handle in self.handles:
            handle.remove()


def register_multi_grad_hook(tensors: Sequence[Tensor], fn: Callable[..., None], *, mode: str = "all") -> RemovableHandle:
    """Call ``fn`` once in a backward pass, with the gradients of several tensors.

    Parameters
    ----------
    tensors : sequence of Tensor
        Each must require grad; with ``mode="any"`` those that do not are left out.
    fn : callable
        With ``mode="all"`` called with the list of gradients (None for a tensor that the pass does not reach) when the last of them is
        there; with ``mode="any"`` called with the first gradient.

    Raises
    ------
    ValueError
        For another mode.
    """
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    if mode == "any":
        tensors = [t for t in tensors if t.requires_grad]
    edges = [edge_of(t) for t in tensors] if mode == "all" else []      # nothing is held on to for the first alone
    if any(edge is None or type(edge[0]) is Nowhere for edge in edges):
        raise AssertionError("Expected gradient function to be set: every tensor of register_multi_grad_hook has to require grad")
    nodes = [edge[0] for edge in edges if edge is not None]
    lock = threading.Lock()
    arrived: dict[Any, list[Tensor | None]] = {}

    def hook(place: int) -> Callable[[Tensor], None]:
        def note(g: Tensor) -> None:
            sweep = STATE.sweep
            with lock:
                first = sweep not in arrived
                if first:
                    arrived[sweep] = [None] * len(tensors)
                    sweep.at_end.append(lambda: arrived.pop(sweep, None))
                grads = arrived[sweep]
                grads[place] = g
                done = mode == "all" and sum(got is not None for got in grads) == sum(map(sweep.will_run, nodes))
            if mode == "any" and first:
                fn(g)
            elif done:
                fn(list(grads))
        return note
    return _MultiHandle([t.register_hook(hook(k)) for k, t in enumerate(tensors)])

if not TYPE_CHECKING:
    __getattr__ = refusing(__name__, "torch.autograd.graph")

"""A saved tensor: its version is checked, hooks may pack it, and an output makes no cycle with the node that saves it."""
from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .dtypes import is_differentiable
from .state import STATE

if TYPE_CHECKING:
    from .nodes import Node
    from .tensor import Tensor

__all__ = ["EMPTY", "SavedTensor", "detached", "modified", "operation", "released"]

Hook = Callable[[Any], Any]


def released(node: "Node | None") -> RuntimeError:
    """The error of a second backward through freed buffers."""
    of = f" (those of {node.name()})" if node is not None else ""
    return RuntimeError(
        "Trying to backward through the graph a second time (or directly access saved tensors after they have already been freed). "
        f"Saved intermediate values of the graph{of} are freed when you call .backward() or autograd.grad(). "
        "Specify retain_graph=True if you need to backward through the graph a second time or if you need to access saved tensors "
        "after calling backward.")


def modified(tensor: "Tensor", edge: Any, expected: int, version: int) -> RuntimeError:
    """The error of a tensor that was saved and then written to; where its history may not be rewritten, that is the error."""
    if tensor._view is not None:
        tensor._view.refresh(tensor)
    kind = f"[{tensor.type()} {list(tensor._array.shape)}]"
    source = f", which is output {edge[1]} of {operation(edge[0])}," if type(edge) is tuple else ""
    return RuntimeError(
        f"one of the variables needed for gradient computation has been modified by an inplace operation: {kind}{source} is at version "
        f"{version}; expected version {expected} instead. Hint: enable anomaly detection to find the operation that failed to compute its "
        "gradient, with torch.autograd.set_detect_anomaly(True).")


def detached() -> RuntimeError:
    """The error of a saved tensor whose history was removed afterwards."""
    return RuntimeError("Trying to use a saved tensor that has been detached in-place, i.e. with .detach_(). "
                        "This is not supported, please use out-of-place `.detach()` instead")


def operation(node: "Node") -> str:
    """The operation whose backward a node is."""
    return re.sub(r"Backward\d*$", "", node.name())


class SavedTensor:
    """A tensor that a node saves for the backward pass, available as ``node._raw_saved_<name>``.

    An input is saved as the Tensor itself. An output is saved as its array and version, and becomes a Tensor when it is read.

    Examples
    --------
    >>> import transgrad as torch
    >>> y = torch.tensor(2.0, requires_grad=True).exp()
    >>> type(y.grad_fn._raw_saved_result).__name__
    'SavedTensor'
    """

    __slots__ = ("_array", "_counter", "_edge", "_gone", "_more", "_output_nr", "_packed", "_tensor", "_unpack_hook", "_version")

    def __init__(self, tensor: "Tensor | None" = None, output_nr: int | None = None, version: int | None = None,
                 node: "Node | None" = None):
        if tensor is None:
            raise RuntimeError("Trying to create a SavedTensor object from Python is forbidden.")
        counter = tensor._counter if output_nr is None else tensor.counter()
        self._counter = counter
        self._version = version if version is not None else 0 if counter is None else counter[0]
        self._output_nr = output_nr
        self._tensor: Tensor | None = tensor if output_nr is None else None
        self._array = tensor._array
        self._edge = tensor._edge if output_nr is None else None
        self._more = tensor.more() if STATE.level and output_nr is not None else None       # where its tangents will be
        self._packed: Any = None
        self._unpack_hook: Hook | None = None
        self._gone = False
        if STATE.packing:
            self._pack(tensor if output_nr is None else self._view((node, output_nr)), *STATE.packing[-1])

    def register_hooks(self, pack_hook: Hook, unpack_hook: Hook) -> None:
        """Pack the tensor now, and unpacks it at each use.

        Raises
        ------
        RuntimeError
            If hooks are there already, the tensor has been released, or ``pack_hook`` writes to it.
        """
        if not callable(pack_hook) or not callable(unpack_hook):
            raise TypeError("register_hooks takes two functions: pack_hook and unpack_hook")
        if self._version < 0:
            raise RuntimeError("Calling register_hooks on a saved tensor with value None is forbidden.")
        if self._gone:
            raise RuntimeError("Calling register_hooks on a saved tensor after it has been freed. Saved intermediate values of the graph "
                               "are freed when you call .backward() or autograd.grad(). Specify retain_graph=True to backward through "
                               "the graph a second time, or to keep them.")
        if self._unpack_hook is not None:
            raise RuntimeError("Calling register_hooks on a saved tensor whose hooks have already been set. "
                               "Hint: only one pair of hooks is allowed at a time.")
        self._pack(self._tensor if self._tensor is not None else self._view(), pack_hook, unpack_hook)

    def _view(self, edge: Any = None) -> "Tensor":
        """The output, as a Tensor of its own."""
        from .tensor import wrap
        made = wrap(self._array)
        made._edge = edge if is_differentiable(self._array.dtype) else None
        made._counter = self._counter
        made._more = self._more
        return made

    def _pack(self, tensor: "Tensor", pack: Hook, unpack: Hook) -> None:
        from .grad_mode import no_grad
        counter = tensor.counter()
        before = counter[0]
        hooks, STATE.packing = STATE.packing, ()
        STATE.refresh()
        try:
            with no_grad():
                self._packed = pack(tensor)
        finally:
            STATE.packing = hooks
            STATE.refresh()
        if counter[0] != before:
            raise RuntimeError("A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack hook cannot "
                               "be modified by in-place operations as this can lead to unexpected side-effects: work on a clone.")
        self._unpack_hook = unpack
        if self._more is None and STATE.level:
            from .kept_tangents import as_they_are
            self._more = as_they_are(tensor)
        self._tensor = None
        self._array = None      # type: ignore[assignment]

    def waits_for(self, output: "Tensor") -> bool:
        """Return whether a packed output is to have the tangents of this tensor."""
        return self._unpack_hook is not None and self._more is not None and self._more is output._more

    def settle(self, tangents: Any) -> None:
        """Set the tangents of a packed output, once these are known."""
        self._more = tangents

    def unpack(self, node: "Node | None" = None) -> "Tensor":
        """The tensor, if it was not changed; ``node`` is the one that saved it."""
        from .tensor import Tensor, wrap
        if self._gone:
            raise released(node) if self._version >= 0 else RuntimeError(
                f"Expected a proper Tensor but got None: {operation(node) if node is not None else 'the node'} has not saved its result, "
                "since the pack hook raised an error.")
        edge = self._edge if self._output_nr is None else (node, self._output_nr)
        if self._unpack_hook is not None:
            got = self._unpack_hook(self._packed)
            if not isinstance(got, Tensor):
                raise TypeError(f"Output of saved tensor unpack_hook expected to be a Tensor but got result of type {type(got).__name__}")
            made = wrap(got._array)
            made._edge, made._more = edge if is_differentiable(got._array.dtype) else None, self._more
            return made
        if self._counter is not None and self._counter[0] != self._version:
            raise modified(self._tensor if self._tensor is not None else self._view(), edge, self._version, self._counter[0])
        if self._tensor is not None:
            if self._tensor._counter is not None and self._tensor._counter[0] != self._version:     # it had none when it was saved
                raise modified(self._tensor, edge, self._version, self._tensor._counter[0])
            if type(self._edge) is tuple and type(self._tensor._edge) is not tuple:
                raise detached()
            return self._tensor
        return self._view(edge)

    def array(self, node: "Node | None" = None) -> Any:
        """The elements of `unpack`, which an output makes no Tensor for."""
        if self._output_nr is None or self._gone or self._unpack_hook is not None or (
                self._counter is not None and self._counter[0] != self._version):
            return self.unpack(node)._array
        return self._array

    def release(self) -> None:
        """Lets go of the data."""
        self._gone = True
        self._tensor = self._packed = self._unpack_hook = None
        self._array = None      # type: ignore[assignment]


def _empty() -> SavedTensor:
    made = SavedTensor.__new__(SavedTensor)
    made._version = -1
    made.release()
    return made


#: a stand-in for a tensor that a node did not save
EMPTY = _empty()

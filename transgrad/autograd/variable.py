"""Variables, which are Tensors today, and what else older programs call."""
from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from .deprecated import warn_old_name
from .nodes import Node
from .reinforce import reinforce
from .state import STATE
from .tensor import Tensor, wrap
from .volatile import make_volatile, volatile

__all__ = ["Variable"]


class _AnyTensor(type):
    """Every Tensor is an instance."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, Tensor)


class _Engine:
    """What runs backward passes, as far as programs call it."""

    def queue_callback(self, callback: Callable[[], Any]) -> None:
        """Has a function called when the backward pass that runs is done; RuntimeError where none runs."""
        sweep = STATE.sweep
        if sweep is None:
            raise RuntimeError("Final callbacks can only be installed during backward pass.")
        sweep.callbacks.append(callback)


class Variable(metaclass=_AnyTensor):
    """``Variable(data)`` is a Tensor that shares the memory of `data`.

    Parameters
    ----------
    data : Tensor, optional
        The elements; by default none.
    requires_grad : bool
        Whether operations are recorded.
    volatile : bool
        Whether to keep everything computed from it off the tape (deprecated: use ``no_grad``).

    Raises
    ------
    TypeError
        If `data` is no Tensor.
    RuntimeError
        If integers are to require grad, or both flags are set.

    Examples
    --------
    >>> import transgrad as torch
    >>> x = torch.autograd.Variable(torch.ones(2), requires_grad=True)
    >>> type(x) is torch.Tensor
    True
    """

    _execution_engine = _Engine()

    if TYPE_CHECKING:
        def __init__(self, data: Tensor | None = None, requires_grad: bool = False, volatile: bool = False) -> None: ...

    def __new__(cls, data: Any = None, requires_grad: bool = False, volatile: bool = False) -> Any:
        if data is not None and not isinstance(data, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type(data).__name__}")
        made = wrap(np.zeros(0, np.float32)) if data is None else data.detach()
        if requires_grad:
            made.requires_grad = True
        if volatile:
            warn_old_name("volatile", "Use `with torch.no_grad():` instead.")
            make_volatile(made)
        return made


def _creator(self: Tensor) -> Node | None:
    """The node of the operation that made the tensor (deprecated: `grad_fn`)."""
    warn_old_name("creator", "Use `grad_fn` instead.")
    return self.grad_fn


def _previous_functions(self: Node) -> tuple[tuple[Node | None, int], ...]:
    """The nodes that made the inputs, with the number of the output (deprecated: `next_functions`)."""
    warn_old_name("previous_functions", "Use `next_functions` instead.")
    return self.next_functions


def _num_inputs(self: Node) -> int:
    """How many inputs the operation has (deprecated: `next_functions`)."""
    warn_old_name("num_inputs", "Use `len(next_functions)` instead.")
    return len(self.next_functions)


def _num_outputs(self: Node) -> int:
    """How many outputs the operation has (deprecated)."""
    warn_old_name("num_outputs", "Count the result of the operation instead.")
    return self._outputs


OLD_NAMES: dict[type, dict[str, Any]] = {
    Tensor: {"creator": property(_creator), "volatile": volatile, "reinforce": reinforce},
    Node: {
        "previous_functions": property(_previous_functions), "num_inputs": property(_num_inputs), "num_outputs": property(_num_outputs),
    },
}
for _class, _names in OLD_NAMES.items():
    for _name, _member in _names.items():
        setattr(_class, _name, _member)

"""Observe the operations of the tape: one slot in the thread-local state, empty unless a profiler or an emitter is active."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

FUNCTION = 0
BACKWARD_FUNCTION = 1
USER_SCOPE = 7


class Observer(Protocol):
    """Hears of every operation as it begins and ends.

    Begins and ends nest on each thread, as the calls do.
    """

    def begin(self, name: str, scope: int, sequence_nr: int, inputs: Sequence[object]) -> Any:
        """Called before the operation.

        Parameters
        ----------
        name : str
            ``"aten::mul"`` for an operation, ``"MulBackward0"`` for a node of the backward pass, a label for a user's range.
        scope : int
            `FUNCTION`, `BACKWARD_FUNCTION` or `USER_SCOPE`.
        sequence_nr : int
            Of an operation: the number that the node it makes will have; of a node: its own; -1 if there is none.
        inputs : sequence of object
            Positional arguments, Tensors, arrays and others.

        Returns
        -------
        object
            The token for `end`.
        """

    def end(self, token: Any, outputs: Sequence[object]) -> None:
        """Called after the operation; without outputs where it raised."""


def told(observer: Observer, name: str, scope: int, sequence_nr: int, inputs: Sequence[object], run: Callable[[], Any]) -> Any:
    """Run an operation of which the observer hears."""
    token = observer.begin(name, scope, sequence_nr, inputs)
    outputs: Any = ()
    try:
        outputs = run()
        return outputs
    finally:
        observer.end(token, outputs if isinstance(outputs, (tuple, list)) else (outputs,))


class Both:
    """Two observers in one slot: an emitter inside a profile, say."""

    __slots__ = ("inner", "outer")

    def __init__(self, outer: Observer, inner: Observer) -> None:
        self.outer = outer
        self.inner = inner

    def begin(self, name: str, scope: int, sequence_nr: int, inputs: Sequence[object]) -> tuple[Any, Any]:
        outer = self.outer.begin(name, scope, sequence_nr, inputs)
        return outer, self.inner.begin(name, scope, sequence_nr, inputs)

    def end(self, token: tuple[Any, Any], outputs: Sequence[object]) -> None:
        self.inner.end(token[1], outputs)
        self.outer.end(token[0], outputs)

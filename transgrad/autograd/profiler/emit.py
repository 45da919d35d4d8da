"""Ranges for the viewers of NVIDIA and Intel, instead of a profile of our own."""
from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from importlib import import_module
from types import TracebackType
from typing import Any, Literal, Self

from ..observer import BACKWARD_FUNCTION
from .recorder import shape_of
from .switch import listening


class _Emit:
    """Sends a range for every operation to an annotation library."""

    _tool: str
    _module: str
    _extra: str

    def __init__(self, enabled: bool = True, record_shapes: bool = False) -> None:
        self.enabled = enabled
        self.entered = False
        self.record_shapes = record_shapes
        self._listening: AbstractContextManager[None] | None = None

    def __enter__(self) -> Self:
        if not self.enabled:
            return self
        if self.entered:
            raise RuntimeError(f"{self._tool} annotation context manager is not reentrant")
        try:
            self._library: Any = import_module(self._module)
        except ImportError as error:
            message = f"emit_{self._extra} needs the package {self._module}: pip install transgrad[{self._extra}]"
            raise ImportError(message) from error
        self.entered = True
        self._listening = listening(self)
        self._listening.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> Literal[False]:
        if self._listening is not None:
            self._listening.__exit__(kind, error, trace)
        return False

    def begin(self, name: str, scope: int, sequence_nr: int, inputs: Sequence[object]) -> None:
        """Open the range of an operation."""
        self._push(_label(name, scope, sequence_nr, [shape_of(value) for value in inputs] if self.record_shapes else []))

    def end(self, token: None, outputs: Sequence[object]) -> None:
        """Close the range opened last."""
        self._pop()

    def _push(self, label: str) -> None:
        raise NotImplementedError

    def _pop(self) -> None:
        raise NotImplementedError


def _label(name: str, scope: int, sequence_nr: int, shapes: list[list[int]]) -> str:
    parts = [name]
    if sequence_nr >= 0:
        parts.append(f"{'stashed seq' if scope == BACKWARD_FUNCTION else 'seq'}={sequence_nr}")
    if shapes:
        parts.append(f"sizes={shapes}")
    return ", ".join(parts)


class emit_nvtx(_Emit):
    """Context manager that makes every operation emit an NVTX range, for Nsight Systems and its kin; needs the package `nvtx`.

    The range of a forward operation ends in ``seq=<N>``, that of the node it makes in ``stashed seq=<N>``.  Under ``create_graph=True`` the
    operations of the backward pass have their own ``seq``, for the double backward.

    Parameters
    ----------
    enabled : bool
        False makes the context manager do nothing.
    record_shapes : bool
        Whether labels end in the shapes of the arguments, ``sizes=[[3, 4], []]`` with ``[]`` for those without one.

    Raises
    ------
    RuntimeError
        If it is entered twice.
    ImportError
        If the package is missing.
    """

    _tool, _module, _extra = "NVTX", "nvtx", "nvtx"

    def _push(self, label: str) -> None:
        self._library.push_range(label, domain="transgrad")

    def _pop(self) -> None:
        self._library.pop_range(domain="transgrad")


class emit_itt(_Emit):
    """Context manager that makes every operation emit an ITT task, for Intel VTune; needs the package `ittapi`.

    Labels, parameters and errors are those of `emit_nvtx`.
    """

    _tool, _module, _extra = "ITT", "ittapi", "itt"

    def _push(self, label: str) -> None:
        self._library.task_begin(self._library.domain("transgrad"), self._library.string_handle(label))

    def _pop(self) -> None:
        self._library.task_end(self._library.domain("transgrad"))

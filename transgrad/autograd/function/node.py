"""The node of a `Function` on the tape, which is its context too."""
from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ..callers import stacklevel
from ..fit import Meta, fitted
from ..nodes import Node
from ..saved import SavedTensor, released
from ..tensor import Tensor, wrap
from .context import FunctionCtx

__all__ = ["BackwardCFunction"]


class BackwardCFunction(Node, FunctionCtx):
    """Runs the user's backward.

    Attributes
    ----------
    needs_input_grad : tuple of bool
        For each argument of forward, whether it requires grad.
    """

    _forward_cls: Any
    _runs_on_none = True
    _freed = False
    needs_input_grad: tuple[bool, ...] = ()

    def __init__(self) -> None:
        super().__init__()
        self._saved: list[SavedTensor | None] = []
        self._inputs: tuple[Meta | None, ...] = ()
        self._results: list[Meta | None] = []

    def __repr__(self) -> str:
        return object.__repr__(self)

    @property
    def num_inputs(self) -> int:
        """The number of arguments of forward."""
        return len(self._inputs)

    @property
    def num_outputs(self) -> int:
        """The number of values forward returned."""
        return len(self._results)

    @property
    def saved_tensors(self) -> tuple[Tensor | None, ...]:
        """What `save_for_backward` saved (in jvp: what `save_for_forward` did).

        Raises
        ------
        RuntimeError
            Where it has been freed, or written to.
        """
        if self.saved_for_forward is not None:
            return self.saved_for_forward
        if self._freed:
            raise released(self)
        return tuple(None if s is None else s.unpack(self) for s in self._saved)

    @property
    def saved_variables(self) -> tuple[Tensor | None, ...]:
        """The first name of `saved_tensors`."""
        warnings.warn("'saved_variables' is deprecated; use 'saved_tensors'", DeprecationWarning, stacklevel=stacklevel())
        return self.saved_tensors

    @property
    def _raw_saved_tensors(self) -> tuple[SavedTensor | None, ...]:
        if self._freed:
            raise released(self)
        return tuple(self._saved)

    def release(self) -> None:
        self._freed = True
        for s in self._saved:
            if s is not None:
                s.release()

    def apply_graph(self, g: Any, keep: bool) -> tuple[Any, ...]:
        given = g if self._outputs != 1 else (g,)
        if self.materialize_grads and any(part is None for part in given):
            given = tuple(_zeros(meta) if part is None and meta is not None else part for part, meta in zip(given, self._results))
        found = self._backward()(self, *given)
        if not keep:
            self.release()
        return self._checked(found if isinstance(found, tuple) else (found,))

    def _backward(self) -> Any:
        cls = self._forward_cls
        if cls.vjp is cls._undefined.vjp:
            return cls.backward
        names = [name for name in ("backward", "vjp") if getattr(cls, name) is not getattr(cls._undefined, name)]
        if len(names) == 2:
            raise RuntimeError("Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You should only implement "
                               "one of them.")
        return getattr(cls, names[0] if names else "backward")

    def _checked(self, entries: tuple[Any, ...]) -> tuple[Any, ...]:
        """The gradients of the tensors among the arguments, in their shapes and dtypes."""
        expected = len(self._inputs)
        if len(entries) > expected and all(e is None for e in entries[expected:]):
            entries = entries[:expected]
        if len(entries) != expected:
            raise RuntimeError(f"function {self.name()} returned an incorrect number of gradients (expected {expected}, got "
                               f"{len(entries)})")
        made: list[Any] = []
        for i, (e, meta, need) in enumerate(zip(entries, self._inputs, self.needs_input_grad)):
            if meta is None:
                if e is not None:
                    raise RuntimeError(f"function {self.name()} returned a gradient different than None at position {i + 1}, but the "
                                       f"corresponding forward input was not a Variable")
                continue
            if e is not None and not isinstance(e, Tensor):
                raise RuntimeError(f"expected Variable or None (got {type(e).__name__})")
            if e is None or not need:
                made.append(None)
            elif type(e) is Tensor and e._array.shape == meta[0] and e._array.dtype == meta[1]:
                made.append(e)
            else:
                made.append((len(made), e, *meta))
        return tuple([self._fitted(*e) if type(e) is tuple else e for e in made])

    def _fitted(self, k: int, g: Tensor, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
        have = tuple(g.shape)
        tail = have[len(have) - len(shape):]
        if len(have) < len(shape) or any(n not in (1, m) for n, m in zip(shape, tail)):
            raise RuntimeError(f"Function {self.name()} returned an invalid gradient at index {k} - got {list(have)} but expected shape "
                               f"compatible with {list(shape)}")
        if g.is_complex() and dtype.kind != "c":
            raise RuntimeError(f"Function {self.name()} returned an invalid gradient at index {k} - got a complex gradient for a real "
                               f"input; return its real part")
        return fitted(g, shape, dtype)


def _zeros(meta: Meta) -> Tensor:
    return wrap(np.zeros(*meta))

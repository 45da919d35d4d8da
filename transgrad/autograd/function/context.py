"""The context object of a `Function`."""
from __future__ import annotations

from typing import Any

from ..deprecated import warn_old_name
from ..tensor import Tensor

__all__ = ["FunctionCtx"]


class FunctionCtx:
    """The first argument ``ctx`` of the methods of a `Function`; any attribute may be set on it."""

    to_save: tuple[Tensor | None, ...] = ()
    saved_for_forward: tuple[Tensor | None, ...] | None = None
    dirty_tensors: tuple[Tensor, ...] = ()
    non_differentiable: tuple[Tensor, ...] = ()
    materialize_grads = True

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Save tensors (or None) for backward, available as ``ctx.saved_tensors``; call it at most once, in forward or setup_context.

        They are checked not to have been written to since, and hooks on saved tensors see them.  A second call replaces the first.
        """
        self.to_save = tensors

    def save_for_forward(self, *tensors: Tensor | None) -> None:
        """Save tensors (or None) for jvp, available as ``ctx.saved_tensors``.

        Raises
        ------
        AssertionError
            For anything else than tensors, which can be set as attributes.
        """
        for t in tensors:
            if t is not None and not isinstance(t, Tensor):
                raise AssertionError("save_for_forward expects all arguments to be tensors; you should save non-tensors as attributes on "
                                     "ctx.")
        self.saved_for_forward = tensors

    def mark_dirty(self, *args: Tensor) -> None:
        """Says that inputs were written to: each has to be returned, is returned as the same object, and gets the function for its
        history."""
        for k, x in enumerate(args):
            if not isinstance(x, Tensor):
                raise RuntimeError(f"mark_dirty can only accept variables, but argument {k} is of type {type(x).__name__}")
        self.dirty_tensors = args

    def mark_non_differentiable(self, *args: Tensor) -> None:
        """Says that outputs have no derivative: they require no grad; backward still takes a gradient for each, of zeros."""
        for x in args:
            if not isinstance(x, Tensor):
                raise RuntimeError(f"mark_non_differentiable only accepts variable arguments, but got {type(x).__name__}")
        self.non_differentiable = args

    def set_materialize_grads(self, value: bool) -> None:
        """Return whether backward and jvp get tensors of zeros in place of None (the default)."""
        self.materialize_grads = value

    def mark_shared_storage(self, *pairs: Any) -> None:
        """Has no effect: shared memory is noticed."""
        warn_old_name("mark_shared_storage", "Leave it out: tensors with shared storages are automatically tracked.")

"""Optimizers of plain structures: lists, dicts and dataclasses of NumPy arrays and floats, with gradients of the same structure."""
from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..autograd.grad_mode import no_grad
from ..autograd.tensor import Tensor, wrap
from ..runtime.fields import holds_record, is_node
from ..tree import flatten, unflatten

__all__ = ["Structured"]


class Structured:
    """The part of an optimizer that accepts nested structures of arrays."""

    _form: Any = None
    _leaves: list[Any]
    _updated: list[bool]
    param_groups: list[dict[str, Any]]

    def _take(self, params: Any) -> list[Any]:
        """The parameters as a list of Tensors or dicts; of a structure of arrays, Tensors on their memory."""
        listed = list(params) if isinstance(params, (list, tuple, Iterator)) or not isinstance(params, dict) and hasattr(
            params, "__next__") else None
        if listed is not None and (not listed or _of_torch(listed[0])):
            return listed
        if listed is None and not isinstance(params, (dict, np.ndarray, float)) and hasattr(params, "__iter__"):
            listed = list(params)
            if not listed or _of_torch(listed[0]):
                return listed
        given = listed if isinstance(params, Iterator) else params
        self._leaves, self._form = flatten(given, objects=True)
        self._updated = [_is_float(leaf) or not holds_record(given) for leaf in self._leaves]     # other fields of instances stay
        return [_leaf(leaf) for leaf, updated in zip(self._leaves, self._updated) if updated]

    def _step_structure(self, grads: Any) -> Any:
        """Update by gradients of the same structure; returns the structure, with the arrays that it had and new numbers."""
        if grads is None or callable(grads) and not is_node(grads):
            raise TypeError("step() of an optimizer of plain arrays takes the gradients, a structure like that of the parameters. "
                            "Hint: optimizer.step(tg.grad(loss)(params)).")
        leaves, form = flatten(grads, objects=True)
        if form != self._form:
            raise ValueError(f"the gradients have another structure than the parameters: {form}, expected {self._form}")
        tensors = [p for group in self.param_groups for p in group["params"]]
        for p, g in zip(tensors, itertools.compress(leaves, self._updated)):
            g = np.asarray(g, p._array.dtype)
            if g.shape != p._array.shape:
                raise ValueError(f"a gradient of shape {g.shape} for a parameter of shape {p._array.shape}")
            p._grad = wrap(g)
        with no_grad():
            self._update_all()      # type: ignore[attr-defined]
        for p in tensors:
            p._grad = None
        return self.params

    @property
    def params(self) -> Any:
        """The structure with its present values."""
        tensors = [p for group in self.param_groups for p in group["params"]]
        rest = iter(tensors)
        return unflatten(self._form, [_as(leaf, next(rest)) if updated else leaf for leaf, updated in zip(self._leaves, self._updated)])


def _as(leaf: Any, p: Tensor) -> Any:
    """The present value of a parameter, as an array or a number."""
    return p._array if isinstance(leaf, np.ndarray) else p._array.item()


def _of_torch(first: Any) -> bool:
    """Return whether a list begins as one of Tensors, of pairs with names, or of groups does."""
    if isinstance(first, dict):
        return "params" in first and (isinstance(first["params"], Tensor) or _lists_tensors(first["params"]))
    return isinstance(first, Tensor) or isinstance(first, tuple) and len(first) == 2 and isinstance(first[0], str)


def _lists_tensors(params: Any) -> bool:
    """Return whether these are Tensors: an iterator is one of them, since a structure has none."""
    if isinstance(params, (list, tuple)):
        return not params or _of_torch(params[0])
    return hasattr(params, "__next__") or isinstance(params, set)


def _is_float(leaf: Any) -> bool:
    return isinstance(leaf, (float, complex, np.inexact)) or isinstance(leaf, np.ndarray) and leaf.dtype.kind in "fc"


def _leaf(leaf: Any) -> Tensor:
    if isinstance(leaf, np.ndarray):
        if leaf.dtype.kind not in "fc":
            raise TypeError(f"an optimizer updates floating or complex arrays, but one of the parameters is of {leaf.dtype}")
        if not leaf.flags.writeable:
            raise ValueError("one of the parameters is a read-only array, which cannot be updated in place")
        return wrap(leaf)
    if isinstance(leaf, (float, complex, np.floating, np.complexfloating)):
        return wrap(np.array(leaf))
    raise TypeError(f"an optimizer updates floats, Tensors and NumPy arrays, but one of the parameters is {type(leaf).__name__}")

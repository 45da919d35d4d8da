"""Optimizers of nested structures: lists, dicts and dataclasses of NumPy arrays and floats, with gradients of the same structure."""
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
    """The part of an optimizer that accepts a nested structure of arrays.

    The leaves become Tensors that share the memory of the arrays, so that one loop updates both kinds of parameters. `step` sets their
    gradients, runs the loop and removes the gradients again.
    """

    _form: Any = None
    _leaves: list[Any]
    _updated: list[bool]
    param_groups: list[dict[str, Any]]

    def _as_tensors(self, params: Any) -> list[Any]:
        """Return the parameters as a list of Tensors or dicts."""
        listed = list(params) if hasattr(params, "__iter__") and not isinstance(params, (dict, np.ndarray)) else None
        if listed is not None and (not listed or _is_torch_parameter(listed[0])):
            return listed
        structure = listed if isinstance(params, Iterator) else params
        self._leaves, self._form = flatten(structure, objects=True)
        # fields of records that are not floats are not parameters
        self._updated = [_is_float(leaf) or not holds_record(structure) for leaf in self._leaves]
        return [_as_tensor(leaf) for leaf in itertools.compress(self._leaves, self._updated)]

    def _tensors(self) -> list[Any]:
        return [p for group in self.param_groups for p in group["params"]]

    def _step_structure(self, grads: Any) -> Any:
        """Update by gradients of the same structure; return the structure with the same arrays and new numbers."""
        if grads is None or callable(grads) and not is_node(grads):
            raise TypeError("step() of an optimizer of plain arrays takes the gradients, a structure like that of the parameters. "
                            "Hint: optimizer.step(tg.grad(loss)(params)).")
        leaves, form = flatten(grads, objects=True)
        if form != self._form:
            raise ValueError(f"the gradients have another structure than the parameters: {form}, expected {self._form}")
        for p, g in zip(self._tensors(), itertools.compress(leaves, self._updated)):
            g = np.asarray(g, p._array.dtype)
            if g.shape != p._array.shape:
                raise ValueError(f"a gradient of shape {g.shape} for a parameter of shape {p._array.shape}")
            p._grad = wrap(g)
        with no_grad():
            self._update_all()      # type: ignore[attr-defined]
        for p in self._tensors():
            p._grad = None
        return self.params

    @property
    def params(self) -> Any:
        """The structure with the present values."""
        arrays = (p._array for p in self._tensors())
        return unflatten(self._form, [leaf if not updated else next(arrays) if isinstance(leaf, np.ndarray) else next(arrays).item()
                                      for leaf, updated in zip(self._leaves, self._updated)])


def _is_torch_parameter(first: Any) -> bool:
    """Return whether the first item of a list is a Tensor, a pair of a name and a Tensor, or a parameter group."""
    if isinstance(first, dict):
        group = first.get("params")
        if isinstance(group, (list, tuple)):
            return not group or _is_torch_parameter(group[0])
        return isinstance(group, (Tensor, Iterator, set))
    return isinstance(first, Tensor) or isinstance(first, tuple) and len(first) == 2 and isinstance(first[0], str)


def _is_float(leaf: Any) -> bool:
    return isinstance(leaf, (float, complex, np.inexact)) or isinstance(leaf, np.ndarray) and leaf.dtype.kind in "fc"


def _as_tensor(leaf: Any) -> Tensor:
    """Return a Tensor on the memory of an array, or with the value of a number."""
    if not isinstance(leaf, (float, complex, np.inexact, np.ndarray)):
        raise TypeError(f"an optimizer updates floats, Tensors and NumPy arrays, but one of the parameters is {type(leaf).__name__}")
    array = np.asarray(leaf)
    if array.dtype.kind not in "fc":
        raise TypeError(f"an optimizer updates floating or complex arrays, but one of the parameters is of {array.dtype}")
    if isinstance(leaf, np.ndarray) and not leaf.flags.writeable:
        raise ValueError("one of the parameters is a read-only array, which cannot be updated in place")
    return wrap(array)

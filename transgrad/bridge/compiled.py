"""A compiled function called with Tensors: one node of the tape, whose forward and backward functions are generated."""
from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import tree
from ..autograd.batching.examples import each
from ..autograd.function import Function
from ..autograd.grad_mode import is_grad_enabled
from ..autograd.tensor import Tensor, wrap
from ..transforms.derivative import Derivative
from ..transforms.transformations import Forward, Pulled, Split
from .array import TapedArray

if TYPE_CHECKING:
    from ..transforms.derivative import Derivative

__all__ = ["apply_compiled"]


class _Site:
    """A call: the derivative, the positions of the Tensors among the arguments, and the residuals of the forward function."""

    def __init__(self, derivative: Derivative, values: Mapping[str, Any]):
        self.derivative = derivative
        self.keys = list(values)
        leaves, self.form = tree.flatten(list(values.values()))
        self.leaves = [x.tensor if isinstance(x, TapedArray) else x for x in leaves]
        self.places = [k for k, x in enumerate(self.leaves) if isinstance(x, Tensor)]
        self.numbers = {k: isinstance(x, TapedArray) and x.number or isinstance(x, Tensor) and x._array.ndim == 0
                        for k, x in enumerate(leaves)}
        self.out_form: Any = None
        self.out_leaves: list[Any] = []
        self.pull: Any = None

    @property
    def tensors(self) -> list[Tensor]:
        return [self.leaves[k] for k in self.places]

    def values(self, given: Any) -> dict[str, Any]:
        """The arguments with others in the places of the Tensors."""
        leaves = list(self.leaves)
        for k, x in zip(self.places, given):
            leaves[k] = x
        return dict(zip(self.keys, tree.unflatten(self.form, leaves)))

    def arrays(self, tensors: Any) -> list[Any]:
        return [t._array[()] if self.numbers[k] else t._array for k, t in zip(self.places, tensors)]

    def names(self) -> tuple[str, ...]:
        """The arguments with Tensors that are differentiated."""
        values = self.values(self.tensors)
        return tuple(n for n, v in values.items()
                     if any(isinstance(x, Tensor) and x._array.dtype.kind in "fc" for x in tree.flatten(v)[0]))

    def of(self, kind: Any) -> Derivative:
        """Another derivative of the same function, with respect to the Tensors."""
        options = self.derivative.options
        return Derivative(kind, self.derivative, 0, self.names(), dataclasses.replace(options, fallback="error"))


def apply_compiled(derivative: Derivative, values: Mapping[str, Any]) -> Any:
    """Run the derivative as one node, inside `vmap` as one per example; raise the errors of the compiler."""
    return each(lambda given: _apply(derivative, given), dict(values))


def _apply(derivative: Derivative, values: Mapping[str, Any]) -> Any:
    site = _Site(derivative, values)
    as_arrays = any(isinstance(x, TapedArray) for x in tree.flatten(dict(values))[0])
    if not site.names():
        plain = site.values(site.arrays(site.tensors))
        out = derivative.variant(plain).call_with(plain)
        return out if as_arrays else tree.map_leaves(lambda x: wrap(np.asarray(x)) if _is_number(x) else x, out)
    found = Compiled.apply(site, *site.tensors)
    found = found if isinstance(found, tuple) else (found,)
    rest = iter(found)
    leaves = [next(rest) if is_number else x for is_number, x in site.out_leaves]
    if as_arrays:
        leaves = [TapedArray(x, number=x._array.ndim == 0) if isinstance(x, Tensor) else x for x in leaves]
    return tree.unflatten(site.out_form, leaves)


def _is_number(x: Any) -> bool:
    return isinstance(x, (np.ndarray, np.generic, float, complex)) and np.asarray(x).dtype.kind in "fc"


class Compiled(Function):
    """The node."""

    @staticmethod
    def forward(ctx: Any, site: _Site, *tensors: Tensor) -> Any:
        out, pull = site.of(Split(False)).split_with(site.values(site.arrays(tensors)))
        site.pull = pull
        leaves, site.out_form = tree.flatten(out)
        site.out_leaves = [(_is_number(x), x) for x in leaves]
        ctx.site = site
        ctx.save_for_backward(*tensors)
        made = tuple(wrap(np.array(x)) for is_number, x in site.out_leaves if is_number)
        return made if len(made) != 1 else made[0]

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        site: _Site = ctx.site
        tensors = ctx.saved_tensors
        if is_grad_enabled():
            pulled = site.of(Pulled())
            found = pulled.call_with({**site.values(tensors), list(pulled.__signature__.parameters)[-1]: tuple(grads)})
            return (None, *_per_tensor(site, found))
        return each(lambda *gs: (None, *_pulled(site, gs)), *grads)

    @staticmethod
    def jvp(ctx: Any, _: Any, *tangents: Any) -> Any:
        return each(lambda *ts: _pushed(ctx.site, ts), *tangents)


def _pulled(site: _Site, grads: tuple[Any, ...]) -> list[Any]:
    """The gradients of the Tensors, by the generated backward function."""
    rest = iter(g._array for g in grads)
    return _per_tensor(site, site.pull(tree.unflatten(site.out_form, [_like(next(rest), x) if is_number else x
                                                                      for is_number, x in site.out_leaves])))


def _pushed(site: _Site, tangents: tuple[Any, ...]) -> Any:
    """The tangents of the results, by the generated forward derivative."""
    tensors = site.tensors
    given = [np.zeros_like(t._array) if d is None else d._array for t, d in zip(tensors, tangents)]
    zeros = [x[()] if site.numbers[k] else x for k, x in zip(site.places, given)]
    values, dots = site.values(site.arrays(tensors)), site.values(zeros)
    _, dot = site.of(Forward(False)).call_with({**values, **{f"{n}_dot": dots[n] for n in site.names()}})
    found = tuple(wrap(np.asarray(x)) for x, (is_number, _) in zip(tree.flatten(dot)[0], site.out_leaves) if is_number)
    return found if len(found) != 1 else found[0]


def _like(g: Any, x: Any) -> Any:
    return g if isinstance(x, np.ndarray) else g[()]


def _per_tensor(site: _Site, found: Any) -> list[Any]:
    """The gradients in the order of the Tensors, from those of the arguments that hold them."""
    names = site.names()
    parts = dict(zip(names, found))
    flat = [leaf for name, v in site.values(site.tensors).items()
            for leaf in (tree.flatten(parts[name])[0] if name in parts else [None] * len(tree.flatten(v)[0]))]
    return [g if isinstance(g, Tensor) or g is None else wrap(np.asarray(g)) for g in (flat[k] for k in site.places)]

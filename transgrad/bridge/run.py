"""Derivatives of a plain NumPy function by running it on the tape."""
from __future__ import annotations

import functools
import itertools
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .. import tree
from ..autograd import dispatch
from ..autograd.backward import grad
from ..autograd.forward_ad import make_dual, shared_dual_level, unpack_dual
from ..autograd.grad_mode import enable_grad
from ..autograd.graph import saved_tensors_hooks
from ..autograd.state import numpy_layouts
from ..autograd.tensor import Tensor, wrap
from ..errors import UnsupportedCall
from ..rules.stand_ins import HINT, stand_in
from ..runtime import lying_as
from ..transforms.arguments import Slot, name_of, pick
from ..transforms.seeds import is_active
from ..transforms.sharing import REMEDY
from .aliases import objects, of_users
from .array import TapedArray
from .array_classes import SubclassArray, instance_of
from .exchange import Exchange
from .held import NAMESPACES, is_container, settled
from .lift import give_back, is_inside, lifted
from .outside import Outside, outside_arrays
from .written import running

__all__ = ["Run", "as_it_is", "copied", "forward", "plain", "same", "tangent_of_rest"]


class Run:
    """One run of a function on the tape: its arguments as leaves, and its results.

    Parameters
    ----------
    f : callable
        The function.
    call : callable
        Given a function and arguments by name, calls it.
    values : mapping of str to object
        The arguments, which are taped themselves in nested derivatives.
    slots : sequence of Slot
        The differentiated arguments.
    dots : sequence, optional
        Tangents, one per slot, for forward mode.
    """

    def __init__(self, f: Callable[..., Any], call: Callable[..., Any], values: Mapping[str, Any], slots: Sequence[Slot],
                 dots: Sequence[Any] | None = None):
        self.name, self.slots, self.values = name_of(f), slots, dict(values)
        self.leaves: list[list[Any]] = []
        self.given: list[tuple[list[Any], tree.Structure]] = []     # the leaves of each slot, as they were, and its structure
        self.nested = is_inside(f)
        given: list[tuple[np.ndarray, TapedArray, int]] = []
        exchange = Exchange(lambda x: plain(x) if isinstance(x, TapedArray) and not self.nested else x)
        # NumPy code writes into arrays that it has read before
        with running(), objects(exchange.plain), outside_arrays() as outside, saved_tensors_hooks(as_it_is, same):
            rest = dict(values)
            for slot in slots:
                _put(rest, slot, None)
            # a container stays itself: the function may find it in a global or a closure as well
            new = {name: _shared(value) if is_container(value) else exchange.pair(tree.map_leaves(_shared, value), value)
                   for name, value in rest.items()}
            for k, slot in enumerate(slots):
                value = pick(values, slot)
                flat, form = tree.flatten(value, objects=True)
                tangents = tree.flatten(dots[k], objects=True)[0] if dots is not None else itertools.repeat(None)
                self.given.append((flat, form))
                held = [self._leaf(x, t, given) for x, t in zip(flat, tangents)]
                self.leaves.append([leaf for leaf, _ in held])
                _put(new, slot, exchange.pair(tree.unflatten(form, [seen for _, seen in held]), value))
            try:
                with numpy_layouts():
                    self.out = call(lifted(f), new)
            finally:
                give_back(exchange.plain)
            self._write_back(outside, given)
        exchange.restore(self.name)
        if not self.nested and (cls := stand_in(self.out)) is not None:
            raise UnsupportedCall(f"{self.name} returns a {cls.__name__} of SciPy, for which transgrad has a class of its own", None, HINT)

    def _leaf(self, x: Any, tangent: Any, given: list[tuple[np.ndarray, TapedArray, int]]) -> tuple[Any, Any]:
        """The differentiated Tensor, and the array passed to the function."""
        if not isinstance(x, TapedArray) and not is_active(x):
            return None, x
        if isinstance(x, TapedArray):
            self.nested = True
            leaf = x.tensor.clone()
        else:
            leaf = wrap(np.array(x))
        if tangent is not None:
            self.nested = self.nested or isinstance(tangent, TapedArray)
            leaf = make_dual(leaf, tangent.tensor if isinstance(tangent, TapedArray) else wrap(np.asarray(tangent, leaf._array.dtype)))
        elif not leaf.requires_grad:
            leaf.requires_grad_()
        kinds: dict[type, Any] = {np.ndarray: False, float: float, complex: float}
        number = x.number if isinstance(x, TapedArray) else kinds.get(type(x), True)
        seen = TapedArray(copied(leaf, x), number)     # which the function may write to
        if isinstance(x, np.ndarray):
            given.append((x, seen, seen.tensor._version))
        return leaf, seen

    def _write_back(self, outside: Outside, given: Sequence[tuple[np.ndarray, TapedArray, int]]) -> None:
        """Copy the function's writes into its arguments back. Refuse a write to memory that another argument or an external array shares:
        on the tape they are separate arrays."""
        arguments = [(x, seen.tensor._version != version) for x, seen, version in given]
        known = [*outside.written(), *arguments]
        for k, (a, a_changed) in enumerate(known) if any(changed for _, changed in known) else ():
            for b, b_changed in known[k + 1:]:
                if (a_changed or b_changed) and a.size and b.size and np.may_share_memory(a, b):
                    raise UnsupportedCall(f"{self.name} writes into an array that shares memory with another one", None, REMEDY)
        for x, seen, version in given:
            if seen.tensor._version != version:
                x[...] = seen.tensor._array.reshape(x.shape)
        for x, seen in [*outside.arrays(), *((x, seen) for x, seen, _ in given)]:
            if x.shape != seen.shape:       # it was assigned
                x.shape = seen.shape

    # results

    def outputs(self, value: Any) -> list[Tensor]:
        """The Tensors in a part of the result."""
        return [x.tensor for x in tree.flatten(value)[0] if isinstance(x, TapedArray)]

    def pull(self, tensors: Sequence[Tensor], cotangents: Sequence[Tensor | None], keep: bool = True) -> list[Any]:
        """The cotangents of the slots, in their structure."""
        pairs = [(t, g) for t, g in zip(tensors, cotangents) if t.requires_grad]
        wanted = [leaf for leaves in self.leaves for leaf in leaves if leaf is not None]
        found: Any = [None] * len(wanted)
        if pairs and wanted:
            found = grad([t for t, _ in pairs], wanted, [g for _, g in pairs], retain_graph=keep, create_graph=self.nested,
                                  allow_unused=True)
        rest = iter(found)
        out = []
        for (flat, form), leaves in zip(self.given, self.leaves):
            gradients = [None if leaf is None else self._gradient(next(rest), leaf, x) for leaf, x in zip(leaves, flat)]
            out.append(tree.unflatten(form, gradients))
        return out

    def _gradient(self, g: Any, leaf: Tensor, x: Any) -> Any:
        if g is None:
            g = wrap(np.zeros_like(leaf._array))
        return TapedArray(g, number=np.ndim(leaf._array) == 0) if self.nested else plain(TapedArray(g), x)

    def result(self, value: Any) -> Any:
        """A part of the result, as the caller receives it."""
        return value if self.nested else tree.map_leaves(lambda x: plain(x) if isinstance(x, TapedArray) else x, value)


def copied(leaf: Tensor, x: Any) -> Tensor:
    """A copy of an argument with the same strides, on which it depends whether an operation returns a view."""
    held = x.tensor._array if isinstance(x, TapedArray) else x
    with_gaps = isinstance(held, np.ndarray) and held.size and held.strides != leaf._array.strides and not any(
        s == 0 or s % held.itemsize for n, s in zip(held.shape, held.strides) if n > 1)
    return dispatch.apply(lying_as, leaf, held) if with_gaps else leaf.clone()  # type: ignore[no-any-return]


def plain(x: TapedArray, like: Any = None) -> Any:
    """The array, or the number, that a taped array stands for."""
    if isinstance(x, SubclassArray):
        return instance_of(x, lambda item: settled(item, plain, {}))
    array = x.tensor.detach()._array
    if like is not None and not isinstance(like, (np.ndarray, np.generic)):
        return type(like)(array)
    if x.number is float:
        return array.item()
    if x.number or isinstance(like, np.generic):
        return array[()]
    return array


def as_it_is(t: Tensor) -> Tensor:
    """A saved tensor with numbers of its own, which no write reaches."""
    kept = wrap(t._array.copy())
    kept._edge = t._edge
    return kept


def _shared(x: Any) -> Any:
    """A value that is not differentiated but may receive differentiated ones: arrays, functions, containers and objects are lifted."""
    kinds = (np.ndarray, types.FunctionType, types.MethodType, functools.partial, type)
    return lifted(x) if isinstance(x, kinds) or is_container(x) or type(x) in NAMESPACES or of_users(type(x)) else x


def same(t: Tensor) -> Tensor:
    return t


def _put(values: dict[str, Any], slot: Slot, value: Any) -> None:
    if slot.key is None:
        values[slot.name] = value
    elif isinstance(slot.key, int):
        items = list(values[slot.name])
        items[slot.key] = value
        values[slot.name] = tuple(items)
    else:
        values[slot.name] = {**values[slot.name], slot.key: value}


def forward(f: Callable[..., Any], call: Callable[..., Any], values: Mapping[str, Any], slots: Sequence[Slot],
            dots: Sequence[Any]) -> tuple[Any, Any]:
    """The result of a function, and its tangent."""
    with shared_dual_level(), enable_grad():
        run = Run(f, call, values, slots, dots)

        def tangent(x: Any) -> Any:
            if not isinstance(x, TapedArray):
                return tangent_of_rest(x)
            found = unpack_dual(x.tensor).tangent
            return TapedArray(found if found is not None else wrap(np.zeros_like(x.tensor._array)), x.number)

        def primal(x: Any) -> Any:
            return TapedArray(unpack_dual(x.tensor).primal, x.number) if isinstance(x, TapedArray) else x
        dot = tree.map_leaves(tangent, run.out)
        return run.result(tree.map_leaves(primal, run.out)), run.result(dot)


def tangent_of_rest(x: Any) -> Any:
    """The tangent of a returned leaf that is not differentiated; TypeError for an object that holds differentiated values."""
    held = getattr(x, "__dict__", {}) if not isinstance(x, (type, types.ModuleType)) and not callable(x) else {}
    if any(isinstance(leaf, TapedArray) for leaf in tree.flatten(list(held.values()))[0]):
        raise TypeError(f"a {type(x).__name__} that holds differentiated values is returned, which has no tangent: return the values "
                        f"themselves, or an instance of a dataclass")
    return x * 0.0 if is_active(x) else None

"""A call of a refused function within compiled code: one run on the tape, and its pullback."""
from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from .. import tree
from ..autograd.backward import grad
from ..autograd.grad_mode import enable_grad
from ..autograd.graph import saved_tensors_hooks
from ..autograd.selections import following_the_compiler
from ..autograd.state import numpy_layouts
from ..autograd.tensor import Tensor, wrap
from ..errors import FormChanged
from ..ir.forms import parse
from ..transforms.arguments import name_of
from ..transforms.seeds import is_active
from .aliases import objects
from .array import TapedArray, following
from .forms import NoForm, check_apart, check_outside, conform, find_written, snapshot
from .lift import give_back, lifted
from .outside import outside_arrays
from .run import as_it_is, copied, plain, same
from .written import running

__all__ = ["Pullback", "call", "checked"]


def call(f: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], returns: str, wrt: Any, writes: Any) -> Any:
    """See `transgrad.runtime.tape.vjp`."""
    try:
        with running(), objects(plain), _escaping() as escaped:
            found = _Region(args, kwargs, _listed(wrt), _listed(writes) or ()).run(f, parse(returns))
        if escaped:
            raise NoForm("it caches its results")
    except NoForm as reason:
        raise FormChanged(name_of(f), str(reason)) from None
    return found[0] if len(found) == 1 else tuple(found)


def checked(f: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], returns: str) -> Any:
    """See `transgrad.runtime.tape.call`."""
    try:
        return conform(f(*args, **kwargs), parse(returns))[0]
    except NoForm as reason:
        raise FormChanged(name_of(f), str(reason)) from None


def _listed(keys: Any) -> tuple[Any, ...] | None:
    return keys if keys is None or isinstance(keys, tuple) else (keys,)


class _Region:
    """One call: the arguments as the function gets them, and the Tensors behind them."""

    def __init__(self, args: Sequence[Any], kwargs: Mapping[str, Any], wrt: tuple[Any, ...] | None, writes: tuple[Any, ...]):
        self.ins: list[Tensor] = []
        self.given: list[Any] = []
        self.arrays: list[tuple[Any, TapedArray, int]] = []     # the argument, its replacement, its version
        self.writes = writes
        self.args = [self._argument(k, x, wrt is None or k in wrt) for k, x in enumerate(args)]
        self.kwargs = {k: self._argument(k, x, wrt is None or k in wrt) for k, x in kwargs.items()}
        if writes:
            check_apart([seen.tensor for _, seen, _ in self.arrays])

    def _argument(self, key: Any, value: Any, differentiated: bool) -> Any:
        def leaf(x: Any) -> Any:
            if not is_active(x):
                return lifted(x) if callable(x) and not isinstance(x, type) else x
            if not differentiated and not isinstance(x, np.ndarray):
                return x
            tensor = wrap(np.array(x))
            seen: Any = tensor
            if differentiated:
                self.ins.append(tensor.requires_grad_())
                self.given.append(x)
                seen = copied(tensor, x)       # which the function may write to
            taped = TapedArray(seen, False if isinstance(x, np.ndarray) else float if type(x) is float else True)
            if isinstance(x, np.ndarray):
                self.arrays.append((key, taped, seen._version))
            return taped
        if not tree.is_node(value):
            return leaf(value)
        return tree.map_leaves(leaf, value) if any(map(is_active, tree.flatten(value)[0])) else value

    def run(self, f: Callable[..., Any], form: Any) -> list[Any]:
        """The numbers and arrays that come of it, and the pullback."""
        before = [(x, snapshot(x)) for x in (*self.args, *self.kwargs.values()) if tree.is_node(x)]
        with enable_grad(), saved_tensors_hooks(as_it_is, same), outside_arrays(fresh=True) as outside, numpy_layouts():
            out = lifted(f)(*self.args, **self.kwargs)
        give_back()
        if any(snapshot(x) != was for x, was in before):
            raise NoForm("it changes a container that it is given")
        written = find_written(self.arrays)
        if not set(written) <= set(self.writes):
            raise NoForm("it writes into an array that it is given")
        check_outside(outside.tensors())
        leaves = conform(out, form)
        results = [x.tensor for x in leaves if isinstance(x, TapedArray) and not x.number]
        check_apart([*results, *(seen.tensor for _, seen, _ in self.arrays), *outside.tensors()])
        new = [seen for k in self.writes for key, seen, _ in self.arrays if key == k]
        made = [x if isinstance(x, TapedArray) else TapedArray(wrap(np.asarray(x)), True) for x in (*leaves, *new) if _is_float(x)]
        pullback = Pullback(self.given, self.ins, [x.tensor for x in made], made)
        return [*(plain(x) if isinstance(x, TapedArray) else x for x in (*leaves, *new)), pullback]


def _is_float(x: Any) -> bool:
    return isinstance(x, TapedArray) or is_active(x)


@contextmanager
def _escaping() -> Iterator[list[Any]]:
    """Collect the taped arrays created in the body that are still referenced at its end, in addition to its results."""
    escaped: list[Any] = []
    with following() as made:
        yield escaped
    if _alive(made):
        for generation in range(3):
            gc.collect(generation)
            if not _alive(made):
                return
        escaped += _alive(made)


def _alive(made: list[weakref.ref[TapedArray]]) -> list[TapedArray]:
    return [x for ref in made if (x := ref()) is not None]


class Pullback(tuple):      # type: ignore[type-arg]
    """Pulls cotangents of the results of a call back to its arguments, which are its items."""

    ins: list[Tensor]
    outs: list[Tensor]
    kinds: list[Any]

    def __new__(cls, given: Sequence[Any], ins: list[Tensor], outs: list[Tensor], kinds: list[Any]) -> Pullback:
        """``kinds`` are the results as generated code has them: TapedArrays, or plain."""
        made = super().__new__(cls, given)
        made.ins, made.outs = ins, outs
        made.kinds = [x.number if isinstance(x, TapedArray) else _kind(x) for x in kinds]
        return made

    def __call__(self, *cotangents: Any) -> Any:
        """One cotangent an item."""
        return _values(self._pull([wrap(np.array(g, t._array.dtype)) for g, t in zip(cotangents, self.outs)], False),
                       map(_kind, self))

    def push(self, *tangents: Any) -> Any:
        """The tangents of the results, from one an item."""
        return _values(self._push([wrap(np.array(d, t._array.dtype)) for d, t in zip(tangents, self.ins)], False), self.kinds)

    def derivative(self, *cotangents: Any) -> Pullback:
        """The pullback of this call with these cotangents: its items are those of this, then the cotangents."""
        gs = [wrap(np.array(g, t._array.dtype)).requires_grad_() for g, t in zip(cotangents, self.outs)]
        return Pullback((*self, *cotangents), [*self.ins, *gs], self._pull(gs, True), list(self))

    def pushed(self, *tangents: Any) -> Pullback:
        """The pullback of `push` with these tangents."""
        dots = [wrap(np.array(d, t._array.dtype)).requires_grad_() for d, t in zip(tangents, self.ins)]
        out = self._push(dots, True)
        made = Pullback((*self, *tangents), [*self.ins, *dots], out, [])
        made.kinds = self.kinds
        return made

    def _pull(self, gs: list[Tensor], create: bool) -> list[Tensor]:
        return _grad(self.outs, self.ins, gs, create)

    def _push(self, dots: list[Tensor], create: bool) -> list[Tensor]:
        """A pullback is linear in the cotangents: its own pullback is the way back."""
        at = [wrap(np.zeros_like(t._array)).requires_grad_() for t in self.outs]
        return _grad(self._pull(at, True), at, dots, create)


def _grad(outs: list[Tensor], ins: list[Tensor], gs: list[Tensor], create: bool) -> list[Tensor]:
    pairs = [(y, g) for y, g in zip(outs, gs) if y.requires_grad]
    found: Any = [None] * len(ins)
    if pairs and ins:
        with enable_grad(), following_the_compiler():
            found = grad([y for y, _ in pairs], ins, [g for _, g in pairs], retain_graph=True, create_graph=create, allow_unused=True)
    return [wrap(np.zeros_like(x._array)) if g is None else g for g, x in zip(found, ins)]


def _kind(x: Any) -> Any:
    return False if isinstance(x, np.ndarray) else float if type(x) is float else True


def _values(tensors: Sequence[Tensor], kinds: Any) -> Any:
    """Arrays and numbers of their own."""
    found = [np.array(t._array) if kind is False else t._array.item() if kind is float else t._array[()] for t, kind in zip(tensors, kinds)]
    return found[0] if len(found) == 1 else tuple(found)

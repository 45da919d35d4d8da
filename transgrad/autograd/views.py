"""Views: tensors that share the memory of a base, and their history when either is modified."""
from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..rules.registry import lookup
from . import dtypes
from .fit import entering, leaving, refuse_overlap
from .functions.complexes import view_as_complex, view_as_real
from .geometry import elements, empty_strided, places_in, put_elements
from .grad_mode import enable_grad
from .hooks import move_retained
from .nodes import NOWHERE, Node, edge_of
from .saved import operation, released
from .state import STATE
from .tensor import NO_VERSION, Tensor, unwrap, wrap

__all__ = ["Step", "View", "AsStridedBackward0", "replayed", "view_of"]

_AMBIGUOUS = ("Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving both the view "
              "and the inplace either both inside the {} block (if you don't want the inplace to be tracked) or "
              "both outside (if you want the inplace to be tracked).")
_MADE_IN = {"no_grad": " of a view which was created in no_grad mode", "inference": " of a view which was created in inference mode"}
_REFUSED = {
    "multi_output": ("This view is the output of a function that returns multiple views. Such functions do not allow the output views to "
                     "be modified inplace. You should replace the inplace operation by an out-of-place one."),
    "no_grad": _AMBIGUOUS.format("no_grad"),
    "inference": _AMBIGUOUS.format("inference_mode"),
    "function": ("This view was created inside a custom Function (or because an input was returned as-is) and the autograd logic to handle "
                 "view+inplace would override the custom backward associated with the custom Function, leading to incorrect gradients. "
                 "This behavior is forbidden. You can fix this by cloning the output of the custom Function."),
}


_READ_OTHERWISE = frozenset((view_as_complex, view_as_real))


class Step:
    """One of the calls that make a view of its base.

    ``fn`` is called with the array ``source`` at ``args[place]``; of several results it is the ``output``-th.
    """

    __slots__ = ("args", "dtype", "fn", "kwargs", "output", "place", "shape", "strides")

    def __init__(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any], place: int, output: int | None, source: Any):
        self.fn, self.args, self.kwargs, self.place, self.output = fn, unwrap(args), kwargs, place, output
        self.shape, self.dtype, self.strides = source.shape, source.dtype, source.strides

    def forward(self, x: Any) -> Any:
        """The view of ``x``, an array or a Tensor."""
        out = self.fn(*self.args[:self.place], x, *self.args[self.place + 1:], **self.kwargs)
        return out if self.output is None else out[self.output]

    def taped(self, x: Tensor) -> Tensor:
        """The view of a Tensor, recorded."""
        from .record import apply
        if self.fn is operator.getitem and not self.kwargs and not self.place:     # a slice has no hash before Python 3.12
            out = x[self.args[1]]
        else:
            out = apply(self.fn, *self.args[:self.place], x, *self.args[self.place + 1:], **self.kwargs)
        return out if self.output is None else out[self.output]     # type: ignore[no-any-return]

    def back(self, g: Any) -> Any:
        """The gradient with respect to the base of the view."""
        from .rule_nodes import stand_in
        rule = lookup(self.fn)
        assert rule is not None
        source = stand_in(self.shape, self.dtype)
        args, kwargs = rule.bind((*self.args[:self.place], source, *self.args[self.place + 1:]), self.kwargs)
        y: Any = self.fn(*args, **kwargs)
        if self.output is not None:
            g = tuple(g if k == self.output else None for k in range(len(y)))
        entry = rule.pullback(entering(g), y, args, kwargs, [k == self.place for k in range(len(args))])[self.place]
        return leaving(entry, (self.shape, self.dtype))


def replayed(steps: Sequence[Step], array: Any) -> Any:
    """The view of an array that the steps make."""
    for step in steps:
        array = step.forward(array)
    return array


def _found_in(base: Any, part: Any) -> Step:
    """The step to a part of an array, by where its elements are."""
    return Step(elements, (None, places_in(base, part)), {}, 0, None, base)


def _batched(x: Any) -> bool:
    return hasattr(x, "physical")


def _memory(x: Any) -> Any:
    """The array of a Tensor, or of the batch that it stands for."""
    while _batched(x):
        x = x.physical
    return unwrap(x)


def put(steps: Sequence[Step], whole: Any, part: Any, make: Any) -> None:
    """Write to the view of ``whole`` that the steps create; ``make`` applies one step to an array or a Tensor."""
    for k, step in enumerate(steps):
        below, whole = whole, make(step, whole)
        if step.fn is elements:     # which is a copy
            put(steps[k + 1:], whole, part, make)
            below[...] = put_elements(below, step.args[1], whole)
            return
        if not np.may_share_memory(_memory(below), _memory(whole)) and _memory(whole).size:
            raise RuntimeError("The base of a view has been given another shape in place, and the view has been written to: where is not "
                               "known. Make the view anew.")
    whole[...] = part


class AsStridedBackward0(Node):
    """The node of a view whose base has been written to: it leads to the base."""

    __slots__ = ("steps",)

    def __init__(self, edge: Any, steps: tuple[Step, ...]):
        super().__init__((edge,))
        self.steps = steps

    def apply(self, g: Any, keep: bool) -> tuple[Any, ...]:
        for step in reversed(self.steps):
            g = step.back(g)
        return (g,)

    apply_graph = apply


class View:
    """How a tensor looks at the memory of its base.

    Attributes
    ----------
    base : Tensor
        The tensor whose memory it is; never a view itself.
    steps : tuple of Step
        The calls that make the view of its base; made when first asked for.
    version : int
        The version at which the view's history was written.
    creation : str
        ``default``, or why a write to it is refused: ``no_grad``, ``multi_output``, ``inference``, ``function``.
    output : int or None
        Which of several results it was.
    """

    __slots__ = ("_call", "_inner", "_steps", "base", "counter", "creation", "version")
    differentiable = True

    def __init__(self, base: Tensor, inner: "View | None", call: tuple[Any, ...], creation: str):
        self.base = base
        self._inner, self._call = inner, call       # the view that this is a view of, and what `Step` is made with
        self._steps: tuple[Step, ...] | None = None
        self.creation = creation
        counter = base._counter
        if counter is None:
            counter = base._counter = [0]
        self.counter = counter
        self.version = counter[0]

    @property
    def steps(self) -> tuple[Step, ...]:
        if self._steps is None:
            before = self._inner.steps if self._inner is not None else ()
            self._steps = (*before, Step(*self._call))
        return self._steps

    def refresh(self, x: Tensor) -> None:
        """Rewrite the history of the view where its base has been written to since."""
        now = list.__getitem__(self.counter, 0)
        self.thaw(x)
        if now == self.version:
            if x._edge is None and edge_of(self.base) is not None and dtypes.is_differentiable(x._array.dtype):
                x._edge = NOWHERE
            return
        edge = edge_of(self.base)
        if edge is None and type(x._edge) is not tuple:
            return
        if self.creation != "default":
            raise self.refusal(x, "its base or another view of its base has been")
        self.keep_up(x)
        self.version = now
        self.lead(x, edge)

    def lead(self, x: Tensor, edge: Any) -> None:
        """Make the steps from the base, whose edge is given, the history of the view.

        Those that move are one node together. What reads the numbers as others (the parts of complex ones, say) has its own node, and
        so has each step after it.
        """
        steps = self.steps
        first = next((k for k, step in enumerate(steps) if step.fn in _READ_OTHERWISE), len(steps))
        if first:
            edge = (AsStridedBackward0(edge, steps[:first]), 0)
        for k in range(first, len(steps)):
            if steps[k].fn in _READ_OTHERWISE:
                source = wrap(replayed(steps[:k], self.base._array))
                source._edge = edge
                with enable_grad():
                    edge = edge_of(steps[k].taped(source))
            else:
                edge = (AsStridedBackward0(edge, (steps[k],)), 0)
        move_retained(x, edge[0])
        x._edge = edge

    def thaw(self, x: Tensor) -> None:
        """Forget that the view leads nowhere where its base requires no grad any more."""
        if x._edge is NOWHERE and edge_of(self.base) is None:
            x._edge = None

    @staticmethod
    def shares(part: Tensor, whole: Tensor | None) -> bool:
        """Return whether a tensor looks at the memory of another."""
        return whole is not None and _shares(part._memory, whole._memory)

    def keep_up(self, x: Tensor) -> None:
        """Where the base has another shape than when the view was made, `steps` are found anew."""
        base, first = self.base._array, self.steps[0]
        if first.shape == base.shape and [s * base.itemsize for s in first.strides] == [s * first.dtype.itemsize for s in base.strides]:
            return
        calls = self._calls()
        arrays = [*(source for *_, source in calls), x._array]
        k = next((k for k, (fn, *_) in enumerate(calls) if fn in _READ_OTHERWISE), len(calls))
        if k:       # what moves is one step
            self._steps = (_found_in(base, arrays[k]), *(Step(*call) for call in calls[k:]))
        else:
            fn, args, kwargs, place, output, _ = calls[0]
            again = Step(fn, args, kwargs, place, output, base)
            self._steps = (again, _found_in(again.forward(base), arrays[min(2, len(calls))]), *(Step(*call) for call in calls[2:]))

    def _calls(self) -> list[tuple[Any, ...]]:
        """The original arguments of the steps."""
        before = self._inner._calls() if self._inner is not None else []
        return [*before, self._call]

    def refusal(self, x: Tensor, what: str) -> RuntimeError:
        """The error for a write to the view (``is being``), or to its base."""
        if type(x._edge) is tuple:
            node, nr = x._edge
            made = _MADE_IN.get(self.creation, "")
            begin = f"Output {nr} of {operation(node)} is a view{made} and {what} modified inplace."
        elif self.creation == "inference":
            begin = f"A view was created in inference mode and {what} modified inplace in normal mode."
        else:
            begin = f"A view was created in no_grad mode and {what} modified inplace with grad mode enabled."
        return RuntimeError(f"{begin} {_REFUSED[self.creation]}")


def _shares(a: Any, b: Any) -> bool:
    """Return whether two arrays look at the same memory; one without elements looks at that of the array it was cut from."""
    if a.base is not None and (a.base is b or a.base is b.base):
        return a.size > 0 or _owner(a) is _owner(b)
    return np.may_share_memory(a, b) or not a.size and a.base is not None and _owner(a) is _owner(b)


def _owner(a: Any) -> Any:
    while isinstance(a.base, np.ndarray):
        a = a.base
    return a


def view_of(out: Tensor, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any], output: int | None) -> None:
    """Make ``out`` a view of the argument whose memory it shares, if there is one."""
    array = out._array
    base = array.base
    for place, source in enumerate(args):
        if isinstance(source, Tensor):
            of = source._array
            if (base is of or base is of.base) and base is not None and array.size or _shares(array, of):
                _view_at(out, source, fn, args, kwargs, place, output)
                return


def _view_at(out: Tensor, source: Tensor, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any], place: int, output: int | None) -> None:
    if source._counter is NO_VERSION:
        out._counter = source._counter
        return
    dtype, of = out._array.dtype, source._array.dtype
    if dtype is not of and dtypes.is_differentiable(dtype) != dtypes.is_differentiable(of):     # its bits, which are no view of it
        out._counter = source.counter()
        return
    if STATE.plain:
        creation = "default" if output is None else "multi_output"
    else:
        creation = "inference" if STATE.inference else "no_grad" if not STATE.grad else "multi_output" if output is not None else "default"
    others = (None, *args[1:]) if not place else (*args[:place], None, *args[place + 1:])
    call = (fn, others, kwargs, place, output, source._array)
    inner = source._view
    if inner is None:
        made = View(source, None, call, creation)
    else:
        creation = inner.creation if creation == "default" or inner.creation == "inference" else creation
        made = View(inner.base, inner, call, creation)
    out._counter = made.counter
    out._view = made


class CopySlices(Node):
    """The node of a base after a write to one of its views: the view's part of the gradient goes through the write."""

    __slots__ = ("_shown", "base", "inner", "own", "steps")
    _name = "torch::autograd::CopySlices"

    def __init__(self, base: Tensor, steps: tuple[Step, ...], inner: Node, own: int | None):
        others = [k for k in range(len(inner._edges)) if k != own]
        super().__init__((edge_of(base), *[inner._edges[k] for k in others]))
        shown = inner.shown() if inner._shown is not None or own is not None else (None, *inner.shown())
        self._shown = (0, *[None if k is None else 1 + others.index(k) for k in shown[1:]])
        self.base = (base._array.shape, tuple(s // base._array.itemsize for s in base._array.strides))
        self.steps, self.own = steps, own
        self.inner: Node | None = inner       # none after release: torch runs it only once

    def _kept(self) -> Node:
        if self.inner is None:
            raise released(self)
        return self.inner

    def _split(self, entries: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...]]:
        """The gradient of the view before the write, and those of the other inputs of the write."""
        if self.own is None:
            return None, entries
        return entries[self.own], entries[:self.own] + entries[self.own + 1:]

    def apply(self, g: Any, keep: bool) -> tuple[Any, ...]:
        below = empty_strided(*self.base, g.dtype)
        below[...] = g
        part = replayed(self.steps, below)
        inner = self._kept()
        if inner.apply is not None:
            entries = inner.apply(part.copy(), True)
        else:
            entries = tuple(map(unwrap, inner.apply_graph(wrap(part.copy()), True)))
        own, others = self._split(entries)
        asked = STATE.sweep is None or STATE.sweep.asks(self._edges[0])
        if asked:
            refuse_overlap(part)        # which lets go of nothing
            if part.base is not None and np.may_share_memory(part, below):
                part[...] = 0.0 if own is None else own
            else:
                put(self.steps, below, 0.0 if own is None else own, Step.forward)
        if not keep:
            self.release()
        return (below if asked else None, *others)

    def apply_graph(self, g: Any, keep: bool) -> tuple[Any, ...]:
        if STATE.interpreter is not None:
            from .batching.writes import apart
            entries = apart((step.fn for step in self.steps if step.fn is not elements), self.apply_graph, g)
            if entries is not None:
                if not keep:
                    self.release()
                return entries      # type: ignore[no-any-return]
        below = g.clone() if _batched(g) else wrap(empty_strided(*self.base, g._array.dtype)).copy_(g)
        part = below
        for step in self.steps:
            part = step.taped(part)
        own, others = self._split(self._kept().apply_graph(part.clone(), keep))
        if not keep:
            self.inner = None
        put(self.steps, below, 0.0 if own is None else own, Step.taped)
        return (below, *others)

    def release(self) -> None:
        if self.inner is not None:
            self.inner.release()
        self.inner = None

"""Implement `Function.apply`: run forward unrecorded, and attach the node to its results."""
from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from .. import dtypes
from ..callers import stacklevel
from ..grad_mode import no_grad
from ..inplace import check_writable, rebase
from ..nodes import edge_of
from ..saved import SavedTensor
from ..state import STATE
from ..tensor import Tensor
from ..volatile import is_volatile, spreads
from .node import BackwardCFunction

__all__ = ["run"]


def run(cls: Any, args: tuple[Any, ...], separate: bool) -> Any:
    """Run the function on its arguments; ``separate`` says that it has a `setup_context`."""
    inputs = [a for a in args if isinstance(a, Tensor)]
    edges = tuple([edge_of(a) for a in inputs]) if STATE.grad else ()     # found first: an edge leads to a node that was made before
    node = cls._backward_cls()
    if STATE.grad:
        given = iter(edges)
        node.needs_input_grad = tuple([isinstance(a, Tensor) and next(given) is not None for a in args])
    else:
        node.needs_input_grad = tuple([isinstance(a, Tensor) and a.requires_grad for a in args])
    node._inputs = tuple([(a._array.shape, a._array.dtype) if isinstance(a, Tensor) else None for a in args])
    recorded = STATE.grad and any(node.needs_input_grad) and not (STATE.volatile and any(map(is_volatile, inputs)))
    if recorded:
        node._edges = edges
    returned = _forward(cls, node, args, separate)
    outputs = list(returned) if isinstance(returned, tuple) else [returned]
    if node.dirty_tensors:
        _check_dirty(node, inputs, outputs, recorded)
    node._results = [(y._array.shape, y._array.dtype) if isinstance(y, Tensor) else None for y in outputs]
    node._outputs = len(outputs)
    several = len(outputs) > 1 and sum(isinstance(y, Tensor) and not _is_constant(node, y) for y in outputs) > 1
    made = [_output(node, k, y, inputs, recorded, several) if isinstance(y, Tensor) else y for k, y in enumerate(outputs)]
    if STATE.volatile:
        spreads(inputs, [y for y in made if isinstance(y, Tensor)])
    if STATE.level:
        from .tangents import push
        push(node, args, outputs, made)
    node.saved_for_forward = None
    if recorded:
        node._saved = [_saved(node, k, t, made) for k, t in enumerate(node.to_save)]
    node.to_save = node.dirty_tensors = node.non_differentiable = ()
    return tuple(made) if isinstance(returned, tuple) else made[0]


def _forward(cls: Any, node: BackwardCFunction, args: tuple[Any, ...], separate: bool) -> Any:
    before = STATE.grad, STATE.level
    STATE.grad, STATE.level = False, 0      # operations inside are not recorded and give no tangents
    STATE.refresh()
    try:
        if not separate:
            return cls.forward(node, *args)
        returned = cls.forward(*args)
        cls.setup_context(node, args, returned)
        return returned
    finally:
        STATE.grad, STATE.level = before
        STATE.refresh()


@contextmanager
def untangled() -> Iterator[None]:
    """Operations inside give no tangents."""
    level, STATE.level = STATE.level, 0
    STATE.refresh()
    try:
        yield
    finally:
        STATE.level = level
        STATE.refresh()


def _among(t: Tensor, tensors: Sequence[Any]) -> bool:
    for other in tensors:       # noqa: SIM110 (a generator takes three times as long)
        if t is other:
            return True
    return False


def _check_dirty(node: BackwardCFunction, inputs: Sequence[Tensor], outputs: Sequence[Any], recorded: bool) -> None:
    """Tensors marked as dirty must be inputs that are returned; their versions are incremented."""
    for t in node.dirty_tensors:
        if not t.is_inference():
            t.counter()[0] += 1
    for t in node.dirty_tensors:
        if not _among(t, inputs):
            warnings.warn("ctx.mark_dirty() received a tensor that was not an input. Only input Tensors that have been mutated should be "
                          "passed to ctx.mark_dirty().", UserWarning, stacklevel=stacklevel())
        elif not _among(t, outputs):
            raise RuntimeError("Some elements marked as dirty during the forward method were not returned as output. The inputs that are "
                               "modified inplace must all be outputs of the Function.")
        elif recorded and type(t._edge) is not tuple and t.requires_grad:
            raise RuntimeError("a leaf Variable that requires grad has been used in an in-place operation.")
        elif t._view is not None and recorded and len(outputs) > 1:
            raise RuntimeError("If your Function modifies inplace an input that is a view of another Tensor, your Function cannot return "
                               "more than one Tensor. Make sure the input is not a view (using .clone() for example), or split the "
                               "Function into two: one doing the inplace that returns a single Tensor and a second one that does the "
                               "other operations.")


def _is_constant(node: BackwardCFunction, y: Tensor) -> bool:
    """Return whether an output has no derivative."""
    return _among(y, node.non_differentiable) or not dtypes.is_differentiable(y._array.dtype)


def _output(node: BackwardCFunction, k: int, y: Tensor, inputs: Sequence[Tensor], recorded: bool, several: bool) -> Tensor:
    """The k-th output with its history; ``several`` says that others have derivatives too."""
    given, dirty = _among(y, inputs), _among(y, node.dirty_tensors)
    if not recorded or _is_constant(node, y):
        constant = _constant(y, given, dirty)
        if constant._view is not None and constant._view.creation in ("no_grad", "inference") and not _among(constant, inputs):
            constant._view.creation = "function"
        return constant
    if given and dirty:
        _rewrite(node, k, y, next(i for i, x in enumerate(inputs) if x is y))
        return y
    if given:
        y = _alias(y)
    y._edge = (node, k)
    if y._view is not None:
        y._view.creation = "multi_output" if several else "function"
        y._view.version = y._view.counter[0]        # what forward wrote before has no part in the history
    return y


def _alias(y: Tensor) -> Tensor:
    """The input as a tensor of its own, which looks at the same memory."""
    with no_grad():
        return y.view_as(y)     # type: ignore[no-any-return]


def _constant(y: Tensor, given: bool, dirty: bool) -> Tensor:
    """The output without history; an input keeps the one it has."""
    if given and y.requires_grad:
        return y.detach()       # type: ignore[no-any-return]
    if given and not dirty:
        return _alias(y)
    if not given:
        y._edge = None
    return y


def _rewrite(node: BackwardCFunction, k: int, y: Tensor, place: int) -> None:
    """The node becomes the history of an input that forward has written to."""
    check_writable(y, True)
    rebase(y, node, place, k)


def _saved(node: BackwardCFunction, k: int, t: Tensor | None, outputs: Sequence[Any]) -> SavedTensor | None:
    if t is None:
        return None
    if not isinstance(t, Tensor):
        raise TypeError(f"save_for_backward can only save variables, but argument {k} is of type {type(t).__name__}")
    return SavedTensor(t, next((nr for nr, y in enumerate(outputs) if y is t), None), node=node)

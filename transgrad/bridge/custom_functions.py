"""Functions with user-defined derivatives on the tape: one node each."""
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import tree
from ..autograd.function import Function
from ..autograd.nodes import Node, edge_of
from ..autograd.state import STATE
from ..autograd.tensor import Tensor, unwrap, wrap
from ..custom.function import NoForwardDerivative
from ..transforms.at_arguments import vjp
from ..transforms.options import Options
from .array import TapedArray, taped

if TYPE_CHECKING:
    from ..custom.jvp import custom_jvp
    from ..custom.vjp import custom_vjp

__all__ = ["apply_jvp", "apply_vjp", "once", "through"]


def through(on_tape: Any, args: list[Any]) -> Any:
    """Call a function of Tensors with arrays of a function that runs on the tape."""
    leaves = [leaf for a in args for leaf in (tree.flatten(a)[0] if tree.is_node(a) else (a,)) if isinstance(leaf, TapedArray)]
    if not leaves:
        return on_tape(args)
    found = on_tape([tree.map_leaves(_tensor, a) if tree.is_node(a) else _tensor(a) for a in args])
    number = float if all(leaf.number is float for leaf in leaves) else True
    return tree.map_leaves(lambda y: taped(y, number), found) if tree.is_node(found) else taped(found, number)


def _tensor(x: Any) -> Any:
    return x.tensor if isinstance(x, TapedArray) else x


class _Unrecorded(Node):
    """The node behind cotangents that a derivative of the user's computed from numbers: they cannot be differentiated."""

    __slots__ = ("reason",)
    reason: str
    _name = "transgrad::Unrecorded"
    _runs_on_none = True

    def apply_graph(self, g: Any, keep: bool) -> Any:
        raise NotImplementedError(self.reason)


def once(found: tuple[Any, ...], sources: Sequence[Any], reason: str) -> tuple[Any, ...]:
    """Cotangents that cannot be differentiated: where the backward pass is recorded, differentiating them by a source is an error."""
    needed = [x for x in sources if isinstance(x, Tensor) and x.requires_grad]
    if not STATE.grad or not needed:
        return found
    node = _Unrecorded(tuple(map(edge_of, needed)))
    node.reason = reason
    made = [t.detach() if isinstance(t, Tensor) else t for t in found]
    for k, t in enumerate(t for t in made if isinstance(t, Tensor)):
        t._edge = (node, k)
    return tuple(made)


def _flat(args: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """The leaves of some arguments, and the structure of each."""
    parts = [tree.flatten(a) if tree.is_node(a) else ([a], None) for a in args]
    return [leaf for leaves, _ in parts for leaf in leaves], [(len(leaves), form) for leaves, form in parts]


def _args(leaves: Sequence[Any], forms: Sequence[tuple[int, Any]]) -> list[Any]:
    """The arguments again."""
    rest = list(leaves)
    return [rest.pop(0) if form is None else tree.unflatten(form, [rest.pop(0) for _ in range(n)]) for n, form in forms]


def _outputs(ctx: Any, y: Any) -> Any:
    """The leaves of a result as Tensors; its structure is noted."""
    if not tree.is_node(y):
        ctx.f_form.append(None)
        return wrap(np.array(y))
    leaves, form = tree.flatten(y)
    ctx.f_form.append(form)
    return tuple(wrap(np.array(leaf)) for leaf in leaves)


def _cotangent(ctx: Any, grads: Sequence[Any], conjugate: bool) -> Any:
    """The cotangent in the structure of the result; conjugated, it is as rules pair it."""
    found = [np.conj(unwrap(g)) if conjugate else unwrap(g) for g in grads]
    return found[0] if ctx.f_form[0] is None else tree.unflatten(ctx.f_form[0], found)


def _entries(ctx: Any, entries: Sequence[Any], conjugate: bool) -> tuple[Any, ...]:
    """One cotangent for each leaf that needs one, from one entry for each differentiated argument."""
    full = ctx.f.joined([None] * len(ctx.rest), entries)
    flat: list[Any] = []
    for (n, form), entry in zip(ctx.forms, full):
        leaves = [None] * n if entry is None else [entry] if form is None else tree.flatten(entry)[0]
        if len(leaves) != n:
            raise TypeError(f"the derivative of {ctx.f.__name__} returns {len(leaves)} cotangents for {n} items")
        flat += leaves
    made = [None if e is None else wrap(np.conj(np.asarray(e)) if conjugate else np.asarray(e)) for e in flat]
    return (None, None, None, *(e if needed else None for e, needed in zip(made, ctx.needs_input_grad[3:])))


def _twice(f: Any) -> str:
    return (f"the derivative of {f.__name__} runs on the tape on numbers, and is differentiated again. Hint: differentiate a function "
            "that the compiler supports")


class _Reverse(Function):
    """A call of a `custom_vjp` function."""

    @staticmethod
    def forward(ctx: Any, f: "custom_vjp", forms: Any, f_form: list[Any], *leaves: Any) -> Any:
        fwd, _ = f.rules()
        args = _args([unwrap(x) for x in leaves], forms)
        ctx.f, ctx.forms, ctx.f_form, ctx.sources = f, forms, f_form, leaves
        y, ctx.residuals = fwd(*args)
        ctx.rest = f.parts(args)[0]
        return _outputs(ctx, y)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        _, bwd = ctx.f.rules()
        found = _entries(ctx, bwd(*ctx.rest, ctx.residuals, _cotangent(ctx, grads, True)), True)
        return once(found, [*ctx.sources, *grads], _twice(ctx.f))

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> Any:
        raise NoForwardDerivative.of(ctx.f.__name__)


class _Forward(Function):
    """A call of a `custom_jvp` function."""

    @staticmethod
    def forward(ctx: Any, f: "custom_jvp", forms: Any, f_form: list[Any], *leaves: Any) -> Any:
        args = _args([unwrap(x) for x in leaves], forms)
        ctx.f, ctx.forms, ctx.f_form, ctx.sources = f, forms, f_form, leaves
        ctx.rest, ctx.primals = f.parts(args)
        return _outputs(ctx, f.fun(*args))

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        rule, rest, primals = ctx.f.rule(), ctx.rest, ctx.primals

        def tangent(*tangents: Any) -> Any:
            return rule(*rest, primals, tangents)[1]
        zeros = [tree.map_leaves(np.zeros_like, p) if tree.is_node(p) else np.zeros_like(p) for p in primals]
        found = _entries(ctx, vjp(tangent, zeros, False, Options())[1](_cotangent(ctx, grads, False)), False)
        return once(found, [*ctx.sources, *grads], _twice(ctx.f))

    @staticmethod
    def jvp(ctx: Any, f: Any, forms: Any, f_form: Any, *tangents: Any) -> Any:
        raw = [_zero_of(x) if t is None else unwrap(t) for x, t in zip(ctx.sources, tangents)]
        dots = ctx.f.parts(_args(raw, ctx.forms))[1]
        found = ctx.f.rule()(*ctx.rest, tuple(ctx.primals), tuple(dots))[1]
        return wrap(np.asarray(found)) if ctx.f_form[0] is None else tuple(wrap(np.asarray(t)) for t in tree.flatten(found)[0])


def _zero_of(x: Any) -> Any:
    x = unwrap(x)
    return np.zeros_like(x) if isinstance(x, (int, float, complex, np.ndarray, np.generic)) else None


def _applied(node: Any, f: Any, args: list[Any]) -> Any:
    leaves, forms = _flat(args)
    f_form: list[Any] = []
    found = node.apply(f, forms, f_form, *leaves)
    if f_form[0] is None:
        return found
    return tree.unflatten(f_form[0], found if isinstance(found, tuple) else (found,))


def apply_vjp(f: "custom_vjp", args: list[Any]) -> Any:
    """One node, whose backward is the user's."""
    return _applied(_Reverse, f, args)


def apply_jvp(f: "custom_jvp", args: list[Any]) -> Any:
    """One node, whose backward is the transpose of the user's derivative."""
    return _applied(_Forward, f, args)

"""Functions with user-defined derivatives on the tape: one node each."""
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..autograd.function import Function
from ..autograd.tensor import Tensor, unwrap, wrap
from ..transforms.options import Options
from ..transforms.pairs import vjp

if TYPE_CHECKING:
    from ..custom.jvp import custom_jvp
    from ..custom.vjp import custom_vjp

__all__ = ["apply_jvp", "apply_vjp"]


def _raw(x: Any) -> Any:
    """Return the arrays of Tensors in a structure of lists, tuples and dicts."""
    if isinstance(x, (list, tuple)):
        return type(x)(map(_raw, x))
    return {k: _raw(v) for k, v in x.items()} if isinstance(x, dict) else unwrap(x)


def _tensors(y: Any) -> Any:
    return tuple(map(_tensors, y)) if isinstance(y, (tuple, list)) else wrap(np.asarray(y))


def _arrays(grads: Sequence[Any], conjugate: bool) -> Any:
    """The cotangents in the form of the result; conjugated, they are as rules pair them."""
    found = tuple(None if g is None else np.conj(unwrap(g)) if conjugate else unwrap(g) for g in grads)
    return found[0] if len(found) == 1 else found


def _entries(ctx: Any, entries: Sequence[Any], conjugate: bool) -> tuple[Any, ...]:
    """One cotangent an argument that needs one."""
    made = [None if e is None else wrap(np.conj(np.asarray(e)) if conjugate else np.asarray(e)) for e in entries]
    full = [None, *ctx.f.joined([None] * len(ctx.rest), made)]
    return tuple(e if needed else None for e, needed in zip(full, ctx.needs_input_grad))


class _Reverse(Function):
    """A call of a `custom_vjp` function."""

    @staticmethod
    def forward(ctx: Any, f: "custom_vjp", *args: Any) -> Any:
        fwd, _ = f.rules()
        y, ctx.residuals = fwd(*map(_raw, args))
        ctx.f, ctx.rest = f, f.parts([_raw(a) for a in args])[0]
        return _tensors(y)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        _, bwd = ctx.f.rules()
        return _entries(ctx, bwd(*ctx.rest, ctx.residuals, _arrays(grads, True)), True)


class _Forward(Function):
    """A call of a `custom_jvp` function."""

    @staticmethod
    def forward(ctx: Any, f: "custom_jvp", *args: Any) -> Any:
        raw = [_raw(a) for a in args]
        ctx.f, (ctx.rest, ctx.primals) = f, f.parts(raw)
        return _tensors(f.fun(*raw))

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        rule, rest, primals = ctx.f.rule(), ctx.rest, ctx.primals

        def tangent(*tangents: Any) -> Any:
            return rule(*rest, primals, tangents)[1]
        zeros = [np.zeros_like(p) for p in primals]
        return _entries(ctx, vjp(tangent, zeros, False, Options())[1](_arrays(grads, False)), False)

    @staticmethod
    def jvp(ctx: Any, f: Any, *tangents: Any) -> Any:
        dots = [np.zeros_like(p) if t is None else unwrap(t) for p, t in zip(ctx.primals, ctx.f.parts(tangents)[1])]
        return _tensors(ctx.f.rule()(*ctx.rest, tuple(ctx.primals), tuple(dots))[1])


def apply_vjp(f: "custom_vjp", args: list[Any]) -> Tensor | tuple[Tensor, ...]:
    """One node, whose backward is the user's."""
    return _Reverse.apply(f, *args)  # type: ignore[no-any-return]


def apply_jvp(f: "custom_jvp", args: list[Any]) -> Tensor | tuple[Tensor, ...]:
    """One node, whose backward is the transpose of the user's derivative."""
    return _Forward.apply(f, *args)  # type: ignore[no-any-return]

"""What else a derivative has to satisfy: linear in its cotangent, missing gradients are zeros, the same under `vmap`."""
from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..backward import grad
from ..batching import vmap
from ..dispatch import apply
from ..forward_ad import dual_level, make_dual, unpack_dual
from ..function import Function
from ..tensor import Tensor
from .arrays import as_tuple, differentiable, require_grad, tensor_like
from .case import Case
from .errors import BATCHED, UNDEFINED, GradcheckError

__all__ = ["batched_backward", "batched_forward", "multiplied_by_cotangent", "undefined_backward", "undefined_forward"]


def multiplied_by_cotangent(outputs: Sequence[Tensor], sources: Sequence[Tensor], masked: bool) -> None:
    """A cotangent of zeros gives zeros, like the input in dtype, device and size."""
    found = grad(outputs, sources, [y.new_zeros(y.shape) for y in outputs], allow_unused=True)
    for g, x in zip(found, sources):
        if g is None:
            continue
        if not (g.allclose(g.new_zeros(g.shape)) if masked else bool(g.eq(0).all())):
            raise GradcheckError("backward not multiplied by grad_output")
        for what, one, other in (("type", g.dtype, x.dtype), ("device", g.device, x.device), ("size", g.shape, x.shape)):
            if one != other:
                raise GradcheckError(f"grad is incorrect {what}")


class _Undefined(Function):
    """Passes a value on, and no gradient."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x.clone()       # type: ignore[no-any-return]

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> None:
        return None


def undefined_backward(func: Callable[..., Any], inputs: Sequence[Any], sources: Sequence[Tensor]) -> None:
    """A backward takes missing cotangents, all of them and one at a time, for zeros."""
    count = len(require_grad(as_tuple(func(*inputs))))
    for missing in [range(count), *([k] for k in range(count if count > 1 else 0))]:
        outputs = [y for _, y in require_grad(as_tuple(func(*inputs)))]
        cut = [_Undefined.apply(y) if k in missing else y for k, y in enumerate(outputs)]
        try:
            found = grad(cut, sources, [y.new_zeros(y.shape) for y in cut], allow_unused=True)
        except RuntimeError as error:
            raise GradcheckError("Expected backward function to handle undefined output grads. " + UNDEFINED) from error
        if any(g is not None and not bool(g.eq(0).all()) for g in found):
            raise GradcheckError(UNDEFINED)


def undefined_forward(case: Case) -> None:
    """A tangent that is missing counts as one of zeros."""
    with dual_level():
        duals = list(case.inputs)
        for i, x in case.sources:
            duals[i] = make_dual(x.detach(), x.new_ones(x.shape))
        for i, x in case.sources:
            zeros = [*duals[:i], make_dual(x.detach(), x.new_zeros(x.shape)), *duals[i + 1:]]
            nothing = [*duals[:i], x.detach(), *duals[i + 1:]]
            for o, (expected, got) in enumerate(zip(_tangents(case.func, zeros), _tangents(case.func, nothing))):
                if expected is not None and got is not None and not expected.allclose(got):
                    raise GradcheckError(f"Mismatch in tangent values for output with index: {o} when input: {x} has an undefined tangent "
                                         f"value. Got: {got} but expected: {expected}")


def _tangents(func: Callable[..., Any], inputs: Sequence[Any]) -> list[Tensor | None]:
    return [unpack_dual(y).tangent for y in as_tuple(func(*inputs)) if differentiable(y)]


def batched_backward(output: Tensor, sources: Sequence[Tensor], place: int) -> None:
    """Check that `vmap` over cotangents gives the separate results."""
    def pull(v: Tensor) -> tuple[Tensor, ...]:
        found = grad(output, sources, v, retain_graph=True, allow_unused=True)
        return tuple(x.new_zeros(x.shape) if g is None else g for g, x in zip(found, sources))

    _same_when_batched(pull, _random(output), f"For output {place} and input {{}}", "check_batched_grad")


def batched_forward(func: Callable[..., Any], inputs: Sequence[Any]) -> None:
    """Check that `vmap` over tangents gives the separate results."""
    for place, x in require_grad(inputs):
        def push(t: Tensor, place: int = place, x: Tensor = x) -> tuple[Tensor, ...]:
            with dual_level():
                duals = [y.detach() if isinstance(y, Tensor) else y for y in inputs]
                duals[place] = make_dual(x.detach(), t)
                pairs = [unpack_dual(y) for y in as_tuple(func(*duals)) if differentiable(y)]
                return tuple(p.primal.new_zeros(p.primal.shape) if p.tangent is None else p.tangent for p in pairs)

        _same_when_batched(push, _random(x), f"For output {{}} and input {place}", "check_batched_forward_grad")


def _random(like: Tensor) -> list[Tensor]:
    random = np.random.default_rng(1)
    return [tensor_like(random.standard_normal(like.numel()), like) for _ in range(2)]


def _same_when_batched(func: Callable[[Tensor], tuple[Tensor, ...]], vectors: Sequence[Tensor], where: str, option: str) -> None:
    expected = [apply(np.stack, parts) for parts in zip(*(func(v) for v in vectors))]
    advice = BATCHED.format(option=option)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="There is a performance drop")
            found = vmap(func)(apply(np.stack, vectors))
    except RuntimeError as error:
        raise GradcheckError(f"While computing batched gradients, got: {error}\n\n{advice}") from error
    for k, (got, right) in enumerate(zip(found, expected)):
        if not got.allclose(right):
            raise GradcheckError(f"\n{where.format(k)}:\n\n{advice}\n\nGot:\n{got}\n\nExpected:\n{right}\n")

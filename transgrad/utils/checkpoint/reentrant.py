"""The older checkpoint: one node for the whole call, whose backward runs the function and a backward of its own."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...autograd.backward import backward
from ...autograd.function import Function
from ...autograd.grad_mode import enable_grad, no_grad
from ...autograd.ops.random import get_rng_state
from ...autograd.state import STATE
from ...autograd.tensor import Tensor
from .random_state import random_numbers_of


class CheckpointFunction(Function):
    """Runs the function unrecorded, and recorded in backward."""

    @staticmethod
    def forward(ctx: Any, run_function: Callable[..., Any], preserve_rng_state: bool, *args: Any) -> Any:
        ctx.run_function = run_function
        ctx.random_state = get_rng_state() if preserve_rng_state else None
        ctx.others = [None if isinstance(arg, Tensor) else arg for arg in args]
        ctx.places = [place for place, arg in enumerate(args) if isinstance(arg, Tensor)]
        ctx.save_for_backward(*(args[place] for place in ctx.places))
        with no_grad():
            return run_function(*args)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        if STATE.selective:
            raise RuntimeError(
                "When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or passing an `inputs` parameter to "
                ".backward(). To resolve this error, you can either set use_reentrant=False, or call .backward() without passing the "
                "`inputs` argument."
            )
        args = list(ctx.others)
        for place, tensor in zip(ctx.places, ctx.saved_tensors, strict=True):
            args[place] = tensor.detach().requires_grad_(tensor.requires_grad)
        with random_numbers_of(ctx.random_state), enable_grad():
            outputs = ctx.run_function(*args)
        outputs = outputs if isinstance(outputs, tuple) else (outputs,)
        wanted = [(out, grad) for out, grad in zip(outputs, grads, strict=True) if isinstance(out, Tensor) and out.requires_grad]
        if not wanted:
            raise RuntimeError("none of output has requires_grad=True, this checkpoint() is not necessary")
        backward([out for out, _ in wanted], [grad for _, grad in wanted])
        return None, None, *(arg.grad if isinstance(arg, Tensor) else None for arg in args)

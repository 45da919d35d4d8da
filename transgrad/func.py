"""Derivatives of functions of Tensors, as functions; see `transgrad.autograd.func`."""
from typing import Any

from .absent import message
from .autograd.func import grad, grad_and_value, hessian, jacfwd, jacrev, jvp, linearize, rearrange, vjp, vmap

__all__ = ["grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp", "linearize", "rearrange", "vjp", "vmap"]


def __getattr__(name: str) -> Any:
    if name in ("functional_call", "stack_module_state"):
        from .nn import stateless
        return getattr(stateless, name)
    raise AttributeError(message(f"module {__name__!r}", "torch.func", name))


def __dir__() -> list[str]:
    return sorted({*globals(), "functional_call", "stack_module_state"})

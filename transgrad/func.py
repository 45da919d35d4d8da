"""Derivatives of functions of Tensors, as functions; see `transgrad.autograd.func`."""
from typing import TYPE_CHECKING

from .absent import refusing
from .autograd.func import grad, grad_and_value, hessian, jacfwd, jacrev, jvp, linearize, rearrange, vjp, vmap

__all__ = ["grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp", "linearize", "rearrange", "vjp", "vmap"]

if not TYPE_CHECKING:
    __getattr__ = refusing(__name__, "torch.func")

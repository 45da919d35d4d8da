"""Derivatives of functions of Tensors, as functions, which nest with each other and with `vmap`."""
from ..batching import vmap
from .forward import jvp, linearize
from .jacobians import hessian, jacfwd, jacrev
from .rearrange import rearrange
from .reverse import grad, grad_and_value, vjp

__all__ = ["grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp", "linearize", "rearrange", "vjp", "vmap"]

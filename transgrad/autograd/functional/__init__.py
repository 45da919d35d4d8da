"""Jacobians, Hessians and their products with vectors, of functions of Tensors."""
from .jacobians import hessian, jacobian
from .products import hvp, jvp, vhp, vjp

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]

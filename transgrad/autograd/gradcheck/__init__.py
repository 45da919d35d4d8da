"""Derivatives of the tape against finite differences."""
from .api import gradcheck, gradgradcheck
from .errors import GradcheckError
from .old_names import get_analytical_jacobian, get_numerical_jacobian

__all__ = ["GradcheckError", "get_analytical_jacobian", "get_numerical_jacobian", "gradcheck", "gradgradcheck"]

"""Derivatives of the tape against finite differences."""
from .api import gradcheck, gradgradcheck
from .errors import GradcheckError
from .old_names import get_analytical_jacobian, get_numerical_jacobian, get_numerical_jacobian_wrt_specific_input

__all__ = ["GradcheckError", "get_analytical_jacobian", "get_numerical_jacobian",
           "get_numerical_jacobian_wrt_specific_input", "gradcheck", "gradgradcheck"]

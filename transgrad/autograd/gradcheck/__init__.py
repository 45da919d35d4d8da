"""Derivatives of the tape against finite differences."""
from .api import gradcheck, gradgradcheck
from .errors import GradcheckError

__all__ = ["GradcheckError", "gradcheck", "gradgradcheck"]

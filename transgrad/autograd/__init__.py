"""The tape: torch.autograd's semantics on NumPy arrays, for what is to be recorded as it runs."""
from . import operators  # noqa: F401  gives Tensor its operators
from .backward import backward, grad
from .grad_mode import enable_grad, inference_mode, is_grad_enabled, is_inference_mode_enabled, no_grad, set_grad_enabled
from .tensor import Tensor

__all__ = [
    "Tensor", "backward", "enable_grad", "grad", "inference_mode", "is_grad_enabled", "is_inference_mode_enabled", "no_grad",
    "set_grad_enabled",
]

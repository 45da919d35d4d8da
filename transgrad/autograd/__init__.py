"""The tape: torch.autograd's semantics on NumPy arrays, for operations that are recorded as they run."""
from typing import TYPE_CHECKING

from ..absent import refusing
from . import (
    forward_ad,
    function,
    functional,
    operators,  # noqa: F401  gives Tensor its operators
    profiler,
    sparse,
)
from .anomaly_mode import detect_anomaly, is_anomaly_check_nan_enabled, is_anomaly_enabled, set_detect_anomaly
from .backward import backward, grad
from .function import Function
from .grad_mode import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    is_multithreading_enabled,
    no_grad,
    set_grad_enabled,
    set_multithreading_enabled,
)
from .gradcheck import gradcheck, gradgradcheck
from .saved import SavedTensor
from .tensor import Tensor
from .variable import Variable

__all__ = [
    "Function", "SavedTensor", "Tensor", "Variable", "backward", "detect_anomaly", "enable_grad", "forward_ad", "function",
    "functional", "grad", "gradcheck", "gradgradcheck", "inference_mode", "is_anomaly_check_nan_enabled", "is_anomaly_enabled",
    "is_grad_enabled", "is_inference_mode_enabled", "is_multithreading_enabled", "no_grad", "profiler", "set_detect_anomaly",
    "set_grad_enabled", "set_multithreading_enabled", "sparse",
]


def __dir__() -> list[str]:
    return sorted({*__all__, "anomaly_mode", "grad_mode", "graph"})


if not TYPE_CHECKING:
    __getattr__ = refusing(__name__, "torch.autograd")

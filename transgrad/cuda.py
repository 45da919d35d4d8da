"""What programs ask of `torch.cuda` before they settle for the CPU: there is no CUDA device here."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .absent import refusing
from .autograd.device import NoDevice

__all__ = ["current_device", "device_count", "empty_cache", "get_device_name", "is_available", "is_initialized", "manual_seed",
           "manual_seed_all", "synchronize"]


def is_available() -> bool:
    """False."""
    return False


def is_initialized() -> bool:
    """False."""
    return False


def device_count() -> int:
    """0."""
    return 0


def empty_cache() -> None:
    """Nothing is cached."""


def manual_seed(seed: int) -> None:
    """No device has a stream of random numbers."""


manual_seed_all = manual_seed


def _absent(*args: Any, **kwargs: Any) -> Any:
    """AssertionError: there is no CUDA device."""
    raise NoDevice("Torch not compiled with CUDA enabled: transgrad computes with NumPy; its only device is cpu")


current_device = get_device_name = synchronize = _absent

if not TYPE_CHECKING:
    __getattr__ = refusing(__name__, "torch.cuda")

"""Stubs of ``torch.cuda``, so that programs can test for a device; none is available."""
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
    """Do nothing: there is no cache."""


def manual_seed(seed: int) -> None:
    """Do nothing: there is no device."""


manual_seed_all = manual_seed


def _absent(*args: Any, **kwargs: Any) -> Any:
    """Raise AssertionError: there is no CUDA device."""
    raise NoDevice("Torch not compiled with CUDA enabled: transgrad computes with NumPy; its only device is cpu")


current_device = get_device_name = synchronize = _absent

if not TYPE_CHECKING:
    __getattr__ = refusing(__name__, "torch.cuda")

"""Stubs of ``torch.backends``, so that programs can query and configure back ends; none is available."""
from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING

from .absent import refusing

__all__ = ["cuda", "cudnn", "mps"]


def _no() -> bool:
    """False."""
    return False


cudnn = SimpleNamespace(is_available=_no, enabled=False, deterministic=False, benchmark=False, allow_tf32=False)
mps = SimpleNamespace(is_available=_no, is_built=_no)
cuda = SimpleNamespace(is_built=_no, matmul=SimpleNamespace(allow_tf32=False))

if not TYPE_CHECKING:
    __getattr__ = refusing(__name__, "torch.backends")

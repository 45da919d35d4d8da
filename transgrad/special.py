"""Special functions of Tensors, under the names of `torch.special`."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .absent import refusing
from .autograd.ops import SPECIAL

__all__ = sorted(SPECIAL)

globals().update(SPECIAL)

if TYPE_CHECKING:
    def __getattr__(name: str) -> Any: ...
else:
    __getattr__ = refusing(__name__, "torch.special")

"""Linear algebra on Tensors, under the names of `torch.linalg`."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .absent import refusing
from .autograd.ops import LINALG
from .autograd.ops.failing import LinAlgError

__all__ = ["LinAlgError", *sorted(LINALG)]

globals().update(LINALG)

if TYPE_CHECKING:
    def __getattr__(name: str) -> Any: ...
else:
    __getattr__ = refusing(__name__, "torch.linalg")

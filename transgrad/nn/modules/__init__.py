"""The modules of `transgrad.nn`."""
from typing import Any

from . import attention, containers, convolutions, functions, linear, module, normalization, recurrent

_PARTS = (attention, containers, convolutions, functions, linear, module, normalization, recurrent)
NAMES: dict[str, Any] = {name: getattr(part, name) for part in _PARTS for name in part.__all__ if name[0].isupper()}
__all__ = ["NAMES"]

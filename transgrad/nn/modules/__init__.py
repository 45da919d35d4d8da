"""The modules of `transgrad.nn`."""
from typing import Any

from . import activations, attention, containers, convolutions, linear, losses, module, normalization, pooling, recurrent, shapes

_PARTS = (activations, attention, containers, convolutions, linear, losses, module, normalization, pooling, recurrent, shapes)
_HELPERS = frozenset(("each", "empty_parameter"))
NAMES: dict[str, Any] = {name: getattr(part, name) for part in _PARTS for name in part.__all__ if name not in _HELPERS}
__all__ = ["NAMES"]

"""Trade time for memory: recompute the values that a function would save for backward."""
from typing import TYPE_CHECKING

from ...absent import refusing
from .api import checkpoint, checkpoint_sequential
from .frame import CheckpointError
from .reentrant import CheckpointFunction
from .settings import noop_context_fn, set_checkpoint_debug_enabled, set_checkpoint_early_stop

__all__ = [
    "CheckpointError", "CheckpointFunction", "checkpoint", "checkpoint_sequential", "noop_context_fn", "set_checkpoint_debug_enabled",
    "set_checkpoint_early_stop",
]

if not TYPE_CHECKING:
    __getattr__ = refusing(__name__, "torch.utils.checkpoint")

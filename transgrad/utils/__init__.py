"""Tools beside the tape."""
from typing import TYPE_CHECKING

from ..absent import refusing
from . import checkpoint

__all__ = ["checkpoint"]

if not TYPE_CHECKING:
    __getattr__ = refusing(__name__, "torch.utils")

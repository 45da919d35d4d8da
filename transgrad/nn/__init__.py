"""What programs on the tape use of ``torch.nn`` without modules."""
from typing import TYPE_CHECKING

from ..absent import refusing
from . import functional

__all__ = ["functional"]

if not TYPE_CHECKING:
    __getattr__ = refusing(__name__, "torch.nn")

"""What programs on the tape use of ``torch.nn`` without modules."""
from . import functional

__all__ = ["functional"]

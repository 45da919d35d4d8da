"""Tools beside the tape."""
from . import checkpoint

__all__ = ["checkpoint"]

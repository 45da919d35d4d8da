"""The one way an operation gets onto the tape, in each of its forms."""
from .fast import binary, unary
from .inplace import inplace
from .record import apply, promoted, unbatched

__all__ = ["apply", "binary", "inplace", "promoted", "unary", "unbatched"]

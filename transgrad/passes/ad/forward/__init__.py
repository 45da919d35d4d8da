"""Forward mode: puts the tangent of each operation beside it."""
from .driver import Forward, forward_body

__all__ = ["Forward", "forward_body"]

"""Forward mode: insert the tangent of each operation next to it."""
from .driver import Forward, forward_body

__all__ = ["Forward", "forward_body"]

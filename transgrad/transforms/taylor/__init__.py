"""Taylor mode: truncated polynomials in place of numbers."""
from .api import jet

__all__ = ["jet"]

"""The viewer: a function and its derivative side by side, as one self-contained HTML page."""
from .page import View, view

__all__ = ["View", "view"]

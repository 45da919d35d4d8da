"""From IR to Python text: readable, deterministic, the user's own names; and from the text to a callable."""
from .load import load
from .module import Module, emit

__all__ = ["Module", "emit", "load"]

"""From IR to Python text: readable, deterministic, the user's own names; and from the text to a callable or a file."""
from .export import ExportError, export
from .load import load
from .module import Module, emit

__all__ = ["ExportError", "Module", "emit", "export", "load"]

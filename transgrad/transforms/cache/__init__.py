"""Cache variants on disk: the source of a derivative is read from a file if the function has not changed."""
from .files import find, store

__all__ = ["find", "store"]

"""Variants that outlive the process: the text of a derivative is read from a file where the function has not changed since."""
from .entries import find, store

__all__ = ["find", "store"]

"""Pickling of callables that are made from functions."""
from .by_value import NAMELESS
from .rebuilt import Rebuilt, is_global, portable, usable

__all__ = ["NAMELESS", "Rebuilt", "is_global", "portable", "usable"]
